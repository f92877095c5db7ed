package datafile

import (
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/numerals"
	"ppl/compiler/datasets/datafile/remote"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/numbers"
)

// Names that callers use until they import the packages below this one.
type (
	Array       = content.Array
	File        = content.File
	Zeros       = numerals.Zeros
	Column      = rowfile.Column
	Mark        = rowfile.Mark
	RowFile     = rowfile.File
	Selection   = rowfile.Selection
	Distant     = remote.Store
	DistantFile = remote.StoredFile
)

// IsURL is remote.IsURL.
func IsURL(path string) bool { return remote.IsURL(path) }

// Spelled is content.Spelled.
func Spelled(name string) string { return content.Spelled(name) }

// DateOf is numerals.DateOf.
func DateOf(days float64) string { return numerals.DateOf(days) }

// Days is numerals.Days.
func Days(text string) (days float64, ok bool) { return numerals.Days(text) }

// ZerosOf is content.ZerosOf.
func ZerosOf(columns []*content.Array) *numerals.Zeros { return content.ZerosOf(columns) }

// Share is sharing.Place.Store.
func (s RowCache) Share(about []byte, lists []numbers.List) ([]numbers.List, error) {
	return s.Sharing().Store(about, lists)
}

// Shared is sharing.Place.Load.
func (s RowCache) Shared() (about []byte, lists []numbers.List, err error) { return s.Sharing().Load() }

// Unshare is sharing.Place.Remove.
func (s RowCache) Unshare() { s.Sharing().Remove() }
