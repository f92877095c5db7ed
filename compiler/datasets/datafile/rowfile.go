package datafile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
)

// A RowFile is a file of records, one for each row, with all columns of a row together: a minibatch wants few rows and
// all that is in them. It is what a data file that does not fit in memory is converted to, once. Records are read where
// they are asked for, and nothing else is kept.
//
// The file is: records in random order (mixing), each the elements of its columns one after another, little-endian, in
// NumPy's types u1, i1, f4 and f8, the last of them the number of its row in the data file, from 0, and a checksum; a
// footer (gob); the footer's length (8 bytes), its SHA-256 and a magic word. So a file that was not written to its end
// is not a row file, and a record that was changed, or comes from another place or file, is not taken.
type RowFile struct {
	Path    string // as the user named what it was made from
	Rows    int
	Columns []Column
	Table   bool
	Lone    bool
	Notes   []string // what a user should know of how the data file was read
	file    *os.File
	stride  int    // bytes of a record
	seed    uint32 // of checksums
}

// A Column is one array of a row file, and what the pass that wrote it saw.
type Column struct {
	Name      string
	Shape     []int  // the shape of one row; empty for a column of a table, [0] for one whose values are not kept
	Unread    string // why its values are not read; empty if they are
	Type      string // the type of its elements
	Int       bool   // as in Array
	Labels    []string
	Levels    []string  // as in Array
	Ordered   bool      // as in Array
	Codes     []float64 // of text: position in Labels of the k-th text to appear, which is stored as k
	Low, High Mark      // the least and the greatest value that is not missing
	Broken    Mark      // the first that is no integer
	First     []int     // of text: the row in which the k-th text first appeared
	Days      bool      // as in Array
	Zeros     *Zeros    // as in Array
	Text      string    // the first that made the column text
	TextAt    int       // its place
	Missing   int       // how many are missing
	// the different values, ascending; nil if one is no integer, or they are too many to be codes of groups
	Distinct []float64

	seen map[float64]bool // while the pass continues
}

// mostDistinct is how many different values of a column are remembered.
const mostDistinct = 1 << 16

// A Mark is an element: its value and its row-major place from 0, −1 if there is none.
type Mark struct {
	Value float64
	At    int
}

// size returns the number of elements of a column in a row.
func (c *Column) size() int {
	n := 1
	for _, d := range c.Shape {
		n *= d
	}
	return n
}

// note takes an element into account.
func (c *Column) note(v float64, at int) {
	if math.IsNaN(v) {
		c.Missing++
		return
	}
	if c.Low.At < 0 || v < c.Low.Value {
		c.Low = Mark{v, at}
	}
	if c.High.At < 0 || v > c.High.Value {
		c.High = Mark{v, at}
	}
	if c.Broken.At < 0 && v != math.Trunc(v) {
		c.Broken = Mark{v, at}
	}
	if len(c.seen) <= mostDistinct && c.Broken.At < 0 {
		if c.seen == nil {
			c.seen = map[float64]bool{}
		}
		c.seen[v] = true
	}
}

// distinct returns what the pass leaves of the values that it has seen.
func (c *Column) distinct() []float64 {
	if len(c.seen) > mostDistinct || c.Broken.At >= 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(c.seen))
}

// appendElement writes a number as an element type; elements reads it.
func appendElement(b []byte, kind string, v float64) []byte {
	switch kind {
	case "u1":
		return append(b, byte(v))
	case "i1":
		return append(b, byte(int8(v)))
	case "f4":
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// A footer says what the records are and what they were made from.
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

// bytes returns a footer as it is at the end of a file.
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

// openRowFile opens a row file made from what has this identity.
func openRowFile(name, identity string) (r *RowFile, err error) {
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
	r = &RowFile{Rows: f.Rows, Columns: f.Columns, Table: f.Table, Lone: f.Lone, Notes: f.Notes, file: file,
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
		e, _ := elements(columns[i].Type)
		bytes += e.size * columns[i].size()
	}
	return bytes
}

// readFooter also gives the bytes of records before it.
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

// A Selection reads some columns of a row file, one after another. It is safe for concurrent use.
type Selection struct {
	File  *RowFile
	Width int // numbers of a row
	parts []part
}

// A part is a column: where it is in a record, how its elements are read and, of text, the number of each text.
type part struct {
	offset, size int
	element      element
	codes        []float64
	numbers      map[float64]float64
}

// Add selects a column and says where its numbers begin in a row. Codes, if any, replace a text's number k by
// codes[k−1]; numbers, if any, replace each number by another.
func (s *Selection) Add(column int, codes []float64, numbers map[float64]float64) (at int) {
	c := &s.File.Columns[column]
	e, _ := elements(c.Type)
	s.parts = append(s.parts, part{sizeOf(s.File.Columns[:column]), c.size(), e, codes, numbers})
	at = s.Width
	s.Width += c.size()
	return at
}

// readSize is about how many bytes are read at once where rows follow one another.
const readSize = 1 << 20

// Place returns where a row of the data file stands, both counted from 0.
func (r *RowFile) Place(row int) int { return newMixing(r.Rows).position(row) }

// AddRow selects the number of the row in the data file.
func (s *Selection) AddRow() (at int) { return s.Add(len(s.File.Columns)-1, nil, nil) }

// Read puts the rows at places into dst, Width numbers each. Places that follow one another are read together.
func (s *Selection) Read(places []int, dst []float64) error {
	most := max(1, readSize/max(1, s.File.stride))
	var buffer []byte
	for len(places) > 0 {
		n := 1
		for n < len(places) && n < most && places[n] == places[n-1]+1 {
			n++
		}
		if need := n * s.File.stride; len(buffer) < need {
			buffer = make([]byte, need)
		}
		raw := buffer[:n*s.File.stride]
		if _, err := s.File.file.ReadAt(raw, int64(places[0])*int64(s.File.stride)); err != nil {
			return fmt.Errorf("%s: rows cannot be read back from %s: %w", s.File.Path, s.File.file.Name(), err)
		}
		for i := range n {
			if record := raw[i*s.File.stride : (i+1)*s.File.stride]; !sumFits(record, places[i], s.File.seed) {
				return s.File.damaged()
			}
			s.decode(raw[i*s.File.stride:], dst[i*s.Width:(i+1)*s.Width])
		}
		places, dst = places[n:], dst[n*s.Width:]
	}
	return nil
}

// damaged removes a row file whose records are not those that were written, so that it is made again.
func (r *RowFile) damaged() error {
	return errors.Join(fmt.Errorf("%s: the rows that were made from it, in %s, are damaged; the next run makes them "+
		"again", r.Path, r.file.Name()), os.Remove(r.file.Name()))
}

// decode reads one record.
func (s *Selection) decode(raw []byte, dst []float64) {
	k := 0
	for _, p := range s.parts {
		for i := range p.size {
			v := p.element.read(raw[p.offset+i*p.element.size:], binary.LittleEndian)
			switch {
			case math.IsNaN(v):
			case p.codes != nil:
				v = p.codes[int(v)-1]
			case p.numbers != nil:
				v = p.numbers[v]
			}
			dst[k] = v
			k++
		}
	}
}

// Close lets go of the file.
func (r *RowFile) Close() error { return r.file.Close() }
