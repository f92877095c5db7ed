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
	none      = "-" // what does not exist, such as R-hat of a constant
	maxPlaces = 6
)

// places returns the number of decimals worth printing: to the first digit of the Monte Carlo error. -1: significant
// digits instead, since no error is known or the numbers are very small or large.
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

// fixed prints d decimals; what rounds to zero has no sign.
func fixed(x float64, d int) string {
	text := strconv.FormatFloat(x, 'f', d, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// error returns the Monte Carlo error to two digits: one more than the numbers it is the error of.
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

// A row of the table is a parameter, or represents the elements of a variable that are not shown.
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

// cell of a row that represents others shows their worst value, and nothing else.
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

// least returns the smallest of what is there, else NaN.
func least(ps []Parameter, of func(Parameter) float64) float64 {
	low := math.NaN()
	for _, p := range ps {
		if x := of(p); !(x >= low) && !math.IsNaN(x) {
			low = x
		}
	}
	return low
}

// pick chooses the rows to show: all up to maxRows, else of every variable its first elements, as many as there is room
// for, and a row for the others. Left is the number of parameters without a row of their own.
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

// most returns how many rows are shown one by one.
func (v View) most(all int) int {
	if v.All {
		return all
	}
	return maxRows
}

// show gives a variable its rows: all elements, or the first room of them and a row for the rest.
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

// byVariable cuts the parameters into runs of one variable.
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
