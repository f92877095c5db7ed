package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/posterior/layout"
	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

func ended(f *findings) (w store.Warning) {
	switch f.run.Status {
	case store.Interrupted:
		w.Fact = fmt.Sprintf("The run was interrupted: these are the %d draws of each chain up to then.", f.run.Draws)
		w.Advice = goOn()
	case store.Failed:
		w.Fact = fmt.Sprintf("The run failed (%s): these are the draws before that.", f.run.Error)
	case store.Killed:
		w.Fact = "The process of the run was killed: these are the draws up to then."
		w.Advice = goOn()
	case store.Running:
		w.Fact = "The run is still in progress: these are the draws so far."
	}
	return w
}

func goOn() []store.Advice {
	return []store.Advice{{Do: store.Continue, On: "run", Text: "Continue it: ppl sample --resume."}}
}

func nothing(f *findings) (w store.Warning) {
	if f.run.Draws == 0 {
		w.Fact = "Not every chain has draws yet."
	}
	return w
}

func uneven(f *findings) (w store.Warning) {
	if len(f.run.Written) > 0 && slices.Max(f.run.Written) > f.run.Draws {
		w.Fact = fmt.Sprintf("Some chains have more draws than others: the first %d of each are used; the longest "+
			"has %d.",
			f.run.Draws, slices.Max(f.run.Written))
	}
	return w
}

func highRHat(f *findings) (w store.Warning) {
	bad := slices.DeleteFunc(slices.Clone(f.judged),
		func(p summary.Parameter) bool { return !(p.RHat > stats.MaxRHat) })
	if len(bad) == 0 {
		return w
	}
	worst := slices.MaxFunc(bad, func(a, b summary.Parameter) int { return cmp.Compare(a.RHat, b.RHat) })
	w.Fact = fmt.Sprintf("R-hat is above %v for %s (%s: %s).", stats.MaxRHat, f.share(bad, "", ""), worst.Name,
		layout.RHat(worst.RHat))
	w.Reason = "The chains have not converged to a common distribution, so these numbers do not describe the " +
		"posterior yet."
	w.Advice = f.runLonger()
	return w
}

func lowESS(f *findings) (w store.Warning) {
	p, n := summary.LeastESS(f.judged, summary.EitherESS)
	if n >= stats.MinESS {
		return w
	}
	w.Fact = fmt.Sprintf("The effective sample size of %s is %.0f, below %d.", p.Name, n, stats.MinESS)
	w.Reason = "Its summaries, R-hat among them, are not reliable."
	w.Advice = f.runLonger()
	return w
}

func belowTarget(f *findings) (w store.Warning) {
	p, n := summary.LeastESS(f.judged, summary.BulkESS)
	if low, _ := summary.LeastESS(f.judged, summary.EitherESS); n >= stats.TargetESS ||
		summary.EitherESS(low) < stats.MinESS {
		return w
	}
	w.Fact = fmt.Sprintf("%s has an ess_bulk of %.0f, below the 1,000 a run aims at.", p.Name, n)
	w.Advice = f.runLonger()
	return w
}

// runLonger advises the number of draws that gives stats.TargetESS at the current rate, plus 10 %. If an R-hat is too
// high, it advises at least twice the draws, and as long a warm-up. If more than maxTimes the draws were needed, it
// advises a longer warm-up and a reparameterized model instead. It advises nothing if the run has not finished, or if
// chains stay in different modes, which more draws do not cure.
func (f *findings) runLonger() []store.Advice {
	if f.run.Status != store.Finished || len(f.disputes) > 0 {
		return nil
	}
	_, have := summary.LeastESS(f.judged, summary.BulkESS)
	if low, n := summary.LeastESS(f.judged, summary.EitherESS); summary.EitherESS(low) < stats.MinESS {
		have = n
	}
	times := 1.1 * stats.TargetESS / have
	rhat := slices.ContainsFunc(f.judged, func(p summary.Parameter) bool { return p.RHat > stats.MaxRHat })
	if rhat {
		times = max(times, 2)
	}
	switch n := roundUp(times * float64(f.run.Draws)); {
	case times > maxTimes:
		return []store.Advice{{Do: store.Raise, On: "warmup",
			Text: "Take a longer warm-up (--warmup): the chains may not have converged."},
			{Do: store.Rewrite, On: "model", Text: fmt.Sprintf("Look for strongly dependent parameters (ppl plot %s "+
				"pairs), and reparameterize the model: more draws alone will not suffice.", f.report.Dir)}}
	case rhat:
		return []store.Advice{{Do: store.Raise, On: "draws", To: fmt.Sprint(n),
			Text: fmt.Sprintf("Run longer: --draws %d, and as long a warm-up (--warmup).", n)}}
	default:
		return []store.Advice{{Do: store.Raise, On: "draws", To: fmt.Sprint(n),
			Text: fmt.Sprintf("About --draws %d should give %d.", n, stats.TargetESS)}}
	}
}

