// Package stream reads a data file that is too large for memory row by row. An Input opens the files one after another;
// a format makes a source of rows of it; a Conversion writes the rows to a row file:
//
//	c := stream.Conversion{Open: open, Source: table.ReadRows, To: writer}
//	err := c.Run()
//
// What a column is can be known after the last row only, since the last field may be the first that is no number. A
// pass that finds a column to be of another type ends with a Retyping, and the next pass reads the column so (Learned).
package stream

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/damage"
	"ppl/compiler/datasets/datafile/remote"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/compiler/datasets/partition"
)

// GzipMagic is what a file compressed with gzip begins with.
const GzipMagic = "\x1f\x8b"

// An Input is a large data file, or the files of a data set, open for one pass from the beginning.
type Input struct {
	Path   string
	Parts  []partition.File // one for a single file
	At     int              // the number of the part that is open
	read   int64            // bytes of the parts before it
	Memory budget.Memory    // that a batch of rows has to fit into
	store  remote.Store
	Kind   string // decides the format: the path in lower case, without .gz
	rowfile.About
	lacked []string                 // columns that some of the files do not have
	Share  func() (rows, all int64) // how much of the open file was read; nil if it is read in order
	File   remote.File
	packed io.Closer // nil if the file is not compressed
	Text   *bufio.Reader
}

// OpenInput opens the first of the files that a path names.
func OpenInput(path string, parts []partition.File, memory budget.Memory, store remote.Store) (*Input, error) {
	in := &Input{Path: path, Parts: parts, Memory: memory, store: store}
	return in, in.open(0)
}

// Part returns the path of the file that is open.
func (in *Input) Part() string { return in.Parts[in.At].Path }

// Next opens the next file; ok is false after the last.
func (in *Input) Next() (ok bool, err error) {
	if in.At+1 == len(in.Parts) {
		return false, nil
	}
	in.read += in.Parts[in.At].Size
	in.Close()
	return true, in.open(in.At + 1)
}

func (in *Input) open(at int) error {
	in.At, in.packed = at, nil
	file, err := remote.Open(in.Part(), in.store)
	if err != nil {
		return fmt.Errorf("cannot read data: %w", err)
	}
	in.Kind, in.File, in.Text = strings.ToLower(remote.Name(in.Part())), file, bufio.NewReaderSize(file, 1<<20)
	if start, _ := in.Text.Peek(len(GzipMagic)); string(start) == GzipMagic {
		z, err := gzip.NewReader(in.Text)
		if err != nil {
			file.Close()
			return fmt.Errorf("%s: %w", in.Part(), damage.Cause(err))
		}
		in.Kind, in.packed, in.Text = strings.TrimSuffix(in.Kind, ".gz"), z, bufio.NewReaderSize(explained{z}, 1<<20)
	}
	return nil
}

// explained reads from a library and replaces its errors by those of damage.Cause.
type explained struct{ in io.Reader }

func (e explained) Read(p []byte) (int, error) {
	n, err := e.in.Read(p)
	if err != nil && err != io.EOF {
		err = damage.Cause(err)
	}
	return n, err
}

// Close closes the file.
func (in *Input) Close() error {
	if in.packed != nil {
		in.packed.Close()
	}
	return in.File.Close()
}

// IsPacked reports whether the open file is compressed.
func (in *Input) IsPacked() bool { return in.packed != nil }

// NoTable returns the error of a file in a data set that cannot be read row by row.
func (in *Input) NoTable() error {
	return fmt.Errorf("%s: a data set too large for memory is read row by row, which is done for tables in CSV or "+
		"TSV, or in Parquet; its files have one of these formats", in.Part())
}

// mostExpansion is more bytes than one byte of a compressed file contains in practice; gzip can make 1,032 of one.
const mostExpansion = 100

// Expands reports whether the beginning of a compressed file contains far more than data do: its rows would fill the
// disk.
func (in *Input) Expands() bool {
	const looked = 2 * mostExpansion << 20 // bytes: a megabyte of the file is read ahead
	held, err := io.Copy(io.Discard, io.LimitReader(in.Text, looked))
	taken, failed := in.File.Seek(0, io.SeekCurrent)
	return err == nil && failed == nil && held > mostExpansion*taken
}

// Lacks marks a column as not read, because one of the files does not have it.
func (in *Input) Lacks(c *rowfile.Column, l content.Lacking) {
	if c.Unread == "" {
		c.Unread = fmt.Sprintf("%s: %v", in.Path, l)
	}
	if !slices.Contains(in.lacked, l.Column) {
		in.lacked, in.Notes = append(in.lacked, l.Column), append(in.Notes, l.Note())
	}
}
