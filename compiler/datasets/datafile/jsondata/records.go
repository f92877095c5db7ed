package jsondata

import (
	"slices"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/numerals"
)

// records reads a list of objects, each a row of a table, as R's jsonlite and pandas write data frames. In
//
//	[{"county": "B", "y": 1}, {"county": "A", "y": 3, "note": "late"}]
//
// the columns are county, y and note. The first row has no note, so its value is missing.
func (r *reader) records(f *content.File) error {
	t := recordTable{f, map[string]*recordColumn{}, 0}
	r.at++
	for {
		if err := r.record(&t); err != nil {
			return err
		}
		if !r.take(',') {
			break
		}
	}
	if err := r.expect(']', "or a comma after a row"); err != nil {
		return err
	}
	t.finish()
	return nil
}

// lines reads objects up to the end of the text, each a row of a table.
func (r *reader) lines(f *content.File) error {
	t := recordTable{f, map[string]*recordColumn{}, 0}
	for r.peek() != 0 {
		if err := r.record(&t); err != nil {
			return err
		}
	}
	t.finish()
	return nil
}

// A recordTable collects the columns of the records that have been read.
type recordTable struct {
	file    *content.File // its Order has the names of the columns
	columns map[string]*recordColumn
	rows    int
}

// end ends a row: the values of columns that it does not contain are missing.
func (t *recordTable) end() {
	t.rows++
	for _, c := range t.columns {
		c.fill(t.rows)
	}
}

// finish adds the columns to the file.
func (t *recordTable) finish() {
	f := t.file
	f.Rows = t.rows
	order := f.Order
	f.Order = nil
	for _, name := range order {
		c := t.columns[name]
		if c.failed != nil {
			f.Refuse(name, c.failed)
			continue
		}
		c.sizes = []int{len(c.values)}
		f.Add(c.array(f.Path))
	}
}

// A recordColumn is a column of a list of records.
type recordColumn struct {
	nest
	failed error // why it cannot be read
}

// fill adds missing values up to a number of rows.
func (c *recordColumn) fill(rows int) {
	for len(c.values) < rows {
		c.add(numerals.Missing(), "", false)
	}
}

func (r *reader) record(t *recordTable) error {
	defer t.end()
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
		name = content.Visible(name)
		c := t.columns[name]
		if c == nil {
			c = &recordColumn{nest: nest{name: name, isInt: true}}
			t.columns[name] = c
			t.file.Order = append(t.file.Order, name)
		}
		c.fill(t.rows)
		if len(c.values) > t.rows {
			return r.errorf(at, "row %d has %q twice", t.rows+1, name)
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

// cell reads a value of a record and adds it to its column. If the value is not a number, text or boolean, or is of
// another kind than those before, the column is not read.
func (r *reader) cell(c *recordColumn) error {
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
	c.add(numerals.Missing(), "", false)
	return nil
}
