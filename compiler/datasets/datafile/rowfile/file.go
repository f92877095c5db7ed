// Package rowfile stores the rows of a data file that is too large for memory, so that a minibatch of rows can be read
// at random. A row file is written once, from a Source of rows, and read through a Selection of columns:
//
//	err := rowfile.Writer{Disk: disk, Name: name, Identity: version}.Write(source, about)
//	file, err := rowfile.Open(name, version)
//	s := &rowfile.Selection{File: file}
//	x := s.Add(0, nil, nil)                // column 0 begins at x in a row of s
//	err = s.Read([]int{3, 4}, values)      // two rows of s.Width numbers each
//
// Rows are stored in random order, so that adjacent rows can be used like rows drawn at random. Records have checksums,
// which detect damage and records of other files.
package rowfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"os"

	"ppl/compiler/datasets/datafile/elements"
)

// A File is an open row file. It has one record for each row, with all columns of the row together, because a minibatch
// needs all columns of few rows. Records are read when they are needed, and not kept in memory. Columns have the
// shortest representation that is exact for all their elements.
//
// The file consists of the records in random order (mixing), a footer (gob), the length of the footer (8 bytes), its
// SHA-256 and a magic word. A record has the elements of its columns one after another, little-endian, in NumPy's types
// u1, i1, f4 and f8; then the number of its row in the data file, from 0; and a checksum. An incomplete file is not
// recognized as a row file. A record that was changed, or comes from another position or file, is an error.
type File struct {
	Path    string // of the data file, as the user named it
	Rows    int
	Columns []Column
	Table   bool
	Lone    bool
	Notes   []string // notes for users about how the data file was read
	file    *os.File
	stride  int    // bytes of a record
	seed    uint32 // of checksums
}

// A footer describes the records and the data that they were made from.
type footer struct {
	Identity    string
	Rows        int
	Columns     []Column
	Table, Lone bool
	Notes       []string
}

const (
	rowMagic = "pplrows6"
	tail     = 8 + sha256.Size + len(rowMagic)
)

// bytes returns the encoded footer, followed by its length, its checksum and the magic word.
func (f footer) bytes() ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(f); err != nil {
		return nil, err
	}
	text := b.Bytes()
	sum := sha256.Sum256(text)
	out := binary.LittleEndian.AppendUint64(text, uint64(len(text)))
	return append(append(out, sum[:]...), rowMagic...), nil
}

var errNoRowFile = errors.New("no row file, or a damaged one")

// Open opens a row file. It returns an error if the file was made from a data file with another identity.
func Open(name, identity string) (r *File, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	f, records, err := readFooter(file)
	if err != nil {
		return nil, err
	}
	r = &File{Rows: f.Rows, Columns: f.Columns, Table: f.Table, Lone: f.Lone, Notes: f.Notes, file: file,
		stride: strideOf(f.Columns), seed: sumSeed(f.Identity)}
	if f.Identity != identity || records != int64(r.stride)*int64(r.Rows) {
		return nil, errNoRowFile
	}
	return r, nil
}

// strideOf returns the size of a record with its checksum.
func strideOf(columns []Column) (bytes int) { return sizeOf(columns) + sumSize }

// sizeOf returns the size of columns in a record.
func sizeOf(columns []Column) (bytes int) {
	for i := range columns {
		e, _ := elements.Of(columns[i].Type)
		bytes += e.Size * columns[i].Size()
	}
	return bytes
}

// readFooter also returns the number of bytes of the records before the footer.
func readFooter(file *os.File) (f footer, records int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return f, 0, err
	}
	last := make([]byte, tail)
	if _, err := file.ReadAt(last, info.Size()-int64(tail)); err != nil ||
		string(last[tail-len(rowMagic):]) != rowMagic {
		return f, 0, errNoRowFile
	}
	length := int64(binary.LittleEndian.Uint64(last))
	if length < 0 || length > info.Size()-int64(tail) {
		return f, 0, errNoRowFile
	}
	records = info.Size() - int64(tail) - length
	text := make([]byte, length)
	if _, err := file.ReadAt(text, records); err != nil {
		return f, 0, err
	}
	if sum := sha256.Sum256(text); !bytes.Equal(sum[:], last[8:8+sha256.Size]) {
		return f, 0, errNoRowFile
	}
	return f, records, gob.NewDecoder(bytes.NewReader(text)).Decode(&f)
}

// Place returns the position of the record of a row of the data file, both counted from 0.
func (r *File) Place(row int) int { return newMixing(r.Rows).position(row) }

// damaged removes a row file with a damaged record, so that the next run makes it again. It returns an error that says
// this.
func (r *File) damaged() error {
	return errors.Join(fmt.Errorf("%s: its row file %s is damaged; run the command again to create a new row file",
		r.Path, r.file.Name()), os.Remove(r.file.Name()))
}

// Close closes the file.
func (r *File) Close() error { return r.file.Close() }
