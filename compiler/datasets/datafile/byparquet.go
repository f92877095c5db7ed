package datafile

import (
	"errors"
	"fmt"
	"io"
	"math"

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
	whole   []wholeType
	words   []*wordColumn // of columns of text; nil for numbers
	groups  []parquet.RowGroup
	rows    parquet.Rows // of the group that is being read; nil between groups
	batch   []parquet.Row
	waiting []parquet.Row // the rows of batch that were not handed on yet
	row     int
}

// batchRows is how many rows of a Parquet file are in memory, about.
const batchRows = 1024

func (in *input) parquet(text map[int]retyping) (s rowSource, err error) {
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
		batch: make([]parquet.Row, batchRows)}
	for _, c := range f.Root().Columns() {
		whole, err := parquetType(in.path, c)
		if err != nil {
			return nil, err
		}
		p.words = append(p.words, wordsOf(text[len(p.cols)], isText(c)))
		p.cols = append(p.cols, Column{Name: c.Name(), Type: "f8", Int: true, Days: whole.days()})
		p.whole = append(p.whole, whole)
	}
	return p, nil
}

// recovered turns a panic of the library, which some damaged files cause, into an error.
func recovered(path string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: %w", path, parquetsizes.Damage(fmt.Errorf("%v", r)))
	}
}

func (p *parquetSource) columns() []Column { return named(p.cols, p.words) }

func (p *parquetSource) next(record []float64) (err error) {
	defer recovered(p.path, &err)
	if err := p.fill(); err != nil {
		return err
	}
	row := p.waiting[0]
	p.waiting = p.waiting[1:]
	if len(row) != len(record) {
		return fmt.Errorf("%s: row %d has %d values, the file %d columns", p.path, p.row+1, len(row), len(record))
	}
	for c, v := range row {
		if record[c], err = p.value(c, v); err != nil {
			return fmt.Errorf("%s: row %d of column %q: %w", p.path, p.row+1, p.cols[c].Name, err)
		}
	}
	p.row++
	return nil
}

func (p *parquetSource) value(c int, v parquet.Value) (float64, error) {
	n, text, err := parquetNumber(v, p.whole[c])
	if err != nil {
		return 0, err
	}
	if p.words[c] != nil && !math.IsNaN(n.value) {
		n, err = p.words[c].number(text, c, p.row)
	}
	p.cols[c].Int = p.cols[c].Int && n.isInt
	return n.value, err
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
