package bind

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/numbers"
)

// A data statement with `complete` omits rows in which one of its arrays has no value. In
//
//	data age[N], meal[N] from "lung.csv" complete     age,meal
//	                                                  74,1175
//	                                                  68,NA
//	                                                  56,1150
//
// N is 2, and the rows keep the numbers 1 and 3. Arrays declared `missing` may lack values in any row. `holdout 0.2`
// omits a fifth of the (complete) rows. The choice depends only on their number and the seed, so that images and their
// labels in two files lose the same rows.

// A given is an array with the values that were found for it.
type given struct {
	a    *model.Array
	x    *content.Array
	keys *model.Set // for an array of groups, the set of rows from which its values come; nil for its own rows
}

// rows returns the set of an array's rows.
func (g given) rows() *model.Set {
	if g.keys != nil {
		return g.keys
	}
	return g.a.Type.Axes[0]
}

// takeSelected enters the arrays of statements that select some of their rows.
func (t *arrays) takeSelected() {
	for len(t.waiting) > 0 {
		of := t.waiting[0].a.Selection
		var group, rest []given
		for _, g := range t.waiting {
			if g.a.Selection == of {
				group = append(group, g)
			} else {
				rest = append(rest, g)
			}
		}
		t.waiting = rest
		for len(group) > 0 {
			group = t.selectRows(group, of)
		}
	}
}

