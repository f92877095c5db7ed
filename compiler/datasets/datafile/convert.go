package datafile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"sort"

	"ppl/runtime/sys/files"
)

// A rowSource gives the rows of a data file, one after another, without holding more than a few of them.
type rowSource interface {
	// columns are what a record is made of; of text columns with the texts in the order in which they appeared, once
	// all rows are read.
	columns() []Column
	// next fills a record, columns one after another; io.EOF after the last row. A text is its number among those that
	// appeared so far.
	next(record []float64) error
}

// What earlier passes over a file have learned.
type learned struct {
	columns map[int]retyping
	windows map[int]bool // files, by their numbers, whose text is not in UTF-8
	// whether the numbers of a table have decimal commas; nil if that is not known
	decimalComma *bool
}

// A retyping says that a column taken for numbers is text, or has numbers that begin with zeros, or that one taken for
// names, too many of them, is dates: the pass starts again.
type retyping struct {
	column, row int
	text        string
	dates       bool
	zeros       bool // it is numbers, some of which begin with zeros, or may be identifiers
	marks       bool // no column: the marks in numbers mean something else
	// with marks: whether the numbers of the file have decimal commas
	decimalComma bool
	windows      bool // the text of a file is not in UTF-8; column is the number of the file
}

func (r retyping) Error() string { return "a column is of another type" }

// A rowWriter makes a row file.
type rowWriter struct {
	cache          RowCache
	disk           files.System
	name, identity string
}

// convert writes the rows of a data file, under a temporary name first. What a Column says of all values is learned on
// the way.
func (w rowWriter) convert(path string) error {
	l := &learned{columns: map[int]retyping{}, windows: map[int]bool{}}
	for {
		err := w.convertOnce(path, l)
		var again retyping
		switch {
		case !errors.As(err, &again):
			return err
		case again.windows:
			l.windows[again.column] = true
		case again.marks:
			l.decimalComma = &again.decimalComma
		default:
			l.columns[again.column] = again
		}
	}
}

func (w rowWriter) convertOnce(path string, l *learned) error {
	in, err := w.cache.openInput(path)
	if err != nil {
		return err
	}
	defer in.Close()
	src, err := in.source(l)
	if err != nil {
		return err
	}
	plain, err := w.disk.CreateTemp(filepath.Dir(w.name), "converting-*")
	if err != nil {
		return err
	}
	defer w.disk.Remove(plain.Name())
	defer plain.Close()
	files.Hold(plain)
	f := footer{Identity: w.identity, Table: in.table, Lone: in.lone}
	if err := f.writeRows(plain, in.counted(src)); err != nil {
		return err
	}
	f.Notes = in.notes
	return w.mix(&f, plain, path)
}

// mix writes a row file from its records in order.
func (w rowWriter) mix(f *footer, plain files.File, path string) error {
	out, err := w.disk.CreateTemp(filepath.Dir(w.name), "converting-*")
	if err != nil {
		return err
	}
	defer w.disk.Remove(out.Name()) // where it was not renamed
	defer out.Close()
	files.Hold(out)
	if _, err := plain.Seek(0, io.SeekStart); err != nil {
		return err
	}
	stride := strideOf(f.Columns)
	size := int64(f.Rows) * int64(stride)
	written := func(n int64) error {
		return w.cache.converting(path, readingPart+(1-readingPart)*float64(n)/float64(max(1, size)))
	}
	if err := mixRows(bufio.NewReaderSize(plain, 1<<20), progressFile{out, new(int64), written}, f.Rows, stride,
		sumSeed(f.Identity), bucketOf(size)); err != nil {
		return err
	}
	end, err := f.bytes()
	if err != nil {
		return err
	}
	if _, err := out.WriteAt(end, int64(f.Rows)*int64(stride)); err != nil {
		return err
	}
	if err := out.Sync(); err != nil {
		return err
	}
	if err := w.disk.Rename(out.Name(), w.name); err != nil {
		return fmt.Errorf("%s: cannot be written: %w", w.name, err)
	}
	return nil
}

// readingPart is the share of a conversion that reads the data file; the rest mixes its rows.
const readingPart = .6

// progressFile is a file that reports how many bytes were written to it, those of the last of two passes.
type progressFile struct {
	files.File
	n      *int64
	report func(n int64) error
}

// WriteAt writes each byte twice in a conversion: to its bucket, and to its place.
func (t progressFile) WriteAt(p []byte, at int64) (int, error) {
	*t.n += int64(len(p))
	if err := t.report(*t.n / 2); err != nil {
		return 0, err
	}
	return t.File.WriteAt(p, at)
}

// reportedRows is after how many rows a conversion reports its progress.
const reportedRows = 1 << 12

// counted reports how much of a file was read as rows come out of it.
func (in *input) counted(src rowSource) rowSource { return &countedRows{rowSource: src, of: in} }

type countedRows struct {
	rowSource
	of  *input
	row int
}

func (c *countedRows) next(record []float64) error {
	if first := c.of.memory.First; first > 0 && c.row == first {
		return io.EOF
	}
	c.row++
	if c.row%reportedRows == 0 {
		if err := c.of.memory.converting(c.of.path, readingPart*c.of.share()); err != nil {
			return err
		}
	}
	return c.rowSource.next(record)
}

