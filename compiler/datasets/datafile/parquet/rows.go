package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/damage"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/compiler/datasets/datafile/stream"
	"ppl/compiler/datasets/parquetsizes"
)

// A rowSource reads the row groups of Parquet files, at most batchRows rows at a time.
type rowSource struct {
	path    string // of all files
	of      *stream.Input
	l       *stream.Learned
	file    *parquet.File // that is being read
	cols    []rowfile.Column
	all     []*columnValues // of the columns that are read
	values  []*columnValues // by the number of a column among all leaves of the file; nil for columns that are not read
	read    int             // number of columns of the open file that are read
	width   int             // of a record
	groups  []parquet.RowGroup
	rows    parquet.Rows // of the group that is being read; nil between groups
	batch   []parquet.Row
	waiting []parquet.Row // the rows of batch that Next has not returned yet
	row     int
	before  int // rows of the files before this one
}

// batchRows is the number of rows that are decoded at a time.
const batchRows = 1024

// ReadRows reads Parquet files row by row.
func ReadRows(in *stream.Input, l *stream.Learned) (s rowfile.Source, err error) {
	in.Table = true
	defer damage.Recover(in.Part(), &err)
	p := &rowSource{path: in.Path, of: in, l: l, batch: make([]parquet.Row, batchRows)}
	if err := p.open(); err != nil {
		return nil, err
	}
	in.Share = func() (rows, all int64) { return int64(p.row - p.before), p.file.NumRows() }
	categories := categorical(in.Part(), p.file)
	for i, c := range p.file.Root().Columns() {
		col := rowfile.Column{Name: content.Visible(c.Name()), Type: "f8", Int: true}
		whole, err := typeOf(in.Path, c)
		if err != nil {
			col.Unread, col.Shape = err.Error(), []int{0}
			p.cols = append(p.cols, col)
			continue
		}
		col.Days = whole.days()
		col.Levels, col.Ordered = levelsOf(p.file, c, categories)
		p.cols = append(p.cols, col)
		texts := stream.NewTextColumn(l.Columns[i], isText(c))
		p.all = append(p.all, &columnValues{i, p.width, whole, texts, c.Name(), kindOf(c)})
		p.addValues(c, p.all[p.width])
		p.width++
	}
	return p, nil
}

// open reads the metadata of the open part of the input.
func (p *rowSource) open() error {
	in := p.of
	if in.IsPacked() {
		return fmt.Errorf("%s: a compressed Parquet file cannot be read row by row; decompress the file "+
			"(Parquet files are compressed inside)", in.Part())
	}
	if start, _ := in.Text.Peek(len(Magic)); string(start) != Magic {
		return in.NoTable()
	}
	info, err := in.File.Stat()
	if err != nil {
		return err
	}
	if p.file, err = openFile(in.Part(), in.File, info.Size()); err != nil {
		return err
	}
	p.before, p.read, p.values = p.row, 0, make([]*columnValues, len(p.file.Schema().Columns()))
	p.groups = p.file.RowGroups()
	return nil
}

// addValues lets Next read a column of the open file.
func (p *rowSource) addValues(c *parquet.Column, v *columnValues) {
	p.values[c.Index()] = v
	p.read++
}

// again opens the next file, and finds the columns of the first file in it. Columns that are missing, or have other
// kinds of values, are marked as not read.
func (p *rowSource) again() error {
	if err := p.open(); err != nil {
		return err
	}
	first := p.of.Parts[0].Path
	categories := categorical(p.of.Part(), p.file)
	for _, v := range p.all {
		c, col := p.file.Root().Column(v.name), &p.cols[v.column]
		if c == nil {
			p.of.Lacks(col, content.Lacking{Column: col.Name, Without: p.of.Part(), With: first})
			continue
		}
		whole, err := typeOf(p.path, c)
		switch kind := kindOf(c); {
		case err != nil:
			col.Unread = err.Error()
		case kind != v.kind && col.Unread == "" && p.file.NumRows() > 0:
			col.Unread = fmt.Sprintf("%s: column %q has %s in %s, and %s in %s", p.path, col.Name, v.kind, first, kind,
				p.of.Part())
		}
		if col.Levels != nil && p.file.NumRows() > 0 {
			levels, ordered := levelsOf(p.file, c, categories)
			switch {
			case ordered != col.Ordered || ordered && !slices.Equal(levels, col.Levels):
				col.Unread = fmt.Sprintf("%s: column %q has ordered categories that differ in %s and in %s", p.path,
					col.Name, first, p.of.Part())
			case levels == nil:
				col.Levels = nil
			default:
				col.Levels = content.Distinct(append(col.Levels, levels...))
			}
		}
		v.whole = whole
		p.addValues(c, v)
	}
	for _, c := range p.file.Root().Columns() {
		if !slices.ContainsFunc(p.cols, func(o rowfile.Column) bool { return o.Name == content.Visible(c.Name()) }) {
			p.of.Lacks(&rowfile.Column{}, content.Lacking{Column: c.Name(), Without: first, With: p.of.Part()})
		}
	}
	return nil
}

