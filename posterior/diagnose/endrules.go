package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"ppl/posterior/store"
	"ppl/posterior/summary"
)

// vanishing warns of quantities whose chains disagree and whose draws are positive and mostly below 1e-8. The density
// probably has an infinite integral at 0, and how close to 0 a run gets is chance.
func vanishing(f *findings) (w store.Warning) {
	bad := f.which(func(p summary.Parameter) bool { return p.RHat > 1.1 && p.Q5 > 0 && p.Q50 < 1e-8 })
	if len(bad) == 0 {
		return w
	}
	least := slices.MinFunc(bad, func(a, b summary.Parameter) int { return cmp.Compare(a.Q50, b.Q50) })
	w.Fact = fmt.Sprintf("%s towards 0 without limit (the median of %s is %.2g), so the summaries are meaningless.",
		f.share(bad, "runs", "run"), least.Name, least.Q50)
	w.Reason = "The posterior seems to be improper. The cause is a likelihood that is infinite at 0, as for a " +
		"standard deviation of identical data, or a prior without a finite integral there, such as Density(-log(s))."
	w.Advice = []store.Advice{awayFromZero(least.Variable)}
	return w
}

// atLimit warns of counts too large to store.
func atLimit(f *findings) (w store.Warning) {
	bad := f.which(func(p summary.Parameter) bool { return p.AtLimit > 0 })
	if len(bad) == 0 {
		return w
	}
	most := slices.MaxFunc(bad, func(a, b summary.Parameter) int { return cmp.Compare(a.AtLimit, b.AtLimit) })
	w.Fact = fmt.Sprintf("%s draws of magnitude 2^63 or more, which are stored as ±2^63 (%s: %d of %d).",
		f.share(bad, "has", "have"), most.Name, most.AtLimit, f.run.Draws*f.report.Chains)
	w.Advice = []store.Advice{{Do: store.Repair, On: most.Variable,
		Text: fmt.Sprintf("Check whether the mean of `%s` can be that large; its logarithm may be far from the data.",
			most.Variable)}}
	return w
}

// underflow warns of parameters with draws so close to 0 that they underflow. It ignores derived quantities, which can
// be that small for good reasons, such as the probability of a distant mode.
func underflow(f *findings) (w store.Warning) {
	bad := f.which(func(p summary.Parameter) bool { return p.Underflown > 0 && slices.Contains(f.drawn, p.Variable) })
	if len(bad) == 0 {
		return w
	}
	most := slices.MaxFunc(bad, func(a, b summary.Parameter) int { return cmp.Compare(a.Underflown, b.Underflown) })
	w.Fact = fmt.Sprintf("%s draws that underflow: they are below 2.2e-308 (%s: %d of %d) and become 0 below 5e-324.",
		f.share(bad, "has", "have"), most.Name, most.Underflown, f.run.Draws*f.report.Chains)
	w.Reason = "These draws have lost some or all of their digits, and so have quantities computed from them, such " +
		"as logarithms."
	w.Advice = []store.Advice{awayFromZero(most.Variable)}
	return w
}

func awayFromZero(variable string) store.Advice {
	return store.Advice{Do: store.Confine, On: variable,
		Text: fmt.Sprintf("Give `%s` a prior that keeps it away from 0, such as Gamma(2, 1).", variable)}
}
