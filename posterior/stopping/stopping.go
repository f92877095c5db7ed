// Package stopping decides when a run has enough draws, so that a user can ask for a quality instead of a number:
//
//	g, err := stopping.Parse([]string{"ess=400", "rhat=1.01", "time=2h"})
//	g.Reached(stopping.Standing{Draws: 250, ESS: 310, RHat: 1.004})   // not yet
//	g.Next(stopping.Standing{Draws: 250, ESS: 310, RHat: 1.004}, 1000)   // look again at 299 draws
//
// The numbers of draws at which a run is checked depend only on earlier draws, so that a seed ends a run at the same
// draw on every machine. Frequent checks that stop at the first good result overestimate the effective sample size.
// With at least 20 % more draws before each check, and sizes of some hundreds, the bias is a few per cent (Glynn and
// Whitt, "The asymptotic validity of sequential stopping rules for stochastic simulations", Annals of Applied
// Probability 2, 1992).
package stopping

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ppl/posterior/diagnose"
	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

// A Goal is the quality that a run must reach, and limits on its cost. A run ends when it satisfies all quality
// criteria or reaches any limit. Zero values are not checked.
type Goal struct {
	ESS       float64       // minimum effective sample size, bulk and tail, of every saved quantity
	Bulk      float64       // minimum effective sample size in bulk
	RHat      float64       // maximum R-hat of every saved quantity
	Energy    float64       // minimum effective sample size of the log density, checked if E-BFMI is low
	Lacking   float64       // maximum share of the target that draws may lack
	Gradients float64       // maximum number of gradients
	Time      time.Duration // maximum time, over all processes that worked on the run
}

// A criterion is a setting that a user writes as name=value, such as ess=400, with the parser of its value.
type criterion struct {
	name, wants string
	set         func(g *Goal, text string) bool
}

func criteria() []criterion {
	above := func(least float64, to func(g *Goal) *float64) func(*Goal, string) bool {
		return func(g *Goal, text string) bool {
			x, err := strconv.ParseFloat(text, 64)
			*to(g) = x
			return err == nil && x > least && !math.IsInf(x, 0)
		}
	}
	return []criterion{
		{"ess", "a number above 0, as in ess=400", above(0, func(g *Goal) *float64 { return &g.ESS })},
		{"ess_bulk", "a number above 0, as in ess_bulk=1000", above(0, func(g *Goal) *float64 { return &g.Bulk })},
		{"rhat", "a number above 1, as in rhat=1.01", above(1, func(g *Goal) *float64 { return &g.RHat })},
		{"gradients", "a number above 0, as in gradients=1e9", above(0,
			func(g *Goal) *float64 { return &g.Gradients })},
		{"time", "a duration above 0, as in time=90s, time=45m or time=2h", func(g *Goal, text string) (ok bool) {
			var err error
			g.Time, err = time.ParseDuration(text)
			return err == nil && g.Time > 0
		}},
	}
}

// Names returns the names of the criteria, for help.
func Names() (names []string) {
	for _, c := range criteria() {
		names = append(names, c.name)
	}
	return names
}

// Parse parses criteria such as "ess=400". One text may contain several, separated by commas. The error names the
// criterion and the value expected.
func Parse(texts []string) (g Goal, err error) {
	for _, text := range strings.Split(strings.Join(texts, ","), ",") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		name, value, _ := strings.Cut(text, "=")
		found := false
		for _, c := range criteria() {
			if c.name != strings.TrimSpace(name) {
				continue
			}
			found = true
			if !c.set(&g, strings.TrimSpace(value)) {
				return g, fmt.Errorf("%s: %s must be %s", text, c.name, c.wants)
			}
		}
		if !found {
			return g, fmt.Errorf("%s: unknown criterion; available: %s", text, strings.Join(Names(),
				", "))
		}
	}
	return g, nil
}

// Aim returns the goal of a run for which the report has no warnings about the number of draws.
func Aim() Goal {
	return Goal{ESS: stats.MinESS, Bulk: stats.TargetESS, RHat: stats.MaxRHat, Energy: stats.MinESS,
		Lacking: store.MaxLacking}
}

// Empty reports whether the goal has no criteria.
func (g Goal) Empty() bool { return g == Goal{} }

// A Standing holds the diagnostics and cost of a run so far.
type Standing struct {
	Draws     int     // number of draws of each chain
	ESS       float64 // smallest effective sample size, bulk or tail; NaN if there are too few draws
	Bulk      float64 // smallest effective sample size in bulk
	RHat      float64 // largest R-hat
	Energy    float64 // effective sample size of the log density; +∞ if E-BFMI is high enough
	Lacking   float64 // share of the target that draws lack, judged by the modes found; 0 if that is unknown
	Gradients float64
	Seconds   float64
}

