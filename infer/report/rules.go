package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/infer/draws"
)

func ended(f *findings) string {
	switch f.run.Status {
	case draws.Interrupted:
		return fmt.Sprintf("The run was interrupted: these are the %d draws of each chain up to then.", f.run.Draws)
	case draws.Failed:
		return fmt.Sprintf("The run failed (%s): these are the draws before that.", f.run.Error)
	case draws.Killed:
		return "The process of the run was killed: these are the draws up to then. ppl sample --resume goes on."
	case draws.Running:
		return "The run is still going on: these are the draws so far."
	}
	return ""
}

func nothing(f *findings) string {
	if f.run.Draws > 0 {
		return ""
	}
	return "There are no draws yet of every chain."
}

func uneven(f *findings) string {
	if len(f.run.Written) == 0 || slices.Max(f.run.Written) <= f.run.Draws {
		return ""
	}
	return fmt.Sprintf("Some chains got further than others: the first %d draws of each are used, of up to %d.",
		f.run.Draws, slices.Max(f.run.Written))
}

func nonFinite(f *findings) string {
	bad := f.which(func(p Parameter) bool { return p.NonFinite > 0 })
	if len(bad) == 0 {
		return ""
	}
	worst := slices.MaxFunc(bad, func(a, b Parameter) int { return cmp.Compare(a.NonFinite, b.NonFinite) })
	return fmt.Sprintf("%s infinite or not-a-number draws (%s: %d of %d). Look for a logarithm of 0, a division by 0 "+
		"or an overflow in "+
		"what defines it.", f.share(bad, "has", "have"), worst.Name, worst.NonFinite, f.run.Draws*f.report.Chains)
}

// divergingParameters are the parameters that no chain has been all the way around, and that got far from any usual
// scale: an improper posterior's. Neither alone says so: a count may be in the billions, and chains may be slow.
func (f *findings) divergingParameters() []Parameter {
	return f.which(func(p Parameter) bool { return p.RHat > 1.1 && math.Abs(p.Mean)+p.SD > 1e8 })
}

func runaway(f *findings) string {
	bad := f.divergingParameters()
	if len(bad) == 0 {
		return ""
	}
	worst := slices.MaxFunc(bad, func(a, b Parameter) int {
		return cmp.Compare(math.Abs(a.Mean)+a.SD, math.Abs(b.Mean)+b.SD)
	})
	return fmt.Sprintf("%s off without end (%s averages %.2g): the posterior seems to be improper, and these numbers "+
		"mean nothing. The cause is a prior "+
		"that is improper (`Flat`, `Density`) where the data do not hold the parameter, as in a logistic regression "+
		"that separates its classes. Give it a proper prior.",
		f.share(bad, "runs", "run"), worst.Name, worst.Mean)
}

func disagreement(f *findings) string {
	if len(f.disputes) == 0 || len(f.divergingParameters()) > 0 {
		return ""
	}
	worst := slices.MaxFunc(f.disputes, func(a, b dispute) int { return cmp.Compare(a.gap, b.gap) })
	return fmt.Sprintf("The chains spend their time in different places: %s averages %s in them%s. The posterior "+
		"seems to have several modes between which the "+
		"chains do not move, so that the weights of the modes are not known. %s", worst.name, means(worst.means),
		others(len(f.disputes)), f.towardsOneMode())
}

// trading finds ladders whose walkers trade places without ever leaving the mode they began in: the chains agree, the
// rates and round trips look well, and the weights are those of the starting points.
func trading(f *findings) string {
	if f.apart.errors == 0 || len(f.disputes) > 0 || len(f.divergingParameters()) > 0 {
		return ""
	}
	return fmt.Sprintf("The replicas keep to places of their own: by %s they differ by %.1f standard deviations. "+
		"They trade temperatures but do not move between "+
		"modes, not even at the hot end of the ladder, so that the weights of the modes are not known. %s",
		f.apart.name, f.apart.deviations, f.hotter())
}

// hotter says how to get a ladder that reaches further.
func (f *findings) hotter() string {
	x := f.report.Exchange
	hottest := x.Temperatures[len(x.Temperatures)-1]
	if math.IsInf(hottest, 1) {
		return "Its hot end is the prior, where walkers need longer to cross from one side to the other: take a " +
			"longer warm-up (--warmup), and more steps (--set steps)."
	}
	rungs := 2 * len(x.Temperatures)
	ratio := math.Pow(hottest, 1/float64(len(x.Temperatures)-1))
	return fmt.Sprintf("Let it reach higher temperatures than %s: --set replicas=%d --set ratio=%.2g.",
		temperature(hottest), rungs, ratio)
}

func others(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d quantities show this)", n)
}

// means lists what the chains average, up to eight of them.
func means(xs []float64) string {
	var words []string
	for _, x := range xs[:min(8, len(xs))] {
		words = append(words, fmt.Sprintf("%.3g", x))
	}
	if len(xs) > 8 {
		words = append(words, "…")
	}
	return strings.Join(words, ", ")
}

