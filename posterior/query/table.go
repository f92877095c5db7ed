package query

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
	"ppl/lang/types"
)

// Line summarises one number: "mean -0.742 sd 0.188 95% [-1.11, -0.37] P(<0) 1.000 ess 3921". The number is known to
// lie between lo and hi; if these have the same sign, the probability of the sign is omitted.
func (e Estimate) Line(lo, hi float64) string {
	switch {
	case e.Draws == 0:
		return "the condition holds in none of " + thousands(e.Total) + " draws"
	case e.NonFinite > 0:
		return fmt.Sprintf("%s of %s draws are not finite; median %s", thousands(e.NonFinite), thousands(e.Draws),
			number(e.Median, 4))
	case e.Constant:
		return exact(e.Mean) + e.part() + " in every draw" + e.limited()
	}
	text := fmt.Sprintf("mean %s  sd %s  95%% [%s, %s]", near(e.Mean, e.SD, 3), near(e.SD, e.SD, 3),
		near(e.Lo, e.SD, 2), near(e.Hi, e.SD, 2))
	if lo < 0 && hi > 0 {
		text += "  " + e.sign()
	}
	return text + "  ess " + number(e.ESS, 0) + e.part() + e.limited()
}

// limited reports the number of draws stored as ±2^63 because they are too large. It is empty if there are none.
func (e Estimate) limited() string {
	if e.AtLimit == 0 {
		return ""
	}
	return fmt.Sprintf("  (%s of %s draws are 2^63 or more and count as "+
		"2^63)", thousands(e.AtLimit), thousands(e.Draws))
}

// undefined reports the number of draws in which a condition is undefined. It is empty if there are none.
func (e Estimate) undefined() string {
	if e.Undefined == 0 {
		return ""
	}
	return fmt.Sprintf("  (%s of %s draws compare something that is not a number, and count as false)",
		thousands(e.Undefined), thousands(e.Total))
}

// sign returns the probability that a draw has the sign of the mean.
func (e Estimate) sign() string {
	if e.Mean < 0 {
		return fmt.Sprintf("P(<0) %.3f", e.Below)
	}
	return fmt.Sprintf("P(>0) %.3f", e.Above)
}

// part reports how many draws count. It is empty if all do.
func (e Estimate) part() string {
	if e.Draws == e.Total {
		return ""
	}
	return fmt.Sprintf("  (%s of %s draws)", thousands(e.Draws), thousands(e.Total))
}

// Probability returns the mean of a condition with its Monte Carlo standard error: "0.998 ± 0.001". If all draws agree,
// that error cannot be estimated.
func (e Estimate) Probability() string {
	switch {
	case e.Draws == 0:
		return e.Line(0, 0)
	case e.Constant && e.Draws == e.Total:
		return fmt.Sprintf("%g (in all %s draws alike)", e.Mean, thousands(e.Draws)) + e.undefined()
	}
	return e.probability() + e.part() + e.undefined()
}

func (e Estimate) probability() string {
	if e.Constant {
		return fmt.Sprintf("%g", e.Mean)
	}
	return e.plusMinus(e.Mean, e.MCSE)
}

// Moment returns one statistic as text: the mean with its Monte Carlo error, the sd or the median, and how many draws
// count.
func (e Estimate) Moment(what string) string {
	if e.Draws == 0 || e.NonFinite > 0 {
		return e.Line(0, 0)
	}
	return e.moment(what) + e.part()
}

func (e Estimate) moment(what string) string {
	switch what {
	case "sd":
		return near(e.SD, e.SD, 3)
	case "median":
		return near(e.Median, e.SD, 3)
	}
	return e.plusMinus(e.Mean, e.MCSE)
}

func (e Estimate) plusMinus(x, mcse float64) string {
	if math.IsNaN(mcse) || mcse == 0 {
		return number(x, 4)
	}
	return near(x, 10*mcse, 2) + " ± " + near(mcse, 10*mcse, 2)
}

// near formats x with the number of decimals that shows the given number of significant digits of scale.
func near(x, scale float64, digits int) string {
	if !(scale > 0) || math.IsInf(scale, 0) {
		return exact(x)
	}
	decimals := digits - 1 - int(math.Floor(math.Log10(scale)))
	if decimals > 8 || math.Abs(x) >= 1e7 {
		return number(x, digits+2)
	}
	return strconv.FormatFloat(x, 'f', max(0, decimals), 64)
}

