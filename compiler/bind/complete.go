package bind

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/data"
	"ppl/compiler/model"
	"ppl/lang/source"
	"ppl/numbers"
)

// Of a data statement with `complete`, rows are left out in which one of its arrays has no value. In
//
//	data age[N], meal[N] from "lung.csv" complete     age,meal
//	                                                  74,1175
//	                                                  68,NA
//	                                                  56,1150
//
// N is 2, and the rows keep the numbers 1 and 3. Arrays that are declared `missing` may lack values in any row.

// A given array is one with the values that were found for it.
type given struct {
	a *model.Array
	x *data.Array
}

// takeComplete enters the arrays of statements with `complete`.
func (t *arrays) takeComplete() {
	for len(t.waiting) > 0 {
		of := t.waiting[0].a.Complete
		var group, rest []given
		for _, g := range t.waiting {
			if g.a.Complete == of {
				group = append(group, g)
			} else {
				rest = append(rest, g)
			}
		}
		t.waiting = rest
		for len(group) > 0 {
			group = t.completeRows(group, of.At)
		}
	}
}

// completeRows enters those of some arrays that have the first one's rows, and gives the others.
func (t *arrays) completeRows(all []given, at source.Span) (others []given) {
	var group []given
	for _, g := range all {
		if len(g.x.Shape) == 0 || len(g.a.Type.Axes) == 0 {
			t.enterRows(g.a, g.x)
		} else if len(group) == 0 || g.a.Type.Axes[0].Same(group[0].a.Type.Axes[0]) {
			group = append(group, g)
		} else {
			others = append(others, g)
		}
	}
	if len(group) == 0 {
		return others
	}
	rows := group[0].x.Shape[0]
	for _, g := range group {
		if g.x.Rows != nil {
			t.diags.Errorf("E86", at, "%s is too large for memory, and rows with missing values are left out of files "+
				"that are read whole", g.x.Origin).Help("leave them out of the file")
			return others
		}
		if g.x.Shape[0] != rows { // a size of two sources, which is reported
			rows = -1
		}
	}
	if rows >= 0 {
		group = t.leaveRowsOut(group, rows, at)
	}
	for _, g := range group {
		t.enterRows(g.a, g.x)
	}
	return others
}

// leaveRowsOut keeps the rows in which every array has its values, and says which are left out.
func (t *arrays) leaveRowsOut(group []given, rows int, at source.Span) []given {
	keep, why := make([]bool, rows), []string(nil)
	for i := range keep {
		keep[i] = true
	}
	for _, g := range group {
		n := 0
		for i := range rows {
			width := g.x.Values.Len() / max(rows, 1)
			if !g.a.Missing && g.x.Values.Part(i*width, (i+1)*width).Missing() {
				keep[i] = false
				n++
			}
		}
		if n > 0 {
			why = append(why, fmt.Sprintf("`%s` is missing in %d", g.a.Name, n))
		}
	}
	if len(why) == 0 {
		return group
	}
	var kept []int
	for i, k := range keep {
		if k {
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		t.diags.Errorf("W05", at, "no row of %s is complete: %s", group[0].x.Origin, strings.Join(why, ", "))
		return group
	}
	t.diags.Notef("W16", at, "%d of %d rows of %s are left out: %s", rows-len(kept), rows, group[0].x.Origin,
		strings.Join(why, ", "))
	numbers := make([]int, len(kept))
	for k, i := range kept {
		numbers[k] = i + 1
	}
	if s := sizeOf(group[0].a.Type.Axes[0]); s != nil {
		t.rowNumbers[s] = numbers
	}
	for k := range group {
		group[k].x = withRows(group[k].x, kept)
	}
	return group
}

// withRows is an array of some of another's rows; of labels only those that these have.
func withRows(x *data.Array, rows []int) *data.Array {
	y, width := *x, x.Values.Len()/x.Shape[0]
	y.Shape = append([]int{len(rows)}, x.Shape[1:]...)
	var values []float64
	for _, i := range rows {
		for k := range width {
			values = append(values, x.Values.At(i*width+k))
		}
	}
	y.Values = numbers.Packed(values)
	y.Origin += ", complete rows"
	if x.Labels == nil {
		return &y
	}
	y.Labels = nil
	number := map[float64]float64{}
	for k, text := range x.Labels {
		if code := float64(k + 1); slices.Contains(values, code) {
			y.Labels = append(y.Labels, text)
			number[code] = float64(len(y.Labels))
		}
	}
	y.Values = y.Values.Map(func(v float64) float64 {
		if math.IsNaN(v) {
			return v
		}
		return number[v]
	})
	return &y
}

// opposites are pairs of texts of which the first is true.
var opposites = [][2]string{{"yes", "no"}, {"y", "n"}, {"t", "f"}, {"on", "off"}, {"positive", "negative"},
	{"pos", "neg"}, {"present", "absent"}, {"true", "false"}}

// asBool makes two texts, or two numbers, of an array of truth values 1 and 0.
func (t *arrays) asBool(a *model.Array, x *data.Array) *data.Array {
	if a.Positive == "" && x.Labels == nil || x.Rows != nil {
		return x
	}
	texts := x.Labels
	if texts == nil {
		values := slices.DeleteFunc(slices.Clone(x.Values.Doubles()), math.IsNaN)
		slices.Sort(values)
		for _, v := range slices.Compact(values) {
			texts = append(texts, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	positive := a.Positive
	if positive == "" {
		positive = positiveOf(texts)
	}
	list := strings.Join(shorten(texts), ", ")
	switch {
	case len(texts) > 2:
		t.diags.Errorf("E57", a.At, "`%s` is bool, but has %d values in %s: %s", a.Name, len(texts), x.Origin, list).
			Help("names of groups need `%s: index(J)`", declared(a))
		return nil
	case positive == "":
		t.diags.Errorf("E57", a.At, "`%s` is bool, and has the texts %s in %s: which of them is true?", a.Name, list,
			x.Origin).Help("name it: `%s: bool(%q)`", declared(a), texts[len(texts)-1])
		return nil
	case !slices.Contains(texts, positive) && len(texts) == 2:
		t.diags.Errorf("E57", a.At, "`%s` is bool(%q), but has %s in %s", a.Name, positive, list, x.Origin)
		return nil
	}
	y := *x
	y.Labels, y.Int = nil, true
	y.Values = x.Values.Map(func(v float64) float64 {
		switch {
		case math.IsNaN(v):
			return v
		case x.Labels != nil && x.Labels[int(v)-1] == positive,
			x.Labels == nil && strconv.FormatFloat(v, 'g', -1, 64) == positive:
			return 1
		}
		return 0
	})
	return &y
}

// positiveOf is the text that is true of two known opposites.
func positiveOf(texts []string) string {
	for _, pair := range opposites {
		found := ""
		ok := !slices.ContainsFunc(texts, func(s string) bool {
			if strings.EqualFold(s, pair[0]) {
				found = s
			}
			return !strings.EqualFold(s, pair[0]) && !strings.EqualFold(s, pair[1])
		})
		if ok && found != "" {
			return found
		} else if ok {
			return pair[0]
		}
	}
	return ""
}
