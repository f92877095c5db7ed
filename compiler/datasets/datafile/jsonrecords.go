package datafile

import (
	"math"
	"slices"
)

// records reads a list of objects, each a row of a table, as R's jsonlite and pandas write data frames. Of
//
//	[{"county": "B", "y": 1}, {"county": "A", "y": 3, "note": "late"}]
//
// the columns are county, y and note. What a row does not have is missing there.
func (r *jsonReader) records(f *File) error {
	columns := map[string]*recordColumn{}
	r.at++
	for row := 0; ; row++ {
		if err := r.record(f, columns, row); err != nil {
			return err
		}
		for _, c := range columns {
			c.fill(row + 1)
		}
		if !r.take(',') {
			break
		}
	}
	if err := r.expect(']', "or a comma after a row"); err != nil {
		return err
	}
	order := f.Order
	f.Order = nil
	for _, name := range order {
		c := columns[name]
		if c.failed != nil {
			f.refuse(name, c.failed)
			continue
		}
		c.sizes = []int{len(c.values)}
		f.add(c.array(f.Path))
	}
	return nil
}

// A recordColumn is a column of a list of records.
type recordColumn struct {
	nest
	failed error // why it cannot be read
}

// fill adds missing values up to a number of rows.
func (c *recordColumn) fill(rows int) {
	for len(c.values) < rows {
		c.add(number{math.NaN(), true}, "", false)
	}
}

func (r *jsonReader) record(f *File, columns map[string]*recordColumn, row int) error {
	if err := r.expect('{', "to open a row"); err != nil {
		return err
	}
	if r.take('}') {
		return nil
	}
	for {
		r.space()
		at := r.at
		name, err := r.text()
		if err != nil {
			return err
		}
		name = visible(name)
		c := columns[name]
		if c == nil {
			c = &recordColumn{nest: nest{name: name, isInt: true}}
			columns[name] = c
			f.Order = append(f.Order, name)
		}
		c.fill(row)
		if len(c.values) > row {
			return r.errorf(at, "row %d has %q twice", row+1, name)
		}
		if err := r.expect(':', "after a name"); err != nil {
			return err
		}
		if err := r.cell(c); err != nil {
			return err
		}
		if !r.take(',') {
			return r.expect('}', "or a comma after a value")
		}
	}
}

// cell reads a value of a record. What is no number, text or truth value makes the column one that is not read.
func (r *jsonReader) cell(c *recordColumn) error {
	r.space()
	start := r.at
	v, label, isText, err := r.scalar()
	if err == nil {
		c.add(v, label, isText)
		if c.labels > 0 && c.numbers > 0 && c.failed == nil {
			c.failed = r.errorf(start, "%q mixes text and numbers", c.name)
		}
		return nil
	}
	if slices.Contains([]byte("[{"), r.src.Text[min(start, len(r.src.Text)-1)]) {
		err = r.errorf(start, "%q has a list or an object in a row; a column of a table has one value for each row",
			c.name)
	}
	if !r.skip(start) {
		return err
	}
	if c.failed == nil {
		c.failed = err
	}
	c.add(number{math.NaN(), true}, "", false)
	return nil
}
