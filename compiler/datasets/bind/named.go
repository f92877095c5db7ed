package bind

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/numbers"
)

// JSON objects may give each value with the label of its element, in any order:
//
//	{"uranium": {"B": 0.7, "A": 0.3}, "near": {"A": {"A": 0, "B": 1}, "B": {"A": 1, "B": 0}}}
//
// If nothing else labels or numbers the elements of a set, these names become the labels. Names that only count, from 0
// as in pandas or from 1, are positions.

// hasNames reports whether the values of an array have names in their file.
func (f found) hasNames() bool { return f.x != nil && f.x.Keys != nil }

const asList = "give the values without names as a list, or as a column of a table"

// takesKeys reports whether an array can have values with names; if not, it reports an error.
func (t *arrays) takesKeys(f found) bool {
	a, names := f.a, len(f.x.Keys)
	switch {
	case a.Ragged != nil:
		t.diags.Errorf(diag.DataUnavailable, a.At, "`%s` has values with names in %s, which are not supported for "+
			"groups of different lengths", a.Name, f.file.Path).Help(asList)
	case a.Selection != nil:
		t.diags.Errorf(diag.DataUnavailable, a.At, "`%s` has values with names in %s, which are not supported if the "+
			"data statement leaves rows out", a.Name, f.file.Path).Help(asList)
	case len(a.Type.Axes) != names+len(f.x.Shape)-1:
		t.diags.Errorf(diag.AxisCount, a.At, "`%s` is declared with %s but has %s in %s", a.Name,
			axes(len(a.Type.Axes)), axes(names+len(f.x.Shape)-1), f.file.Path)
	default:
		return true
	}
	return false
}

// inPlaces sorts the values of an array by their names if these are row numbers and nothing else numbers the elements
// of the axes.
func (t *arrays) inPlaces(f found) found {
	if !f.hasNames() || len(f.a.Type.Axes) != len(f.x.Keys)+len(f.x.Shape)-1 {
		return f
	}
	rows, inner := f.x.Shape[0], 1
	for _, n := range f.x.Shape[1:] {
		inner *= n
	}
	at, shape, size := make([]int, rows), []int{}, 1
	for k, names := range f.x.Keys {
		places, n, ok := countedPlaces(names)
		if !ok || t.namedApart(f.a.Type.Axes[k], f) {
			return f
		}
		for row, place := range places {
			at[row] = at[row]*n + place
		}
		shape, size = append(shape, n), size*n
	}
	if size != rows {
		return f // values of some elements are missing
	}
	values := make([]float64, rows*inner)
	for row, place := range at {
		for i := range inner {
			values[place*inner+i] = f.x.Values.At(row*inner + i)
		}
	}
	x := *f.x
	x.Values, x.Shape, x.Keys = numbers.Packed(values), append(shape, f.x.Shape[1:]...), nil
	f.x, f.read = &x, append(f.read, &x)
	return f
}

// countedPlaces returns the positions, from 0, if the names are the numbers 0 to n−1 or 1 to n.
func countedPlaces(names []string) (places []int, n int, ok bool) {
	first := 1
	for _, name := range names {
		v, err := strconv.Atoi(name)
		if err != nil || v < 0 || strconv.Itoa(v) != name {
			return nil, 0, false
		}
		places, n = append(places, v), max(n, v)
		if v == 0 {
			first = 0
		}
	}
	seen := map[int]bool{}
	for i := range places {
		places[i] -= first
		seen[places[i]] = true
	}
	n += 1 - first
	return places, n, len(seen) == n
}

// nameByKeys labels the elements of a set by the names of the values of the first array that has names for it.
func (r *keyReader) nameByKeys(z *model.Size) {
	for _, f := range r.pending {
		if !f.hasNames() {
			continue
		}
		for k, keys := range f.x.Keys {
			if sizeOf(f.a.Type.Axes[k]) != z || r.namedApart(f.a.Type.Axes[k], f) {
				continue
			}
			names := slices.Clone(keys)
			slices.Sort(names)
			names, own := orderOf(slices.Compact(names))
			if !own {
				r.labels.refuseOrder(z, names, f.a)
			}
			where := "`" + f.a.Name + "` (" + f.file.Path + ")"
			r.labels.ordered[z] = own
			names = r.labels.withKnown(z, names, f.a)
			r.labels.name(z, names, where, f.a)
			r.sizes.learn(z, len(names), where, f.a.At)
			return
		}
	}
}

// object prepares the gathering of values with names.
func (g *gathering) object() {
	for k, names := range g.f.x.Keys {
		of := g.elements(g.f.a.Type.Axes[k])
		g.keys, g.of, g.shape = append(g.keys, key{x: texts(names)}), append(g.of, of), append(g.shape, of.n)
	}
	for _, n := range g.f.x.Shape[1:] {
		g.inner *= n
		g.shape = append(g.shape, n)
	}
}

// texts returns a column of names.
func texts(names []string) *content.Array {
	labels := slices.Clone(names)
	slices.Sort(labels)
	labels = slices.Compact(labels)
	codes := make([]float64, len(names))
	for i, name := range names {
		codes[i] = float64(sort.SearchStrings(labels, name) + 1)
	}
	return &content.Array{Shape: []int{len(names)}, Labels: labels, Values: numbers.Packed(codes)}
}

// lacksNames reports an error for values with names if some names are missing.
func (g *gathering) lacksNames(lacking []string) {
	var other []string
	for u := range g.unknown {
		other = append(other, shown(g.keys[u.axis].x, u.value))
	}
	slices.Sort(other)
	d := g.diags.Errorf(diag.UnmatchedRows, g.f.a.At, "`%s` has no value for %s in %s", g.f.a.Name,
		strings.Join(shorten(lacking), "; "), g.f.file.Path)
	if len(other) > 0 {
		d.Help("values are matched by the names of the elements; the file has other names: %s",
			strings.Join(shorten(other), ", "))
	} else {
		d.Help("add the values; or declare `%s missing` with a distribution, from which they are drawn",
			declared(g.f.a))
	}
}
