package rowfile

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"

	"ppl/compiler/datasets/datafile/elements"
	"ppl/runtime/sys/files"
)

// mix writes a row file from its records in the order of the data file.
func (w Writer) mix(f *footer, plain files.File) error {
	out, err := w.Disk.CreateTemp(filepath.Dir(w.Name), "converting-*")
	if err != nil {
		return err
	}
	defer w.Disk.Remove(out.Name()) // after an error; otherwise it was renamed
	defer out.Close()
	files.Hold(out)
	if _, err := plain.Seek(0, io.SeekStart); err != nil {
		return err
	}
	from := f.Columns
	f.Columns = narrowed(from)
	stride := strideOf(f.Columns)
	size := int64(f.Rows) * int64(stride)
	written := func(n int64) error {
		return w.Progress(ReadingShare + (1-ReadingShare)*float64(n)/float64(max(1, size)))
	}
	in := newNarrower(bufio.NewReaderSize(plain, 1<<20), from, f.Columns)
	if err := mixRows(in, progressFile{out, new(int64), written}, f.Rows, stride, sumSeed(f.Identity),
		bucketOf(size)); err != nil {
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
	if err := w.Disk.Rename(out.Name(), w.Name); err != nil {
		return fmt.Errorf("%s: cannot be written: %w", w.Name, err)
	}
	return nil
}

// ReadingShare is the share of reading the data file in the time of the conversion; the rest is permuting its rows.
const ReadingShare = .6

// progressFile is a file that reports half the number of bytes written to it, because each byte is written twice.
type progressFile struct {
	files.File
	n      *int64
	report func(n int64) error
}

// WriteAt is called twice for each byte in a conversion: to write it to its bucket, and to its final position.
func (t progressFile) WriteAt(p []byte, at int64) (int, error) {
	*t.n += int64(len(p))
	if err := t.report(*t.n / 2); err != nil {
		return 0, err
	}
	return t.File.WriteAt(p, at)
}

// writeRows writes records in the order of the data file, each with its row at the end, and sets f.Rows and f.Columns.
func (f *footer) writeRows(out io.Writer, src Source) error {
	w := bufio.NewWriterSize(out, 1<<20)
	columns := append(src.Columns(), Column{Type: "f8"})
	width := 0
	for i := range columns {
		c := &columns[i]
		width += c.Size()
		c.Low.At, c.High.At, c.Broken.At = -1, -1, -1
	}
	if err := f.writeRecords(w, src, columns, width); err != nil {
		return err
	}
	for i, c := range src.Columns() {
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

// writeRecords writes all records, whose elements are width numbers with the row, and sets f.Rows.
func (f *footer) writeRecords(w io.Writer, src Source, columns []Column, width int) error {
	rows := readAhead(src, width-1)
	defer rows.end()
	record, raw := make([]float64, width), []byte(nil)
	for ; ; f.Rows++ {
		switch err := rows.next(record[:width-1]); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		record[width-1] = float64(f.Rows)
		raw = append(appendRecord(raw[:0], columns, record, f.Rows), noSum...)
		if _, err := w.Write(raw); err != nil {
			return err
		}
	}
}

// noSum has the place of a checksum, which is computed when the position of a record is known.
var noSum = make([]byte, sumSize)

func appendRecord(raw []byte, columns []Column, record []float64, row int) []byte {
	for i := range columns {
		c, n := &columns[i], columns[i].Size()
		for k, v := range record[:n] {
			c.Note(v, row*n+k)
			raw = elements.Append(raw, c.Type, v)
		}
		record = record[n:]
	}
	return raw
}

// sortedLabels sorts texts, and returns the position of each text in the sorted list, from 1.
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

// inLevels does for a column of a row file what content.Array.SetLevels does: if a text is not a category, it removes
// the categories; if they are ordered, it replaces the labels by the categories.
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

// A Source reads the rows of a data file in order, with a few of them in memory at a time.
type Source interface {
	// Columns returns the columns of a record. After the last row, columns of texts have their labels in the order in
	// which they first appeared.
	Columns() []Column
	// Next fills a record with the elements of the columns, one column after another. It returns io.EOF after the last
	// row. A text is represented by its position, from 1, in the order in which the texts of its column first appeared.
	Next(record []float64) error
}

// About describes the data file of a row file.
type About struct {
	Table bool     // its arrays are columns of the same length
	Lone  bool     // its only array has no name
	Notes []string // notes for users about how it was read
}

// A Writer writes a row file.
type Writer struct {
	Disk     files.System
	Name     string // of the row file
	Identity string // changes whenever the data file changes
	// Progress is called with the completed share, up to 1. If it returns an error, Write stops.
	Progress func(done float64) error
}

// Write writes the rows of a data file in two passes, to temporary files. The second of them is then renamed. Write
// reads about after the last row of src.
func (w Writer) Write(src Source, about *About) error {
	plain, err := w.Disk.CreateTemp(filepath.Dir(w.Name), "converting-*")
	if err != nil {
		return err
	}
	defer w.Disk.Remove(plain.Name())
	defer plain.Close()
	files.Hold(plain)
	f := footer{Identity: w.Identity}
	if err := f.writeRows(plain, src); err != nil {
		return err
	}
	f.Table, f.Lone, f.Notes = about.Table, about.Lone, about.Notes
	return w.mix(&f, plain)
}
