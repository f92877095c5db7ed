// Package report prints summaries and diagnoses of runs: tables for people, JSON and CSV for programs.
//
//	r, err := diagnose.Summarize(run, summary.View{})
//	report.Table(os.Stdout, r, 80)        a table with a row for each parameter, and the gravest warnings
//	report.Diagnosis(os.Stdout, r, 80)    all topics with facts, problems and advice
//	report.JSON(os.Stdout, r)
package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"ppl/posterior/layout"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

// Table prints a report for people, in lines of at most width columns if possible. Width 0 means no limit, for output
// that is not a terminal.
func Table(w io.Writer, s summary.Report, width int) error {
	var b strings.Builder
	layout.Paragraph(&b, "", heading(s), width)
	if line := paceLine(s.Pace); line != "" {
		layout.Paragraph(&b, "", line, width)
	}
	if s.Exchange != nil {
		layout.Paragraph(&b, "", s.Exchange.Line(), width)
	}
	for _, note := range s.Notes {
		layout.Paragraph(&b, "note: ", note, width)
	}
	b.WriteByte('\n')
	writeParameters(&b, s, width)
	writeWarnings(&b, s, width)
	_, err := io.WriteString(w, b.String())
	return err
}

// shown is the maximum number of warnings, and of advice, printed below a summary. The most serious come first, and
// most of the others have the same cause.
const shown = 3

// writeWarnings prints the first warnings and advice, one per line, and the command that shows the reasons.
func writeWarnings(b *strings.Builder, s summary.Report, width int) {
	if len(s.Warnings) == 0 {
		return
	}
	b.WriteByte('\n')
	for _, w := range s.Warnings[:min(len(s.Warnings), shown)] {
		layout.Paragraph(b, "warning: ", w.Fact, width)
	}
	advice := firstAdvice(s.Warnings)
	for _, a := range advice[:min(len(advice), shown)] {
		layout.Paragraph(b, "advice: ", a.Text, width)
	}
	more := ""
	if n := len(s.Warnings) - shown; n > 0 {
		more = fmt.Sprintf(" and %d less serious %s", n, layout.Plural(n, "warning", "warnings"))
	}
	where := fmt.Sprintf("ppl diagnose %s shows the reasons", s.Dir)
	if s.Dir == "" {
		where = "Keep the run, and ppl diagnose shows the reasons"
	}
	layout.Paragraph(b, "", where+more+".", width)
}

// heading returns a line like "eight.ppl: 4 chains × 1,000 draws by renhd on host in 3.2 s (1,204,000 gradients, seed
// 42)".
func heading(s summary.Report) string {
	if s.Device == "" { // draws from the prior need no device
		return fmt.Sprintf("%s: %s %s from the prior (seed %d)", s.Model, layout.Thousands(int64(s.Draws)),
			layout.Plural(s.Draws, "draw", "draws"), s.Seed)
	}
	return fmt.Sprintf("%s: %d %s × %s %s by %s on %s in %s (%s gradients, seed %d)", s.Model, s.Chains,
		layout.Plural(s.Chains, "chain", "chains"),
		layout.Thousands(int64(s.Draws)), layout.Plural(s.Draws, "draw", "draws"), s.Sampler, s.Device,
		layout.Duration(s.Seconds),
		layout.Thousands(s.Gradients), s.Seed)
}

// paceLine returns a line like "1 of 5 iterations is kept, 12 steps each; least E-BFMI of a chain 0.93".
func paceLine(p summary.Pace) string {
	if p.Steps == 0 {
		return ""
	}
	words := "every iteration is kept"
	if p.Thin > 1 {
		words = fmt.Sprintf("1 of %d iterations is kept", p.Thin)
	}
	words += fmt.Sprintf(", %.3g %s each", p.Steps, layout.Plural(int(math.Ceil(p.Steps)), "step", "steps"))
	if len(p.EBFMI) > 0 {
		words += fmt.Sprintf("; least E-BFMI of a chain %.2f", slices.Min(p.EBFMI))
	}
	return words
}

// A tableColumn is a column of the parameter table. If lines are too long, columns with a rank above 0 are dropped,
// rank 1 first.
type tableColumn struct {
	title string
	rank  int
	cell  func(summary.Parameter) string
}

