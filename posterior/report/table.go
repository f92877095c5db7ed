package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table prints a report for people, in lines of at most width columns if possible. Width 0 means no limit, for output
// that is not a terminal.
func Table(w io.Writer, s Report, width int) error {
	var b strings.Builder
	paragraph(&b, "", s.heading(), width)
	if line := s.Pace.line(); line != "" {
		paragraph(&b, "", line, width)
	}
	if s.Exchange != nil {
		paragraph(&b, "", s.Exchange.line(), width)
	}
	for _, note := range s.Notes {
		paragraph(&b, "note: ", note, width)
	}
	b.WriteByte('\n')
	s.parameters(&b, width)
	s.warnings(&b, width)
	_, err := io.WriteString(w, b.String())
	return err
}

// shown is the maximum number of warnings, and of advice, printed below a summary. The most serious come first, and
// most of the others have the same cause.
const shown = 3

// warnings prints the first warnings and advice, one per line, and the command that shows the reasons.
func (s Report) warnings(b *strings.Builder, width int) {
	if len(s.Warnings) == 0 {
		return
	}
	b.WriteByte('\n')
	for _, w := range s.Warnings[:min(len(s.Warnings), shown)] {
		paragraph(b, "warning: ", w.Fact, width)
	}
	advice := firstAdvice(s.Warnings)
	for _, a := range advice[:min(len(advice), shown)] {
		paragraph(b, "advice: ", a.Text, width)
	}
	more := ""
	if n := len(s.Warnings) - shown; n > 0 {
		more = fmt.Sprintf(", and %d more %s of less weight", n, plural(n, "warning", "warnings"))
	}
	where := fmt.Sprintf("ppl diagnose %s has the reasons", s.Dir)
	if s.Dir == "" {
		where = "Keep the run, and ppl diagnose has the reasons"
	}
	paragraph(b, "", where+more+".", width)
}

// heading returns a line like "eight.ppl: 4 chains × 1,000 draws by renhd on host in 3.2 s (1,204,000 gradients, seed
// 42)".
func (s Report) heading() string {
	if s.Device == "" { // draws from the prior need no device
		return fmt.Sprintf("%s: %s %s from the prior (seed %d)", s.Model, thousands(int64(s.Draws)),
			plural(s.Draws, "draw", "draws"), s.Seed)
	}
	return fmt.Sprintf("%s: %d %s × %s %s by %s on %s in %s (%s gradients, seed %d)", s.Model, s.Chains,
		plural(s.Chains, "chain", "chains"),
		thousands(int64(s.Draws)), plural(s.Draws, "draw", "draws"), s.Sampler, s.Device, duration(s.Seconds),
		thousands(s.Gradients), s.Seed)
}

// line returns a line like "1 of 5 iterations is kept, 12 steps each; least E-BFMI of a chain 0.93".
func (p Pace) line() string {
	if p.Steps == 0 {
		return ""
	}
	words := "every iteration is kept"
	if p.Thin > 1 {
		words = fmt.Sprintf("1 of %d iterations is kept", p.Thin)
	}
	words += fmt.Sprintf(", %.3g %s each", p.Steps, plural(int(math.Ceil(p.Steps)), "step", "steps"))
	if len(p.EBFMI) > 0 {
		words += fmt.Sprintf("; least E-BFMI of a chain %.2f", slices.Min(p.EBFMI))
	}
	return words
}

// line returns a line like "replica exchange: 12 rungs, temperatures 1 to 7.4, swap rates 0.42 to 0.83, 31 round trips,
// barrier 3.1".
func (x Exchange) line() string {
	parts := []string{fmt.Sprintf("replica exchange: %d rungs", len(x.Temperatures)),
		fmt.Sprintf("temperatures %s to %s", temperature(x.Temperatures[0]),
			temperature(x.Temperatures[len(x.Temperatures)-1]))}
	if len(x.SwapRates) > 0 {
		parts = append(parts, fmt.Sprintf("swap rates %.2f to %.2f", slices.Min(x.SwapRates), slices.Max(x.SwapRates)))
	}
	return strings.Join(append(parts,
		fmt.Sprintf("%d %s", x.RoundTrips, plural(x.RoundTrips, "round trip", "round trips")),
		fmt.Sprintf("barrier %.2f", x.Barrier)), ", ")
}

