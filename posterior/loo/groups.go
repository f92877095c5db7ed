package loo

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/lang/types"
	"ppl/posterior/quantities"
	"ppl/posterior/store"
)

// CrossValidateBy leaves out groups of rows instead of single rows: all rows of a group together, as if the group were
// new. by names an integer predictor with a value for each row, or for each index of the first axes of the observed
// array. The log likelihood of a group is the sum over its rows, which are independent given the parameters.
func CrossValidateBy(r *store.Run, name, by string) (Result, error) {
	v, err := rowsOf(r, name)
	if err != nil {
		return Result{}, err
	}
	code, err := groupOfRows(r, v, by)
	if err != nil {
		return Result{}, err
	}
	codes := slices.Compact(slices.Sorted(slices.Values(code)))
	if len(codes) < 2 {
		return Result{}, quantities.Unusable{Reason: fmt.Sprintf("all rows of %s are in one group of `%s`, so that no "+
			"row would remain without it", v.Name, by)}
	}
	l := Result{Dir: r.Dir, Draws: r.Layout.Chains * r.Info.Draws, By: v.Name}
	l.Variable = types.Variable{Name: by, Shape: []int{len(codes)}, Label: [][]string{groupNames(r, by, codes)}}
	for _, c := range codes {
		var rows []int
		for i := range code {
			if code[i] == c {
				rows = append(rows, i)
			}
		}
		l.Rows = append(l.Rows, rows)
	}
	return l, l.leaveOut(r, v, l.Rows, prediction{})
}

// groupOfRows returns the group code of each row of v.
func groupOfRows(r *store.Run, v types.Variable, by string) ([]float64, error) {
	groups, err := r.ConstantData(by)
	of := slices.IndexFunc(r.Layout.Constant, func(o store.Observed) bool { return o.Name == by })
	if err != nil || of < 0 {
		return nil, quantities.Unusable{Reason: fmt.Sprintf("%s has no predictor `%s` to group rows by; there are %s",
			r.Dir, by,
			wholePredictors(r))}
	}
	i := slices.IndexFunc(r.Layout.Observed, func(o store.Observed) bool { return o.Name == v.Name })
	if i < 0 {
		return nil, quantities.Unusable{Reason: fmt.Sprintf("--by groups rows of observed data, and %s is computed by "+
			"the model: without --by its elements are left out one at a time", v.Name)}
	}
	whole := r.Layout.Observed[i].Variable
	elements := elementsOfRows(v, whole)
	if elements == nil {
		return nil, notSingle(v)
	}
	each := 1 // number of elements per group code
	shape := r.Layout.Constant[of].Shape
	if len(shape) == 0 || len(shape) > len(whole.Shape) || !slices.Equal(shape, whole.Shape[:len(shape)]) {
		return nil, quantities.Unusable{Reason: fmt.Sprintf("`%s` does not have a value for each row of %s", by,
			v.Name)}
	}
	for _, n := range whole.Shape[len(shape):] {
		each *= n
	}
	out := make([]float64, v.Size())
	for row, k := range elements {
		out[row] = groups[k/each]
		if out[row] != math.Trunc(out[row]) {
			return nil, quantities.Unusable{Reason: fmt.Sprintf("`%s` cannot group rows: its values must be whole "+
				"numbers, and one is %g", by, out[row])}
		}
	}
	return out, nil
}

// notSingle returns the error for rows that combine several elements, which cannot be grouped.
func notSingle(v types.Variable) error {
	return quantities.Unusable{Reason: fmt.Sprintf("--by cannot group the log likelihood of %s: each of its rows, "+
		"such as %s, is that of several elements that share a discrete unknown. Without --by these rows are left out "+
		"one at a time", v.Name, v.Element(0))}
}

// wholePredictors lists the predictors that can group rows, or returns "none".
func wholePredictors(r *store.Run) string {
	var names []string
	for _, o := range r.Layout.Constant {
		if o.Int && len(o.Shape) > 0 {
			names = append(names, "`"+o.Name+"`")
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// groupNames names groups by the labels of their index set, or by their numbers if it has no labels.
func groupNames(r *store.Run, by string, codes []float64) []string {
	set, _ := r.Layout.SetOf(by)
	names := make([]string, len(codes))
	for k, c := range codes {
		names[k] = set.Element(c)
	}
	return names
}
