package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/lang/types"
	"ppl/posterior/store"
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
		w.Fact = "The run is still going on: these are the draws so far."
	}
	return w
}

func goOn() []store.Advice {
	return []store.Advice{{Do: store.Continue, On: "run", Text: "Let it go on: ppl sample --resume."}}
}

func nothing(f *findings) (w store.Warning) {
	if f.run.Draws == 0 {
		w.Fact = "There are no draws yet of every chain."
	}
	return w
}

func uneven(f *findings) (w store.Warning) {
	if len(f.run.Written) > 0 && slices.Max(f.run.Written) > f.run.Draws {
		w.Fact = fmt.Sprintf("Some chains got further than others: the first %d draws of each are used, of up to %d.",
			f.run.Draws, slices.Max(f.run.Written))
	}
	return w
}

func nonFinite(f *findings) (w store.Warning) {
	bad := f.which(func(p Parameter) bool { return p.NonFinite > 0 })
	if len(bad) == 0 {
		return w
	}
	worst := slices.MaxFunc(bad, func(a, b Parameter) int { return cmp.Compare(a.NonFinite, b.NonFinite) })
	w.Fact = fmt.Sprintf("%s infinite or not-a-number draws (%s: %d of %d).", f.share(bad, "has", "have"), worst.Name,
		worst.NonFinite, f.run.Draws*f.report.Chains)
	w.Advice = []store.Advice{{Do: store.Repair, On: worst.Variable,
		Text: fmt.Sprintf("Look for a logarithm of 0, a division by 0 or an overflow in what defines `%s`.",
			worst.Variable)}}
	return w
}

// divergingParameters are the parameters that no chain has been all the way around, and that got far from any usual
// scale: an improper posterior's. Neither alone says so: a count may be in the billions, and chains may be slow.
func (f *findings) divergingParameters() []Parameter {
	return f.which(func(p Parameter) bool { return p.RHat > 1.1 && math.Abs(p.Mean)+p.SD > 1e8 })
}

func runaway(f *findings) (w store.Warning) {
	bad := f.divergingParameters()
	if len(bad) == 0 {
		return w
	}
	worst := slices.MaxFunc(bad, func(a, b Parameter) int {
		return cmp.Compare(math.Abs(a.Mean)+a.SD, math.Abs(b.Mean)+b.SD)
	})
	w.Fact = fmt.Sprintf("%s off without end (%s averages %.2g): these numbers mean nothing.",
		f.share(bad, "runs", "run"), worst.Name, worst.Mean)
	w.Reason = "The posterior seems to be improper. The cause is a prior that is improper (`Flat`, `Density`) where " +
		"the data do not hold the parameter, as in a logistic regression that separates its classes."
	w.Advice = []store.Advice{{Do: store.Confine, On: worst.Variable,
		Text: fmt.Sprintf("Give `%s` a proper prior.", worst.Variable)}}
	return w
}

func disagreement(f *findings) (w store.Warning) {
	if len(f.disputes) == 0 || len(f.divergingParameters()) > 0 {
		return w
	}
	worst := slices.MaxFunc(f.disputes, func(a, b dispute) int { return cmp.Compare(a.gap, b.gap) })
	w.Fact = fmt.Sprintf("The chains spend their time in different places: %s averages %s in them%s.", worst.name,
		means(worst.means), others(len(f.disputes)))
	w.Reason = "The posterior seems to have several modes between which the chains do not move, so that the weights " +
		"of the modes are not known."
	w.Advice = f.towardsOneMode()
	return w
}

// isTrading finds ladders whose walkers trade places without ever leaving the mode they began in: the chains agree, the
// rates and round trips look well, and the weights are those of the starting points.
func (f *findings) isTrading() bool {
	return f.apart.Errors > 0 && len(f.disputes) == 0 && len(f.divergingParameters()) == 0
}

func trading(f *findings) (w store.Warning) {
	if !f.isTrading() {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("The replicas keep to places of their own: by %s they differ by %.1f standard deviations.",
			f.apart.name, f.apart.Deviations),
		Reason: "They trade temperatures but do not move between modes, not even at the hot end of the ladder, so " +
			"that the weights of the modes are not known.",
		Advice: f.hotter(),
	}
}

