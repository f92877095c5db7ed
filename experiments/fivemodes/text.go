package main

import (
	"ppl/experiments/lab"
)

// middle returns the median of a quantity over seeds.
func middle(rs []result, of func(result) float64) float64 {
	var xs []float64
	for _, r := range rs {
		xs = append(xs, of(r))
	}
	return lab.Median(xs)
}

// right reports whether all weights are correct to within .1 for all seeds.
func right(rs []result) bool {
	for _, r := range rs {
		if !(r.weight < 0.1) {
			return false
		}
	}
	return true
}

func perGradient(r result) float64 { return 1e6 * r.ess / r.Gradients }
func perSecond(r result) float64   { return r.ess / r.CPU }

func table(results map[string][]result) string {
	t := lab.Table{Columns: []string{"sampler", "draws", "TV", "TV of independent draws", "weight error (median)",
		"(worst)", "vratio", "ESS",
		"ESS per 10⁶ gradients", "ESS per CPU second", "weights right"}}
	for _, c := range contenders() {
		rs := results[c.name]
		worst := 0.0
		for _, r := range rs {
			worst = max(worst, r.weight)
		}
		t.Add(c.name, rs[0].draws, middle(rs, func(r result) float64 { return r.tv }),
			middle(rs, func(r result) float64 { return r.floor }),
			middle(rs, func(r result) float64 { return r.weight }), worst,
			middle(rs, func(r result) float64 { return r.vratio }),
			middle(rs, func(r result) float64 { return r.ess }), middle(rs, perGradient), middle(rs, perSecond),
			right(rs))
	}
	return t.String()
}

// comparison tabulates claims and measurements. An ESS counts only if the weights are correct.
func comparison(results map[string][]result) string {
	t := lab.Table{Columns: []string{"claim", "claimed", "measured"}}
	ratio := func(a, b string, of func(result) float64) any {
		if !right(results[a]) || !right(results[b]) {
			return "none: one of them has wrong weights"
		}
		return middle(results[a], of) / middle(results[b], of)
	}
	t.Add("effective draws a gradient, renhd over renhd-paper", "5 on geo0 (ours)",
		ratio("renhd", "renhd-paper", perGradient))
	t.Add("effective draws a gradient, R2 over renhd-paper", "5 on geo0 (ours)",
		ratio("renhd R2", "renhd-paper", perGradient))
	t.Add("effective draws a second, renhd over renhd-paper", "5 on geo0 (ours)",
		ratio("renhd", "renhd-paper", perSecond))
	t.Add("effective draws a second, R2 over renhd-paper", "5 on geo0 (ours)",
		ratio("renhd R2", "renhd-paper", perSecond))
	t.Add("effective draws a second, renhd over TACT-HMC", "4 (the paper)", ratio("renhd", "tacthmc", perSecond))
	t.Add("effective draws a second, renhd-paper over TACT-HMC", "4 (the paper)",
		ratio("renhd-paper", "tacthmc", perSecond))
	return t.String()
}

const preface = `# Five modes in the plane

Noise of variance .25 in every component of the gradient and in every potential that an exchange looks at; about %.0e gradients a run
after warm-up, seeds 1 to %d, four chains. ` + "`renhd`" + ` chooses everything itself; the others have the settings of the paper's mixtures: ε = .01, c = .1, N = 50, and seven rungs
with τ = 1.5 where there is a ladder (N = 200 where one temperature is all there is and moves are many). R2 tests swaps with the penalty, R1 with Barker's
test and exact compensation. The flow is fitted to exact gradients and costs what it costs.

    go run ./experiments/fivemodes

TV is the total variation distance on 60 × 60 bins of [−9, 9]², with that of as many independent draws; vratio the variance within modes
over the truth; ESS that of the worse coordinate's mean, over draws thinned as the sampler chose. A sampler that stays in one mode has a splendid
ESS and wrong weights: weights are right when none is off by .1 at any seed. Gradients and processor time are those after warm-up, from the difference
between a long and a short run (all of it for the flow, whose draws cost nothing once it is fitted). On so small a target a draw that is kept costs as much
as some hundred gradients, and ` + "`renhd`" + ` keeps more of them than ` + "`renhd-paper`" + `: by seconds it is less ahead than by gradients.

%s
`

const aboutCosts = `Processor time of a step of one walker on geo0, from runs that do little but steps (trajectories of 1000, 28 walkers at once); medians of three, in turn. The paper
says that RENHD needs 60 %% less than TACT-HMC, a factor of .4. One gradient a step is common to both and cheap here; where it costs more, the factor is nearer to 1.

%s`
