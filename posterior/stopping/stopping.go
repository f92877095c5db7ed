// Package stopping decides when a run has enough draws, so that a user can ask for a quality instead of a number:
//
//	g, err := stopping.Parse([]string{"ess=400", "rhat=1.01", "time=2h"})
//	g.Reached(stopping.Standing{Draws: 250, ESS: 310, RHat: 1.004})   // not yet
//	g.Next(stopping.Standing{Draws: 250, ESS: 310, RHat: 1.004}, 1000)   // look again at 299 draws
//
// Draws are looked at only after numbers of them that depend on nothing but the draws before, so that a seed ends a run
// at the same draw on every machine. To look often, and to stop at the first good moment, makes the estimate of the
// effective size that ended the run too high on average; with a look every 20 % or less often, and sizes of some
// hundreds, by a few per cent (Glynn and Whitt, "The asymptotic validity of sequential stopping rules for stochastic
// simulations", Annals of Applied Probability 2, 1992).
package stopping

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ppl/posterior/report"
	"ppl/posterior/store"
)

// A Goal is what a run is to reach, ESS and RHat both, and what it may cost at most, whichever limit comes first. Zero
// values ask for nothing.
type Goal struct {
	ESS       float64       // the least effective size, bulk and tail, of every saved quantity
	Bulk      float64       // the least effective size in the bulk alone
	RHat      float64       // the greatest R-hat of every saved quantity
	Energy    float64       // the effective size of the log density where E-BFMI is low
	Lacking   float64       // the share of the target that draws may lack at most
	Gradients float64       // a limit
	Time      time.Duration // a limit, over all processes that worked on the run
}

// A criterion is one name before an equals sign.
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

// Names returns the names of criteria, for help.
func Names() (names []string) {
	for _, c := range criteria() {
		names = append(names, c.name)
	}
	return names
}

// Parse reads criteria such as "ess=400", also several with commas between. The error says what is wrong with which.
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
				return g, fmt.Errorf("%s: %s wants %s", text, c.name, c.wants)
			}
		}
		if !found {
			return g, fmt.Errorf("%s: unknown criterion; available: %s", text, strings.Join(Names(),
				", "))
		}
	}
	return g, nil
}

// Aim returns what a run has to reach for its report to have nothing to say about the number of draws.
func Aim() Goal {
	return Goal{ESS: report.MinESS, Bulk: report.TargetESS, RHat: report.MaxRHat, Energy: report.MinESS,
		Lacking: store.MaxLacking}
}

// Empty reports whether nothing is asked for.
func (g Goal) Empty() bool { return g == Goal{} }

// A Standing is where a run is.
type Standing struct {
	Draws     int     // of each chain
	ESS       float64 // the worst, bulk or tail; NaN if there are too few draws
	Bulk      float64 // the worst in the bulk
	RHat      float64 // the worst
	Energy    float64 // of the log density; +∞ where E-BFMI is high
	Lacking   float64 // the share of the target that draws lack, by modes that were found when there were some
	Gradients float64
	Seconds   float64
}

// Standing returns where a run is. Its draws are looked at only if the goal is about their quality, since that takes
// long for millions of them. Quantities that are constant count for nothing. While one is without a statistic, since
// its values are not finite, no goal for that statistic is reached.
func (g Goal) Standing(run *store.Run) (Standing, error) {
	if !g.Quality() {
		nan, r := math.NaN(), run.Info.Report
		return Standing{Draws: run.Info.Draws, ESS: nan, Bulk: nan, RHat: nan, Gradients: float64(r.Gradients),
			Seconds: r.Seconds}, nil
	}
	r, err := report.FromRun(run)
	if err != nil {
		return Standing{}, err
	}
	return standingOf(r, float64(run.Info.Report.Lacking)), nil
}

func standingOf(r report.Report, lacking float64) Standing {
	s, w := Standing{Draws: r.Draws, ESS: math.NaN(), Bulk: math.NaN(), RHat: math.NaN(),
		Energy: math.NaN(), Lacking: lacking, Gradients: float64(r.Gradients), Seconds: r.Seconds}, r.Worst()
	if w.Without == "" {
		s.ESS, s.Bulk, s.RHat, s.Energy = w.ESS, w.Bulk, w.RHat, r.Pace.EnergyESS
	}
	return s
}

// Reached reports whether the run may end: the draws are good enough, or a limit is reached.
func (g Goal) Reached(s Standing) bool {
	spent := g.Gradients > 0 && s.Gradients >= g.Gradients || g.Time > 0 && s.Seconds >= g.Time.Seconds()
	return spent || g.Quality() && g.shortfall(s) >= 1
}

// Quality reports whether the goal asks for good draws, and does not only limit what they may cost.
func (g Goal) Quality() bool {
	return g.ESS > 0 || g.Bulk > 0 || g.RHat > 0 || g.Energy > 0 || g.Lacking > 0
}

// shortfall returns the share of the goal that is reached, by the criterion that is furthest from it; 1 and more is
// all.
func (g Goal) shortfall(s Standing) float64 {
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
		share = min(share, (g.RHat-1)/(s.RHat-1)) // the excess falls about as one over the number of draws
	}
	return share
}

// lacks reports whether draws lack more of the target than they may.
func (g Goal) lacks(s Standing) bool { return g.Lacking > 0 && s.Lacking > g.Lacking }

// Nearer reports whether a run that is at a is nearer to the goal than one at b.
func (g Goal) Nearer(a, b Standing) bool {
	return g.shortfall(a) > g.shortfall(b) || math.IsNaN(g.shortfall(b))
}

// The first look is after this number of draws of each chain; later ones after numbers that grow by a factor.
const (
	first  = 100
	growth = 1.2
)

// Expected returns how many draws of each chain the goal takes, by those so far: +∞ where they say nothing.
func (g Goal) Expected(s Standing) float64 {
	if share := g.shortfall(s); share > 0 {
		return float64(s.Draws) / min(share, 1)
	}
	return math.Inf(1)
}

// Next returns the number of draws after which to look again, at most most: the next on the grid of looks, or one
// further on where the draws so far show that it takes much longer. A clock needs no look at the draws.
func (g Goal) Next(s Standing, most int) int {
	if g == (Goal{Time: g.Time}) {
		return most
	}
	expected := float64(s.Draws + 1)
	if share := g.shortfall(s); share > 0 && share < 1 {
		const early = 0.75 // of what is expected, since the effective sizes are estimates
		expected = max(expected, early*float64(s.Draws)/share)
	}
	n := float64(first)
	for n < expected {
		n = math.Ceil(n * growth)
	}
	return int(min(n, float64(most)))
}

// Describe returns how far a run has come, in the terms of the stopping.
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
	add(g.lacks(s), "%.2g %% of the target in known modes that they lack", 100*s.Lacking)
	add(g.RHat > 0, "worst R-hat %.4f (goal %v)", s.RHat, g.RHat)
	add(g.Gradients > 0, "%.3g gradients (limit %.3g)", s.Gradients, g.Gradients)
	add(g.Time > 0, "%.0f s (limit %v)", s.Seconds, g.Time)
	return strings.Join(parts, ", ")
}