// number formats x with the given number of significant digits, or as an integer if digits is 0.
func number(x float64, digits int) string {
	if digits == 0 && !math.IsNaN(x) {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', max(1, digits), 64)
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

func thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// A column of a table has a title and a function that returns the cell of row k.
type column struct {
	title string
	cell  func(k int) string
}

// Table prints estimates of consecutive elements of v, starting with element first. The elements are known to lie
// between lo and hi; P(>0) is printed only if both signs are possible. If truth is set, they are truth values, and the
// table shows probabilities.
func Table(w io.Writer, v types.Variable, first int, es []Estimate, lo, hi float64, truth bool) error {
	if truth {
		return listed(w, v, first, es, column{"P", func(k int) string { return es[k].probability() }})
	}
	if !slices.ContainsFunc(es, func(e Estimate) bool { return !e.Constant }) {
		return listed(w, v, first, es, column{"in every draw", func(k int) string { return exact(es[k].Mean) }})
	}
	columns := []column{
		{"mean", func(k int) string { return near(es[k].Mean, es[k].SD, 3) }},
		{"sd", func(k int) string { return near(es[k].SD, es[k].SD, 3) }},
		{"95%", func(k int) string {
			return "[" + near(es[k].Lo, es[k].SD, 2) + ", " + near(es[k].Hi, es[k].SD, 2) + "]"
		}},
	}
	if lo < 0 && hi > 0 {
		columns = append(columns, column{"P(>0)", func(k int) string { return fmt.Sprintf("%.3f", es[k].Above) }})
	}
	columns = append(columns, column{"ess", func(k int) string {
		if es[k].Constant {
			return "constant"
		}
		return number(es[k].ESS, 0)
	}})
	return listed(w, v, first, es, columns...)
}

// listed prints a table of estimates. Below it, it prints how many draws count if not all do, and remarks about single
// elements.
func listed(w io.Writer, v types.Variable, first int, es []Estimate, columns ...column) error {
	if len(es) > 0 && es[0].Draws == 0 {
		_, err := fmt.Fprintln(w, es[0].Line(0, 0))
		return err
	}
	if err := table(w, names(v, first, len(es)), columns); err != nil || len(es) == 0 {
		return err
	}
	lines := []string{}
	if part := es[0].part(); part != "" {
		lines = append(lines, strings.TrimSpace(part))
	}
	for k, e := range es {
		for _, remark := range []string{e.limited(), e.undefined()} {
			if remark != "" {
				lines = append(lines, v.Element(first+k)+": "+strings.Trim(remark, " ()"))
			}
		}
	}
	for k, line := range lines {
		if k == shownRemarks {
			line = fmt.Sprintf("… and %d more such lines", len(lines)-k)
		}
		if _, err := fmt.Fprintln(w, line); err != nil || k == shownRemarks {
			return err
		}
	}
	return nil
}

// shownRemarks is the maximum number of remarks printed below a table.
const shownRemarks = 10

// MomentTable prints one statistic of each element.
func MomentTable(w io.Writer, v types.Variable, first int, es []Estimate, what string) error {
	return listed(w, v, first, es, column{what, func(k int) string { return es[k].moment(what) }})
}

// RankTable prints, for each element, the probabilities that it is the largest and the smallest, and its mean rank.
func RankTable(w io.Writer, v types.Variable, places []Place) error {
	p := func(x, mcse float64) string {
		if mcse == 0 || math.IsNaN(mcse) {
			return fmt.Sprintf("%.3f", x)
		}
		return fmt.Sprintf("%.3f ± %.3f", x, mcse)
	}
	return table(w, names(v, 0, len(places)), []column{
		{"P(largest)", func(k int) string { return p(places[k].Largest, places[k].LargestMCSE) }},
		{"P(smallest)", func(k int) string { return p(places[k].Smallest, places[k].SmallestMCSE) }},
		{"mean rank", func(k int) string { return fmt.Sprintf("%.1f", places[k].MeanRank) }},
	})
}

func names(v types.Variable, first, n int) []string {
	out := make([]string, n)
	for k := range out {
		out[k] = v.Element(first + k)
	}
	return out
}

func table(w io.Writer, names []string, columns []column) error {
	rows := make([][]string, len(names)+1)
	rows[0] = []string{""}
	for k, name := range names {
		rows[k+1] = []string{name}
	}
	for _, c := range columns {
		rows[0] = append(rows[0], c.title)
		for k := range names {
			rows[k+1] = append(rows[k+1], c.cell(k))
		}
	}
	widths := make([]int, len(columns)+1)
	for _, r := range rows {
		for i, cell := range r {
			widths[i] = max(widths[i], uniseg.StringWidth(cell))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		line := r[0] + strings.Repeat(" ", widths[0]-uniseg.StringWidth(r[0]))
		for i, cell := range r[1:] {
			line += "  " + strings.Repeat(" ", widths[i+1]-uniseg.StringWidth(cell)) + cell
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
