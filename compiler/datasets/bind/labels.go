package bind

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// labels determines the labels of the elements of index sets: texts in index(J) arrays, and names of columns.
type labels struct {
	d       *dataset.Dataset // the dataset whose Labels are set
	diags   *diag.List
	columns map[*model.Array]bool   // arrays joined from columns of a table
	keyed   map[*model.Array][]bool // for each axis, whether its elements were matched by labels
	ordered map[*model.Size]bool    // sets whose labels have an order that is not alphabetical
	known   *Known                  // elements of the run if new data are bound; else nil
}

// name sets the labels of an index set; two lists of labels for one set must agree.
func (l *labels) name(s *model.Size, names []string, where string, a *model.Array) {
	old, known := l.d.Labels[s]
	if known && !slices.Equal(old, names) {
		l.diags.Errorf(diag.SizesDiffer, a.At, "the elements of %s are %s in %s, but %s in other data", s.Name,
			strings.Join(shorten(names), ", "), where, strings.Join(shorten(old), ", "))
		return
	}
	l.d.Labels[s] = names
}

// ofColumns labels the second axis of an array by the columns from which it was joined.
func (l *labels) ofColumns(a *model.Array, columns []*content.Array, f *content.File) {
	l.columns[a] = true
	if s := sizeOf(a.Type.Axes[1]); s != nil {
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = c.Name
		}
		l.name(s, names, "`"+a.Name+"` ("+f.Path+")", a)
		l.ordered[s] = true
	}
}

// share numbers the texts of all arrays that index a set by one common list, so that a text is the same element in each
// of them.
func (l *labels) share(s *model.Size, raw map[*model.Array]*content.Array) {
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
		l.diags.Errorf(diag.SizesDiffer, number.At, "`%s` holds numbers (%s) and `%s` names (%s), but both are "+
			"index(%s)", number.Name, raw[number].Origin, text.Name, raw[text].Origin, s.Name).
			Help("use names in both arrays, or numbers in both").Related(text.At, "the names")
	default:
		l.number(s, named, raw)
	}
}

// number replaces the texts of arrays that index a set by numbers.
func (l *labels) number(s *model.Size, arrays []*model.Array, raw map[*model.Array]*content.Array) {
	all, own := l.inFiles(arrays, raw), true
	if all == nil {
		for _, a := range arrays {
			all = append(all, raw[a].Labels...)
		}
		slices.Sort(all)
		all, own = orderOf(slices.Compact(all))
		if !own {
			l.refuseOrder(s, all, arrays[0])
		}
	}
	if !own {
		all = inLevels(arrays, raw, all)
	}
	l.ordered[s] = own
	l.noteLikeNames(all, arrays[0])
	all = l.withKnown(s, all, arrays[0])
	for _, a := range arrays {
		raw[a] = recode(raw[a], all)
		l.setValues(a, raw[a].Values)
	}
	l.name(s, all, "the labels of `"+arrays[0].Name+"`", arrays[0])
}

// noteLikeNames warns about labels that differ only in case or Unicode form: they probably mean one group.
func (l *labels) noteLikeNames(names []string, a *model.Array) {
	first := map[string]string{}
	for _, name := range names {
		folded := strings.ToLower(norm.NFC.String(name))
		if old, known := first[folded]; known && l.known == nil {
			l.diags.Warnf(diag.ObservedGroups, a.At, "`%s` has both %q and %q, which are two groups here", a.Name, old,
				name).
				Help("if they are one, write them in one way")
			return
		}
		first[folded] = name
	}
}

// inLevels sorts labels in the order of the levels that arrays declare, and adds levels without rows. Labels that are
// not levels follow in their previous order.
func inLevels(arrays []*model.Array, raw map[*model.Array]*content.Array,
	names []string) (all []string) {
	seen := map[string]bool{}
	add := func(more []string) {
		for _, name := range more {
			if !seen[name] {
				seen[name] = true
				all = append(all, name)
			}
		}
	}
	for _, a := range arrays {
		add(raw[a].Levels)
	}
	add(names)
	return all
}

// recode replaces an array's label numbers by positions in a longer list of labels.
func recode(x *content.Array, all []string) *content.Array {
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

// checkLists checks arrays that list values for labelled elements without the labels. Such a list must be in the order
// of the labels; texts without a defined order are an error.
func (l *labels) checkLists(raw map[*model.Array]*content.Array) {
	for _, a := range l.d.Model.Arrays {
		if raw[a] == nil {
			continue
		}
		for k, s := range a.Type.Axes {
			if l.keyed[a] != nil && l.keyed[a][k] {
				continue
			}
			z := sizeOf(s)
			names := l.d.Labels[z]
			switch list := strings.Join(shorten(names), ", "); {
			case z == nil || len(names) < 2 || l.columns[a] && s == a.Type.Axes[1]:
			case l.ordered[z] || l.known != nil:
				l.diags.Notef(diag.ObservedGroups, a.At, "the elements of %s have names: the values of `%s` must be "+
					"in the order %s", s.Name, a.Name, list)
			default:
				l.diags.Errorf(diag.UnmatchedRows, a.At, "the elements of %s have names (%s), and %s has the values "+
					"of `%s` without them", s.Name, list, raw[a].Origin, a.Name).
					Help("put the values into a table with a column `%[1]s` of the names; or give the order of the "+
						"names in the model: `%[1]s: index(%[2]s) order …`", l.namedBy(s), s.Name)
			}
		}
	}
}

// namedBy returns the name of the first array that indexes a set, or the name of the set.
func (l *labels) namedBy(s *model.Set) string {
	for _, a := range l.d.Model.Arrays {
		if a.IndexOf != nil && a.IndexOf.Same(s) {
			return a.Name
		}
	}
	return s.Name
}
