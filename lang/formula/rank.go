package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/lang/diag"
)

// A designColumn is a column of the design matrix, as in R's model.matrix.
type designColumn struct {
	label  string
	term   term
	levels []int // level of each axis, from 1
	values []float64
}

// designColumns returns the columns of a coefficient: one for each combination of levels that has a coefficient.
func (c *coefficient) designColumns(rows int) (all []designColumn) {
	levels := make([]int, len(c.axes))
	for k, a := range c.axes {
		levels[k] = 1
		if a.contrast {
			levels[k] = 2
		}
	}
	for {
		d := designColumn{c.label(levels), c.term, slices.Clone(levels), make([]float64, rows)}
		for i := range d.values {
			d.values[i] = c.valueAt(levels, i)
		}
		all = append(all, d)
		k := len(levels) - 1
		for ; k >= 0; k-- {
			levels[k]++
			if levels[k] <= len(c.axes[k].levels) {
				break
			}
			levels[k] = 1
			if c.axes[k].contrast {
				levels[k] = 2
			}
		}
		if k < 0 {
			return all
		}
	}
}

func (c *coefficient) label(levels []int) string {
	if len(levels) == 0 {
		return c.term.String()
	}
	parts := make([]string, 0, len(levels)+1)
	if c.number != nil {
		parts = append(parts, c.number.name)
	}
	for k, a := range c.axes {
		parts = append(parts, a.column+" "+a.levels[levels[k]-1])
	}
	return strings.Join(parts, ":")
}

func (c *coefficient) valueAt(levels []int, i int) float64 {
	v := 1.0
	if c.number != nil {
		v = c.number.values[i]
	}
	for k, a := range c.axes {
		if a.codes[i] != levels[k] {
			return 0
		}
	}
	return v
}

// most is the greatest number of multiplications in the check for collinearity, which is skipped if it needs more.
const most = 2e10

// checkRank reports an error for terms that are linear combinations of others, because their coefficients are not
// identified. It subtracts each column's projection on the previous columns twice, to reduce rounding errors.
func (w *writer) checkRank(intercept bool, all []coefficient) {
	var columns []designColumn
	if intercept {
		ones := make([]float64, w.size)
		for i := range ones {
			ones[i] = 1
		}
		columns = append(columns, designColumn{label: "the intercept", values: ones})
	}
	p := 1.0
	for _, c := range all {
		p += combinations(c.axes)
	}
	if p*p*float64(w.size) > most {
		return
	}
	for _, c := range all {
		columns = append(columns, c.designColumns(w.size)...)
	}
	var basis [][]float64    // orthonormal vectors
	var of [][]float64       // coefficients of each basis vector in terms of the columns
	var taken []designColumn // columns in the basis
	for _, c := range columns {
		v := make([]float64, len(c.values))
		for i, x := range c.values {
			if !math.IsNaN(x) {
				v[i] = x
			}
		}
		size := math.Sqrt(dot(v, v))
		made := make([]float64, len(basis)+1)
		made[len(basis)] = 1
		for range 2 {
			for k, b := range basis {
				h := dot(v, b)
				for i := range v {
					v[i] -= h * b[i]
				}
				for j, m := range of[k] {
					made[j] -= h * m
				}
			}
		}
		left := math.Sqrt(dot(v, v))
		if left <= 1e-8*size || size == 0 {
			w.collinear(c, size, made, taken)
		}
		for i := range v {
			v[i] /= left
		}
		for j := range made {
			made[j] /= left
		}
		basis, of, taken = append(basis, v), append(of, made), append(taken, c)
	}
}

// collinear reports an error for a column c that is zero or a linear combination of the columns taken.
func (w *writer) collinear(c designColumn, size float64, made []float64, taken []designColumn) {
	if size == 0 && slices.ContainsFunc(c.term, func(v *node) bool { return !w.isFactor(v) }) {
		w.failTerm(c.term, fmt.Sprintf("has no effect that can be estimated: `%s` is 0 in all rows", c.label),
			"leave the term out")
	}
	if size == 0 {
		w.failTerm(c.term, fmt.Sprintf("has no effect that can be estimated: no row has %s", c.label),
			"leave the term out, join levels in a column of the data, or write the combinations as a group term, (1 "+
				"| a:b)")
	}
	var parts []string
	for j, t := range taken {
		if math.Abs(made[j])*math.Sqrt(dot(t.values, t.values)) > 1e-6*size {
			parts = append(parts, "`"+t.label+"`")
		}
	}
	message := fmt.Sprintf("is collinear with others: `%s` is a linear combination of %s", c.label,
		diag.And(shortened(parts)))
	if len(parts) == 1 {
		message = fmt.Sprintf("is collinear with another: `%s` is a multiple of %s", c.label, parts[0])
		if taken[0].label == "the intercept" && parts[0] == "`the intercept`" {
			message = "has one value in all rows, as the intercept has"
		}
	}
	w.failTerm(c.term, message, "leave one of them out")
}
