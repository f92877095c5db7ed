package datafile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ppl/lang/source"
)

// An input is a large data file, open to be read once from its beginning.
type input struct {
	path        string
	memory      RowCache // that a batch of rows has to fit into
	kind        string   // what decides the format: the path without .gz
	table, lone bool
	notes       []string // what a user should know of how it is read
	file        *os.File
	packed      io.Closer // nil where it is not compressed
	text        *bufio.Reader
}

func openInput(path string) (*input, error) {
	file, err := source.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read data: %w", err)
	}
	in := &input{path: path, kind: strings.ToLower(path), file: file, text: bufio.NewReaderSize(file, 1<<20)}
	if start, _ := in.text.Peek(2); string(start) == "\x1f\x8b" {
		z, err := gzip.NewReader(in.text)
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("%s: %w", path, cause(err))
		}
		in.kind, in.packed, in.text = strings.TrimSuffix(in.kind, ".gz"), z, bufio.NewReaderSize(explained{z}, 1<<20)
	}
	return in, nil
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
	start, _ := in.text.Peek(8)
	switch {
	case strings.HasSuffix(in.kind, ".bin"):
		return in.cifar()
	case bytes.HasPrefix(start, []byte(numpyMagic)):
		in.lone = true
		return in.numpy()
	case bytes.HasPrefix(start, []byte("PAR1")):
		in.table = true
		return in.parquet(l)
	case strings.HasSuffix(in.kind, ".csv"):
		in.table = true
		return in.csv(',', l)
	case strings.HasSuffix(in.kind, ".tsv"), strings.HasSuffix(in.kind, ".tab"):
		in.table = true
		return in.csv('\t', l)
	case bytes.HasPrefix(start, []byte(idxMagic)):
		in.lone = true
		return in.idx()
	}
	return nil, fmt.Errorf("%s: a file too large for memory is read row by row, which CSV, TSV, Parquet, NumPy's "+
		".npy, IDX and CIFAR-10's files can be; convert it to one of them", in.path)
}

// name is the name of a file's one array.
func (in *input) name() string {
	base := filepath.Base(in.path)
	return strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), ".npy")
}