// temperature formats a temperature.
func temperature(t float64) string {
	if math.IsInf(t, 1) {
		return "infinity (the prior)"
	}
	return fmt.Sprintf("%.3g", t)
}

func duration(seconds float64) string {
	switch {
	case math.IsNaN(seconds):
		return "an unknown time"
	case seconds < 10:
		return fmt.Sprintf("%.2g s", seconds)
	case seconds < 100:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 6000:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

func thousands(n int64) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// A tableColumn is a column of the parameter table. If lines are too long, columns with a rank above 0 are dropped,
// rank 1 first.
type tableColumn struct {
	title string
	rank  int
	cell  func(Parameter) string
}

func (v View) columns() []tableColumn {
	columns := []tableColumn{
		{"mean", 0, func(p Parameter) string { return p.number(p.Mean) }},
		{"sd", 0, func(p Parameter) string { return p.number(p.SD) }},
		{"mcse", 2, func(p Parameter) string { return p.error() }},
	}
	for k, title := range v.titles() {
		rank := 0 // requested columns are never dropped
		if len(v.Quantiles) == 0 && v.Interval.Mass == 0 {
			rank = []int{4, 1, 4}[k]
		}
		columns = append(columns, tableColumn{title, rank, func(p Parameter) string { return p.number(p.mark(k)) }})
	}
	return append(columns,
		tableColumn{"ess_bulk", 0, func(p Parameter) string { return p.count(p.ESSBulk) }},
		tableColumn{"ess_tail", 3, func(p Parameter) string { return p.count(p.ESSTail) }},
		tableColumn{"r_hat", 0, func(p Parameter) string { return p.rhat() }})
}

// parameters prints the parameter table, and how many parameters are not shown.
func (s Report) parameters(b *strings.Builder, width int) {
	rows, left := s.View.pick(s.Parameters)
	if len(rows) == 0 {
		b.WriteString("The model saves nothing.\n")
		return
	}
	names, cells := []string{""}, [][]string{}
	for _, r := range rows {
		names = append(names, r.name())
	}
	columns := s.View.columns()
	for _, c := range columns {
		cells = append(cells, align(c, rows))
	}
	names = pad(names, false)
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
		paragraph(b, "", fmt.Sprintf("%s of %s parameters are not shown: ppl summary %s --all shows them.",
			thousands(int64(left)),
			thousands(int64(len(s.Parameters))), s.Dir), width)
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
	return pad(append([]string{c.title}, cells...), true)
}

// pointOf returns the position of the decimal point, or the end of a number without one. Numbers with an exponent are
// aligned at their end.
func pointOf(cell string) int {
	if at := strings.IndexByte(cell, '.'); at >= 0 && !strings.Contains(cell, "e") {
		return at
	}
	return len(cell)
}

// pad pads words to equal length, with spaces before or after them.
func pad(words []string, before bool) []string {
	most := 0
	for _, w := range words {
		most = max(most, utf8.RuneCountInString(w))
	}
	for i, w := range words {
		space := strings.Repeat(" ", most-utf8.RuneCountInString(w))
		if before {
			words[i] = space + w
		} else {
			words[i] = w + space
		}
	}
	return words
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
	return pad(out, false)
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

// paragraph wraps text at width columns. The first line begins with label; the others are indented by its length.
func paragraph(b *strings.Builder, label, text string, width int) {
	line := label
	for i, word := range strings.Fields(text) {
		if i > 0 && width > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", len(label)) + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
}
