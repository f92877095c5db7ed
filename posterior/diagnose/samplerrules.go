package diagnose

import (
	"fmt"
	"math"
	"slices"

	"ppl/posterior/layout"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

func treeFacts(f *findings) string {
	r := f.run.Report
	if r.TreeDepth == 0 {
		return ""
	}
	return fmt.Sprintf("trajectories of %.1f steps, %.1f doublings; %s cut at the greatest depth", r.Steps, r.TreeDepth,
		layout.Thousands(int64(r.Saturated)))
}

// cutShort warns if more than 1 % of the trajectories reached the maximum tree depth.
func cutShort(f *findings) (w store.Warning) {
	n := f.run.Report.Saturated
	if total := f.run.Draws * f.report.Chains * max(f.run.Report.Thin, 1); n*100 <= total {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("%s trajectories were cut at the greatest tree depth before they turned.",
			layout.Thousands(int64(n))),
		Reason: "The draws are valid, but each is costly and moves only a short distance.",
		Advice: f.deeperTrees(),
	}
}

// held warns of chains that stay at nearly the same point for several trajectories. If warm-up shows such trajectories,
// NUTS takes smaller steps from the start; but warm-up may miss a region that chains rarely enter.
func held(f *findings) (w store.Warning) {
	const (
		share = 0.002
		few   = 4
	)
	n := f.run.Report.Held
	total := f.run.Draws * f.report.Chains * max(f.run.Report.Thin, 1)
	if n < few || float64(n) <= share*float64(total) {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("%s trajectories after warm-up hardly moved, each like the one before it: nearly all of "+
			"their points were rejected.", layout.Thousands(int64(n))),
		Reason: "The steps are too long for a part of the posterior. Chains seldom enter it and seldom leave it, so " +
			"that means, and their errors, may be wrong.",
		Advice: []store.Advice{f.otherCoordinates()},
	}
}

// maxMissing is the largest acceptable Kullback-Leibler divergence between approximation and posterior. At 0.2 a mean
// can be off by 0.6 sd, or a standard deviation by 40 %.
const maxMissing = 0.2

func fitFacts(f *findings) string {
	r := f.run.Report
	if len(r.ELBO) == 0 {
		return ""
	}
	return fmt.Sprintf("evidence lower bound %.4g, at least %.2g below the evidence; Pareto k̂ of the importance "+
		"weights %.2f (below 0.5 is good)%s", slices.Max(r.ELBO), r.EvidenceGap, r.ParetoK, elsewhereFacts(r.Elsewhere))
}

// elsewhereFacts describes how well the draws cover the positions of walkers from other starting points. It is empty if
// there were no such walkers.
func elsewhereFacts(e *store.Elsewhere) string {
	if e == nil || e.Walkers == 0 {
		return ""
	}
	return fmt.Sprintf("; the draws do not reach %.2g %% of the positions of %d walkers from other starting points",
		100*e.Outside, e.Walkers)
}

// Limits for the differences between the draws and walkers that began elsewhere: the share of the posterior out of
// reach; the distance of distribution functions, which is .12 if a mean is off by .3 sd; and the log ratio of widths,
// here a factor of 1.2.
const (
	maxOutside = 0.02
	maxShifted = 0.1
	maxSpread  = 0.2
)

func differs(e *store.Elsewhere) bool {
	return e.Outside > maxOutside || e.Shifted > maxShifted || e.Spread > maxSpread
}

// confirmed reports whether walkers that began elsewhere agree with the draws. Then a large k̂ only shows that the
// fit's tails are too light, as of a normal fitted to a log-gamma variable, not that the fit is wrong.
func confirmed(e *store.Elsewhere) bool {
	return e != nil && e.Walkers > 0 && !e.Apart && !e.Cut && !differs(e)
}

// elsewhere warns if walkers that began elsewhere do not confirm the draws.
func elsewhere(f *findings) (w store.Warning) {
	e := f.run.Report.Elsewhere
	if e == nil {
		return w
	}
	w.Advice = []store.Advice{sampleInstead()}
	switch {
	case e.Apart:
		w.Fact = "The posterior seems to have several modes."
		w.Reason = "Walkers from other starting points ended in different places, or optimisation found modes that " +
			"no walker reached; a fit or a chain usually covers only one mode."
	case differs(e):
		w.Fact = fmt.Sprintf("The draws differ from those of %d walkers from other starting points: the draws do not "+
			"reach %.2g %% of their positions, distribution functions differ by %.2g, and widths by a factor of "+
			"%.2g, more than by chance.", e.Walkers, 100*e.Outside, e.Shifted, math.Exp(e.Spread))
		w.Reason = "The sampler misses a part of the posterior."
	case e.Cut:
		w.Fact = "The posterior away from the fits was not explored."
		w.Reason = "Walkers from other starting points did not converge within their limit, a quarter of the " +
			"gradient evaluations of the fits."
	default:
		return store.Warning{}
	}
	return w
}

func poorFit(f *findings) (w store.Warning) {
	r := f.run.Report
	heavy := r.ParetoK > stats.MaxParetoK && !confirmed(r.Elsewhere)
	if len(r.ELBO) == 0 || !heavy && r.EvidenceGap <= maxMissing {
		return w
	}
	below := fmt.Sprintf("; lower bound %.2g below the evidence, limit %v", r.EvidenceGap, maxMissing)
	if r.Weighted { // weights correct the gap, if their tails are light
		below = ""
	}
	return store.Warning{
		Fact: fmt.Sprintf("These are draws of an approximation that misses some of the posterior, its tails at least "+
			"(Pareto k̂ %.2f, limit %v%s).", r.ParetoK, stats.MaxParetoK, below),
		Reason: "Means may be off, and standard deviations are most often too small.",
		Advice: append([]store.Advice{sampleInstead()}, richerFamily(f.run.Sampler)...),
	}
}

// richerFamily suggests variational families with more parameters than the fitted one.
func richerFamily(fitted string) []store.Advice {
	richer := "fullrank or flow"
	switch fitted {
	case "fullrank":
		richer = "flow"
	case "flow":
		return nil
	}
	return []store.Advice{{Do: store.Raise, On: "family", Text: "Take a richer family (--sampler " + richer + ")."}}
}

func sampleInstead() store.Advice {
	return store.Advice{Do: store.Choose, On: "sampler", To: "renhd", Text: "Sample instead: --sampler renhd."}
}

func unequalFits(f *findings) (w store.Warning) {
	r := f.run.Report
	if len(r.ELBO) == 0 || r.Weighted {
		return w
	}
	low, best := slices.Min(r.ELBO), slices.Max(r.ELBO)
	if !(best-low > 1 || math.IsInf(low, -1)) {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("The fits of the chains are not equally good (evidence lower bounds from %.4g to %.4g).", low,
			best),
		Reason: "Some fits ended in another mode or have not converged.",
		Advice: []store.Advice{sampleInstead(), {Do: store.Raise, On: "warmup", Text: "Train longer (--warmup)."}},
	}
}
