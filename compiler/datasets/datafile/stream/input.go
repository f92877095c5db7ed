// Package stream reads a data file that is too large for memory row by row. An Input opens the files one after another,
// the reader of a format reads rows from it, and a Conversion writes the rows to a row file:
//
//	c := stream.Conversion{Open: open, Source: table.ReadRows, To: writer}
//	err := c.Run()
//
// The type of a column is certain only after the last row, because the last field may be the first that is not a
// number. A pass that finds that a column has another type ends with a Retyping, and the next pass reads the column
// with this type (Learned).
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

// GzipMagic is the beginning of files compressed with gzip.
const GzipMagic = "\x1f\x8b"

// An Input is a large data file, or the files of a data set, open for one pass from the beginning.
type Input struct {
	Path   string
	Parts  []partition.File // one for a single file
	At     int              // the number of the open part
	read   int64            // total size in bytes of the parts before it
	Memory budget.Memory    // memory for a batch of rows
	store  remote.Store
	Kind   string // the path of the open part in lower case, without .gz, which shows the format
	rowfile.About
	lacked []string // columns that some of the files do not have
	// Share returns the number of rows of the open file that were read, and of all its rows. It is nil if the file is
	// read in order.
	Share  func() (rows, all int64)
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

// explained replaces the errors of a reader by those of damage.Cause.
type explained struct{ in io.Reader }

func (e explained) Read(p []byte) (int, error) {
	n, err := e.in.Read(p)
	if err != nil && err != io.EOF {
		err = damage.Cause(err)
	}
	return n, err
}

// Close closes the open file.
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
	return fmt.Errorf("%s: a data set too large for memory is read row by row, which is possible only if its files "+
		"are CSV or TSV, or all are Parquet", in.Part())
}

// mostExpansion exceeds the number of bytes that one byte of compressed data represents in practice. With gzip up to
// 1,032 are possible.
const mostExpansion = 100

// Expands reports whether the beginning of a compressed file expands far more than usual data do. The rows of such a
// file would fill the disk.
func (in *Input) Expands() bool {
	const looked = 2 * mostExpansion << 20 // bytes: a megabyte of the file is read ahead
	held, err := io.Copy(io.Discard, io.LimitReader(in.Text, looked))
	taken, failed := in.File.Seek(0, io.SeekCurrent)
	return err == nil && failed == nil && held > mostExpansion*taken
}

// Lacks marks a column as not read, because one of the files does not have it, and adds a note.
func (in *Input) Lacks(c *rowfile.Column, l content.Lacking) {
	if c.Unread == "" {
		c.Unread = fmt.Sprintf("%s: %v", in.Path, l)
	}
	if !slices.Contains(in.lacked, l.Column) {
		in.lacked, in.Notes = append(in.lacked, l.Column), append(in.Notes, l.Note())
	}
}
