package datafile

import (
	"fmt"
	"slices"
	"strings"

	"ppl/numbers"
)

// A lacking is the error of a column that one file of a data set has not, and another has.
type lacking struct{ column, without, with string }

func (l lacking) Error() string {
	return fmt.Sprintf("%s has no column %q, which %s has", l.without, l.column, l.with)
}

// lacks enters a column that not all files have: a mistake if a model reads it.
func (f *File) lacks(l lacking) {
	if f.has(l.column) {
		return
	}
	f.refuse(l.column, fmt.Errorf("%s: %w", f.Path, l))
	f.Notes = append(f.Notes, l.note())
}

func (l lacking) note() string {
	return fmt.Sprintf("column %q is not read: %s has it, and %s has not", l.column, l.with, l.without)
}

// unlikeRowNames returns an error if one of two tables has names of rows and the other does not.
func unlikeRowNames(first, other string) error {
	return fmt.Errorf("%s and %s differ: one of them has names of rows, a first column without a name, and the other "+
		"none", first, other)
}

// has reports whether the file has a column.
func (f *File) has(name string) bool { return slices.Contains(f.Order, visible(name)) }

// matched finds names in another list: the place of each there, −1 if there is none, and what is there besides.
func matched(names, others []string) (at []int, extra []string) {
	taken := make([]bool, len(others))
	for _, name := range names {
		k := -1
		for i, other := range others {
			if k < 0 && !taken[i] && strings.TrimSpace(other) == strings.TrimSpace(name) {
				k, taken[i] = i, true
			}
		}
		at = append(at, k)
	}
	for k, name := range others {
		name = strings.TrimSpace(name)
		if !taken[k] && name != "" {
			extra = append(extra, name)
		}
	}
	return at, extra
}

// An unlike is the error of a column that has values of several kinds.
type unlike struct{ error }

// joinedColumns returns columns of one name, one after another, if they are of one kind.
func joinedColumns(path string, columns []*Array) (*Array, error) {
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
	var values numbers.Builder
	rows := 0
	for _, c := range columns {
		places := placesIn(a.Labels, c.Labels)
		for _, v := range c.Values.All() {
			if v == v && c.Labels != nil {
				v = places[int(v)-1]
			}
			values.Add(v)
		}
		rows += c.Values.Len()
		a.Int = a.Int && (c.Int || c.Values.Len() == 0)
	}
	a.Shape, a.Values, a.Texts, a.Zeros = []int{rows}, values.List(), nil, ZerosOf(columns)
	return &a, nil
}

// kind returns what the values of a column are.
func (a *Array) kind() string {
	switch {
	case a.Labels != nil:
		return "texts"
	case a.Days:
		return "dates"
	}
	return "numbers"
}

// blank reports whether all values of a column are missing: such a column can be of any kind.
func (a *Array) blank() bool {
	for _, v := range a.Values.All() {
		if v == v {
			return false
		}
	}
	return true
}

// joinLabels gives a column the labels and levels of all columns. Levels follow one another as they first appear; if
// some column has none, they are not those of all.
func (a *Array) joinLabels(path string, columns []*Array) error {
	a.Levels, a.LevelCodes, a.Ordered = nil, nil, false
	filled := slices.DeleteFunc(slices.Clone(columns), func(c *Array) bool {
		return c.blank() && c.Levels == nil && c.LevelCodes == nil
	})
	for i, c := range filled {
		if i == 0 {
			a.Ordered = c.Ordered
		}
		if c.Ordered != a.Ordered || c.Ordered && !slices.Equal(c.Levels, filled[0].Levels) {
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
	a.Levels = distinct(a.Levels)
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

// occurring returns the labels that some rows have.
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

// placesIn returns the places of labels in a list, from 1; 0 of those that it has not.
func placesIn(all, labels []string) []float64 {
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
