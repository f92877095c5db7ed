package bind

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/numbers"
)

// ragged numbers the elements of ragged arrays, whose groups differ in length. Data y[I, m] may be given as
//
//	lists in a list    [[5], [3, 4, 1], [2, 2]]      m = 1, 3, 2, if nothing else gives it
//	a long table       a column y, and one of data g[N]: index(I), whose rows are sorted by g: m counts them
//	all in one list    [5, 3, 4, 1, 2, 2]            m is given
type ragged struct {
	d     *dataset.Dataset
	diags *diag.List
	raw   map[*model.Array]*content.Array
}

// number computes the numberings, after data and sizes are known.
func (g *ragged) number() {
	for _, a := range g.d.Model.Arrays {
		if x := g.raw[a]; x != nil && a.Ragged != nil {
			g.lengthsOf(a, x)
		}
	}
	for _, r := range g.d.Model.Ragged {
		if m := r.Lengths; m != nil && g.d.Arrays[m].Values.None() {
			g.diags.Errorf(diag.DataUnavailable, m.At, "no data are given for `%s`, and no data have groups "+
				"of these lengths", m.Name)
		}
	}
	if g.diags.HasErrors() {
		return
	}
	for _, r := range g.d.Model.Ragged {
		g.fill(r)
	}
	for _, a := range g.d.Model.Arrays {
		if x := g.raw[a]; x != nil && a.Ragged != nil && !g.diags.HasErrors() {
			g.fits(a, x)
		}
	}
}

// lengthsOf determines the number of elements in each group of an array. They become the values of the array of lengths
// if it has none.
func (g *ragged) lengthsOf(a *model.Array, x *content.Array) {
	lengths := x.Lengths
	if by := g.groupsOf(a, x); by != nil {
		lengths = g.sortByGroup(a, x, by)
	}
	m := a.Ragged.Lengths
	if lengths == nil || m == nil {
		return
	}
	values := make([]float64, len(lengths))
	for i, n := range lengths {
		values[i] = float64(n)
	}
	if known, ok := g.d.Arrays[m]; ok {
		g.agree(a, m, values, known.Values.Doubles(), x.Origin)
		return
	}
	shape, list := []int{len(values)}, numbers.Packed(values)
	g.raw[m] = &content.Array{Name: m.Name, Shape: shape, Values: list, Int: true, Origin: x.Origin}
	g.d.Arrays[m] = dataset.Array{Shape: shape, Values: list, Origin: x.Origin}
}

// agree reports an error if two sources give different lengths.
func (g *ragged) agree(a, m *model.Array, have, want []float64, origin string) {
	for i := range want {
		if i >= len(have) || have[i] != want[i] {
			n := 0.0
			if i < len(have) {
				n = have[i]
			}
			g.diags.Errorf(diag.SizesDiffer, a.At, "`%s` has %g elements in group %d of %s, and `%s` says %g", a.Name,
				n, i+1, origin, m.Name, want[i]).Related(m.At, "the lengths")
			return
		}
	}
}

// groupsOf returns the data with the group of each row of a long table: index(I) data of the same table, for an array
// over I.
func (g *ragged) groupsOf(a *model.Array, x *content.Array) *model.Array {
	if x.Lengths != nil {
		return nil
	}
	for _, b := range g.d.Model.Arrays {
		y := g.raw[b]
		if y != nil && y.Origin == x.Origin && b.IndexOf != nil && b.IndexOf.Same(a.Ragged.Outer.Set) &&
			y.Values.Len() == x.Values.Len() {
			return b
		}
	}
	return nil
}

// sortByGroup sorts the rows of an array by group, in a stable way, and counts the rows of each group.
func (g *ragged) sortByGroup(a *model.Array, x *content.Array, by *model.Array) (lengths []int) {
	groups := g.d.Arrays[by].Values
	ends, ds := evaluate.SetBox(g.d, by.IndexOf)
	g.diags.Add(ds...)
	if len(ds) > 0 {
		return nil
	}
	lengths = make([]int, max(0, ends[1]-ends[0]+1))
	order := make([]int, groups.Len())
	for i, v := range groups.All() {
		order[i] = i
		if k := int(v) - ends[0]; !math.IsNaN(v) && k >= 0 && k < len(lengths) {
			lengths[k]++
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return int(groups.At(i)) - int(groups.At(j)) })
	y := *x
	sorted := make([]float64, len(order))
	for to, from := range order {
		sorted[to] = x.Values.At(from)
	}
	y.Values = numbers.Packed(sorted)
	g.raw[a] = &y
	d := g.d.Arrays[a]
	d.Values = y.Values
	g.d.Arrays[a] = d
	return lengths
}

