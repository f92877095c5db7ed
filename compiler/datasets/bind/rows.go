package bind

import (
	"fmt"
	"maps"
	"slices"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/model"
)

// This file handles data in files too large for memory. Their values are not loaded; the checks use statistics of all
// values, which the pass over the file has collected.

// joinedRows joins columns of a file into one array.
func joinedRows(name string, columns []*content.Array) *content.Array {
	x := *columns[0]
	x.Name, x.Shape, x.Columns, x.Codes = name, []int{x.Shape[0], len(columns)}, nil, map[int][]float64{}
	x.Zeros = content.ZerosOf(columns)
	for _, c := range columns {
		x.Columns, x.Int = append(x.Columns, c.Columns...), x.Int && c.Int
		maps.Copy(x.Codes, c.Codes)
	}
	return &x
}

// summary returns the statistics of all values of an array on disk.
func summary(x *content.Array) (all rowfile.Column) {
	width := len(x.Columns)
	for k := range width {
		one := x.Column(k)
		one.Low, one.High, one.Broken = placed(one.Low, k, width), placed(one.High, k, width),
			placed(one.Broken, k, width)
		if k == 0 {
			all = one
			continue
		}
		all.Missing += one.Missing
		all.Low = least(all.Low, one.Low, func(m, n rowfile.Mark) bool { return m.Value < n.Value })
		all.High = least(all.High, one.High, func(m, n rowfile.Mark) bool { return m.Value > n.Value })
		all.Broken = least(all.Broken, one.Broken, func(m, n rowfile.Mark) bool { return m.At < n.At })
	}
	if x.Numbers != nil {
		all.Low.Value, all.High.Value = ends(slices.Collect(maps.Values(x.Numbers)))
	}
	return all
}

// ends returns the least and the greatest of some numbers.
func ends(xs []float64) (lo, hi float64) {
	if len(xs) == 0 {
		return 0, 0
	}
	return slices.Min(xs), slices.Max(xs)
}

// distinctOf returns the distinct values of an array on disk, or nil if they are not known.
func distinctOf(x *content.Array) (all []float64) {
	for _, c := range x.Columns {
		if x.Rows.Columns[c].Distinct == nil {
			return nil
		}
		all = append(all, x.Rows.Columns[c].Distinct...)
	}
	return all
}

// placed converts a mark in column k to a mark in an array of several columns.
func placed(m rowfile.Mark, k, columns int) rowfile.Mark {
	if columns > 1 && m.At >= 0 {
		m.At = m.At*columns + k
	}
	return m
}

// least returns the mark that comes first according to before, ignoring marks without a position.
func least(m, n rowfile.Mark, before func(m, n rowfile.Mark) bool) rowfile.Mark {
	if m.At < 0 || n.At >= 0 && before(n, m) {
		return n
	}
	return m
}

// codesByRows maps the texts of a column, in order of first appearance, to their positions.
func codesByRows(x *content.Array, place map[string]int) []float64 {
	c := x.Rows.Columns[x.Columns[0]]
	codes := make([]float64, len(c.Codes))
	for i, code := range c.Codes {
		codes[i] = float64(place[c.Labels[int(code)-1]])
	}
	return codes
}

// openStreams opens one reader for the arrays of each file.
func openStreams(d *dataset.Dataset, raw map[*model.Array]*content.Array) {
	selections, streams := map[*rowfile.File]*rowfile.Selection{}, map[*rowfile.File]*dataset.Stream{}
	for _, a := range d.Model.Arrays {
		x := raw[a]
		if x == nil || x.Rows == nil {
			continue
		}
		if streams[x.Rows] == nil {
			s := &rowfile.Selection{File: x.Rows}
			selections[x.Rows] = s
			streams[x.Rows] = &dataset.Stream{Name: fmt.Sprint("file ", len(streams)+1), File: x.Origin,
				Rows: x.Rows.Rows, Row: s.AddRow(), Place: x.Rows.Place, Read: s.Read}
		}
		out := d.Arrays[a]
		out.Stream, out.First = streams[x.Rows], selections[x.Rows].Width
		for _, c := range x.Columns {
			selections[x.Rows].Add(c, codesOf(x, c), x.Numbers)
		}
		out.Stream.Width = selections[x.Rows].Width
		all := summary(x)
		out.Low, out.High = dataset.Extreme(all.Low), dataset.Extreme(all.High)
		d.Arrays[a] = out
	}
}

// codesOf returns the numbers for the texts of a column.
func codesOf(x *content.Array, column int) []float64 {
	if codes := x.Codes[column]; codes != nil {
		return codes
	}
	return x.Rows.Columns[column].Codes
}
