package bind

import (
	"math"
	"slices"
	"strings"

	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// labels gives the elements of index sets their names: the texts that index(J) arrays hold, and the names of columns.
type labels struct {
	d       *dataset.Dataset // whose Labels are filled
	diags   *diag.List
	columns map[*model.Array]bool // arrays that were joined from the columns of a table
	known   *Known                // of a run, if new data are bound; else nil
}

// name gives the elements of a set names; two lists for one set must agree.
func (l *labels) name(s *model.Size, names []string, where string, a *model.Array) {
	old, known := l.d.Labels[s]
	if known && !slices.Equal(old, names) {
		l.diags.Errorf("E47", a.At, "%s are %s in %s, but %s elsewhere", s.Name, strings.Join(shorten(names), ", "),
			where, strings.Join(shorten(old), ", "))
		return
	}
	l.d.Labels[s] = names
}

// ofColumns names the elements of an array's second axis by the columns that it was joined from.
func (l *labels) ofColumns(a *model.Array, columns []*datafile.Array, f *datafile.File) {
	l.columns[a] = true
	if s := sizeOf(a.Type.Axes[1]); s != nil {
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = c.Name
		}
		l.name(s, names, "`"+a.Name+"` ("+f.Path+")", a)
	}
}

// share numbers the texts of the arrays over one set by one sorted list, so that a name is the same element in all of
// them.
func (l *labels) share(s *model.Size, raw map[*model.Array]*datafile.Array) {
	var named, numbered []*model.Array
	for _, a := range l.d.Model.Arrays {
		switch {
		case raw[a] == nil || sizeOf(a.IndexOf) != s:
		case raw[a].Labels != nil:
			named = append(named, a)
		default:
			numbered = append(numbered, a)
		}
	}
	switch {
	case len(named) == 0:
	case len(numbered) > 0:
		text, number := named[0], numbered[0]
		l.diags.Errorf("E47", number.At, "`%s` holds numbers (%s) and `%s` names (%s), but both are index(%s)",
			number.Name, raw[number].Origin, text.Name, raw[text].Origin, s.Name).
			Help("give both names or both numbers").Related(text.At, "the names")
	default:
		l.number(s, named, raw)
	}
}

// number gives the texts of arrays over one set the same numbers.
func (l *labels) number(s *model.Size, arrays []*model.Array, raw map[*model.Array]*datafile.Array) {
	var all []string
	for _, a := range arrays {
		all = append(all, raw[a].Labels...)
	}
	slices.Sort(all)
	all = l.withKnown(s, slices.Compact(all), arrays[0])
	for _, a := range arrays {
		raw[a] = recode(raw[a], all)
		l.setValues(a, raw[a].Values)
	}
	l.name(s, all, "the labels of `"+arrays[0].Name+"`", arrays[0])
}

// recode numbers an array's labels by their positions in a list that has more.
func recode(x *datafile.Array, all []string) *datafile.Array {
	y, number := *x, map[string]int{}
	for i, name := range all {
		number[name] = i + 1
	}
	if x.Rows != nil {
		y.Labels, y.Codes = all, map[int][]float64{x.Columns[0]: codesByRows(x, number)}
		return &y
	}
	y.Labels, y.Values = all, x.Values.Map(func(v float64) float64 {
		if math.IsNaN(v) {
			return v
		}
		return float64(number[x.Labels[int(v)-1]])
	})
	return &y
}

// noteOrder reports in which order an array must list the elements of a set with names, since its values do not show
// which element each belongs to.
func (l *labels) noteOrder(raw map[*model.Array]*datafile.Array) {
	for _, a := range l.d.Model.Arrays {
		if raw[a] == nil {
			continue
		}
		for _, s := range a.Type.Axes {
			if names := l.d.Labels[sizeOf(s)]; sizeOf(s) != nil && !l.columns[a] && len(names) > 1 {
				l.diags.Notef("W07", a.At, "the elements of %s are names: `%s` must list them in the order %s", s.Name,
					a.Name, strings.Join(shorten(names), ", "))
			}
		}
	}
}
