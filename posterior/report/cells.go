package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	maxRows   = 40
	none      = "-" // shown for undefined numbers, such as R-hat of a constant
	maxPlaces = 6
)

// places returns the number of decimals to print: up to the first digit of the Monte Carlo error. It returns -1, for a
// number of significant digits instead, if that error is unknown or the numbers are very small or large.
func (p Parameter) places() int {
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

func (p Parameter) number(x float64) string {
	switch d := p.places(); {
	case math.IsNaN(x):
		return none
	case d < 0:
		return strconv.FormatFloat(x, 'g', 4, 64)
	default:
		return fixed(x, d)
	}
}

// fixed formats x with d decimals, without the sign of a negative zero.
func fixed(x float64, d int) string {
	text := strconv.FormatFloat(x, 'f', d, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// error formats the Monte Carlo error with one decimal more than the mean.
func (p Parameter) error() string {
	switch d := p.places(); {
	case math.IsNaN(p.MCSEMean) || p.Constant:
		return none
	case d < 0:
		return strconv.FormatFloat(p.MCSEMean, 'g', 2, 64)
	case p.MCSEMean >= 10:
		return strconv.FormatFloat(p.MCSEMean, 'f', 0, 64)
	default:
		return strconv.FormatFloat(p.MCSEMean, 'f', d+1, 64)
	}
}

func (p Parameter) count(x float64) string {
	if math.IsNaN(x) {
		return none
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

func (p Parameter) rhat() string {
	switch {
	case math.IsNaN(p.RHat):
		return none
	case p.RHat >= 1000:
		return ">1000"
	}
	return strconv.FormatFloat(p.RHat, 'f', 3, 64)
}

// A row of the table shows one parameter, or summarises elements that are not shown.
type row struct {
	parameter Parameter
	hidden    []Parameter
}

func (r row) name() string {
	if n := len(r.hidden); n > 0 {
		return fmt.Sprintf("  … %s more", thousands(int64(n)))
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
		return "≥" + Parameter{}.count(least(r.hidden, bulkESS))
	case "ess_tail":
		return "≥" + Parameter{}.count(least(r.hidden, func(p Parameter) float64 { return p.ESSTail }))
	case "r_hat":
		worst := Parameter{}
		worst.RHat = -least(r.hidden, func(p Parameter) float64 { return -p.RHat })
		return "≤" + worst.rhat()
	}
	return ""
}

// least returns the smallest value that is not NaN, or NaN if there is none.
func least(ps []Parameter, of func(Parameter) float64) float64 {
	low := math.NaN()
	for _, p := range ps {
		if x := of(p); !(x >= low) && !math.IsNaN(x) {
			low = x
		}
	}
	return low
}

// pick chooses the rows to show: all parameters if there are at most maxRows. Otherwise it shows the first elements of
// each variable and a row that summarises the rest, so that the table has at most maxRows rows if possible. left is the
// number of parameters without a separate row.
func (v View) pick(ps []Parameter) (rows []row, left int) {
	if v.All || v.Sort != "" {
		for _, p := range ps[:min(len(ps), v.most(len(ps)))] {
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

// most returns the maximum number of parameters shown separately.
func (v View) most(all int) int {
	if v.All {
		return all
	}
	return maxRows
}

// show returns the rows of a variable: all elements, or the first room of them and a row that summarises the rest.
func show(v []Parameter, room int) (rows []row) {
	for i, p := range v {
		if i == room && len(v) > room+1 {
			return append(rows, row{hidden: v[i:]})
		}
		rows = append(rows, row{parameter: p})
	}
	return rows
}

func height(variables [][]Parameter, room int) (n int) {
	for _, v := range variables {
		n += len(show(v, room))
	}
	return n
}

// byVariable iterates over consecutive parameters of the same variable.
func byVariable(ps []Parameter) func(func([]Parameter) bool) {
	return func(yield func([]Parameter) bool) {
		for len(ps) > 0 {
			n := slices.IndexFunc(ps, func(p Parameter) bool { return p.Variable != ps[0].Variable })
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