// roundUp rounds up to a whole number of at most two significant digits.
func roundUp(x float64) int {
	unit := math.Pow(10, math.Max(0, math.Floor(math.Log10(x))-1))
	return int(math.Ceil(x/unit) * unit)
}

func undiagnosed(f *findings) (w store.Warning) {
	bad := f.which(func(p summary.Parameter) bool { return math.IsNaN(p.RHat) && !p.Constant && p.NonFinite == 0 })
	if len(bad) == 0 || f.run.Draws == 0 {
		return w
	}
	w.Fact = fmt.Sprintf("%d %s of each chain %s too few to judge whether they can be trusted.", f.run.Draws,
		layout.Plural(f.run.Draws, "draw", "draws"), layout.Plural(f.run.Draws, "is", "are"))
	if f.run.Status == store.Finished {
		w.Advice = []store.Advice{{Do: store.Raise, On: "draws", Text: "Draw more (--draws; 1000 by default)."}}
	}
	return w
}

// points warns that the draws are end points of an optimisation.
func points(f *findings) (w store.Warning) {
	if f.run.Draws == 0 {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("%s at which ppl optimize ended, not draws from a posterior.",
			layout.Plural(f.report.Chains, "This is a point", "These are points")),
		Reason: "They do not show the posterior's uncertainty: their spread is only how far apart the searches ended.",
		Advice: []store.Advice{{Do: store.Choose, On: "sampler", To: "renhd",
			Text: fmt.Sprintf("Sample the model: ppl sample %s.", f.run.Model)}},
	}
}

// motionless warns of parameters with no element that changes. A single element may be constant by definition, such as
// the diagonal of a correlation matrix.
func motionless(f *findings) (w store.Warning) {
	names := f.unmoved()
	if len(names) == 0 || f.run.Draws < 2 {
		return w
	}
	if !f.isAtEnd(names[0]) {
		return store.Warning{
			Fact:   fmt.Sprintf("All draws of %s are the same: the sampler has not moved.", someOf(names)),
			Reason: "It rejected every step; the step size may be too large after a short warm-up.",
			Advice: []store.Advice{longerWarmup()},
		}
	}
	return store.Warning{
		Fact:   fmt.Sprintf("All draws of %s are the same, so the summaries are meaningless.", someOf(names)),
		Reason: "The sampler overflowed towards an end of the support; the posterior may be improper.",
		Advice: []store.Advice{{Do: store.Confine, On: names[0], Text: fmt.Sprintf("Give `%s`, and the scales it "+
			"depends on, a proper prior that keeps away from that end.", names[0])}},
	}
}

// isAtEnd reports whether an element of a variable has a mean of 0 or 1, of magnitude 1e8 or more, or NaN.
func (f *findings) isAtEnd(variable string) bool {
	return slices.ContainsFunc(f.parameters, func(p summary.Parameter) bool {
		return p.Variable == variable && (p.Mean == 0 || p.Mean == 1 || !(math.Abs(p.Mean) < 1e8))
	})
}

func (f *findings) unmoved() (names []string) {
	moves := map[string]bool{}
	for _, p := range f.parameters {
		moves[p.Variable] = moves[p.Variable] || !p.Constant
	}
	for _, name := range f.drawn {
		if !moves[name] {
			names = append(names, name)
		}
	}
	return names
}

// someOf lists at most eight names, and the number of the others.
func someOf(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(names[:most], ", "), layout.Thousands(int64(len(names)-most)))
}

// collapsed is the step size, relative to the target's width, below which smallSteps warns.
const collapsed = 0.01

// sentence capitalizes a help text and ends it with a period.
func sentence(words string) string {
	return strings.ToUpper(words[:1]) + strings.TrimSuffix(words[1:], ".") + "."
}

func (f *findings) which(is func(summary.Parameter) bool) []summary.Parameter {
	var ps []summary.Parameter
	for _, p := range f.parameters {
		if is(p) {
			ps = append(ps, p)
		}
	}
	return ps
}

// share returns "n of m parameters", followed by the verb one if n is 1, else by many.
func (f *findings) share(ps []summary.Parameter, one, many string) string {
	if len(ps) == 1 {
		return strings.TrimSpace(fmt.Sprintf("1 of %d parameters %s", len(f.parameters), one))
	}
	return strings.TrimSpace(fmt.Sprintf("%d of %d parameters %s", len(ps), len(f.parameters), many))
}