// hotter says how to get a ladder that reaches further.
func (f *findings) hotter() []store.Advice {
	x := f.report.Exchange
	hottest := x.Temperatures[len(x.Temperatures)-1]
	if math.IsInf(hottest, 1) {
		return []store.Advice{longerWarmup(), {Do: store.Raise, On: "steps",
			Text: "Take more steps (--set steps): at the prior, walkers need longer to cross to the other side."}}
	}
	ratio := fmt.Sprintf("%.2g", math.Pow(hottest, 1/float64(len(x.Temperatures)-1)))
	rungs := f.moreRungs()
	if rungs.On != "replicas" {
		return []store.Advice{rungs}
	}
	return []store.Advice{{Do: store.Raise, On: "replicas", To: rungs.To,
		Text: fmt.Sprintf("Let the ladder reach higher temperatures than %s: --set replicas=%s --set ratio=%s.",
			temperature(hottest), rungs.To, ratio)}}
}

func longerWarmup() store.Advice {
	return store.Advice{Do: store.Raise, On: "warmup", Text: "Take a longer warm-up (--warmup)."}
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
func (f *findings) towardsOneMode() []store.Advice {
	if len(f.exchangeable) > 0 {
		name := f.exchangeable[0]
		return []store.Advice{{Do: store.Order, On: name,
			Text: fmt.Sprintf("The elements of `%s` can change places: order them (`ordered`).", name)}}
	}
	if f.report.Exchange != nil {
		return []store.Advice{f.moreRungs(), longerWarmup()}
	}
	ladder := store.Advice{Do: store.Choose, On: "sampler", To: "renhd",
		Text: "Let replicas carry chains between modes: --sampler renhd --set replicas=8."}
	if f.run.Sampler == "renhd" {
		ladder = store.Advice{Do: store.Raise, On: "replicas", To: "8",
			Text: "Let replicas carry chains between modes: --set replicas=8."}
	}
	return []store.Advice{ladder, longerWarmup()}
}

// moreRungs is the number that all advice about rungs gives: twice as many where they have to reach further. Where a
// ladder has all that there may be, a longer warm-up may space them better.
func (f *findings) moreRungs() store.Advice {
	n := len(f.report.Exchange.Temperatures)
	rungs := (3*n + 1) / 2
	if f.isTrading() {
		rungs = 2 * n
	}
	if rungs = min(rungs, largestRungs); rungs <= n {
		return longerWarmup()
	}
	return store.Advice{Do: store.Raise, On: "replicas", To: fmt.Sprint(rungs),
		Text: fmt.Sprintf("Give the ladder more rungs: --set replicas=%d.", rungs)}
}

func highRHat(f *findings) (w store.Warning) {
	bad := slices.DeleteFunc(slices.Clone(f.judged), func(p Parameter) bool { return !(p.RHat > MaxRHat) })
	if len(bad) == 0 {
		return w
	}
	worst := slices.MaxFunc(bad, func(a, b Parameter) int { return cmp.Compare(a.RHat, b.RHat) })
	w.Fact = fmt.Sprintf("R-hat is above %v for %s (%s: %s).", MaxRHat, f.share(bad, "", ""), worst.Name, worst.rhat())
	w.Reason = "The chains have not converged to a common distribution, so these numbers do not describe the " +
		"posterior yet."
	w.Advice = f.runLonger()
	return w
}

func lowESS(f *findings) (w store.Warning) {
	p, n := leastESS(f.judged, eitherESS)
	if n >= MinESS {
		return w
	}
	w.Fact = fmt.Sprintf("The effective sample size of %s is %.0f, below %d.", p.Name, n, MinESS)
	w.Reason = "Its summaries, R-hat among them, are not reliable."
	w.Advice = f.runLonger()
	return w
}

func belowTarget(f *findings) (w store.Warning) {
	p, n := leastESS(f.judged, bulkESS)
	if low, _ := leastESS(f.judged, eitherESS); n >= TargetESS || eitherESS(low) < MinESS {
		return w
	}
	w.Fact = fmt.Sprintf("%s has an ess_bulk of %.0f, below the 1,000 a run aims at.", p.Name, n)
	w.Advice = f.runLonger()
	return w
}

// runLonger says how many draws should do, in proportion, with a tenth to spare, and with a warm-up as long where
// chains disagree. Where the number would be beyond reason, or chains keep to different modes, more draws are no way,
// and a run that has not ended continues anyway.
func (f *findings) runLonger() []store.Advice {
	if f.run.Status != store.Finished || len(f.disputes) > 0 {
		return nil
	}
	_, have := leastESS(f.judged, bulkESS)
	if low, n := leastESS(f.judged, eitherESS); eitherESS(low) < MinESS {
		have = n
	}
	times := 1.1 * TargetESS / have
	rhat := slices.ContainsFunc(f.judged, func(p Parameter) bool { return p.RHat > MaxRHat })
	if rhat {
		times = max(times, 2)
	}
	switch n := roundUp(times * float64(f.run.Draws)); {
	case times > maxTimes:
		return []store.Advice{{Do: store.Raise, On: "warmup",
			Text: "Take a longer warm-up (--warmup): the chains may not have arrived."},
			{Do: store.Rewrite, On: "model", Text: fmt.Sprintf("Look for parameters that can replace one another "+
				"(ppl plot %s pairs), and write the model in others: more draws alone will not do.", f.report.Dir)}}
	case rhat:
		return []store.Advice{{Do: store.Raise, On: "draws", To: fmt.Sprint(n),
			Text: fmt.Sprintf("Run longer: --draws %d, and as long a warm-up (--warmup).", n)}}
	default:
		return []store.Advice{{Do: store.Raise, On: "draws", To: fmt.Sprint(n),
			Text: fmt.Sprintf("About --draws %d should give %d.", n, TargetESS)}}
	}
}

// roundUp goes to the next number of two digits and zeros.
func roundUp(x float64) int {
	unit := math.Pow(10, math.Max(0, math.Floor(math.Log10(x))-1))
	return int(math.Ceil(x/unit) * unit)
}

func undiagnosed(f *findings) (w store.Warning) {
	bad := f.which(func(p Parameter) bool { return math.IsNaN(p.RHat) && !p.Constant && p.NonFinite == 0 })
	if len(bad) == 0 || f.run.Draws == 0 {
		return w
	}
	w.Fact = fmt.Sprintf("%d %s of each chain %s too few to judge whether they can be trusted.", f.run.Draws,
		plural(f.run.Draws, "draw", "draws"), plural(f.run.Draws, "is", "are"))
	if f.run.Status == store.Finished {
		w.Advice = []store.Advice{{Do: store.Raise, On: "draws", Text: "Draw more (--draws; 1000 by default)."}}
	}
	return w
}

// points says what the draws of a search are.
func points(f *findings) (w store.Warning) {
	if f.run.Draws == 0 {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("%s at which ppl optimize ended, and no draws from a posterior.",
			plural(f.report.Chains, "This is a point", "These are points")),
		Reason: "They do not say what the data leave open: their spread is how far apart searches ended.",
		Advice: []store.Advice{{Do: store.Choose, On: "sampler", To: "renhd",
			Text: fmt.Sprintf("Sample the model: ppl sample %s.", f.run.Model)}},
	}
}

// motionless finds parameters no element of which has two different draws. One element alone may be fixed by what the
// parameter is, as the diagonal of a correlation matrix.
func motionless(f *findings) (w store.Warning) {
	names := f.unmoved()
	if len(names) == 0 || f.run.Draws < 2 {
		return w
	}
	if !f.isAtEnd(names[0]) {
		return store.Warning{
			Fact:   fmt.Sprintf("All draws of %s are the same: the sampler has not moved.", someOf(names)),
			Reason: "It rejected every step, as where these are too long after a short warm-up.",
			Advice: []store.Advice{longerWarmup()},
		}
	}
	return store.Warning{
		Fact:   fmt.Sprintf("All draws of %s are the same: these numbers mean nothing.", someOf(names)),
		Reason: "It is at an end of its support beyond what numbers can say, as where the posterior is improper.",
		Advice: []store.Advice{{Do: store.Confine, On: names[0], Text: fmt.Sprintf("Give `%s`, and the scales it "+
			"depends on, a proper prior that keeps away from that end.", names[0])}},
	}
}

// isAtEnd reports whether an element of a variable is 0 or 1, or beyond any usual scale.
func (f *findings) isAtEnd(variable string) bool {
	return slices.ContainsFunc(f.parameters, func(p Parameter) bool {
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

// someOf lists the first of many names.
func someOf(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(names[:most], ", "), thousands(int64(len(names)-most)))
}

// noIntegral names the parameters along which the sampler has found that the density has no integral.
func noIntegral(f *findings) (w store.Warning) {
	names := f.run.Report.NoIntegral
	if len(names) == 0 || len(f.divergingParameters()) > 0 {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("The posterior seems to be improper: far out, the density along %s has no integral.",
			someOf(names)),
		Reason: "A density that falls off as the reciprocal of the distance, or slower, has infinitely much of its " +
			"mass beyond any place that chains have reached. The cause is a prior that is improper (`Flat`, " +
			"`Density`) where the data do not hold the parameter.",
		Advice: []store.Advice{{Do: store.Confine, On: names[0],
			Text: fmt.Sprintf("Give `%s` a proper prior.", names[0])}},
	}
}

// noMean names the parameters of which the sampler has found that the density falls off too slowly for a mean.
func noMean(f *findings) (w store.Warning) {
	names := f.run.Report.NoMean
	if len(names) == 0 {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("%s no mean and no sd: the density falls off as the square of the distance, or slower.",
			someOf(names)+plural(len(names), " has", " have")),
		Reason: "Their draws have a mean and an sd, which do not settle, however many draws there are.",
		Advice: []store.Advice{{Do: store.Confine, On: names[0],
			Text: fmt.Sprintf("Read quantiles, or give `%s` a prior with lighter tails.", names[0])}},
	}
}

// heavyTails finds quantities whose mean may not exist, so that no number of draws gives it.
func heavyTails(f *findings) (w store.Warning) {
	if len(f.run.Report.NoMean) > 0 || len(f.run.Report.NoIntegral) > 0 {
		return w
	}
	bad := f.which(func(p Parameter) bool { return p.TailShape > maxParetoK })
	if len(bad) == 0 || len(f.divergingParameters()) > 0 {
		return w
	}
	worst := slices.MaxFunc(bad, func(a, b Parameter) int { return cmp.Compare(a.TailShape, b.TailShape) })
	return store.Warning{
		Fact: fmt.Sprintf("%s tails so heavy that mean, sd and mcse say nothing (%s: Pareto k of at least %.2f).",
			f.share(bad, "has", "have"), worst.Name, worst.TailShape),
		Reason: "A mean may not exist, or cannot be estimated from draws.",
		Advice: []store.Advice{{Do: store.Confine, On: worst.Variable,
			Text: fmt.Sprintf("Read quantiles, or give `%s` a prior with lighter tails.", worst.Variable)}},
	}
}

// sound reports whether chains agree and every effective size is enough: then what happens rarely on the way has left
// no trace in the draws.
func (f *findings) sound() bool {
	_, n := leastESS(f.judged, eitherESS)
	return n >= MinESS && len(f.disputes) == 0 && f.apart.Errors == 0 && f.run.Draws > 0 &&
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
	return n > 0 && !f.rare(n) && !f.escapes() && !(r.NotFinite >= n && len(r.NonFiniteTerms) > 0)
}

// collapsed is a step size that no target needs whose coordinates fit it.
const collapsed = 0.01

// smallSteps warns of steps that warm-up had to make very small. Sound draws with next to no divergences are of a
// density with kinks or narrow directions, which such steps follow.
func smallSteps(f *findings) (w store.Warning) {
	r := f.run.Report
	if r.Dynamics != "hmc" || f.run.Draws == 0 || !(r.StepSize < collapsed) || f.sound() && !f.diverges() {
		return w
	}
	return store.Warning{
		Fact:   fmt.Sprintf("The step size had to shrink to %.2g of the target's width.", r.StepSize),
		Reason: "Its curvature varies wildly, and regions may be missing from the draws.",
		Advice: []store.Advice{{Do: store.Confine, On: "scales",
			Text: "Look for scales that may go to 0, and give them priors that keep away from it."}}}
}

// escapes reports whether chains of a sound run mostly get away with the next trajectory from where one has diverged,
// and so are not held there. In thin arms, to the end of which they get, they do so after 64 to 100 of a hundred
// divergences; in funnels and chains of squares, whose narrow parts are hardly entered and left, after 30 to 50.
func (f *findings) escapes() bool {
	const (
		mostly = 0.55
		least  = 20 // divergences to judge by
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
		Fact: fmt.Sprintf("%d %s diverged after warm-up.", n, plural(n, "trajectory", "trajectories")),
		Reason: "The sampler cannot follow the density everywhere, often in a narrow neck where a scale goes to " +
			"zero, and draws from there are missing.",
		Advice: []store.Advice{f.otherCoordinates()},
	}
}

// onlyZeros reports whether all that trajectories met without a finite log density are places of density 0, such as
// those beyond an end of a uniform distribution that is a parameter: to reject them is right.
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
		"rejected", thousands(int64(r.NotFinite)), plural(r.NotFinite, "trajectory", "trajectories"),
		plural(r.NotFinite, "was", "were"))
	if len(r.NonFiniteTerms) == 0 {
		w.Fact += "."
		w.Reason = "No part of the model is to blame there: the steps themselves overflowed."
		return w
	}
	c := r.NonFiniteTerms[0]
	w.Fact += fmt.Sprintf("; what is not finite there is %s (in %d of the %d looked at).", c.Part, c.Points, r.Looked)
	w.Advice = []store.Advice{{Do: store.Repair, On: c.Part, Text: sentence(cmp.Or(c.Help, "look for a logarithm of "+
		"0, a division by 0, an overflow, or a value outside its distribution's domain"))}}
	return w
}

// sentence makes one of the help of a part of a model.
func sentence(words string) string {
	return strings.ToUpper(words[:1]) + strings.TrimSuffix(words[1:], ".") + "."
}

// carried reports whether chains that agree were carried between modes often, be it by some rungs that hardly exchange
// replicas, or by jumps: then the ladder is slow somewhere, and the draws do not suffer.
func (f *findings) carried() bool {
	const trips = 10 // of each chain
	return f.sound() && (f.report.Exchange.RoundTrips >= trips*f.report.Chains || f.run.Report.JumpRate >= minSwap)
}

func noRoundTrip(f *findings) (w store.Warning) {
	x := f.report.Exchange
	if x == nil || x.RoundTrips > 0 || f.carried() || f.sound() && slices.Min(x.SwapRates) >= minSwap {
		return w
	}
	return store.Warning{
		Fact:   "No replica made a round trip from the coldest rung to the hottest and back.",
		Reason: "Modes may have been missed, and the weights of those found may be wrong.",
		Advice: []store.Advice{f.moreRungs()},
	}
}

func rareSwaps(f *findings) (w store.Warning) {
	x := f.report.Exchange
	if x == nil || f.carried() {
		return w
	}
	at := -1
	for j, r := range x.SwapRates {
		if r < minSwap && j+1 < len(x.Temperatures) && (at < 0 || r < x.SwapRates[at]) {
			at = j
		}
	}
	if at < 0 {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("Only %.1f %% of the swaps proposed between the temperatures %s and %s were accepted.",
			100*x.SwapRates[at], temperature(x.Temperatures[at]), temperature(x.Temperatures[at+1])),
		Reason: "Replicas hardly pass there.",
		Advice: []store.Advice{f.moreRungs()},
	}
}

func oneChain(f *findings) (w store.Warning) {
	if f.report.Chains > 1 {
		return w
	}
	return store.Warning{
		Fact:   "One chain cannot show that it has missed a part of the posterior.",
		Advice: []store.Advice{{Do: store.Raise, On: "chains", To: "4", Text: "Use --chains 4."}},
	}
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
