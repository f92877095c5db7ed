package report

import (
	"fmt"
	"math"
	"slices"

	"ppl/posterior/store"
)

func treeFacts(f *findings) string {
	r := f.run.Report
	if r.TreeDepth == 0 {
		return ""
	}
	return fmt.Sprintf("trajectories of %.1f steps, %.1f doublings; %s cut at the greatest depth", r.Steps, r.TreeDepth,
		thousands(int64(r.Saturated)))
}

// cutShort allows one trajectory in a hundred.
func cutShort(f *findings) (w store.Warning) {
	n := f.run.Report.Saturated
	if total := f.run.Draws * f.report.Chains * max(f.run.Report.Thin, 1); n*100 <= total {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("%s trajectories were cut at the greatest tree depth before they turned.",
			thousands(int64(n))),
		Reason: "The draws are right, but each costs much and moves little.",
		Advice: f.deeperTrees(),
	}
}

// Bounds of a good fit: k̂ up to which estimates by weights can be used (Vehtari et al. 2024, for some thousands of
// weights), and a divergence of 0.2, which lets a mean be off by 0.6 sd, or a deviation by 40 %.
const (
	maxParetoK = 0.7
	maxMissing = 0.2
)

func fitFacts(f *findings) string {
	r := f.run.Report
	if len(r.ELBO) == 0 {
		return ""
	}
	return fmt.Sprintf("evidence lower bound %.4g, at least %.2g below the evidence; Pareto k̂ of the importance "+
		"weights %.2f (below 0.5 is good)",
		slices.Max(r.ELBO), r.EvidenceGap, r.ParetoK)
}

func poorFit(f *findings) (w store.Warning) {
	r := f.run.Report
	if len(r.ELBO) == 0 || r.ParetoK <= maxParetoK && r.EvidenceGap <= maxMissing {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("These are draws of an approximation that misses some of the posterior, its tails at least "+
			"(Pareto k̂ %.2f, of at most %v; lower bound %.2g below the evidence, of at most %v).", r.ParetoK,
			maxParetoK, r.EvidenceGap, maxMissing),
		Reason: "Means may be off, and standard deviations are most often too small.",
		Advice: append([]store.Advice{sampleInstead()}, richerFamily(f.run.Sampler)...),
	}
}

// richerFamily names those with more parameters than the family that was fitted.
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
	if len(r.ELBO) == 0 {
		return w
	}
	low, best := slices.Min(r.ELBO), slices.Max(r.ELBO)
	if !(best-low > 1 || math.IsInf(low, -1)) {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("The fits of the chains are not equally good (evidence lower bounds from %.4g to %.4g).", low,
			best),
		Reason: "Some ended in another mode, or are not done.",
		Advice: []store.Advice{sampleInstead(), {Do: store.Raise, On: "warmup", Text: "Train longer (--warmup)."}},
	}
}
