package diagnose

import (
	"fmt"
	"math"
	"slices"

	"ppl/posterior/layout"
	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

// A depth ranks advice by its subject. Problems of a lower depth must be solved first, since they make advice of a
// higher depth useless: more draws do not help if the posterior is improper or the chains miss a funnel.
type depth int

const (
	theModel   depth = iota // the model
	theSampler              // how walkers move
	theLength               // the length of the run
)

// A rule returns a warning if it finds a problem with the draws; a warning without a fact means that there is none. A
// grave rule makes the draws unusable.
type rule struct {
	warn  func(*findings) store.Warning
	about depth
	grave bool
}

// A topic is a row of the table from which diagnose makes each summary.Topic: a function that states facts, and rules
// that may warn.
type topic struct {
	name  string
	facts func(*findings) string
	rules []rule
}

func topics() []topic {
	return []topic{
		{"run", ending, []rule{{ended, theLength, false}, {nothing, theLength, true}, {uneven, theLength, false},
			{nonFinite, theModel, true}, {atLimit, theModel, false}, {runaway, theModel, true},
			{noIntegral, theModel, true},
			{vanishing, theModel, true}, {underflow, theModel, true}, {motionless, theModel, true}}},
		{"modes", agreement, []rule{{disagreement, theSampler, true}, {trading, theSampler, true},
			{elsewhere, theSampler, true},
			{oneChain, theLength, false}}},
		{"convergence", extremes, []rule{{highRHat, theLength, true}, {lowESS, theLength, true},
			{belowTarget, theLength, false}, {noMean, theLength, false}, {heavyTails, theLength, false},
			{undiagnosed, theLength, true}}},
		{"divergences", divergenceCount, []rule{{missing, theSampler, false}, {divergent, theSampler, false},
			{nonFiniteEnds, theSampler, false}, {cutOff, theSampler, false}, {smallSteps, theSampler, false}}},
		{"energy", energyFacts, []rule{{lowEnergy, theSampler, false}}},
		{"trees", treeFacts, []rule{{cutShort, theSampler, false}, {held, theSampler, false}}},
		{"approximation", fitFacts, []rule{{poorFit, theSampler, true}, {unequalFits, theSampler, false}}},
		{"ladder", ladderFacts, []rule{{noRoundTrip, theSampler, false}, {rareSwaps, theSampler, false},
			{unsettled, theSampler, false}, {bottleneck, theSampler, false}}},
		{"thermostat", thermostatFacts, []rule{{hotThermostat, theSampler, true}}},
		{"minibatches", batchFacts, []rule{{heavyNoise, theSampler, false}, {tooHot, theSampler, false}}},
	}
}

// ofSearch returns the topic for a run whose draws are end points of ppl optimize, to which sampler diagnostics do not
// apply.
func ofSearch() []topic {
	return []topic{{"run", ending, []rule{{ended, theLength, false}, {nothing, theLength, true},
		{nonFinite, theModel, true}, {points, theSampler, true}}}}
}

// fromSampler returns a topic with the sampler's own warnings.
func fromSampler(said []store.Warning) topic {
	row := topic{name: "sampler", facts: func(*findings) string { return "" }}
	for _, w := range said {
		row.rules = append(row.rules, rule{func(*findings) store.Warning { return w }, theSampler, false})
	}
	return row
}

// diagnose applies all topics. It removes the advice of warnings whose depth is above the lowest one with advice.
func (f *findings) diagnose(rows []topic) (all []summary.Topic) {
	said := f.warn(rows)
	deepest := deepestAdvice(rows, said)
	for i, row := range rows {
		t := summary.Topic{Name: row.name, Facts: row.facts(f)}
		for k, rule := range row.rules {
			w := said[i][k]
			if rule.about > deepest {
				w.Advice = nil
			}
			switch {
			case w.Fact == "":
			case rule.grave:
				t.Warnings = slices.Insert(t.Warnings, t.Grave, w)
				t.Grave++
			default:
				t.Warnings = append(t.Warnings, w)
			}
		}
		all = append(all, t)
	}
	return all
}

// warn returns the warning of each rule, [topic][rule].
func (f *findings) warn(rows []topic) [][]store.Warning {
	said := make([][]store.Warning, len(rows))
	for i, row := range rows {
		for _, rule := range row.rules {
			said[i] = append(said[i], rule.warn(f))
		}
	}
	return said
}

// deepestAdvice returns the lowest depth of any warning that has advice.
func deepestAdvice(rows []topic, said [][]store.Warning) depth {
	d := theLength
	for i, row := range rows {
		for k, rule := range row.rules {
			if len(said[i][k].Advice) > 0 {
				d = min(d, rule.about)
			}
		}
	}
	return d
}

// ranked returns the warnings of all topics, first those that make the draws unusable.
func ranked(all []summary.Topic) (warnings []store.Warning, unusable bool) {
	warnings = []store.Warning{}
	for _, t := range all {
		warnings = append(warnings, t.Warnings[:t.Grave]...)
	}
	unusable = len(warnings) > 0
	for _, t := range all {
		warnings = append(warnings, t.Warnings[t.Grave:]...)
	}
	return warnings, unusable
}

func ending(f *findings) string {
	return fmt.Sprintf("%s, %s %s of each of %d %s", f.run.Status, layout.Thousands(int64(f.run.Draws)),
		layout.Plural(f.run.Draws, "draw", "draws"), f.report.Chains, layout.Plural(f.report.Chains, "chain", "chains"))
}

func agreement(f *findings) string {
	if len(f.disputes) > 0 || f.apart.Errors > 0 || f.report.Chains < 2 || f.run.Draws == 0 {
		return ""
	}
	return "the chains spend their time in the same places"
}

func extremes(f *findings) string {
	if len(f.judged) == 0 || f.run.Draws == 0 {
		return ""
	}
	var worst summary.Parameter
	for _, p := range f.judged {
		if p.RHat > worst.RHat {
			worst = p
		}
	}
	words := "R-hat is not available"
	if worst.RHat > 0 {
		words = fmt.Sprintf("worst R-hat %s (%s)", layout.RHat(worst.RHat), worst.Name)
	}
	if p, n := summary.LeastESS(f.judged, summary.BulkESS); !math.IsInf(n, 1) {
		words += fmt.Sprintf(", least ess_bulk %s (%s)", layout.Thousands(int64(n)), p.Name)
	}
	if p, n := summary.LeastESS(f.judged, func(p summary.Parameter) float64 { return p.ESSTail }); !math.IsInf(n, 1) {
		words += fmt.Sprintf(", least ess_tail %s (%s)", layout.Thousands(int64(n)), p.Name)
	}
	return words
}

func divergenceCount(f *findings) string {
	if f.run.Draws == 0 {
		return ""
	}
	if f.report.Divergences == 0 {
		return "none after warm-up"
	}
	return fmt.Sprintf("%s after warm-up", layout.Thousands(int64(f.report.Divergences)))
}

func energyFacts(f *findings) string {
	e := f.run.Report.EBFMI
	if len(e) == 0 {
		return ""
	}
	return fmt.Sprintf("E-BFMI of the chains %s", means(e))
}

// lowEnergy warns if E-BFMI is below Betancourt's limit. A low E-BFMI is harmless if the log density nevertheless has
// enough effective draws; see lowEnergies.
func lowEnergy(f *findings) (w store.Warning) {
	bad := f.lowEnergies()
	if len(bad) == 0 {
		return w
	}
	w.Fact = fmt.Sprintf("E-BFMI is below %v in %d of %d chains (least %.2g).", leastEnergy, len(bad),
		len(f.run.Report.EBFMI), slices.Min(bad))
	w.Reason = "Fresh momenta reach only a small part of the posterior's range of energies, so the draws may lack " +
		"its tails. Heavy tails and funnels cause this."
	w.Advice = []store.Advice{f.otherCoordinates()}
	return w
}

const leastEnergy = 0.3

// lowEnergies returns the E-BFMIs that are too low. It returns nil if the draws are sound and the effective sample size
// of the log density is sufficient.
func (f *findings) lowEnergies() (bad []float64) {
	for _, e := range f.run.Report.EBFMI {
		if e < leastEnergy {
			bad = append(bad, e)
		}
	}
	if f.sound() && f.energyESS >= stats.MinESS {
		return nil
	}
	return bad
}

// lowEnergyESS returns the effective sample size of the log density if some E-BFMI is too low, else +∞.
func (f *findings) lowEnergyESS() float64 {
	if e := f.run.Report.EBFMI; len(e) > 0 && slices.Min(e) < leastEnergy {
		return f.energyESS
	}
	return math.Inf(1)
}

func ladderFacts(f *findings) string {
	x := f.report.Exchange
	if x == nil {
		return ""
	}
	words := x.Line()
	if h := f.run.Report.Halves; len(h) == 2 {
		words += fmt.Sprintf(" (%.2f in the first half, %.2f in the second)", h[0], h[1])
	}
	return words
}

// unsettled warns if the ladder's barrier differs between the halves of the run. Rates average many correlated
// proposals, so only a difference of at least a third of the mean barrier and at least 0.5 counts.
func unsettled(f *findings) (w store.Warning) {
	h := f.run.Report.Halves
	if len(h) != 2 || math.Abs(h[1]-h[0]) < max(0.5, (h[0]+h[1])/6) {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("The ladder's barrier was %.2f in the first half of the draws and %.2f in the second.", h[0],
			h[1]),
		Reason: "The replicas had not settled when draws began.",
		Advice: []store.Advice{longerWarmup()},
	}
}

// bottleneck warns of neighbouring rungs with a steep drop in the flow of walkers although swaps are accepted. Walkers
// then keep turning back at the same place, which means that something slow, such as another mode or a phase
// transition, lies between (Katzgraber, Trebst, Huse, Troyer 2006).
func bottleneck(f *findings) (w store.Warning) {
	x, up := f.report.Exchange, f.run.Report.Rungs.Upward
	if x == nil || len(up) != len(x.Temperatures) || len(up) < 4 {
		return w
	}
	at := 0
	for j := range up[1:] {
		if up[j]-up[j+1] > up[at]-up[at+1] {
			at = j
		}
	}
	if up[at]-up[at+1] < 0.75 || x.RoundTrips == 0 || x.SwapRates[at] < minSwap {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("Walkers turn back between the temperatures %s and %s though swaps are accepted there (%.0f "+
			"%%).", layout.Temperature(x.Temperatures[at]), layout.Temperature(x.Temperatures[at+1]),
			100*x.SwapRates[at]),
		Reason: "Swaps there are soon reversed; the posterior may change its form between these temperatures.",
		Advice: []store.Advice{{Do: store.Raise, On: "steps",
			Text: "Make each walker move more between swaps (--set steps)."}, f.moreRungs()},
	}
}

func thermostatFacts(f *findings) string {
	t, want := f.run.Report.Rungs.Thermostat, f.run.Report.Rungs.Injected
	if len(t) == 0 {
		return ""
	}
	if len(want) == 0 || math.IsNaN(want[0]) {
		return fmt.Sprintf("s = %.3g at temperature 1", t[0])
	}
	return fmt.Sprintf("s = %.3g at temperature 1, where friction and gradient noise imply %.3g", t[0], want[0])
}

// hotThermostat warns if the thermostat of the cold rung differs by more than a factor of two from the value that
// balances friction and noise.
func hotThermostat(f *findings) (w store.Warning) {
	t, want := f.run.Report.Rungs.Thermostat, f.run.Report.Rungs.Injected
	if len(t) == 0 || len(want) == 0 || !(t[0] > 2*want[0] || t[0] < want[0]/2) {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("The thermostat is at %.3g at temperature 1; friction and gradient noise imply %.3g.", t[0],
			want[0]),
		Reason: "The step is too long for the noise, so the draws are too widely or too narrowly spread.",
		Advice: f.lessNoise(),
	}
}

func batchFacts(f *findings) string {
	r := f.run.Report
	if r.Batch == 0 {
		return ""
	}
	words := fmt.Sprintf("%s rows in each", layout.Thousands(int64(r.Batch)))
	if t := r.Positions; t.Value != 0 {
		words += fmt.Sprintf("; positions have a temperature of %.3f ± %.2g where it should be 1, so standard "+
			"deviations are off by %+.1f ± %.1f %%", t.Value, t.Error, 50*(t.Value-1), 50*t.Error)
		if t.Noise > 0 {
			words += fmt.Sprintf("; gradient noise causes %+.1f %% in the noisiest coordinate, the step size the rest",
				50*t.Noise)
		}
	}
	if r.NoiseNormal > 0 {
		words += fmt.Sprintf("; gradient noise has a Shapiro-Wilk W of %.4f", r.NoiseNormal)
	}
	return words
}

// tooHot warns if standard deviations are off by more than 2 %, beyond two standard errors, or if gradient noise widens
// a coordinate by 2 %.
func tooHot(f *findings) (w store.Warning) {
	const tolerance, errors = 0.04, 2
	t := f.run.Report.Positions
	if t.Value == 0 || math.Abs(float64(t.Value-1)) < tolerance+errors*float64(t.Error) && t.Noise < tolerance {
		return w
	}
	w.Fact = fmt.Sprintf("Standard deviations are off by more than 2 %%: positions have a temperature of %.3f ± %.2g "+
		"where it should be 1.", t.Value, t.Error)
	w.Advice = []store.Advice{f.smallerSteps()}
	if t.Noise > 0 {
		w.Reason = fmt.Sprintf("Gradient noise widens the noisiest coordinate by %.1f %%; the step size causes the "+
			"rest.", 50*t.Noise)
		w.Advice = f.lessNoise()
	}
	return w
}

// heavyNoise warns if the noise of minibatch gradients is far from normal. Its limit, 0.95, is the W of a hundred draws
// from a Student's t distribution with about five degrees of freedom.
func heavyNoise(f *findings) (w store.Warning) {
	shapiro := f.run.Report.NoiseNormal
	if shapiro == 0 || shapiro >= 0.95 {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("The noise of the minibatch gradients is far from normal (Shapiro-Wilk W = %.2f, 1 is "+
			"normal).", shapiro),
		Reason: "A few rows weigh more than all others, which the thermostat cannot correct.",
		Advice: []store.Advice{store.LargerBatches(f.run.Report.Batch), {Do: store.Rewrite, On: "model",
			Text: "Give the likelihood lighter tails."}},
	}
}
