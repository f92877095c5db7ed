package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/lang/types"
	"ppl/posterior/store"
)

// CrossValidateBy is CrossValidate of groups of rows: all rows of a group are left out together, as if the group were
// new. By is a predictor with whole numbers that has a value for each row, or for each place along the first axis of
// what is observed. The log likelihood of a group is the sum of those of its rows, which are independent given the
// parameters.
func CrossValidateBy(r *store.Run, name, by string) (LOO, error) {
	v, err := rowsOf(r, name)
	if err != nil {
		return LOO{}, err
	}
	code, err := groupOfRows(r, v, by)
	if err != nil {
		return LOO{}, err
	}
	codes := slices.Compact(slices.Sorted(slices.Values(code)))
	if len(codes) < 2 {
		return LOO{}, Unusable{fmt.Sprintf("all rows of %s are in one group of `%s`: none would be left", v.Name, by)}
	}
	l := LOO{Dir: r.Dir, Draws: r.Layout.Chains * r.Info.Draws, By: v.Name}
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

// groupOfRows returns the group that each row of v is in.
func groupOfRows(r *store.Run, v types.Variable, by string) ([]float64, error) {
	groups, err := r.ConstantData(by)
	of := slices.IndexFunc(r.Layout.Constant, func(o store.Observed) bool { return o.Name == by })
	if err != nil || of < 0 {
		return nil, Unusable{fmt.Sprintf("%s has no predictor `%s` to group rows by; there are %s", r.Dir, by,
			wholePredictors(r))}
	}
	i := slices.IndexFunc(r.Layout.Observed, func(o store.Observed) bool { return o.Name == v.Name })
	if i < 0 {
		return nil, notSingle(v)
	}
	whole := r.Layout.Observed[i].Variable
	elements := elementsOfRows(v, whole)
	if elements == nil {
		return nil, notSingle(v)
	}
	each := 1 // elements for each value of the groups
	shape := r.Layout.Constant[of].Shape
	if len(shape) == 0 || len(shape) > len(whole.Shape) || !slices.Equal(shape, whole.Shape[:len(shape)]) {
		return nil, Unusable{fmt.Sprintf("`%s` does not have a value for each row of %s", by, v.Name)}
	}
	for _, n := range whole.Shape[len(shape):] {
		each *= n
	}
	out := make([]float64, v.Size())
	for row, k := range elements {
		out[row] = groups[k/each]
		if out[row] != math.Trunc(out[row]) {
			return nil, Unusable{fmt.Sprintf("`%s` has values that are not whole numbers, such as %g, and groups "+
				"nothing", by, out[row])}
		}
	}
	return out, nil
}

// notSingle reports why rows that are several elements together are in no group of single elements.
func notSingle(v types.Variable) error {
	return Unusable{fmt.Sprintf("each row of the log likelihood of %s, such as %s, is of several elements "+
		"together, which "+
		"share a discrete unknown: without --by these rows are left out one at a time", v.Name, v.Element(0))}
}

// wholePredictors lists the predictors that can group rows.
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

// groupNames names groups by the labels of the index set that they are elements of, else by their numbers.
func groupNames(r *store.Run, by string, codes []float64) []string {
	set, _ := r.Layout.SetOf(by)
	names := make([]string, len(codes))
	for k, c := range codes {
		names[k] = set.Element(c)
	}
	return names
}
