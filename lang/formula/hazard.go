package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// hazardOf reports whether a predictor has hazard levels instead of an intercept.
func (e *equation) hazardOf(p *predictor) bool { return e.family.hazard && p.of == e.named("") }

// eventTimes returns the times of rows that are events, sorted.
func (e *equation) eventTimes() (times []float64) {
	for i, v := range e.outcome.column.Values {
		if !math.IsNaN(v) && (e.hazard.isEvent == nil || e.hazard.isEvent[i]) {
			times = append(times, v)
		}
	}
	if len(times) == 0 {
		e.fail(e.left, "no row is an event: all times are censored",
			"check the column in cens(), in which none means an event")
	}
	slices.Sort(times)
	return times
}

// intervals returns the starts of intervals: 0 and quantiles of the event times, so that intervals contain about
// equally many events.
func intervals(times []float64) []float64 {
	const most, each = 10, 5 // greatest number of intervals, and least number of events in each
	n := min(most, max(1, len(times)/each))
	starts := []float64{0}
	for k := 1; k < n; k++ {
		start := times[k*len(times)/n]
		if start > starts[len(starts)-1] && start < times[len(times)-1] {
			starts = append(starts, start)
		}
	}
	return starts
}

// hazardLevels writes the prior of the log hazard in each interval, centred at the overall hazard.
func (e *equation) hazardLevels() {
	events, total := e.eventTimes(), 0.0
	for _, v := range present(e.outcome.column.Values) {
		total += v
	}
	e.hazard.starts = intervals(events)
	e.hazard.levels = e.fresh(e.named("level"))
	e.prior(e.hazard.levels, "level", fmt.Sprintf("%s[1..%d]", e.hazard.levels, len(e.hazard.starts)),
		fmt.Sprintf("Normal(%s, 2.5)", rounded(math.Log(float64(len(events))/total))),
		"log(events / time of all rows), 2.5")
}

// observeHazard writes the likelihood of a time: the survival probability, times the hazard if the row is an event.
func (e *equation) observeHazard(fill parameters) {
	const help = "leave it out, or take the family weibull"
	if e.outcome.weights != "" {
		e.fail(e.left, "the family cox does not support weights", help)
	}
	if e.outcome.truncate != "" {
		e.fail(e.left, "the family cox does not support trunc", help)
	}
	h, y := e.hazard, e.outcome.name
	n := len(h.starts)
	starts, ends := make([]string, n), make([]string, n)
	for k, s := range h.starts {
		starts[k] = exact(s)
		ends[k] = "inf"
		if k+1 < n {
			ends[k] = exact(h.starts[k+1])
		}
	}
	start, end := e.fresh(e.named("start")), e.fresh(e.named("end"))
	spent, at := e.fresh(e.named("spent")), e.fresh(e.named("ended"))
	e.defined = append(e.defined, fmt.Sprintf("%s = [%s]", start, strings.Join(starts, ", ")),
		fmt.Sprintf("%s = [%s]", end, strings.Join(ends, ", ")),
		fmt.Sprintf("%s[i in %s, k in 1..%d] = clip(%s[i], %s[k], %s[k]) - %[5]s[k]  # time in each interval", spent,
			e.rows, n, y, start, end),
		fmt.Sprintf("%s[i in %s, k in 1..%d] = %s[i] > %s[k] && %[4]s[i] <= %[6]s[k]", at, e.rows, n, y, start, end))
	logHazard, cumulative := e.fresh(e.named("log_hazard")), e.fresh(e.named("cumulative"))
	e.statement(fmt.Sprintf("%s[i in %s] = %s + sum(k in 1..%d: %s[i, k] * %s[k])", logHazard, e.rows, fill["eta"],
		n, at, h.levels), "")
	e.statement(fmt.Sprintf("%s[i in %s] = exp(%s) * sum(k in 1..%d: %s[i, k] * exp(%s[k]))", cumulative, e.rows,
		fill["eta"], n, spent, h.levels), "")
	density := logHazard + "[i]"
	if h.events != "" {
		density = h.events + " * " + density
	}
	e.statement(fmt.Sprintf("%s[i in %s] ~ Density(%s - %s[i])", y, e.rows, density, cumulative), "")
}