func columnsOf(v summary.View) []tableColumn {
	columns := []tableColumn{
		{"mean", 0, func(p summary.Parameter) string { return number(p, p.Mean) }},
		{"sd", 0, func(p summary.Parameter) string { return number(p, p.SD) }},
		{"mcse", 2, func(p summary.Parameter) string { return mcse(p) }},
	}
	for k, title := range v.Titles() {
		rank := 0 // requested columns are never dropped
		if len(v.Quantiles) == 0 && v.Interval.Mass == 0 {
			rank = []int{4, 1, 4}[k]
		}
		columns = append(columns, tableColumn{title, rank, func(p summary.Parameter) string {
			return number(p,
				p.Mark(k))
		}})
	}
	return append(columns,
		tableColumn{"ess_bulk", 0, func(p summary.Parameter) string { return count(p, p.ESSBulk) }},
		tableColumn{"ess_tail", 3, func(p summary.Parameter) string { return count(p, p.ESSTail) }},
		tableColumn{"r_hat", 0, func(p summary.Parameter) string { return layout.RHat(p.RHat) }})
}

// writeParameters prints the parameter table, and how many parameters are not shown.
func writeParameters(b *strings.Builder, s summary.Report, width int) {
	rows, left := pick(s.View, s.Parameters)
	if len(rows) == 0 {
		b.WriteString("The model saves nothing.\n")
		return
	}
	names, cells := []string{""}, [][]string{}
	for _, r := range rows {
		names = append(names, r.name())
	}
	columns := columnsOf(s.View)
	for _, c := range columns {
		cells = append(cells, align(c, rows))
	}
	names = layout.Pad(names, false)
	keep, room := fit(columns, cells, utf8.RuneCountInString(names[0]), width)
	names = shorten(names, room)
	for _, keep := range keep {
		for i, cell := range cells[keep] {
			names[i] += "  " + cell
		}
	}
	for _, line := range names {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if left > 0 {
		layout.Paragraph(b, "", fmt.Sprintf("%s of %s parameters are not shown: ppl summary %s --all shows them.",
			layout.Thousands(int64(left)),
			layout.Thousands(int64(len(s.Parameters))), s.Dir), width)
	}
}

// align pads the title and cells of a column to equal length, with aligned decimal points.
func align(c tableColumn, rows []row) []string {
	cells, after := make([]string, len(rows)), make([]int, len(rows))
	most := 0
	for i, r := range rows {
		cells[i] = r.cell(c)
		after[i] = len(cells[i]) - pointOf(cells[i])
		most = max(most, after[i])
	}
	for i := range cells {
		cells[i] += strings.Repeat(" ", most-after[i])
	}
	return layout.Pad(append([]string{c.title}, cells...), true)
}

// pointOf returns the position of the decimal point, or the end of a number without one. Numbers with an exponent are
// aligned at their end.
func pointOf(cell string) int {
	if at := strings.IndexByte(cell, '.'); at >= 0 && !strings.Contains(cell, "e") {
		return at
	}
	return len(cell)
}

// shorten replaces the middle of names longer than room with "…".
func shorten(names []string, room int) []string {
	out := make([]string, len(names))
	for i, name := range names {
		name = strings.TrimRight(name, " ")
		runes := []rune(name)
		if len(runes) > room {
			head := (room - 1) * 2 / 3
			name = string(runes[:head]) + "…" + string(runes[len(runes)-(room-1-head):])
		}
		out[i] = name
	}
	return layout.Pad(out, false)
}

// leastName is the minimum width of the name column.
const leastName = 16

// fit chooses the columns that fit in lines of width columns, and returns them with the width left for the names.
func fit(columns []tableColumn, cells [][]string, names, width int) (keep []int, room int) {
	total := names
	for i, c := range cells {
		keep = append(keep, i)
		total += 2 + len(c[0])
	}
	for rank := 1; rank <= 4 && width > 0 && total > width; rank++ {
		if rank == 4 && total-names+min(names, leastName) <= width {
			break // shorter names leave space for the outer quantiles
		}
		keep = slices.DeleteFunc(keep, func(i int) bool {
			if columns[i].rank == rank {
				total -= 2 + len(cells[i][0])
			}
			return columns[i].rank == rank
		})
	}
	if width == 0 || total <= width {
		return keep, names
	}
	return keep, max(leastName, names-(total-width))
}

// firstAdvice returns the first advice of each warning, without repetitions.
func firstAdvice(warnings []store.Warning) (all []store.Advice) {
	for _, w := range warnings {
		if len(w.Advice) > 0 && !slices.ContainsFunc(all, w.Advice[0].Repeats) {
			all = append(all, w.Advice[0])
		}
	}
	return all
}
