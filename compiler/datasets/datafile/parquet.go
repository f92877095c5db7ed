package datafile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"

	"ppl/compiler/datasets/parquetsizes"
	"ppl/numbers"
)

// readParquet reads a Parquet file as a table: a column is numbers, booleans or texts, one for each row; a null is
// missing.
func readParquet(path, text string, s RowCache) (*File, error) {
	f, err := s.parquetTable(path, strings.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, err
	}
	return f.complete()
}

// isParquet reports whether a file is known to be a Parquet file that can be read column by column.
func (s RowCache) isParquet(path string) bool {
	if !strings.HasSuffix(strings.ToLower(nameIn(path)), ".parquet") {
		return false
	}
	if IsURL(path) {
		return true
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	start := make([]byte, len(parquetMagic))
	_, failed := io.ReadFull(file, start)
	return err == nil && failed == nil && info.Mode().IsRegular() && string(start) == parquetMagic
}

const parquetMagic = "PAR1"

// parquetFile returns a Parquet file whose columns are read when they are wanted.
func (s RowCache) parquetFile(path string) (*File, error) {
	if IsURL(path) {
		file, err := s.distant(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read data: %w", err)
		}
		r := &ranges{path: path, size: file.Size(), ahead: pageRange, read: file.ReadAt}
		return s.parquetTable(path, r, file.Size())
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read data: %w", err)
	}
	r := &ranges{path: path, size: info.Size(), ahead: pageRange, read: readFrom(path)}
	return s.parquetTable(path, r, info.Size())
}

// A parquetTable is a Parquet file in memory, or one of which columns are read.
type parquetTable struct {
	path       string
	bytes      io.ReaderAt
	file       *parquet.File
	cache      RowCache
	words      wordRoom
	pages      int64           // bytes that the pages of a column may take
	categories map[string]bool // of categorical
}

func (s RowCache) parquetTable(path string, bytes io.ReaderAt, size int64) (f *File, err error) {
	defer recovered(path, &err)
	in, err := openParquet(path, bytes, size)
	if err != nil {
		return nil, err
	}
	left, err := s.parquetFits(path, in)
	if err != nil {
		return nil, err
	}
	t := &parquetTable{path, bytes, in, s, wordRoom{path, s, left}, left, categorical(path, in)}
	f = newFile(path, true)
	f.rows = int(in.NumRows())
	for _, c := range in.Root().Columns() {
		if _, err := parquetType(path, c); err != nil {
			f.refuse(c.Name(), err)
			continue
		}
		f.later(c.Name(), func() (*Array, error) { return t.column(c) })
	}
	return f, nil
}

// column reads a column.
func (t *parquetTable) column(c *parquet.Column) (a *Array, err error) {
	defer recovered(t.path, &err)
	if r, is := t.bytes.(*ranges); is {
		defer r.drop()
	}
	for group := range t.file.RowGroups() {
		limits := parquetsizes.Limits{Page: t.pages, Group: t.pages}
		if err := t.cache.columnFits(t.path, t.bytes, t.file, group, c, limits); err != nil {
			return nil, err
		}
	}
	if a, err = parquetColumn(t.path, t.file, c, &t.words); err != nil {
		return nil, err
	}
	a.inLevels(parquetLevels(t.file, c, t.categories))
	return a, nil
}

// openParquet reads the metadata of a file, whose sizes are checked before.
func openParquet(path string, in io.ReaderAt, size int64) (*parquet.File, error) {
	if err := parquetsizes.Footer(in, size); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := parquet.OpenFile(in, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, parquetsizes.Damage(err))
	}
	if err := parquetsizes.Shapes(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// groupFits checks the pages of a group of rows before they are decompressed, and refuses those that would take
// more memory than there is.
func (s RowCache) groupFits(path string, bytes io.ReaderAt, in *parquet.File, group int,
	most parquetsizes.Limits) error {
	_, err := parquetsizes.Group(bytes, in, group, most)
	return s.fitsOrNot(path, err)
}

// columnFits is groupFits of one column.
func (s RowCache) columnFits(path string, bytes io.ReaderAt, in *parquet.File, group int, c *parquet.Column,
	most parquetsizes.Limits) error {
	_, err := parquetsizes.Chunk(bytes, in, group, c, most)
	return s.fitsOrNot(path, err)
}

func (s RowCache) fitsOrNot(path string, err error) error {
	var much parquetsizes.ErrTooMuch
	switch {
	case errors.As(err, &much):
		return s.expands(path, much.Bytes)
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// wordRoom is what is left of memory for the characters of texts: a text of a dictionary may be that of all rows.
type wordRoom struct {
	path string
	in   RowCache
	left int64
}

func (w *wordRoom) take(text string) error {
	w.left -= int64(len(text))
	if w.left < 0 {
		return w.in.expands(w.path, w.in.memory()-w.left)
	}
	return nil
}

// Costs in memory of a value, in bytes: of a number of an Arrow and of a Parquet file, and of a text beyond its
// characters, which is there with its header, as a label and in a table of labels. Numbers of a Parquet file, whose
// lists are made with room for all of them, took 14 with all that reading leaves to the collector (10⁸ numbers).
const (
	valueCost   = 80
	parquetCost = 24
	wordCost    = 240
)

// parquetFits returns an error for a file whose columns, which may be compressed a thousandfold, would not fit into
// memory, and returns how many bytes are left for the texts and the pages of each group.
func (s RowCache) parquetFits(path string, in *parquet.File) (left int64, err error) {
	unpacked, rows := int64(0), in.NumRows()
	for _, group := range in.Metadata().RowGroups {
		for _, c := range group.Columns {
			unpacked += c.MetaData.TotalUncompressedSize
		}
	}
	left = s.memory() - unpacked
	for _, c := range in.Root().Columns() {
		each := int64(parquetCost)
		if c.Leaf() && isText(c) {
			each = wordCost
		}
		left -= each
		if unpacked < 0 || rows < 0 || left < 0 || rows > left/each {
			return 0, s.expands(path, max(unpacked, rows))
		}
		left -= rows * each
	}
	return left + max(unpacked, 0), nil
}

// parquetColumn reads a column; parquetFits has checked that there is memory for as many values as the file declares.
func parquetColumn(path string, in *parquet.File, c *parquet.Column, words *wordRoom) (*Array, error) {
	whole, err := parquetType(path, c)
	if err != nil {
		return nil, err
	}
	rows, read := int(in.NumRows()), 0
	a := &Array{Name: c.Name(), Shape: []int{rows}, Int: true, Days: whole.days(), Origin: path}
	var values numbers.Builder
	values.Grow(rows)
	var labels texts
	err = eachValue(path, in, c, func(v parquet.Value) error {
		n, text, err := parquetNumber(v, whole)
		if err != nil {
			return unreadable{valueError(path, read+1, c.Name(), err)}
		}
		read++
		if isText(c) {
			labels.add(text, v.IsNull())
			return words.take(text)
		}
		values.Add(n.value)
		a.Int = a.Int && n.isInt
		return nil
	})
	if err != nil {
		return nil, err
	}
	if read != rows {
		return nil, fmt.Errorf("%s: column %q has %d values, the file %d rows", path, c.Name(), read, rows)
	}
	if isText(c) {
		a.Labels, a.Values = labels.encoded()
	} else {
		a.Values = values.List().Settled()
	}
	return a, nil
}

func valueError(path string, row int, column string, err error) error {
	return fmt.Errorf("%s: row %d of column %q: %w", path, row, column, err)
}

// A wholeType says what the integers of a column mean.
type wholeType struct {
	unsigned bool
	perDay   float64 // of a date or time: how many make a day; 0 for numbers
}

func (w wholeType) days() bool { return w.perDay > 0 }

// parquetType returns an error for columns that are not plain numbers, booleans, dates or texts.
func parquetType(path string, c *parquet.Column) (w wholeType, err error) {
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

// perSecond returns the unit of TIMESTAMP(isAdjustedToUTC=true,unit=MICROS).
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

// eachValue visits a column's values in order.
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
			return fmt.Errorf("%s: column %q: %w", path, c.Name(), parquetsizes.Damage(theirs.error))
		case err != nil:
			return err
		}
	}
	return nil
}

// A library is an error of the library, whose text is not for users.
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

// parquetNumber returns a value as a number, or as a text with the number 0.
func parquetNumber(v parquet.Value, w wholeType) (n number, text string, err error) {
	if v.IsNull() {
		return number{math.NaN(), true}, "", nil
	}
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			n.value = 1
		}
		return number{n.value, true}, "", nil
	case parquet.Int32, parquet.Int64:
		x := wholeNumber(v, w.unsigned)
		if w.perDay > 0 { // as dates in tables of text, days since 1970-01-01
			x /= w.perDay
			return number{x, x == math.Trunc(x)}, "", nil
		}
		if math.Abs(x) > exact {
			return n, "", fmt.Errorf("%v is too large for a float64 to hold exactly", v)
		}
		return number{x, true}, "", nil
	case parquet.Float:
		return number{float64(v.Float()), false}, "", nil
	case parquet.Double:
		return number{v.Double(), false}, "", nil
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return number{0, true}, string(v.ByteArray()), nil
	}
	return n, "", fmt.Errorf("values of the type %v are not read", v.Kind())
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