// selectRows enters the arrays that have the same rows as the first one, and returns the others.
func (t *arrays) selectRows(all []given, of *model.Selection) (others []given) {
	var group []given
	for _, g := range all {
		if len(g.x.Shape) == 0 || len(g.a.Type.Axes) == 0 {
			t.enterRows(g.a, g.x)
		} else if len(group) == 0 || g.rows().Same(group[0].rows()) {
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
		switch {
		case g.x.Rows != nil:
			t.diags.Errorf(diag.RowsAtOnce, of.At, "rows cannot be left out of %s, since it is too large for memory",
				g.x.Origin).Help("remove these rows from the file")
			return others
		case g.x.Lengths != nil && of.HeldOut > 0:
			t.diags.Errorf(diag.RowsAtOnce, of.At, "`holdout` needs rows of one length, but the lists of `%s` have "+
				"different lengths", g.a.Name).
				Help("give the lists to be predicted in a file of their own, with `ppl predict RUN --data FILE`")
			return others
		case g.x.Shape[0] != rows: // contradicting sizes, which are reported elsewhere
			rows = -1
		}
	}
	if rows >= 0 {
		group = t.leaveRowsOut(group, rows, of)
	}
	for _, g := range group {
		if g.keys == nil {
			t.enterRows(g.a, g.x)
		}
	}
	return others
}

// leaveRowsOut keeps the selected rows, and adds notes about omitted rows.
func (t *arrays) leaveRowsOut(group []given, rows int, of *model.Selection) []given {
	kept, origin := make([]int, rows), group[0].x.Origin
	for i := range kept {
		kept[i] = i
	}
	if of.Complete {
		var why []string
		kept, why = completeRows(group, rows)
		if rows == 0 {
			t.diags.Errorf(diag.UndeclaredMissing, of.At, "%s has no rows", origin)
			return group
		} else if len(kept) == 0 {
			t.diags.Errorf(diag.UndeclaredMissing, of.At, "no row of %s is complete: %s", origin,
				strings.Join(why, ", "))
			return group
		} else if len(why) > 0 {
			t.diags.Notef(diag.RowsLeftOut, of.At, "%d of %d rows of %s are left out: %s", rows-len(kept), rows, origin,
				strings.Join(why, ", "))
		}
	}
	if of.HeldOut > 0 {
		held, others := heldOut(kept, of)
		if len(held) == 0 || len(others) == 0 {
			t.diags.Errorf(diag.SizesDiffer, of.At, "`holdout` leaves out %d of %d rows of %s", len(held), len(kept),
				origin).
				Help("at least one row has to be left out, and one kept: give another share, or more rows")
			return group
		}
		kept = others
		if of.Others {
			kept = held
		} else {
			t.diags.Notef(diag.RowsLeftOut, of.At, "%d of %d rows of %s are held out: `ppl predict RUN --held-out` "+
				"predicts them", len(held), len(held)+len(others), origin)
		}
	}
	if len(kept) == rows {
		return group
	}
	numbers := make([]int, len(kept))
	for k, i := range kept {
		numbers[k] = i + 1
	}
	if s := sizeOf(group[0].rows()); s != nil {
		t.rowNumbers[s] = numbers
	}
	for k := range group {
		group[k].x = withRows(group[k].x, kept)
	}
	return group
}

// completeRows returns the rows in which no required value is missing, and describes why others are omitted.
func completeRows(group []given, rows int) (kept []int, why []string) {
	lacks := make([]bool, rows)
	for _, g := range group {
		n, width := 0, g.x.Values.Len()/max(rows, 1)
		for i := range rows {
			if !g.a.Missing && g.x.Values.Part(i*width, (i+1)*width).Missing() {
				lacks[i] = true
				n++
			}
		}
		if n > 0 {
			why = append(why, fmt.Sprintf("`%s` is missing in %d", g.a.Name, n))
		}
	}
	for i, lack := range lacks {
		if !lack {
			kept = append(kept, i)
		}
	}
	return kept, why
}

// heldOut splits rows into a random share, rounded to an integer number, and the others; both keep their order.
func heldOut(rows []int, of *model.Selection) (held, others []int) {
	n := int(math.Round(of.HeldOut * float64(len(rows))))
	isHeld := make([]bool, len(rows))
	for _, k := range rand.New(rand.NewPCG(of.Seed, uint64(len(rows)))).Perm(len(rows))[:n] {
		isHeld[k] = true
	}
	for k, i := range rows {
		if isHeld[k] {
			held = append(held, i)
		} else {
			others = append(others, i)
		}
	}
	return held, others
}

// rowsOf returns the values of the given rows of an array.
func rowsOf(x *content.Array, rows []int) numbers.List {
	width := x.Values.Len() / x.Shape[0]
	var values numbers.Builder
	values.Grow(len(rows) * width)
	for _, i := range rows {
		for k := range width {
			values.Add(x.Values.At(i*width + k))
		}
	}
	return values.List()
}

// withRows returns an array with the given rows of x, and only the labels that occur in them.
func withRows(x *content.Array, rows []int) *content.Array {
	y := *x
	y.Shape = append([]int{len(rows)}, x.Shape[1:]...)
	y.Values = rowsOf(x, rows)
	y.Origin += ", rows that are taken"
	return occurring(&y)
}

// opposites lists pairs of texts of which the first means true.
var opposites = [][2]string{{"yes", "no"}, {"y", "n"}, {"t", "f"}, {"on", "off"}, {"positive", "negative"},
	{"pos", "neg"}, {"present", "absent"}, {"true", "false"}}

// asBool converts truth values that are written as two texts or two numbers to 1 and 0.
func (t *arrays) asBool(a *model.Array, x *content.Array) *content.Array {
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
		t.diags.Errorf(diag.ImpossibleValue, a.At, "`%s` is bool, but has %d values in %s: %s", a.Name, len(texts),
			x.Origin, list).
			Help("if these are names of groups, declare `%s: index(J)`", declared(a))
		return nil
	case positive == "":
		t.diags.Errorf(diag.ImpossibleValue, a.At, "`%s` is bool, and has the texts %s in %s: which of them is true?",
			a.Name, list, x.Origin).Help("name it: `%s: bool(%q)`", declared(a), texts[len(texts)-1])
		return nil
	case !slices.Contains(texts, positive) && len(texts) == 2:
		t.diags.Errorf(diag.ImpossibleValue, a.At, "`%s` is bool(%q), but has %s in %s", a.Name, positive, list,
			x.Origin).Help("write the one that means true in `bool(…)`")
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

// positiveOf returns the text that means true if texts are two known opposites, or "".
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