// towardsOneMode orders what can change places, if the model has any, since each mode has its copies then.
func (f *findings) towardsOneMode() string {
	if len(f.exchangeable) > 0 {
		return fmt.Sprintf("The elements of `%s` can change places: order them (`ordered`).", f.exchangeable[0])
	}
	return f.moreTempering()
}

func (f *findings) moreTempering() string {
	if f.report.Exchange == nil {
		return "Let replicas carry chains between modes: --sampler renhd --set replicas=8, and a longer warm-up " +
			"(--warmup)."
	}
	return fmt.Sprintf("Give the ladder more rungs (--set replicas=%d) and a longer warm-up (--warmup).",
		moreRungs(f.report.Exchange))
}

func moreRungs(x *Exchange) int { return (3*len(x.Temperatures) + 1) / 2 }

func highRHat(f *findings) string {
	bad := slices.DeleteFunc(slices.Clone(f.judged), func(p Parameter) bool { return !(p.RHat > MaxRHat) })
	if len(bad) == 0 {
		return ""
	}
	worst := slices.MaxFunc(bad, func(a, b Parameter) int { return cmp.Compare(a.RHat, b.RHat) })
	advice := " Run longer: --warmup and --draws twice as large."
	if len(f.disputes) > 0 || len(f.divergingParameters()) > 0 || f.funnel() {
		advice = "" // chains that disagree will not agree in twice the time; another warning says what to do
	}
	return fmt.Sprintf("R-hat is above %v for %s (%s: %s): the chains have not come to one distribution, and these "+
		"numbers are not yet those "+
		"of the posterior.%s", MaxRHat, f.share(bad, "", ""), worst.Name, worst.rhat(), advice)
}

func lowESS(f *findings) string {
	p, n := leastESS(f.judged, eitherESS)
	if n >= MinESS {
		return ""
	}
	return fmt.Sprintf("The effective sample size of %s is %.0f, below %d: its summaries, R-hat among them, are not "+
		"reliable. %s",
		p.Name, n, MinESS, f.moreDraws(n))
}

func belowTarget(f *findings) string {
	p, n := leastESS(f.judged, bulkESS)
	if low, _ := leastESS(f.judged, eitherESS); n >= TargetESS || eitherESS(low) < MinESS {
		return ""
	}
	return fmt.Sprintf("%s has an ess_bulk of %.0f, below the 1,000 a run aims at. %s", p.Name, n, f.moreDraws(n))
}

// moreDraws says how many draws should do, in proportion, with a tenth to spare, if more draws would help.
func (f *findings) moreDraws(have float64) string {
	if f.funnel() && len(f.disputes) == 0 {
		return "The divergences or the energies show why: that comes first."
	}
	times := 1.1 * TargetESS / have
	if times > maxTimes || len(f.disputes) > 0 {
		return "More draws alone will not mend that: the chains hardly move between the places where the posterior is."
	}
	return fmt.Sprintf("About --draws %d should give %d.", roundUp(times*float64(f.run.Draws)), TargetESS)
}

// roundUp goes to the next number of two digits and zeros.
func roundUp(x float64) int {
	unit := math.Pow(10, math.Max(0, math.Floor(math.Log10(x))-1))
	return int(math.Ceil(x/unit) * unit)
}

func undiagnosed(f *findings) string {
	bad := f.which(func(p Parameter) bool { return math.IsNaN(p.RHat) && !p.Constant && p.NonFinite == 0 })
	if len(bad) == 0 || f.run.Draws == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s of each chain %s too few to judge whether they can be trusted.", f.run.Draws,
		plural(f.run.Draws, "draw", "draws"),
		plural(f.run.Draws, "is", "are"))
}

