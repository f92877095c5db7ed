package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/posterior/layout"
	"ppl/posterior/store"
)

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

// isTrading reports whether walkers exchange temperatures but never leave their initial modes. The chains then agree,
// and swap rates and round trips look good, but the weights of the modes are those of the starting points.
func (f *findings) isTrading() bool {
	return f.apart.Errors > 0 && len(f.disputes) == 0 && len(f.divergingParameters()) == 0
}

func trading(f *findings) (w store.Warning) {
	if !f.isTrading() {
		return w
	}
	return store.Warning{
		Fact: fmt.Sprintf("Each replica stays in one region: the means of %s differ between replicas by %.1f standard "+
			"deviations.", f.apart.name, f.apart.Deviations),
		Reason: "Replicas exchange temperatures but do not move between modes, not even at the hot end of the " +
			"ladder, so that the weights of the modes are not known.",
		Advice: f.hotter(),
	}
}

// hotter returns advice for walkers that never change modes: a ladder to higher temperatures or, if it ends at the
// prior, a longer warm-up and more steps.
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
			layout.Temperature(hottest), rungs.To, ratio)}}
}

func others(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d quantities show this)", n)
}

// means lists the means of up to eight chains.
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

// towardsOneMode returns advice for several modes. If the model has exchangeable elements, it advises ordering them,
// since every permutation of them is a mode.
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

// moreRungs advises a larger number of rungs: 1.5 times the current number, or twice if the ladder must reach further.
// At the maximum, it advises a longer warm-up, which may space the rungs better.
func (f *findings) moreRungs() store.Advice {
	n := len(f.report.Exchange.Temperatures)
	rungs := (3*n + 1) / 2
	if f.isTrading() {
		rungs = 2 * n
	}
	rungs = min(rungs, largestRungs)
	if rungs <= n {
		return longerWarmup()
	}
	return store.Advice{Do: store.Raise, On: "replicas", To: fmt.Sprint(rungs),
		Text: fmt.Sprintf("Give the ladder more rungs: --set replicas=%d.", rungs)}
}

// carried reports whether the draws are sound and chains often moved between modes, by round trips or by jumps. If so,
// rungs that rarely exchange replicas slow the ladder down but do not harm the draws.
func (f *findings) carried() bool {
	const trips = 10 // minimum number of round trips per chain
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
			100*x.SwapRates[at], layout.Temperature(x.Temperatures[at]), layout.Temperature(x.Temperatures[at+1])),
		Reason: "Replicas rarely pass between these temperatures.",
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