// Standing returns the standing of a run. It analyses draws only if the goal has quality criteria, since that takes
// long for millions of draws. Constant quantities are ignored. If a quantity has no statistics because some values are
// not finite, no quality criterion is met.
func (g Goal) Standing(run *store.Run) (Standing, error) {
	if !g.Quality() {
		nan, r := math.NaN(), run.Info.Report
		return Standing{Draws: run.Info.Draws, ESS: nan, Bulk: nan, RHat: nan, Gradients: float64(r.Gradients),
			Seconds: r.Seconds}, nil
	}
	r, err := diagnose.Summarize(run, summary.View{})
	if err != nil {
		return Standing{}, err
	}
	return standingOf(r, float64(run.Info.Report.Lacking)), nil
}

func standingOf(r summary.Report, lacking float64) Standing {
	s, w := Standing{Draws: r.Draws, ESS: math.NaN(), Bulk: math.NaN(), RHat: math.NaN(),
		Energy: math.NaN(), Lacking: lacking, Gradients: float64(r.Gradients), Seconds: r.Seconds}, r.Worst()
	if w.Without == "" {
		s.ESS, s.Bulk, s.RHat, s.Energy = w.ESS, w.Bulk, w.RHat, r.Pace.EnergyESS
	}
	return s
}

// Reached reports whether the run may end: all quality criteria are met, or a limit is reached.
func (g Goal) Reached(s Standing) bool {
	spent := g.Gradients > 0 && s.Gradients >= g.Gradients || g.Time > 0 && s.Seconds >= g.Time.Seconds()
	return spent || g.Quality() && g.progress(s) >= 1
}

// Quality reports whether the goal has quality criteria, not only limits.
func (g Goal) Quality() bool {
	return g.ESS > 0 || g.Bulk > 0 || g.RHat > 0 || g.Energy > 0 || g.Lacking > 0
}

// progress returns the share of the goal that is reached, for the criterion furthest from it. It is 1 or more if all
// are met, and NaN if a diagnostic that is needed is undefined.
func (g Goal) progress(s Standing) float64 {
	share := math.Inf(1)
	if g.ESS > 0 {
		share = min(share, s.ESS/g.ESS)
	}
	if g.Bulk > 0 {
		share = min(share, s.Bulk/g.Bulk)
	}
	if g.Energy > 0 {
		share = min(share, s.Energy/g.Energy)
	}
	if g.lacks(s) {
		share = min(share, g.Lacking/s.Lacking)
	}
	if g.RHat > 0 && !(s.RHat <= g.RHat) {
		share = min(share, (g.RHat-1)/(s.RHat-1)) // R-hat − 1 is about inversely proportional to the draws
	}
	return share
}

// lacks reports whether draws lack more of the target than the goal allows.
func (g Goal) lacks(s Standing) bool { return g.Lacking > 0 && s.Lacking > g.Lacking }

// Nearer reports whether standing a is nearer to the goal than b.
func (g Goal) Nearer(a, b Standing) bool {
	return g.progress(a) > g.progress(b) || math.IsNaN(g.progress(b))
}

// first is the number of draws of each chain at the first check. The number grows by the factor growth from check to
// check.
const (
	first  = 100
	growth = 1.2
)

// Expected returns the expected number of draws of each chain to reach the goal, or +∞ if the draws so far do not allow
// an estimate.
func (g Goal) Expected(s Standing) float64 {
	if share := g.progress(s); share > 0 {
		return float64(s.Draws) / min(share, 1)
	}
	return math.Inf(1)
}

// Next returns the number of draws for the next check, at most most. It skips checks at which the goal is unlikely to
// be reached. If the goal is only a time limit, no checks are needed.
func (g Goal) Next(s Standing, most int) int {
	if g == (Goal{Time: g.Time}) {
		return most
	}
	expected := float64(s.Draws + 1)
	if share := g.progress(s); share > 0 && share < 1 {
		const early = 0.75 // share of the expected number, since effective sizes are estimates
		expected = max(expected, early*float64(s.Draws)/share)
	}
	n := float64(first)
	for n < expected {
		n = math.Ceil(n * growth)
	}
	return int(min(n, float64(most)))
}

// Describe returns the standing of a run as text, in terms of the goal.
func (g Goal) Describe(s Standing) string {
	parts := []string{fmt.Sprintf("%d draws per chain", s.Draws)}
	add := func(asked bool, format string, args ...any) {
		if asked {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(g.ESS > 0, "worst effective size %.0f (goal %.0f)", s.ESS, g.ESS)
	add(g.Bulk > 0, "worst effective size in the bulk %.0f (goal %.0f)", s.Bulk, g.Bulk)
	add(s.Energy < g.Energy, "effective size of the log density %.0f (goal %.0f)", s.Energy, g.Energy)
	add(g.lacks(s), "%.2g %% of the target missing, in known modes", 100*s.Lacking)
	add(g.RHat > 0, "worst R-hat %.4f (goal %v)", s.RHat, g.RHat)
	add(g.Gradients > 0, "%.3g gradients (limit %.3g)", s.Gradients, g.Gradients)
	add(g.Time > 0, "%.0f s (limit %v)", s.Seconds, g.Time)
	return strings.Join(parts, ", ")
}