// motionless finds parameters no element of which has two different draws. One element alone may be fixed by what the
// parameter is, as the diagonal of a correlation matrix.
func motionless(f *findings) string {
	moves := map[string]bool{}
	for _, p := range f.parameters {
		moves[p.Variable] = moves[p.Variable] || !p.Constant
	}
	var names []string
	for _, name := range f.drawn {
		if !moves[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 || f.run.Draws < 2 {
		return ""
	}
	return fmt.Sprintf("All draws of %s are the same: the sampler has not moved it, or it is at an end of its support "+
		"beyond what numbers can say, as where the posterior is improper. These numbers mean nothing. Give it, and "+
		"the scales it depends on, a proper prior that keeps away from that end.", someOf(names))
}

// someOf lists the first of many names.
func someOf(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(names[:most], ", "), thousands(int64(len(names)-most)))
}

// heavyTails finds quantities whose mean may not exist, so that no number of draws gives it.
func heavyTails(f *findings) string {
	bad := f.which(func(p Parameter) bool { return p.TailShape > maxParetoK })
	if len(bad) == 0 || len(f.divergingParameters()) > 0 {
		return ""
	}
	worst := slices.MaxFunc(bad, func(a, b Parameter) int { return cmp.Compare(a.TailShape, b.TailShape) })
	return fmt.Sprintf("%s tails so heavy that a mean may not exist or cannot be estimated (%s: Pareto k of at least "+
		"%.2f): mean, sd and mcse of it say nothing. Read quantiles, or give it a prior with lighter tails.",
		f.share(bad, "has", "have"), worst.Name, worst.TailShape)
}

// sound reports whether chains agree and every effective size is enough: then what happens rarely on the way has left
// no trace in the draws.
func (f *findings) sound() bool {
	_, n := leastESS(f.judged, eitherESS)
	return n >= MinESS && len(f.disputes) == 0 && f.apart.errors == 0 && f.run.Draws > 0 &&
		len(f.which(func(p Parameter) bool { return p.RHat > MaxRHat || p.NonFinite > 0 })) == 0
}

// rare reports whether that many trajectories of a sound run are too few to matter: a funnel whose neck is cut off has
// one in a hundred and more.
func (f *findings) rare(n int) bool {
	const share = 0.005
	return f.sound() && float64(n) <= share*float64(f.run.Draws*f.report.Chains*max(f.run.Report.Thin, 1))
}

// diverges reports whether more trajectories diverged than may be, for a cause that nonFiniteEnds does not report.
func (f *findings) diverges() bool {
	n, r := f.report.Divergences, f.run.Report
	return n > 0 && !f.rare(n) && !(r.NotFinite >= n && len(r.NonFiniteTerms) > 0)
}

func divergent(f *findings) string {
	n := f.report.Divergences
	if !f.diverges() {
		return ""
	}
	return fmt.Sprintf("%d %s diverged after warm-up: the sampler cannot follow the density everywhere, often in a "+
		"narrow neck where a scale goes to zero, "+
		"and draws from there are missing. %s", n, plural(n, "trajectory", "trajectories"), f.otherCoordinates())
}

func nonFiniteEnds(f *findings) string {
	r := f.run.Report
	if r.NotFinite == 0 || f.rare(r.NotFinite) {
		return ""
	}
	text := fmt.Sprintf("%s %s after warm-up came where the log density or its gradient is "+
		"not finite, and %s rejected. ",
		thousands(int64(r.NotFinite)), plural(r.NotFinite, "trajectory", "trajectories"),
		plural(r.NotFinite, "was", "were"))
	if len(r.NonFiniteTerms) == 0 {
		return text + "No part of the model is to blame there: the steps themselves overflowed."
	}
	c := r.NonFiniteTerms[0]
	return text + fmt.Sprintf("What was not finite is %s (in %d of the %d looked at): %s.", c.Part, c.Points, r.Looked,
		cmp.Or(c.Help, "look for a logarithm of 0, a division by 0, an overflow, or a value outside its "+
			"distribution's domain"))
}

// carried reports whether chains that agree were carried between modes often, be it by some rungs that hardly exchange
// replicas, or by jumps: then the ladder is slow somewhere, and the draws do not suffer.
func (f *findings) carried() bool {
	const trips = 10 // of each chain
	return f.sound() && (f.report.Exchange.RoundTrips >= trips*f.report.Chains || f.run.Report.JumpRate >= minSwap)
}

func noRoundTrip(f *findings) string {
	x := f.report.Exchange
	if x == nil || x.RoundTrips > 0 || f.carried() || f.sound() && slices.Min(x.SwapRates) >= minSwap {
		return ""
	}
	return fmt.Sprintf("No replica made a round trip from the coldest rung to the hottest and back: modes may have "+
		"been missed, and the weights of those found "+
		"may be wrong. Draw longer (--draws), or change the number of rungs (now %d): --set replicas=%d.",
		len(x.Temperatures), moreRungs(x))
}

func rareSwaps(f *findings) string {
	x := f.report.Exchange
	if x == nil || f.carried() {
		return ""
	}
	at := -1
	for j, r := range x.SwapRates {
		if r < minSwap && j+1 < len(x.Temperatures) && (at < 0 || r < x.SwapRates[at]) {
			at = j
		}
	}
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("Only %.1f %% of the swaps proposed between the temperatures %s and %s were accepted: "+
		"replicas hardly pass there. Give the ladder "+
		"more rungs: --set replicas=%d.", 100*x.SwapRates[at], temperature(x.Temperatures[at]),
		temperature(x.Temperatures[at+1]), moreRungs(x))
}

func oneChain(f *findings) string {
	if f.report.Chains > 1 {
		return ""
	}
	return "One chain cannot show that it has missed a part of the posterior: use --chains 4."
}

func (f *findings) which(is func(Parameter) bool) []Parameter {
	var ps []Parameter
	for _, p := range f.parameters {
		if is(p) {
			ps = append(ps, p)
		}
	}
	return ps
}

// share says how many parameters are meant, with a verb that fits.
func (f *findings) share(ps []Parameter, one, many string) string {
	if len(ps) == 1 {
		return strings.TrimSpace(fmt.Sprintf("1 of %d parameters %s", len(f.parameters), one))
	}
	return strings.TrimSpace(fmt.Sprintf("%d of %d parameters %s", len(ps), len(f.parameters), many))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
