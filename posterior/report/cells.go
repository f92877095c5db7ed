package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"ppl/posterior/layout"
	"ppl/posterior/summary"
)

const (
	maxRows   = 40
	maxPlaces = 6
)

// places returns the number of decimals to print: up to the first digit of the Monte Carlo error. It returns -1, for a
// number of significant digits instead, if that error is unknown or the numbers are very small or large.
func places(p summary.Parameter) int {
	e := p.MCSEMean
	if !(e > 0) || math.IsInf(e, 0) || math.Abs(p.Mean)+p.SD >= 1e7 {
		return -1
	}
	d := max(0, -int(math.Floor(math.Log10(e))))
	if d > maxPlaces {
		return -1
	}
	return d
}

func number(p summary.Parameter, x float64) string {
	switch d := places(p); {
	case math.IsNaN(x):
		return layout.Undefined
	case d < 0:
		return strconv.FormatFloat(x, 'g', 4, 64)
	default:
		return layout.Fixed(x, d)
	}
}

// mcse formats the Monte Carlo error: with one decimal more than the mean, as a whole number from 10 on, or with two
// significant digits if the mean has no fixed number of decimals.
func mcse(p summary.Parameter) string {
	switch d := places(p); {
	case math.IsNaN(p.MCSEMean) || p.Constant:
		return layout.Undefined
	case d < 0:
		return strconv.FormatFloat(p.MCSEMean, 'g', 2, 64)
	case p.MCSEMean >= 10:
		return strconv.FormatFloat(p.MCSEMean, 'f', 0, 64)
	default:
		return strconv.FormatFloat(p.MCSEMean, 'f', d+1, 64)
	}
}

func count(p summary.Parameter, x float64) string {
	if math.IsNaN(x) {
		return layout.Undefined
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

// A row of the table shows one parameter, or summarises elements that are not shown.
type row struct {
	parameter summary.Parameter
	hidden    []summary.Parameter
}

func (r row) name() string {
	if n := len(r.hidden); n > 0 {
		return fmt.Sprintf("  … %s more", layout.Thousands(int64(n)))
	}
	return r.parameter.Name
}

// cell returns the text in a column. For hidden elements, it is the worst diagnostic value; other columns are empty.
func (r row) cell(c tableColumn) string {
	if len(r.hidden) == 0 {
		return c.cell(r.parameter)
	}
	switch c.title {
	case "ess_bulk":
		return "≥" + count(summary.Parameter{}, least(r.hidden, summary.BulkESS))
	case "ess_tail":
		return "≥" + count(summary.Parameter{}, least(r.hidden, func(p summary.Parameter) float64 { return p.ESSTail }))
	case "r_hat":
		worst := summary.Parameter{}
		worst.RHat = -least(r.hidden, func(p summary.Parameter) float64 { return -p.RHat })
		return "≤" + layout.RHat(worst.RHat)
	}
	return ""
}

// least returns the smallest value that is not NaN, or NaN if there is none.
func least(ps []summary.Parameter, of func(summary.Parameter) float64) float64 {
	low := math.NaN()
	for _, p := range ps {
		if x := of(p); !(x >= low) && !math.IsNaN(x) {
			low = x
		}
	}
	return low
}

// pick chooses the rows to show: all parameters if there are at most maxRows or the view asks for all, and the first
// maxRows parameters of a sorted view. Otherwise it shows the first elements of each variable and a row that summarises
// the rest, so that the table has at most maxRows rows if possible. left is the number of parameters without a separate
// row.
func pick(v summary.View, ps []summary.Parameter) (rows []row, left int) {
	if v.All || v.Sort != "" {
		for _, p := range ps[:min(len(ps), mostRows(v, len(ps)))] {
			rows = append(rows, row{parameter: p})
		}
		return rows, len(ps) - len(rows)
	}
	variables := slices.Collect(byVariable(ps))
	room := maxRows
	for room > 1 && len(ps) > maxRows && height(variables, room) > maxRows {
		room--
	}
	for _, v := range variables {
		if len(rows) >= maxRows {
			break
		}
		rows = append(rows, show(v, room)...)
	}
	left = len(ps)
	for _, r := range rows {
		if len(r.hidden) == 0 {
			left--
		}
	}
	return rows, left
}

// mostRows returns the maximum number of parameters shown separately.
func mostRows(v summary.View, all int) int {
	if v.All {
		return all
	}
	return maxRows
}

// show returns the rows of a variable: all elements, or the first room of them and a row that summarises the rest.
func show(v []summary.Parameter, room int) (rows []row) {
	for i, p := range v {
		if i == room && len(v) > room+1 {
			return append(rows, row{hidden: v[i:]})
		}
		rows = append(rows, row{parameter: p})
	}
	return rows
}

func height(variables [][]summary.Parameter, room int) (n int) {
	for _, v := range variables {
		n += len(show(v, room))
	}
	return n
}

// byVariable iterates over consecutive parameters of the same variable.
func byVariable(ps []summary.Parameter) func(func([]summary.Parameter) bool) {
	return func(yield func([]summary.Parameter) bool) {
		for len(ps) > 0 {
			n := slices.IndexFunc(ps, func(p summary.Parameter) bool { return p.Variable != ps[0].Variable })
			if n < 0 {
				n = len(ps)
			}
			if !yield(ps[:n]) {
				return
			}
			ps = ps[n:]
		}
	}
}