// fill computes the arrays of a numbering.
func (g *ragged) fill(r *model.Ragged) {
	box, ds := evaluate.SetBox(g.d, r.Outer.Set)
	g.diags.Add(ds...)
	low, high := g.ends(r, r.Inner.Lo), g.ends(r, r.Inner.Hi)
	if g.diags.HasErrors() {
		return
	}
	var before, group, place []float64
	names := g.names(r.Outer.Set, box[0], len(low))
	var labels []string
	for i := range low {
		if high[i] < low[i]-1 {
			high[i] = low[i] - 1
		}
		if float64(len(place))+high[i]-low[i] > mostElements {
			g.diags.Errorf(diag.TooManyElements, r.Size.At, "`%s` has more than %d elements", r.Size.Name,
				mostElements)
			return
		}
		before = append(before, float64(len(place)+1)-low[i])
		for j := low[i]; j <= high[i]; j++ {
			group, place = append(group, float64(box[0]+i)), append(place, j)
			labels = append(labels, names[i]+","+strconv.Itoa(int(j)))
		}
	}
	g.d.Sizes[r.Size] = len(place)
	g.d.Labels[r.Size] = labels
	for a, values := range map[*model.Array][]float64{r.Before: before, r.Low: low, r.High: high, r.Group: group,
		r.Place: place} {
		g.d.Arrays[a] = dataset.Array{Shape: []int{len(values)}, Values: numbers.Packed(values)}
	}
}

// ends returns a bound of a numbering's range at each value of its index.
func (g *ragged) ends(r *model.Ragged, x model.Expr) []float64 {
	all := &model.Build{Over: []*model.Index{r.Outer}, Body: x, Fact: *x.Info()}
	all.Type.Axes = []*model.Set{r.Outer.Set}
	_, values, ds := static(g.d, all)
	g.diags.Add(ds...)
	for _, v := range values {
		if len(ds) == 0 && !g.isEnd(x, v) {
			break
		}
	}
	return slices.Clone(values)
}

// isEnd reports whether a value can be a bound of a range. It reports an error if not.
func (g *ragged) isEnd(x model.Expr, v float64) bool {
	at := x.Info().At
	switch {
	case v != math.Trunc(v):
		g.diags.Errorf(diag.WrongKind, at, "an end of a range must be a whole number, but `%s` is %g", at.Text(), v)
	case math.Abs(v) > math.MaxInt32:
		g.diags.Errorf(diag.WrongKind, at, "an end of a range must be between -%d and %[1]d, but `%[2]s` is %[3]g",
			math.MaxInt32, at.Text(), v)
	default:
		return true
	}
	return false
}

// names returns the labels or numbers of n elements of a set, starting at first.
func (g *ragged) names(s *model.Set, first, n int) []string {
	names := make([]string, n)
	known := g.d.Labels[sizeOf(s)]
	for i := range names {
		names[i] = strconv.Itoa(first + i)
		if sizeOf(s) != nil && i < len(known) {
			names[i] = known[i]
		}
	}
	return names
}

// fits reports an error if the number of elements in the data is not the sum of the groups' lengths.
func (g *ragged) fits(a *model.Array, x *content.Array) {
	if n := g.d.Sizes[a.Ragged.Size]; x.Values.Len() != n {
		g.diags.Errorf(diag.SizesDiffer, a.At, "`%s` has %d elements in %s, but its groups have %d in total", a.Name,
			x.Values.Len(), x.Origin, n).
			Help("%s", fmt.Sprintf("correct the data; a list of lists has one list for each element of %s: [[…], […]]",
				a.Ragged.Outer.Set.Name))
		return
	}
	if x.Lengths == nil || a.Ragged.Lengths != nil {
		return
	}
	low, high := g.d.Arrays[a.Ragged.Low].Values, g.d.Arrays[a.Ragged.High].Values
	for i, n := range x.Lengths {
		if i < low.Len() && float64(n) != high.At(i)-low.At(i)+1 {
			g.diags.Errorf(diag.SizesDiffer, a.At, "`%s` has %d elements in group %d of %s, but its range has %g",
				a.Name, n, i+1, x.Origin, high.At(i)-low.At(i)+1)
			return
		}
	}
}
