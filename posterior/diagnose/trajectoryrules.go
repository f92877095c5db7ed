package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ppl/lang/types"
	"ppl/posterior/layout"
	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

func nonFinite(f *findings) (w store.Warning) {
	bad := f.which(func(p summary.Parameter) bool { return p.NonFinite > 0 })
	if len(bad) == 0 {
		return w
	}
	worst := slices.MaxFunc(bad, func(a, b summary.Parameter) int { return cmp.Compare(a.NonFinite, b.NonFinite) })
	w.Fact = fmt.Sprintf("%s infinite or not-a-number draws (%s: %d of %d).", f.share(bad, "has", "have"), worst.Name,
		worst.NonFinite, f.run.Draws*f.report.Chains)
	w.Advice = []store.Advice{{Do: store.Repair, On: worst.Variable,
		Text: fmt.Sprintf("Look for a logarithm of 0, a division by 0 or an overflow in what defines `%s`.",
			worst.Variable)}}
	return w
}

// divergingParameters returns the quantities with an R-hat above 1.1 and values beyond 1e8, which suggest an improper
// posterior. Neither criterion alone suffices: a count can be in the billions, and chains can be slow.
func (f *findings) divergingParameters() []summary.Parameter {
	return f.which(func(p summary.Parameter) bool { return p.RHat > 1.1 && math.Abs(p.Mean)+p.SD > 1e8 })
}

func runaway(f *findings) (w store.Warning) {
	bad := f.divergingParameters()
	if len(bad) == 0 {
		return w
	}
	worst := slices.MaxFunc(bad, func(a, b summary.Parameter) int {
		return cmp.Compare(math.Abs(a.Mean)+a.SD, math.Abs(b.Mean)+b.SD)
	})
	w.Fact = fmt.Sprintf("%s without limit (the mean of %s is %.2g), so the summaries are meaningless.",
		f.share(bad, "grows", "grow"), worst.Name, worst.Mean)
	w.Reason = "The posterior seems to be improper. The cause is a prior that is improper (`Flat`, `Density`) where " +
		"the data do not determine the parameter, as in a logistic regression that separates its classes."
	w.Advice = []store.Advice{{Do: store.Confine, On: worst.Variable,
		Text: fmt.Sprintf("Give `%s` a proper prior.", worst.Variable)}}
	return w
}

// noIntegral warns of parameters along which the sampler found that the density has no finite integral.
func noIntegral(f *findings) (w store.Warning) {
	names := f.run.Report.NoIntegral
	if len(names) == 0 || len(f.divergingParameters()) > 0 {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("The posterior seems to be improper: the tail of the density along %s has no finite "+
			"integral.",
			someOf(names)),
		Reason: "A density that falls off as the reciprocal of the distance, or slower, has infinite mass beyond any " +
			"point that chains have reached. The cause is a prior that is improper (`Flat`, `Density`) where the " +
			"data do not determine the parameter.",
		Advice: []store.Advice{{Do: store.Confine, On: names[0],
			Text: fmt.Sprintf("Give `%s` a proper prior.", names[0])}},
	}
}

// noMean warns of parameters for which the sampler found that the tails are too heavy for a mean.
func noMean(f *findings) (w store.Warning) {
	names := f.run.Report.NoMean
	if len(names) == 0 {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("%s no mean and no sd: the density falls off as the square of the distance, or slower.",
			someOf(names)+layout.Plural(len(names), " has", " have")),
		Reason: "The mean and the sd of the draws do not converge, however many draws there are.",
		Advice: []store.Advice{{Do: store.Confine, On: names[0],
			Text: fmt.Sprintf("Read quantiles, or give `%s` a prior with lighter tails.", names[0])}},
	}
}

// heavyTails warns of quantities whose tails are so heavy that the mean may not exist or needs too many draws.
func heavyTails(f *findings) (w store.Warning) {
	if len(f.run.Report.NoMean) > 0 || len(f.run.Report.NoIntegral) > 0 {
		return w
	}
	bad := f.which(func(p summary.Parameter) bool { return p.TailShape > stats.MaxParetoK })
	if len(bad) == 0 || len(f.divergingParameters()) > 0 {
		return w
	}
	worst := slices.MaxFunc(bad, func(a, b summary.Parameter) int { return cmp.Compare(a.TailShape, b.TailShape) })
	return store.Warning{
		Fact: fmt.Sprintf("%s tails so heavy that mean, sd and mcse are meaningless (%s: Pareto k of at least %.2f).",
			f.share(bad, "has", "have"), worst.Name, worst.TailShape),
		Reason: "The mean may not exist; if it exists, this number of draws cannot estimate it.",
		Advice: []store.Advice{{Do: store.Confine, On: worst.Variable,
			Text: fmt.Sprintf("Read quantiles, or give `%s` a prior with lighter tails.", worst.Variable)}},
	}
}

