// Package parquet reads Parquet files (parquet.apache.org/docs/file-format) as a table: a column has numbers, truth
// values, dates or texts, one for each row, and a null is missing. Columns are read when they are needed:
//
//	f, err := parquet.Open("s3://bucket/x.parquet", memory, nil, store) // reads the metadata at the end of the file
//	y := f.Array("y")                                                  // reads the pages of y
//
// The sizes that a file declares are checked before memory is allocated (package parquetsizes).
package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/damage"
	"ppl/compiler/datasets/datafile/elements"
	"ppl/compiler/datasets/datafile/numerals"
	"ppl/compiler/datasets/datafile/remote"
	"ppl/compiler/datasets/parquetsizes"
	"ppl/numbers"
)

// Read reads all columns of a file.
func Read(path, text string, memory budget.Memory) (*content.File, error) {
	f, err := openTable(path, strings.NewReader(text), int64(len(text)), memory, nil)
	if err != nil {
		return nil, err
	}
	return f.ReadAll()
}

// IsFile reports whether a path is known to be that of a Parquet file whose columns can be read one by one.
func IsFile(path string) bool {
	if !strings.HasSuffix(strings.ToLower(remote.Name(path)), ".parquet") {
		return false
	}
	if remote.IsURL(path) {
		return true
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	start := make([]byte, len(Magic))
	_, failed := io.ReadFull(file, start)
	return err == nil && failed == nil && info.Mode().IsRegular() && string(start) == Magic
}

// Magic is the beginning of every Parquet file.
const Magic = "PAR1"

// Open returns a Parquet file whose columns are read when a model needs them. Columns of numbers are kept in room.
func Open(path string, memory budget.Memory, room numbers.Room, store remote.Store) (*content.File, error) {
	r, err := remote.OpenRanges(path, store)
	if err != nil {
		return nil, fmt.Errorf("cannot read data: %w", err)
	}
	return openTable(path, r, r.Size(), memory, room)
}

// A table is an open Parquet file with the memory that is left for it.
type table struct {
	path       string
	bytes      io.ReaderAt
	file       *parquet.File
	memory     budget.Memory
	room       numbers.Room
	words      textRoom
	pages      int64           // bytes that the pages of a column may take
	categories map[string]bool // the result of categorical
}

func openTable(path string, bytes io.ReaderAt, size int64, memory budget.Memory, room numbers.Room) (f *content.File,
	err error) {
	defer damage.Recover(path, &err)
	in, err := openFile(path, bytes, size)
	if err != nil {
		return nil, err
	}
	left, err := fits(path, in, memory)
	if err != nil {
		return nil, err
	}
	t := &table{path, bytes, in, memory, room, textRoom{path, memory, left}, left, categorical(path, in)}
	f = content.NewFile(path, true)
	f.Rows = int(in.NumRows())
	for _, c := range in.Root().Columns() {
		if _, err := typeOf(path, c); err != nil {
			f.Refuse(c.Name(), err)
			continue
		}
		f.AddLater(c.Name(), func() (*content.Array, error) { return t.column(c) })
	}
	return f, nil
}

// column reads a column.
func (t *table) column(c *parquet.Column) (a *content.Array, err error) {
	defer damage.Recover(t.path, &err)
	if r, is := t.bytes.(*remote.Ranges); is {
		defer r.Release()
	}
	for group := range t.file.RowGroups() {
		limits := parquetsizes.Limits{Page: t.pages, Group: t.pages}
		if err := columnFits(t.memory, t.path, t.bytes, t.file, group, c, limits); err != nil {
			return nil, err
		}
	}
	if a, err = readColumn(t.path, t.file, c, t.room, &t.words); err != nil {
		return nil, err
	}
	a.SetLevels(levelsOf(t.file, c, t.categories))
	return a, nil
}

// openFile reads the metadata of a file after it has checked their sizes.
func openFile(path string, in io.ReaderAt, size int64) (*parquet.File, error) {
	if err := parquetsizes.Footer(in, size); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := parquet.OpenFile(in, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, damage.Decoding(err))
	}
	if err := parquetsizes.Shapes(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// groupFits returns an error if decompressing the pages of a group of rows would exceed a limit, or if the pages are
// damaged.
func groupFits(memory budget.Memory, path string, bytes io.ReaderAt, in *parquet.File, group int,
	most parquetsizes.Limits) error {
	_, err := parquetsizes.Group(bytes, in, group, most)
	return fitsOrNot(memory, path, err)
}

// columnFits is groupFits for a single column.
func columnFits(memory budget.Memory, path string, bytes io.ReaderAt, in *parquet.File, group int, c *parquet.Column,
	most parquetsizes.Limits) error {
	_, err := parquetsizes.Chunk(bytes, in, group, c, most)
	return fitsOrNot(memory, path, err)
}

func fitsOrNot(memory budget.Memory, path string, err error) error {
	var much parquetsizes.ErrTooMuch
	switch {
	case errors.As(err, &much):
		return memory.Exceeded(path, much.Bytes)
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// textRoom is the memory that is left for the characters of texts. A long text of a dictionary may occur in every row.
type textRoom struct {
	path string
	in   budget.Memory
	left int64
}

func (w *textRoom) take(text string) error {
	w.left -= int64(len(text))
	if w.left < 0 {
		return w.in.Exceeded(w.path, int64(w.in)-w.left)
	}
	return nil
}

// numberCost is an upper bound for the memory of a number, in bytes. Reading 10⁸ numbers of a Parquet file took 14
// bytes for each, including garbage that was not collected yet.
const numberCost = 24

// fits returns an error for a file whose columns do not fit into memory when they are decompressed; they may then be a
// thousand times larger. Otherwise it returns the number of bytes that are left for the texts and the pages of a group.
func fits(path string, in *parquet.File, memory budget.Memory) (left int64, err error) {
	unpacked, rows := int64(0), in.NumRows()
	for _, group := range in.Metadata().RowGroups {
		for _, c := range group.Columns {
			unpacked += c.MetaData.TotalUncompressedSize
		}
	}
	left = int64(memory) - unpacked
	for _, c := range in.Root().Columns() {
		each := int64(numberCost)
		if c.Leaf() && isText(c) {
			each = budget.TextCost
		}
		left -= each
		if unpacked < 0 || rows < 0 || left < 0 || rows > left/each {
			return 0, memory.Exceeded(path, max(unpacked, rows))
		}
		left -= rows * each
	}
	return left + max(unpacked, 0), nil
}

// readColumn reads a column; fits has checked that there is memory for as many values as the file declares.
func readColumn(path string, in *parquet.File, c *parquet.Column, room numbers.Room, words *textRoom) (*content.Array,
	error) {
	whole, err := typeOf(path, c)
	if err != nil {
		return nil, err
	}
	rows, read := int(in.NumRows()), 0
	a := &content.Array{Name: c.Name(), Shape: []int{rows}, Int: true, Days: whole.days(), Origin: path}
	values := numbers.Builder{Room: room}
	values.Grow(rows)
	var labels content.Texts
	err = eachValue(path, in, c, func(v parquet.Value) error {
		n, text, err := numberOf(v, whole)
		if err != nil {
			return content.NotRead(content.ValueError(path, read+1, c.Name(), err))
		}
		read++
		if isText(c) {
			labels.Add(text, v.IsNull())
			return words.take(text)
		}
		values.Add(n.Value)
		a.Int = a.Int && n.IsInt
		return nil
	})
	if err != nil {
		return nil, err
	}
	if read != rows {
		return nil, fmt.Errorf("%s: column %q has %d values, the file %d rows", path, c.Name(), read, rows)
	}
	if isText(c) {
		a.Labels, a.Values = labels.Encoded()
	} else {
		a.Values = values.List().Settled()
	}
	return a, nil
}

// A wholeType is the meaning of the integers of a column.
type wholeType struct {
	unsigned bool
	perDay   float64 // for a date or time, the number of its units in a day; 0 for numbers
}

func (w wholeType) days() bool { return w.perDay > 0 }

// typeOf returns an error for columns that are not plain numbers, booleans, dates or texts.
func typeOf(path string, c *parquet.Column) (w wholeType, err error) {
	if !c.Leaf() || c.Repeated() {
		return w, fmt.Errorf("%s: column %q has lists or records; a column of a table has one value for each row",
			path, c.Name())
	}
	meaning := ""
	if l := c.Type().LogicalType(); l != nil {
		meaning = l.String()
		if strings.HasPrefix(meaning, "DATE") {
			return wholeType{perDay: 1}, nil
		}
		if strings.HasPrefix(meaning, "TIMESTAMP") {
			return wholeType{perDay: 86400 * perSecond(meaning)}, nil
		}
	}
	for _, scaled := range []string{"DECIMAL", "TIME", "FLOAT16"} {
		if strings.HasPrefix(meaning, scaled) {
			return w, fmt.Errorf("%s: column %q has the type %s; write it as plain numbers", path,
				c.Name(), meaning)
		}
	}
	w.unsigned = strings.HasPrefix(meaning, "INT") && strings.Contains(meaning, "false")
	return w, nil
}

// perSecond returns the number of units in a second, such as 1e6 for TIMESTAMP(isAdjustedToUTC=true,unit=MICROS).
func perSecond(meaning string) float64 {
	switch {
	case strings.Contains(meaning, "MILLIS"):
		return 1e3
	case strings.Contains(meaning, "MICROS"):
		return 1e6
	}
	return 1e9
}

func isText(c *parquet.Column) bool {
	k := c.Type().Kind()
	return k == parquet.ByteArray || k == parquet.FixedLenByteArray
}

// eachValue visits the values of a column in the order of the rows.
func eachValue(path string, in *parquet.File, c *parquet.Column, visit func(parquet.Value) error) error {
	for _, group := range in.RowGroups() {
		pages := group.ColumnChunks()[c.Index()].Pages()
		err := eachPage(pages, visit)
		if closed := pages.Close(); err == nil && closed != nil {
			err = library{closed}
		}
		var theirs library
		switch {
		case errors.As(err, &theirs):
			return fmt.Errorf("%s: column %q: %w", path, c.Name(), damage.Decoding(theirs.error))
		case err != nil:
			return err
		}
	}
	return nil
}

// A library is an error of the Parquet library. Its text is not suitable for messages.
type library struct{ error }

func eachPage(pages parquet.Pages, visit func(parquet.Value) error) error {
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return library{err}
		}
		err = eachOfPage(page.Values(), visit)
		parquet.Release(page)
		if err != nil {
			return err
		}
	}
}

func eachOfPage(page parquet.ValueReader, visit func(parquet.Value) error) error {
	values := make([]parquet.Value, batchRows)
	for {
		n, err := page.ReadValues(values)
		if err != nil && !errors.Is(err, io.EOF) {
			return library{err}
		}
		for _, v := range values[:n] {
			if err := visit(v); err != nil {
				return err
			}
		}
		if err != nil || n == 0 {
			return nil
		}
	}
}

// numberOf returns a value as a number, or as a text with the number 0.
func numberOf(v parquet.Value, w wholeType) (n numerals.Number, text string, err error) {
	if v.IsNull() {
		return numerals.Missing(), "", nil
	}
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			n.Value = 1
		}
		return numerals.Whole(n.Value), "", nil
	case parquet.Int32, parquet.Int64:
		x := wholeNumber(v, w.unsigned)
		if w.perDay > 0 { // days since 1970-01-01, like dates in tables of text
			x /= w.perDay
			return numerals.Of(x), "", nil
		}
		if math.Abs(x) > elements.LargestExact {
			return n, "", fmt.Errorf("%v is too large for a float64 to hold exactly", v)
		}
		return numerals.Whole(x), "", nil
	case parquet.Float:
		return numerals.Real(float64(v.Float())), "", nil
	case parquet.Double:
		return numerals.Real(v.Double()), "", nil
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return numerals.Whole(0), string(v.ByteArray()), nil
	}
	return n, "", fmt.Errorf("values of the type %v are not supported; store the column as numbers, dates or "+
		"text", v.Kind())
}

func wholeNumber(v parquet.Value, unsigned bool) float64 {
	switch narrow := v.Kind() == parquet.Int32; {
	case narrow && unsigned:
		return float64(v.Uint32())
	case narrow:
		return float64(v.Int32())
	case unsigned:
		return float64(v.Uint64())
	}
	return float64(v.Int64())
}