// share returns the part of all files that was read.
func (in *input) share() float64 {
	info, err := in.file.Stat()
	if err != nil {
		return 0
	}
	now, total := in.parts[in.at].Size, int64(0)
	for _, p := range in.parts {
		total += p.Size
	}
	if total == 0 {
		now, total = info.Size(), info.Size()
	}
	at, err := in.file.Seek(0, io.SeekCurrent)
	if p := in.pages; p != nil { // which reads here and there
		at = now * int64(p.row-p.before) / max(1, p.file.NumRows())
	}
	if err != nil || total == 0 {
		return 0
	}
	return float64(in.read+at) / float64(total)
}

// writeRows writes records in the order of the data file, each with its row at the end, and enters what they are.
func (f *footer) writeRows(out io.Writer, src rowSource) error {
	w := bufio.NewWriterSize(out, 1<<20)
	columns := append(src.columns(), Column{Type: "f8"})
	width := 0
	for i := range columns {
		c := &columns[i]
		width += c.size()
		c.Low.At, c.High.At, c.Broken.At = -1, -1, -1
	}
	record, raw := make([]float64, width), []byte(nil)
	for ; ; f.Rows++ {
		err := src.next(record[:width-1])
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		record[width-1] = float64(f.Rows)
		raw = append(appendRecord(raw[:0], columns, record, f.Rows), make([]byte, sumSize)...)
		if _, err := w.Write(raw); err != nil {
			return err
		}
	}
	for i, c := range src.columns() {
		columns[i].Int, columns[i].Text, columns[i].TextAt = c.Int, c.Text, c.TextAt
		columns[i].Labels, columns[i].Codes = sortedLabels(c.Labels)
		columns[i].inLevels()
		columns[i].First, columns[i].Unread = c.First, c.Unread
		columns[i].Zeros = c.Zeros
		if !c.Int {
			columns[i].Zeros = nil
		}
	}
	for i := range columns[:len(columns)-1] {
		if columns[i].Labels == nil {
			columns[i].Distinct = columns[i].distinct()
		}
	}
	f.Columns = columns
	return w.Flush()
}

func appendRecord(raw []byte, columns []Column, record []float64, row int) []byte {
	for i := range columns {
		c, n := &columns[i], columns[i].size()
		for k, v := range record[:n] {
			c.note(v, row*n+k)
			raw = appendElement(raw, c.Type, v)
		}
		record = record[n:]
	}
	return raw
}

// sortedLabels sorts texts and says where each went, from 1.
func sortedLabels(texts []string) (labels []string, codes []float64) {
	if texts == nil {
		return nil, nil
	}
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return texts[order[i]] < texts[order[j]] })
	labels, codes = make([]string, len(texts)), make([]float64, len(texts))
	for at, i := range order {
		labels[at], codes[i] = texts[i], float64(at+1)
	}
	return labels, codes
}

// inLevels gives a column of texts its categories, as Array.inLevels does.
func (c *Column) inLevels() {
	places := make([]float64, len(c.Labels))
	for i, label := range c.Labels {
		places[i] = float64(slices.Index(c.Levels, label) + 1)
	}
	switch {
	case c.Levels == nil:
	case c.Labels == nil || slices.Contains(places, 0):
		c.Levels, c.Ordered = nil, false
	case c.Ordered:
		for k, code := range c.Codes {
			c.Codes[k] = places[int(code)-1]
		}
		c.Labels = c.Levels
	}
}

// mostLabels bounds the different texts of a column, which are kept in memory.
const mostLabels = 1 << 20

// A dictionary numbers texts from 1 as they appear, and knows in which row, from 0, each did so first.
type dictionary struct {
	number map[string]float64
	texts  []string
	first  []int
}

var errManyTexts = fmt.Errorf("there are more than %d different texts", mostLabels)

func (d *dictionary) code(text string, row int) (float64, error) {
	text = visible(text)
	if n, ok := d.number[text]; ok {
		return n, nil
	}
	if len(d.texts) == mostLabels {
		return 0, errManyTexts
	}
	if d.number == nil {
		d.number = map[string]float64{}
	}
	d.texts, d.first = append(d.texts, text), append(d.first, row)
	d.number[text] = float64(len(d.texts))
	return float64(len(d.texts)), nil
}

// A wordColumn is a column of texts: names, which are numbered, or dates, if there are too many for names.
type wordColumn struct {
	names dictionary
	dates bool
}

// wordsOf returns what an earlier pass learned of a column; nil of a column of numbers.
func wordsOf(r retyping, text bool) *wordColumn {
	if !text || r.zeros {
		return nil
	}
	return &wordColumn{dates: r.dates}
}

// number returns the number of a text that is not missing, in a column and a row, both from 0.
func (w *wordColumn) number(text string, column, row int) (n number, err error) {
	if w.dates {
		days, ok := Days(text)
		if !ok {
			return n, fmt.Errorf("%q is not a date, and %w", text, errManyTexts)
		}
		return number{days, days == math.Trunc(days)}, nil
	}
	code, err := w.names.code(text, row)
	if first := w.names.texts; errors.Is(err, errManyTexts) {
		if _, date := Days(first[0]); date {
			return n, retyping{column: column, row: row, text: text, dates: true}
		}
	}
	return number{code, true}, err
}

// name gives a column of names its texts.
func (w *wordColumn) name(c *Column) {
	if w != nil && !w.dates && c.Unread == "" {
		c.Labels, c.First = w.names.texts, w.names.first
	}
}