// sound reports whether the chains agree, all draws are finite and every effective sample size is sufficient. A few
// problematic trajectories then did not affect the draws.
func (f *findings) sound() bool {
	_, n := summary.LeastESS(f.judged, summary.EitherESS)
	return n >= stats.MinESS && len(f.disputes) == 0 && f.apart.Errors == 0 && f.run.Draws > 0 &&
		len(f.which(func(p summary.Parameter) bool { return p.RHat > stats.MaxRHat || p.NonFinite > 0 })) == 0
}

// rare reports whether the draws are sound and n problematic trajectories are too few to matter. A funnel with a
// truncated neck has at least one in a hundred.
func (f *findings) rare(n int) bool {
	const share = 0.005
	return f.sound() && float64(n) <= share*float64(f.run.Draws*f.report.Chains*max(f.run.Report.Thin, 1))
}

// diverges reports whether too many trajectories diverged, unless chains soon leave the places of divergences (escapes)
// or nonFiniteEnds reports the cause.
func (f *findings) diverges() bool {
	n, r := f.report.Divergences, f.run.Report
	return n > 0 && !f.rare(n) && !f.escapes() && !(r.NotFinite >= n && len(r.NonFiniteTerms) > 0)
}

// smallSteps warns if warm-up chose a very small step size. Sound draws with hardly any divergences are exempt, since a
// density with kinks or narrow directions needs such steps.
func smallSteps(f *findings) (w store.Warning) {
	r := f.run.Report
	if r.Dynamics != "hmc" || f.run.Draws == 0 || !(r.StepSize < collapsed) || f.sound() && !f.diverges() {
		return w
	}
	return store.Warning{
		Fact:   fmt.Sprintf("The step size had to shrink to %.2g of the target's width.", r.StepSize),
		Reason: "The target's curvature varies strongly, and regions may be missing from the draws.",
		Advice: []store.Advice{{Do: store.Confine, On: "scales",
			Text: "Look for scales that may go to 0, and give them priors that keep away from it."}}}
}

// escapes reports whether chains of a sound run usually leave the place of a divergence with the next trajectory. In
// tests, chains left after 64 to 100 % of the divergences in thin arms that they explored to the end, but after 30 to
// 50 % in funnels and other densities with narrow parts that chains rarely enter and leave.
func (f *findings) escapes() bool {
	const (
		mostly = 0.55
		least  = 20 // minimum number of divergences for a judgement
	)
	r := f.run.Report
	return r.Divergences >= least && float64(r.Escapes) >= mostly*float64(r.Divergences) && f.sound()
}

func divergent(f *findings) (w store.Warning) {
	if !f.diverges() {
		return w
	}
	n := f.report.Divergences
	return store.Warning{
		Fact: fmt.Sprintf("%d %s diverged after warm-up.", n, layout.Plural(n, "trajectory", "trajectories")),
		Reason: "The sampler cannot follow the density everywhere, often in a narrow neck where a scale goes to " +
			"zero, and draws from there are missing.",
		Advice: []store.Advice{f.otherCoordinates()},
	}
}

// onlyZeros reports whether all points without a finite log density have density 0, such as those outside a uniform
// distribution whose bound is a parameter. Rejecting these is correct.
func (f *findings) onlyZeros() bool {
	terms := f.run.Report.NonFiniteTerms
	return len(terms) > 0 &&
		!slices.ContainsFunc(terms, func(c types.NonFiniteTerm) bool { return c.Zeros < c.Points })
}

func nonFiniteEnds(f *findings) (w store.Warning) {
	r := f.run.Report
	if r.NotFinite == 0 || f.rare(r.NotFinite) || f.sound() && f.onlyZeros() {
		return w
	}
	w.Fact = fmt.Sprintf("%s %s after warm-up came where the log density or its gradient is not finite, and %s "+
		"rejected", layout.Thousands(int64(r.NotFinite)), layout.Plural(r.NotFinite, "trajectory", "trajectories"),
		layout.Plural(r.NotFinite, "was", "were"))
	if len(r.NonFiniteTerms) == 0 {
		w.Fact += "."
		w.Reason = "No term of the model is the cause: the integrator's steps overflowed."
		return w
	}
	c := r.NonFiniteTerms[0]
	w.Fact += fmt.Sprintf("; the cause is %s (in %d of the %d checked).", c.Part, c.Points, r.Looked)
	w.Advice = []store.Advice{{Do: store.Repair, On: c.Part, Text: sentence(cmp.Or(c.Help, "look for a logarithm of "+
		"0, a division by 0, an overflow, or a value outside its distribution's domain"))}}
	return w
}

// cutOff warns if many of the smallest or largest draws of a quantity are divergent. It returns no warning if another
// warning already covers the divergences.
func cutOff(f *findings) (w store.Warning) {
	e := f.edge
	if e.diverged == 0 || f.diverges() || f.escapes() {
		return w
	}
	end := "smallest"
	if e.above {
		end = "largest"
	}
	return store.Warning{
		Fact: fmt.Sprintf("Among the %d draws with the %s %s, %d have a divergent trajectory.", e.draws, end, e.name,
			e.diverged),
		Reason: "The sampler cannot follow the density there, and what lies beyond may be missing from the draws.",
		Advice: []store.Advice{f.otherCoordinates()},
	}
}
