package content

import (
	"cmp"
	"fmt"
	"slices"

	"ppl/compiler/datasets/datafile/numerals"
	"ppl/numbers"
)

// A Lacking is the error of a column that one file of a data set does not have although another has it.
type Lacking struct{ Column, Without, With string }

func (l Lacking) Error() string {
	return fmt.Sprintf("%s has no column %q, which %s has", l.Without, l.Column, l.With)
}

// Lacks adds a column that not all files have, with a note. It is an error only for a model that reads the column.
func (f *File) Lacks(l Lacking) {
	if f.Has(l.Column) {
		return
	}
	f.Refuse(l.Column, fmt.Errorf("%s: %w", f.Path, l))
	f.Notes = append(f.Notes, l.Note())
}

func (l Lacking) Note() string {
	return fmt.Sprintf("column %q is not read: %s has it, but %s does not", l.Column, l.With, l.Without)
}

// Has reports whether the file has a column.
func (f *File) Has(name string) bool { return slices.Contains(f.Order, Visible(name)) }

// An unlike is the error of a column with values of different kinds, or different ordered categories, in different
// files.
type unlike struct{ error }

// Join returns columns of one name, one after another, if they are of one kind. The values are kept in room.
func Join(path string, columns []*Array, room numbers.Room) (*Array, error) {
	first := max(0, slices.IndexFunc(columns, func(c *Array) bool { return !c.blank() }))
	a := *columns[first]
	a.Origin = path
	for _, c := range columns {
		if c.kind() != a.kind() && !c.blank() {
			return nil, unlike{fmt.Errorf("%s: column %q has %s in %s, and %s in %s", path, a.Name, a.kind(),
				columns[first].Origin, c.kind(), c.Origin)}
		}
	}
	if err := a.joinLabels(path, columns); err != nil {
		return nil, err
	}
	rows := 0
	for _, c := range columns {
		rows += c.Values.Len()
	}
	values := numbers.Builder{Room: room}
	values.Grow(rows)
	for _, c := range columns {
		positions := positionsIn(a.Labels, c.Labels)
		for _, v := range c.Values.All() {
			if v == v && c.Labels != nil {
				v = positions[int(v)-1]
			}
			values.Add(v)
		}
		a.Int = a.Int && (c.Int || c.Values.Len() == 0)
	}
	a.Shape, a.Values, a.Texts, a.Zeros = []int{rows}, values.List(), nil, ZerosOf(columns)
	return &a, nil
}

// kind returns a word for the values of a column.
func (a *Array) kind() string {
	switch {
	case a.Labels != nil:
		return "texts"
	case a.Days:
		return "dates"
	}
	return "numbers"
}

// blank reports whether all values of a column are missing. Such a column can be joined with columns of any kind.
func (a *Array) blank() bool {
	for _, v := range a.Values.All() {
		if v == v {
			return false
		}
	}
	return true
}

// joinLabels gives a column the labels and levels of all columns. Levels are in order of first appearance. If a column
// that is not blank has no levels, the result has none.
func (a *Array) joinLabels(path string, columns []*Array) error {
	a.Levels, a.LevelCodes, a.Ordered = nil, nil, false
	filled := slices.DeleteFunc(slices.Clone(columns), func(c *Array) bool {
		return c.blank() && c.Levels == nil && c.LevelCodes == nil
	})
	for i, c := range filled {
		if i == 0 {
			a.Ordered = c.Ordered
		}
		if c.Ordered != a.Ordered {
			return unlike{fmt.Errorf("%s: the categories of column %q are ordered in only one of %s and %s", path,
				a.Name, filled[0].Origin, c.Origin)}
		}
		if c.Ordered && !slices.Equal(c.Levels, filled[0].Levels) {
			return unlike{fmt.Errorf("%s: column %q has ordered categories that differ in %s and in %s", path, a.Name,
				filled[0].Origin, c.Origin)}
		}
		a.Levels = append(a.Levels, c.Levels...)
		a.LevelCodes = append(a.LevelCodes, c.LevelCodes...)
	}
	if slices.ContainsFunc(filled, func(c *Array) bool { return c.Levels == nil }) {
		a.Levels = nil
	}
	if slices.ContainsFunc(filled, func(c *Array) bool { return c.LevelCodes == nil }) {
		a.LevelCodes = nil
	}
	a.Levels = Distinct(a.Levels)
	if a.Ordered {
		a.Labels = a.Levels
	}
	if a.Labels == nil || a.Ordered {
		return nil
	}
	all := []string{}
	for _, c := range columns {
		all = append(all, c.occurring()...)
	}
	slices.Sort(all)
	a.Labels = slices.Compact(all)
	return nil
}

// occurring returns the labels that occur in some row.
func (a *Array) occurring() (all []string) {
	used := make([]bool, len(a.Labels))
	for _, v := range a.Values.All() {
		if a.Labels != nil && v == v {
			used[int(v)-1] = true
		}
	}
	for i, is := range used {
		if is {
			all = append(all, a.Labels[i])
		}
	}
	return all
}

// positionsIn returns the positions of labels in a list, from 1, and 0 for labels that are not in it.
func positionsIn(all, labels []string) []float64 {
	place := map[string]int{}
	for i, l := range all {
		place[l] = i + 1
	}
	places := make([]float64, len(labels))
	for i, l := range labels {
		places[i] = float64(place[l])
	}
	return places
}

// ZerosOf joins the spellings of integers of several columns. It returns nil if no number in them begins with zeros.
func ZerosOf(columns []*Array) (all *numerals.Zeros) {
	for _, c := range columns {
		if c.Zeros == nil {
			continue
		}
		if all == nil {
			all = &numerals.Zeros{}
		}
		for v, text := range c.Zeros.Written {
			all.Add(text, v)
		}
		all.Twice = cmp.Or(c.Zeros.Twice, all.Twice)
	}
	return all
}

// Repeated returns the array with element i repeated times[i] times.
func (a *Array) Repeated(times []int) *Array {
	b, total := *a, 0
	var values numbers.Builder
	for i, n := range times {
		for range n {
			values.Add(a.Values.At(i))
		}
		total += n
	}
	b.Shape, b.Values = []int{total}, values.List()
	return &b
}
