package bind

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ppl/compiler/data"
	"ppl/compiler/dataset"
	"ppl/compiler/model"
	"ppl/lang/source"
)

// Data in files too large for memory: their values are not here, and what is asked of them all is answered by what the
// pass over the file learned.

// read reads a data file, or opens a large one for reading by rows if the model has any; at is where the model names
// it.
func (b *binder) read(path string, at source.Span) (*data.File, bool) {
	size, large := b.shelf.Large(path)
	if large && len(b.m.RowSets) == 0 {
		b.tooLarge(path, size, at)
		return nil, false
	}
	read := data.Read
	if large {
		read = b.shelf.ByRows
	}
	f, err := read(path)
	if err != nil {
		b.diags.Errorf("E83", at, "%v", err)
		return nil, false
	}
	if large {
		b.diags.Notef("W09", at, "%s: its rows stay on disk, and minibatches are read from there",
			largeText(path, size, b.shelf))
	}
	return f, true
}

// LargeData says of each file that a model names and that is too large for memory what becomes of it.
func LargeData(m *model.Model, dir string, shelf data.Shelf) (lines []string) {
	seen := map[string]bool{}
	for _, a := range m.Arrays {
		if a.From == "" {
			continue
		}
		path, _ := fileOf(a, dir)
		if size, large := shelf.Large(path); large && !seen[path] {
			seen[path] = true
			fate := "it cannot be read, since no minibatches can be drawn"
			if len(m.RowSets) > 0 {
				fate = "its rows stay on disk, and minibatches are read from there"
			}
			lines = append(lines, largeText(path, size, shelf)+": "+fate)
		}
	}
	return lines
}

// AtHand reports whether a model says where all its data are, each file is there, and none is too large for memory.
func AtHand(m *model.Model, dir string, shelf data.Shelf) bool {
	return !slices.ContainsFunc(m.Arrays, func(a *model.Array) bool {
		if !isData(a) || a.Optional || a.Value != nil {
			return false
		}
		path, _ := fileOf(a, dir)
		info, err := os.Stat(path)
		_, large := shelf.Large(path)
		return a.From == "" || err != nil || info.IsDir() || large
	})
}

// fileOf is the file that a model in dir names for an array, and the key of the entry, empty if it is the array's name.
func fileOf(a *model.Array, dir string) (path, key string) {
	path, key, _ = strings.Cut(a.From, "#")
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return path, key
}

func largeText(path string, size int64, shelf data.Shelf) string {
	return fmt.Sprintf("%s has %s, too much for memory (%s)", path, byteText(size), byteText(shelf.Memory))
}

// tooLarge refuses a file of which all is needed at once.
func (b *binder) tooLarge(path string, size int64, at source.Span) {
	const help = "give fewer rows, or more memory; a model whose rows do not depend on each other reads a few of " +
		"them at a time"
	text := largeText(path, size, b.shelf)
	if len(b.m.Couplings) == 0 {
		b.diags.Errorf("E83", at, "%s, and the model has no rows to read a few at a time", text).Help(help)
	}
	for _, w := range b.m.Couplings {
		b.diags.Errorf(w.Code, w.At, "minibatch refused: %s; but %s", w.Text, text).Help(help)
	}
}

func byteText(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.3g GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.3g MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.3g kB", float64(n)/1e3)
}

// sideBySide makes one array of columns of a file.
func sideBySide(name string, columns []*data.Array) *data.Array {
	x := *columns[0]
	x.Name, x.Shape, x.Columns = name, []int{x.Shape[0], len(columns)}, nil
	for _, c := range columns {
		x.Columns, x.Int = append(x.Columns, c.Columns...), x.Int && c.Int
	}
	return &x
}

// takeRows enters an array whose values stay in its file.
func (b *binder) takeRows(a *model.Array, x *data.Array, shape []int) {
	if a.Missing {
		b.diags.Errorf("E86", a.At, "`%s` may have missing values, but stays in %s, too large for memory; leave the "+
			"rows with missing values out of the file", a.Name, x.Origin)
		return
	}
	b.from[a] = x
	b.out.Arrays[a] = dataset.Array{Shape: shape, Origin: x.Origin}
}

