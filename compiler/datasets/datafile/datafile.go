// Package datafile reads observed arrays from files, with their origin for diagnostics. If a file has an error, the
// message contains its name, the position and how to fix it. From the file
//
//	y,group          Arrays["y"]:     Shape [2], Values [1.5, 2], Int false
//	1.5,Oslo         Arrays["group"]: Shape [2], Values [2, 1], Labels [Bergen, Oslo]
//	2,Bergen
//
// it reads the two arrays on the right. It chooses the reader of a file from a table of formats, by the ending of the
// name and by the first bytes (formats.go). Each format has a package below this one, which cites its specification.
// Files may be compressed with gzip, be in a ZIP archive, have a URL, or be parts of a data set of many files.
//
// A file that is too large for memory (RowCache) is read by rows: one pass, with few rows in memory at a time, checks
// the file and writes a row file (package rowfile), which later runs use again. The arrays of such a file have no
// values, only summaries of all values.
package datafile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"unsafe"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/damage"
	"ppl/compiler/datasets/datafile/images"
	"ppl/compiler/datasets/datafile/parquet"
	"ppl/compiler/datasets/datafile/remote"
)

// Read reads a file of any supported format, a folder of pictures, or a data set of many files into memory. It chooses
// the format by the ending of the name, or by the first bytes. Errors contain the path, and the line and column if
// there is one. If the contents do not fit into the memory of the machine, such as those of a small but highly
// compressed file, Read returns an error before it allocates memory for them.
func Read(path string) (*content.File, error) { return DefaultRowCache().Whole(path) }

// Parse reads the contents of a file. The caller must not change text afterwards. path is the name of the file, for
// errors and to choose the format.
func Parse(path string, text []byte) (*content.File, error) {
	return parseContents(path, text, DefaultRowCache().memory())
}

// Whole is Read with the memory limit and the stores of a cache.
func (s RowCache) Whole(path string) (*content.File, error) {
	f, err := s.Open(path)
	if err != nil {
		return nil, err
	}
	return f.ReadAll()
}

// Open is Whole, except that columns of Parquet files are read when File.Array is called for them.
func (s RowCache) Open(path string) (*content.File, error) {
	parts, many, err := s.parts(path)
	switch {
	case err != nil:
		return nil, err
	case many:
		return s.openParts(path, parts)
	}
	return s.openOne(path)
}

// openOne opens a single file.
func (s RowCache) openOne(path string) (*content.File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return images.ReadFolder(path, s.memory())
	}
	if parquet.IsFile(path) {
		return parquet.Open(path, s.memory(), s.Room, s.Distant)
	}
	kind, text, err := s.text(path)
	if err != nil {
		return nil, err
	}
	return parseUnpacked(path, kind, text, s.memory())
}

// text returns the contents of a file, decompressed, and kind, the name of the file without .gz, which shows the
// format.
func (s RowCache) text(path string) (kind string, text []byte, err error) {
	text, err = remote.Read(path, s.Distant, int64(s.memory())/budget.KeptCost)
	if err != nil {
		return "", nil, fmt.Errorf("cannot read data: %w", err)
	}
	return unpacked(path, text, s.memory())
}

func parseContents(path string, text []byte, memory budget.Memory) (*content.File, error) {
	kind, text, err := unpacked(path, text, memory)
	if err != nil {
		return nil, err
	}
	return parseUnpacked(path, kind, text, memory)
}

// parseUnpacked reads the contents of a file that is not compressed. kind is the name that shows its format.
func parseUnpacked(path, kind string, text []byte, memory budget.Memory) (*content.File, error) {
	read, err := readerOf(kind, text)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	return read(path, asText(text), memory)
}

// asText returns a text as a string without copying it.
func asText(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// unpacked returns contents decompressed, if they fit into memory, and the name that shows their format.
func unpacked(path string, text []byte, memory budget.Memory) (kind string, plain []byte, err error) {
	if bytes.HasPrefix(text, []byte(gzipMagic)) {
		plain, err = decompressed(path, text, memory)
		return strings.TrimSuffix(remote.Name(path), ".gz"), plain, err
	}
	return remote.Name(path), text, memory.Fits(path, costOf(path, text), bytes.NewReader(text))
}

// decompressed returns the contents of a file compressed with gzip. It decompresses the file twice: the first time it
// computes the memory that reading takes, before it allocates memory.
func decompressed(path string, packed []byte, memory budget.Memory) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, damage.Cause(err))
	}
	start := bufio.NewReaderSize(r, 1<<16)
	head, _ := start.Peek(1 << 16) // a file may well be shorter
	length, err := memory.Count(path, costOf(strings.TrimSuffix(path, ".gz"), head), start)
	if err != nil {
		return nil, err
	}
	text := make([]byte, length)
	if err = r.Reset(bytes.NewReader(packed)); err == nil {
		_, err = io.ReadFull(r, text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, damage.Cause(err))
	}
	return text, nil
}
