package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ppl/posterior/layout"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

// Diagnosis prints each topic with the facts checked, the problems found and advice, then a table of the rungs. If the
// view names parameters, their summary comes first.
func Diagnosis(w io.Writer, s summary.Report, width int) error {
	var b strings.Builder
	layout.Paragraph(&b, "", heading(s), width)
	b.WriteByte('\n')
	if len(s.View.Names) > 0 {
		writeParameters(&b, s, width)
		b.WriteByte('\n')
	}
	var tried []store.Advice
	for _, t := range s.Topics {
		tried = writeTopic(&b, t, width, tried)
	}
	writeLadder(&b, s)
	switch n := len(s.Warnings); n {
	case 0:
		b.WriteString("\nNothing speaks against these draws.\n")
	default:
		fmt.Fprintf(&b, "\n%d %s against these draws.%s\n", n, layout.Plural(n, "thing speaks", "things speak"),
			verdict(s))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func verdict(s summary.Report) string {
	if s.Unusable {
		return " Do not use them as they are."
	}
	return ""
}

type topicObject struct {
	Name     string          `json:"name"`
	Facts    string          `json:"facts"`
	Warnings []store.Warning `json:"warnings"`
}

// DiagnosisJSON prints the topics, and whether the draws are usable, as one object.
func DiagnosisJSON(w io.Writer, s summary.Report) error {
	topics := []topicObject{}
	for _, t := range s.Topics {
		if t.Facts != "" || len(t.Warnings) > 0 {
			topics = append(topics, topicObject{t.Name, t.Facts, append([]store.Warning{}, t.Warnings...)})
		}
	}
	return layout.WriteJSON(w, struct {
		Model  string        `json:"model"`
		Usable bool          `json:"usable"`
		Topics []topicObject `json:"topics"`
	}{s.Model, !s.Unusable, topics})
}

func label(mark, name string) string { return fmt.Sprintf("%-5s %-12s ", mark, name) }

// writeTopic prints a topic without advice that was already given. It returns all advice given so far.
func writeTopic(b *strings.Builder, t summary.Topic, width int, tried []store.Advice) []store.Advice {
	mark := "ok"
	if len(t.Warnings) > 0 {
		mark = "!"
	}
	if t.Facts != "" {
		layout.Paragraph(b, label(mark, t.Name), t.Facts, width)
	}
	for i, w := range t.Warnings {
		head := label("", "")
		if i == 0 && t.Facts == "" {
			head = label(mark, t.Name)
		}
		layout.Paragraph(b, head, w.Fact, width)
		if w.Reason != "" {
			layout.Paragraph(b, label("", "")+"why: ", w.Reason, width)
		}
		for _, a := range w.Advice {
			if !slices.ContainsFunc(tried, a.Repeats) {
				layout.Paragraph(b, label("", "")+"try: ", a.Text, width)
				tried = append(tried, a)
			}
		}
	}
	return tried
}

// A rungColumn is a column of the table of rungs. It is omitted if the run has no values for it.
type rungColumn struct {
	title  string
	values []float64
	format string
}

// writeLadder prints a table with a row for each rung, cold to hot.
func writeLadder(b *strings.Builder, s summary.Report) {
	if s.Exchange == nil {
		return
	}
	names := []string{"temperature"}
	for _, t := range s.Exchange.Temperatures {
		names = append(names, ladderTemperature(t))
	}
	lines := layout.Pad(names, true)
	for _, c := range []rungColumn{
		{"swap rate", slices.Concat(s.Exchange.SwapRates, []float64{math.NaN()}), "%.2f"},
		{"upward", s.Rungs.Upward, "%.2f"},
		{"acceptance", s.Rungs.Acceptance, "%.2f"}, {"divergent", s.Rungs.Divergence, "%.4f"},
		{"step size", s.Rungs.StepSizes, "%.3g"},
		{"thermostat", s.Rungs.Thermostat, "%.3g"}, {"injected", s.Rungs.Injected, "%.3g"},
	} {
		c.add(lines)
	}
	b.WriteByte('\n')
	for _, line := range lines {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	b.WriteString("swap rate: with the next rung. upward: share of the walkers there that come from the cold end; on " +
		"a good ladder it falls evenly.\n")
}

func ladderTemperature(t float64) string {
	if math.IsInf(t, 1) {
		return "prior"
	}
	return layout.Temperature(t)
}

func (c rungColumn) add(lines []string) {
	if len(c.values) != len(lines)-1 {
		return
	}
	cells := []string{c.title}
	for _, x := range c.values {
		cells = append(cells, layout.Undefined)
		if !math.IsNaN(x) {
			cells[len(cells)-1] = fmt.Sprintf(c.format, x)
		}
	}
	for i, cell := range layout.Pad(cells, true) {
		lines[i] += "  " + cell
	}
}