// summary is what is known of all values of an array in a file.
func summary(x *data.Array) (all data.Column) {
	width := len(x.Columns)
	for k, c := range x.Columns {
		one := x.Rows.Columns[c]
		one.Low, one.High, one.Broken = placed(one.Low, k, width), placed(one.High, k, width),
			placed(one.Broken, k, width)
		if k == 0 {
			all = one
			continue
		}
		all.Holes += one.Holes
		all.Low = least(all.Low, one.Low, func(m, n data.Mark) bool { return m.Value < n.Value })
		all.High = least(all.High, one.High, func(m, n data.Mark) bool { return m.Value > n.Value })
		all.Broken = least(all.Broken, one.Broken, func(m, n data.Mark) bool { return m.At < n.At })
	}
	return all
}

// placed is the mark of column k where it stands in an array of so many columns.
func placed(m data.Mark, k, columns int) data.Mark {
	if columns > 1 && m.At >= 0 {
		m.At = m.At*columns + k
	}
	return m
}

// least is the mark that comes first, of those that mark anything.
func least(m, n data.Mark, before func(m, n data.Mark) bool) data.Mark {
	if m.At < 0 || n.At >= 0 && before(n, m) {
		return n
	}
	return m
}

// largestByRows is the largest value of an array in a file, or 0.
func (b *binder) largestByRows(a *model.Array) float64 {
	if b.from[a].Rows == nil {
		return 0
	}
	return max(0, summary(b.from[a]).High.Value)
}

// codesByRows are the places in a list of labels of the texts of a column, as they appeared.
func codesByRows(x *data.Array, all []string) []float64 {
	c := x.Rows.Columns[x.Columns[0]]
	codes := make([]float64, len(c.Codes))
	for i, code := range c.Codes {
		at, _ := slices.BinarySearch(all, c.Labels[int(code)-1])
		codes[i] = float64(at + 1)
	}
	return codes
}

// checkRows is checkArray for values in a file.
func (b *binder) checkRows(a *model.Array, x *data.Array) {
	all := summary(x)
	switch lo, hi, word := b.limits(a); {
	case all.Holes > 0:
		b.hasHoles(a, x, all.Holes)
	case len(x.Labels) > 0 && !takesNames(a):
		b.isText(a, all.Text, all.TextAt)
	case len(x.Labels) > 0: // numbers of labels, which are in range
	case a.NeedInt && all.Broken.At >= 0:
		b.notInteger(a, all.Broken.Value, all.Broken.At)
	case all.Low.At >= 0 && all.Low.Value < lo:
		b.outside(a, all.Low.Value, all.Low.At, word)
	case all.High.At >= 0 && all.High.Value > hi:
		b.outside(a, all.High.Value, all.High.At, word)
	}
}

// streams gives the arrays of each file one reader.
func (b *binder) streams() {
	selections, streams := map[*data.RowFile]*data.Selection{}, map[*data.RowFile]*dataset.Stream{}
	for _, a := range b.m.Arrays {
		x := b.from[a]
		if x == nil || x.Rows == nil {
			continue
		}
		if streams[x.Rows] == nil {
			s := &data.Selection{File: x.Rows}
			selections[x.Rows], streams[x.Rows] = s, &dataset.Stream{Name: x.Origin, Rows: x.Rows.Rows, Row: s.AddRow(),
				Place: x.Rows.Place, Read: s.Read}
		}
		d := b.out.Arrays[a]
		d.Stream, d.First = streams[x.Rows], selections[x.Rows].Width
		for _, c := range x.Columns {
			selections[x.Rows].Add(c, codesOf(x, c))
		}
		d.Stream.Width = selections[x.Rows].Width
		all := summary(x)
		d.Low, d.High = dataset.Extreme(all.Low), dataset.Extreme(all.High)
		b.out.Arrays[a] = d
	}
}

// codesOf are the numbers that the texts of a column stand for.
func codesOf(x *data.Array, column int) []float64 {
	if x.Codes != nil {
		return x.Codes
	}
	return x.Rows.Columns[column].Codes
}