// kindOf returns the kind of the values of a column, in the words of content.Join.
func kindOf(c *parquet.Column) string {
	whole, err := typeOf("", c)
	switch {
	case err == nil && whole.days():
		return "dates"
	case isText(c):
		return "texts"
	}
	return "numbers"
}

// A columnValues describes a column that is read.
type columnValues struct {
	column, place int // in cols and in a record
	whole         wholeType
	words         *stream.TextColumn // for texts; nil for numbers
	name, kind    string
}

func (p *rowSource) Columns() []rowfile.Column {
	all := slices.Clone(p.cols)
	for _, v := range p.all {
		v.words.Label(&all[v.column])
	}
	return all
}

func (p *rowSource) Next(record []float64) (err error) {
	defer damage.Recover(p.of.Part(), &err)
	if err := p.fill(); err != nil {
		return err
	}
	row := p.waiting[0]
	p.waiting = p.waiting[1:]
	kept := 0
	for i := range record {
		record[i] = math.NaN() // where the file lacks a column
	}
	for _, v := range row {
		of := p.values[v.Column()]
		if of == nil {
			continue
		}
		if record[of.place], err = p.value(of, v); err != nil {
			return err
		}
		kept++
	}
	if kept != p.read {
		return fmt.Errorf("%s: row %d has %d values, the file %d columns", p.of.Part(), p.row-p.before+1, kept, p.read)
	}
	p.row++
	return nil
}

// value returns a value as a number. A value that a float64 cannot represent marks the column as not read.
func (p *rowSource) value(of *columnValues, v parquet.Value) (float64, error) {
	c := &p.cols[of.column]
	if c.Unread != "" {
		return math.NaN(), nil
	}
	n, text, err := numberOf(v, of.whole)
	if err == nil && of.words != nil && !math.IsNaN(n.Value) {
		n, err = of.words.Number(text, of.column, p.row)
	}
	if stream.IsRetyping(err) {
		return 0, err
	} else if err != nil {
		c.Unread = content.ValueError(p.path, p.row+1, c.Name, err).Error()
		return math.NaN(), nil
	}
	c.Int = c.Int && n.IsInt
	return n.Value, nil
}

// fill reads the next rows if none are waiting. It returns io.EOF after the last row.
func (p *rowSource) fill() error {
	for len(p.waiting) == 0 {
		if p.rows == nil {
			if len(p.groups) == 0 {
				if more, err := p.of.Next(); err != nil {
					return err
				} else if !more {
					return io.EOF
				}
				if err := p.again(); err != nil {
					return err
				}
				continue
			}
			group := len(p.file.RowGroups()) - len(p.groups)
			most := parquetsizes.Limits{Page: int64(p.of.Memory), Group: math.MaxInt64}
			if err := groupFits(p.of.Memory, p.of.Part(), p.of.File, p.file, group, most); err != nil {
				return err
			}
			p.rows, p.groups = p.groups[0].Rows(), p.groups[1:]
		}
		n, err := p.rows.ReadRows(p.batch)
		p.waiting = p.batch[:n]
		if errors.Is(err, io.EOF) {
			err = p.rows.Close()
			p.rows = nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.of.Part(), damage.Decoding(err))
		}
	}
	return nil
}
