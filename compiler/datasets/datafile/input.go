package datafile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ppl/compiler/datasets/partition"
)

// An input is a large data file, or the files of a data set, open to be read once from the beginning.
type input struct {
	path        string
	parts       []partition.File // one of a file
	at          int              // the part that is open
	read        int64            // bytes of the parts before it
	memory      RowCache         // that a batch of rows has to fit into
	kind        string           // what decides the format: the path without .gz
	table, lone bool
	notes       []string       // what a user should know of how it is read
	lacked      []string       // columns that some files lack
	pages       *parquetSource // nil: files are not read here and there
	file        openFile
	packed      io.Closer // nil if it is not compressed
	text        *bufio.Reader
}

func (s RowCache) openInput(path string) (*input, error) {
	parts, many, err := s.Parts(path)
	if err != nil {
		return nil, err
	}
	if !many {
		parts = []partition.File{{Path: path}}
	}
	in := &input{path: path, memory: s, parts: parts}
	return in, in.open(0)
}

// part returns the path of the file that is open.
func (in *input) part() string { return in.parts[in.at].Path }

// next opens the next file; not ok after the last.
func (in *input) next() (ok bool, err error) {
	if in.at+1 == len(in.parts) {
		return false, nil
	}
	in.read += in.parts[in.at].Size
	in.Close()
	return true, in.open(in.at + 1)
}

func (in *input) open(at int) error {
	in.at, in.packed = at, nil
	file, err := in.memory.openAny(in.part())
	if err != nil {
		return fmt.Errorf("cannot read data: %w", err)
	}
	in.kind, in.file, in.text = strings.ToLower(nameIn(in.part())), file, bufio.NewReaderSize(file, 1<<20)
	if start, _ := in.text.Peek(len(gzipMagic)); string(start) == gzipMagic {
		z, err := gzip.NewReader(in.text)
		if err != nil {
			file.Close()
			return fmt.Errorf("%s: %w", in.part(), cause(err))
		}
		in.kind, in.packed, in.text = strings.TrimSuffix(in.kind, ".gz"), z, bufio.NewReaderSize(explained{z}, 1<<20)
	}
	return nil
}

// explained reads from a library, whose errors are put into the words of users.
type explained struct{ in io.Reader }

func (e explained) Read(p []byte) (int, error) {
	n, err := e.in.Read(p)
	if err != nil && err != io.EOF {
		err = cause(err)
	}
	return n, err
}

// Close lets go of the file.
func (in *input) Close() error {
	if in.packed != nil {
		in.packed.Close()
	}
	return in.file.Close()
}

// source reads rows by the format of the file.
func (in *input) source(l *learned) (rowSource, error) {
	if len(in.parts) > 1 || in.part() != in.path {
		return in.ofParts(l)
	}
	return in.ofOne(l)
}

// ofParts reads the rows of several files of one format.
func (in *input) ofParts(l *learned) (rowSource, error) {
	names, columns, err := keyColumns(in.path, in.parts)
	if err != nil {
		return nil, err
	}
	src, err := in.ofOne(l)
	if err == nil && !in.table {
		err = in.noTable()
	}
	return in.withKeys(src, names, columns), err
}

func (in *input) noTable() error {
	return fmt.Errorf("%s: a data set too large for memory is read row by row, which is done for tables in CSV or "+
		"TSV, or in Parquet; its files have one of these formats", in.part())
}

func (in *input) ofOne(l *learned) (rowSource, error) {
	start, _ := in.text.Peek(8)
	switch {
	case strings.HasSuffix(in.kind, ".bin"):
		return in.cifar()
	case bytes.HasPrefix(start, []byte(numpyMagic)):
		in.lone = true
		return in.numpy()
	case bytes.HasPrefix(start, []byte(parquetMagic)):
		in.table = true
		return in.parquet(l)
	case bytes.HasPrefix(start, []byte(idxMagic)):
		in.lone = true
		return in.idx()
	}
	if comma, ok := commaOf(in.kind); ok {
		in.table = true
		return in.csv(comma, l)
	}
	return nil, fmt.Errorf("%s: a file too large for memory is read row by row, which CSV, TSV, Parquet, NumPy's "+
		".npy, IDX and CIFAR-10's files can be; convert it to one of them", in.path)
}

// name returns the name of a file's one array.
func (in *input) name() string {
	base := filepath.Base(in.path)
	return strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), ".npy")
}
