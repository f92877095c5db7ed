package nuts

import (
	"math/rand/v2"
	"slices"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/symmetry"
	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/runtime/device"
)

// statistics returns the statistics stored with each draw, by ArviZ's names.
func statistics() infer.Statistics {
	return infer.KeepStatistics("lp", "log_prior", "log_lik", "acceptance_rate", "step_size", "tree_depth", "n_steps",
		"diverging", "energy")
}

// sample takes the draws; chains may progress at different rates. A resumed run continues from the last draws of its
// chains.
func (r *run) sample(resumed bool) error {
	r.kept = statistics()
	if err := r.recorder.Begin(r.kept.Variables()); err != nil {
		return err
	}
	if !resumed {
		r.report.Thin = max(r.options.Thin, r.report.Thin, 1)
		r.state.Energies, r.state.Taken = make([]stats.Energies, len(r.chains)), make([]int, len(r.chains))
		r.state.Since, r.state.Stuck = make([]sinceDraw, len(r.chains)), make([]bool, len(r.chains))
	}
	r.images = symmetry.ImagesOf(r.named, r.state.Centring)
	if r.images != nil && r.state.Monitor == nil {
		first := r.images.ToModel(position(r.chains[0].state(), r.chains[0].dim))
		r.state.Monitor = symmetry.NewMonitor(len(r.chains), r.images.FirstReference(first))
	}
	err := r.takeDraws(resumed)
	r.report.Draws = slices.Min(r.state.Taken) / r.report.Thin
	r.report.NoMean, r.report.NoIntegral = r.state.NoMean, r.state.NoIntegral
	r.reportMissed()
	if m := r.state.Monitor; m != nil {
		r.report.Warnings = append(r.report.Warnings, m.Warnings()...)
	}
	for c := range r.state.Energies {
		r.report.EBFMI = append(r.report.EBFMI, r.state.Energies[c].BFMI())
	}
	return err
}

func (r *run) takeDraws(resumed bool) error {
	thin, total := r.report.Thin, r.options.Draws*r.report.Thin
	run := func(after func(c *chain) error) error { return r.iterate(total, after) }
	if resumed {
		for _, c := range r.chains {
			c.left = total - r.state.Taken[c.lane] // a resumed run may ask for more draws than before
		}
		run = r.repeatAndContinue
	}
	err := run(func(c *chain) error {
		r.count(c)
		r.state.Energies[c.lane].Add(c.trajectory.energy)
		r.reportProgress(infer.Sampling, r.state.Drawn, total)
		r.state.Taken[c.lane]++
		if r.state.Taken[c.lane]%thin != 0 {
			return nil
		}
		return r.keep(c)
	})
	if keep := r.options.Checkpoints; keep != nil && err == nil {
		err = r.save(keep) // from this state the run can be extended
	}
	return err
}

func (r *run) count(c *chain) {
	r.state.Drawn++
	r.state.Depths += c.depth
	r.state.Steps += c.steps
	since := &r.state.Since[c.lane]
	since.Trajectories++
	since.Steps += c.steps
	since.Accept += c.accept / float64(c.steps)
	if c.diverged {
		since.Diverged = true
		r.report.Divergences++
	}
	stuck := c.isStuck()
	if stuck && r.state.Stuck[c.lane] {
		r.report.Held++
	}
	r.state.Stuck[c.lane] = stuck
	if len(c.nonFinite) > 0 {
		r.report.AddNonFinite(c.nonFinite)
	}
	if c.depth == c.limits.depth {
		r.report.Saturated++
	}
}

// image returns a random image of a chain's position under the target's symmetries, so labels switch in the draws
// however far apart modes are. It returns the position itself in warm-up, or if there are no symmetries.
func (r *run) image(c *chain) []float64 {
	x := position(c.state(), c.dim)
	if r.images == nil {
		return x
	}
	const stream = 0x1aa9e700
	draw := uint64(r.state.Taken[c.lane])
	random := rand.New(rand.NewPCG(r.options.Seed^draw<<20, stream+uint64(c.lane)<<32))
	r.state.Monitor.Add(r.images, c.lane, x, random)
	return r.images.Random(x, random)
}

// readValues computes the saved values of a chain's draw.
func (r *run) readValues(c *chain) error {
	only := make([]bool, len(r.chains))
	only[c.lane] = true
	r.exe.SetLane(dynamics.Theta, c.lane, r.image(c))
	next, err := r.exe.Run([]device.Call{{Entry: dynamics.Values, Times: 1}}, r.state.Clock, only)
	if err != nil {
		return err
	}
	r.state.Clock = next
	r.values = slices.Grow(r.values, r.exe.Size(dynamics.Values))[:r.exe.Size(dynamics.Values)]
	device.CollectLanes(r.exe, dynamics.Values, []int{c.lane}, [][]float64{r.values})
	return nil
}

// keep passes a chain's draw to the recorder.
func (r *run) keep(c *chain) error {
	state := c.state()
	r.countVisits(c)
	if err := r.readValues(c); err != nil {
		return err
	}
	lp, ll, since := logPrior(state, c.dim), logLik(state, c.dim), r.state.Since[c.lane]
	r.state.Since[c.lane] = sinceDraw{}
	return r.recorder.Draw(c.lane, r.values, r.kept.Append(nil, infer.DrawStats{LogPrior: lp, LogLik: ll,
		AcceptRate: since.Accept / float64(since.Trajectories), StepSize: c.step, TreeDepth: c.depth,
		Steps: float64(since.Steps), Diverging: since.Diverged, Energy: c.trajectory.energy}))
}

// reportProgress sends progress. done is the number of iterations of all chains together, total that of each.
func (r *run) reportProgress(phase infer.Phase, done, total int) {
	p := infer.Progress{Phase: phase, Done: done / len(r.chains), Total: total, Gradients: r.report.Gradients,
		Divergences: r.report.Divergences}
	if phase == infer.Sampling {
		p.Thin = r.report.Thin
	}
	r.recorder.Progress(p)
}

// conclude adds the properties of the run to the report.
func (r *run) conclude() {
	p := &r.report
	p.Sampler, p.Dynamics, p.Chains, p.Warmup, p.Temperatures = "nuts", "nuts", r.options.Chains, r.options.Warmup,
		[]float64{1}
	if t := r.recentrable(); t != nil {
		adapt.RemarkOnCentring(p, t.EffectBlocks(), r.state.Centring)
	}
	for _, c := range r.chains {
		p.StepSize += store.Number(c.step / float64(len(r.chains)))
	}
	if r.state.Drawn > 0 {
		n := store.Number(r.state.Drawn)
		p.Steps, p.TreeDepth = store.Number(r.state.Steps)/n, store.Number(r.state.Depths)/n
	}
}
