package datafile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"ppl/compiler/datasets/parquetsizes"
)

// A parquetSource reads the row groups of Parquet files, some rows at a time.
type parquetSource struct {
	path    string // of all files
	of      *input
	l       *learned
	file    *parquet.File // that is being read
	cols    []Column
	all     []*parquetValues       // of the columns that are read
	values  map[int]*parquetValues // by the number of a column among all leaves of the file
	width   int                    // of a record
	groups  []parquet.RowGroup
	rows    parquet.Rows // of the group that is being read; nil between groups
	batch   []parquet.Row
	waiting []parquet.Row // the rows of batch that were not handed on yet
	row     int
	before  int // rows of the files before this one
}

// batchRows is how many rows of a Parquet file are in memory, about.
const batchRows = 1024

func (in *input) parquet(l *learned) (s rowSource, err error) {
	defer recovered(in.part(), &err)
	p := &parquetSource{path: in.path, of: in, l: l, batch: make([]parquet.Row, batchRows)}
	if err := p.open(); err != nil {
		return nil, err
	}
	in.pages = p
	categories := categorical(in.part(), p.file)
	for i, c := range p.file.Root().Columns() {
		col := Column{Name: visible(c.Name()), Type: "f8", Int: true}
		whole, err := parquetType(in.path, c)
		if err != nil {
			col.Unread, col.Shape = err.Error(), []int{0}
			p.cols = append(p.cols, col)
			continue
		}
		col.Days = whole.days()
		col.Levels, col.Ordered = parquetLevels(p.file, c, categories)
		p.cols = append(p.cols, col)
		p.all = append(p.all, &parquetValues{i, p.width, whole, wordsOf(l.columns[i], isText(c)), c.Name(), kindOf(c)})
		p.values[c.Index()] = p.all[p.width]
		p.width++
	}
	return p, nil
}

// open begins to read a file.
func (p *parquetSource) open() error {
	in := p.of
	if in.packed != nil {
		return fmt.Errorf("%s: a compressed Parquet file cannot be read row by row; Parquet compresses by itself: "+
			"decompress it", in.part())
	}
	if start, _ := in.text.Peek(len(parquetMagic)); string(start) != parquetMagic {
		return in.noTable()
	}
	info, err := in.file.Stat()
	if err != nil {
		return err
	}
	p.before, p.values = p.row, map[int]*parquetValues{}
	if p.file, err = openParquet(in.part(), in.file, info.Size()); err != nil {
		return err
	}
	p.groups = p.file.RowGroups()
	return nil
}

// again continues with the next file, whose columns have to be those of the first.
func (p *parquetSource) again() error {
	if err := p.open(); err != nil {
		return err
	}
	first := p.of.parts[0].Path
	categories := categorical(p.of.part(), p.file)
	for _, v := range p.all {
		c, col := p.file.Root().Column(v.name), &p.cols[v.column]
		if c == nil {
			p.of.lacks(col, lacking{col.Name, p.of.part(), first})
			continue
		}
		whole, err := parquetType(p.path, c)
		switch kind := kindOf(c); {
		case err != nil:
			col.Unread = err.Error()
		case kind != v.kind && col.Unread == "" && p.file.NumRows() > 0:
			col.Unread = fmt.Sprintf("%s: column %q has %s in %s, and %s in %s", p.path, col.Name, v.kind, first, kind,
				p.of.part())
		}
		if col.Levels != nil && p.file.NumRows() > 0 {
			levels, ordered := parquetLevels(p.file, c, categories)
			switch {
			case ordered != col.Ordered || ordered && !slices.Equal(levels, col.Levels):
				col.Unread = fmt.Sprintf("%s: column %q has ordered categories that differ in %s and in %s", p.path,
					col.Name, first, p.of.part())
			case levels == nil:
				col.Levels = nil
			default:
				col.Levels = distinct(append(col.Levels, levels...))
			}
		}
		v.whole = whole
		p.values[c.Index()] = v
	}
	for _, c := range p.file.Root().Columns() {
		if !slices.ContainsFunc(p.cols, func(o Column) bool { return o.Name == visible(c.Name()) }) {
			p.of.lacks(&Column{}, lacking{c.Name(), first, p.of.part()})
		}
	}
	return nil
}

// kindOf returns what the values of a column are, as Array.kind has it.
func kindOf(c *parquet.Column) string {
	whole, err := parquetType("", c)
	switch {
	case err == nil && whole.days():
		return "dates"
	case isText(c):
		return "texts"
	}
	return "numbers"
}

// A parquetValues is a column whose values are kept.
type parquetValues struct {
	column, place int // in cols and in a record
	whole         wholeType
	words         *wordColumn // of texts; nil for numbers
	name, kind    string
}

// recovered turns a panic of the library, which some damaged files cause, into an error.
func recovered(path string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: %w", path, parquetsizes.Damage(fmt.Errorf("%v", r)))
	}
}

func (p *parquetSource) columns() []Column {
	all := slices.Clone(p.cols)
	for _, v := range p.all {
		v.words.name(&all[v.column])
	}
	return all
}

func (p *parquetSource) next(record []float64) (err error) {
	defer recovered(p.of.part(), &err)
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
	if kept != len(p.values) {
		return fmt.Errorf("%s: row %d has %d values, the file %d columns", p.of.part(), p.row-p.before+1, kept,
			len(p.values))
	}
	p.row++
	return nil
}

// value returns a value as a number. One that is no number of this machine makes the column one that is not read.
func (p *parquetSource) value(of *parquetValues, v parquet.Value) (float64, error) {
	c := &p.cols[of.column]
	if c.Unread != "" {
		return math.NaN(), nil
	}
	n, text, err := parquetNumber(v, of.whole)
	if err == nil && of.words != nil && !math.IsNaN(n.value) {
		n, err = of.words.number(text, of.column, p.row)
	}
	if again := (retyping{}); errors.As(err, &again) {
		return 0, err
	} else if err != nil {
		c.Unread = valueError(p.path, p.row+1, c.Name, err).Error()
		return math.NaN(), nil
	}
	c.Int = c.Int && n.isInt
	return n.value, nil
}

// fill sees to it that rows are waiting; io.EOF when there are none any more.
func (p *parquetSource) fill() error {
	for len(p.waiting) == 0 {
		if p.rows == nil {
			if len(p.groups) == 0 {
				if more, err := p.of.next(); err != nil {
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
			most := parquetsizes.Limits{Page: p.of.memory.memory(), Group: math.MaxInt64}
			if err := p.of.memory.groupFits(p.of.part(), p.of.file, p.file, group, most); err != nil {
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
			return fmt.Errorf("%s: %w", p.of.part(), parquetsizes.Damage(err))
		}
	}
	return nil
}
