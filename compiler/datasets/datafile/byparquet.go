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

// A parquetSource reads the row groups of a Parquet file, some rows at a time.
type parquetSource struct {
	path    string
	file    *parquet.File
	bytes   io.ReaderAt
	memory  RowCache // that pages of a group have to fit into
	cols    []Column
	values  map[int]*parquetValues // by the number of a column among all leaves
	width   int                    // of a record
	groups  []parquet.RowGroup
	rows    parquet.Rows // of the group that is being read; nil between groups
	batch   []parquet.Row
	waiting []parquet.Row // the rows of batch that were not handed on yet
	row     int
}

// batchRows is how many rows of a Parquet file are in memory, about.
const batchRows = 1024

func (in *input) parquet(l *learned) (s rowSource, err error) {
	if in.packed != nil {
		return nil, fmt.Errorf("%s: a compressed Parquet file cannot be read row by row; Parquet compresses by "+
			"itself: decompress it", in.path)
	}
	info, err := in.file.Stat()
	if err != nil {
		return nil, err
	}
	defer recovered(in.path, &err)
	f, err := openParquet(in.path, in.file, info.Size())
	if err != nil {
		return nil, err
	}
	p := &parquetSource{path: in.path, file: f, bytes: in.file, memory: in.memory, groups: f.RowGroups(),
		batch: make([]parquet.Row, batchRows), values: map[int]*parquetValues{}}
	categories := categorical(in.path, f)
	for i, c := range f.Root().Columns() {
		col := Column{Name: visible(c.Name()), Type: "f8", Int: true}
		whole, err := parquetType(in.path, c)
		if err != nil {
			col.Unread, col.Shape = err.Error(), []int{0}
			p.cols = append(p.cols, col)
			continue
		}
		col.Days = whole.days()
		col.Levels, col.Ordered = parquetLevels(f, c, categories)
		p.cols = append(p.cols, col)
		p.values[c.Index()] = &parquetValues{i, p.width, whole, wordsOf(l.columns[i], isText(c))}
		p.width++
	}
	return p, nil
}

// A parquetValues is a column whose values are kept.
type parquetValues struct {
	column, place int // in cols and in a record
	whole         wholeType
	words         *wordColumn // of texts; nil for numbers
}

// recovered turns a panic of the library, which some damaged files cause, into an error.
func recovered(path string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: %w", path, parquetsizes.Damage(fmt.Errorf("%v", r)))
	}
}

func (p *parquetSource) columns() []Column {
	all := slices.Clone(p.cols)
	for _, v := range p.values {
		v.words.name(&all[v.column])
	}
	return all
}

func (p *parquetSource) next(record []float64) (err error) {
	defer recovered(p.path, &err)
	if err := p.fill(); err != nil {
		return err
	}
	row := p.waiting[0]
	p.waiting = p.waiting[1:]
	kept := 0
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
	if kept != p.width {
		return fmt.Errorf("%s: row %d has %d values, the file %d columns", p.path, p.row+1, kept, p.width)
	}
	p.row++
	return nil
}

// value is a value as a number. One that is no number of this machine makes the column one that is not read.
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
				return io.EOF
			}
			group := len(p.file.RowGroups()) - len(p.groups)
			if err := p.memory.groupFits(p.path, p.bytes, p.file, group,
				parquetsizes.Limits{Page: p.memory.memory(), Group: math.MaxInt64}); err != nil {
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
			return fmt.Errorf("%s: %w", p.path, parquetsizes.Damage(err))
		}
	}
	return nil
}
