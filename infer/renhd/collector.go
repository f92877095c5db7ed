package renhd

import (
	"fmt"
	"slices"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/symmetry"
	"ppl/runtime/device"
)

// drawStatistics returns the statistics stored with each draw. With minibatches the density is only an estimate, and
// the energy is omitted, since it would mostly consist of noise.
func (r *run) drawStatistics() infer.Statistics {
	names := []string{"log_prior", "acceptance_rate", "step_size", "n_steps", "diverging", "replica"}
	if r.Phase.Batches.InUse() {
		return infer.KeepStatistics(append(names, "lp_estimate", "log_lik_estimate")...)
	}
	return infer.KeepStatistics(append(names, "lp", "log_lik", "energy")...)
}

// A drawCollector collects the draws of the coldest rung. A chain's draw is ready when Thin of its iterations have
// counted. If a rule flags which iterations count, chains are ready at different times, and a draw waits in a queue
// until all chains have one.
type drawCollector struct {
	run   *run
	state *collectorState
	kept  infer.Statistics
	ready []int        // chains that have a draw now
	mask  []bool       // buffer: whether a lane's walker yields a draw now
	spare []queuedDraw // buffers of earlier draws, to be reused

	forces   []string  // names of the buffers that countHeat reads
	heatRoom []float64 // buffer for their sum

	watch    *modesearch.Watch
	energies ladder.EnergyRecord

	computed bool // whether the call of the last trajectory has computed Values

	images population.ImageOf // image of a lane's position that becomes the draw; nil: the position itself
}

// collectorState holds what has been counted on the coldest rungs, for the next draws and for the report.
type collectorState struct {
	Chains   []chainProgress
	Rungs    ladder.RungStatistics
	HalfAt   int // number of draws when the statistics of the first half were stored
	Watch    modesearch.WatchState
	Heats    []positionHeat // position heat of each chain; nil if not measured
	Diverged []bool         // whether the last trajectory of each chain at temperature 1 diverged
	Ladder   ladder.LadderRecord
	Monitor  *symmetry.Monitor // nil if the target has no symmetries
}

// chainProgress sums over the iterations on a chain's coldest rung since its last draw.
type chainProgress struct {
	Accept, Steps float64
	Sweeps        int
	Counted       int // number of sweeps that count
	Diverged      bool
	Energy        float64      // Hamiltonian after the last sweep
	Queue         []queuedDraw // draws that wait for other chains
}

// A queuedDraw is a draw that waits for the draws of other chains.
type queuedDraw struct{ Values, Stats []float64 }

func newDrawCollector(r *run) *drawCollector {
	w := r.Walkers
	s := &collectorState{Chains: make([]chainProgress, w.Chains), Rungs: ladder.NewRungStatistics(len(w.Rungs),
		w.Chains),
		Diverged: make([]bool, w.Chains)}
	return &drawCollector{run: r, kept: r.drawStatistics(), mask: make([]bool, w.Lanes()), state: s,
		watch:    modesearch.NewWatch(r.modes, &s.Watch),
		energies: ladder.NewEnergyRecord(r.Population, &s.Ladder)}
}

// collectDraws chooses the number of iterations per draw, and runs the sampler until each chain has its draws. It
// continues from a checkpoint, if there is one.
func (r *run) collectDraws(from *part.Checkpoint) error {
	if from == nil {
		r.MedianStep, r.Path = r.Walkers.MedianOfSteps(), r.Phase.System.Path
		r.Anchored = r.Phase.System.Batches.Anchored
		if err := r.MoveToImages(); err != nil {
			return err
		}
		if err := r.chooseThinning(); err != nil {
			return err
		}
		r.swaps.Reset(len(r.Walkers.Rungs), r.Walkers.Lanes())
		r.Answers = nil // a checkpoint taken while sampling needs no replay
	}
	if err := r.Recorder.Begin(r.drawStatistics().Variables()); err != nil {
		return err
	}
	c := newDrawCollector(r)
	if r.Phase.Images != nil {
		c.images, c.state.Monitor = r.RandomImage, symmetry.NewMonitor(r.Walkers.Chains, r.FirstReference())
	}
	if from != nil {
		if err := r.Resume(from, c); err != nil {
			return err
		}
	}
	defer c.report()
	return c.collect()
}

// collect runs replica-exchange dynamics until every chain has its draws.
func (c *drawCollector) collect() error {
	for {
		if err := c.handOnDraws(); err != nil {
			return err
		}
		if !c.more() {
			return c.saveLast()
		}
		c.rememberFirstHalf()
		if err := c.watch.SearchOn(); err != nil {
			return err
		}
		if err := c.iterate(); err != nil {
			return err
		}
		c.run.ShowProgress(infer.Sampling)
		if err := c.run.SaveIfDue(c); err != nil {
			return err
		}
	}
}

// iterate runs several iterations in one call of the device if possible, else one iteration.
func (c *drawCollector) iterate() error {
	if steps := c.run.ahead(c.iterationsToStop()); len(steps) > 1 {
		return c.iterateAhead(steps)
	}
	if err := c.moveAndSwap(c.allDueNext()); err != nil {
		return err
	}
	if err := c.queueDraws(); err != nil {
		return err
	}
	c.run.stats.Iterations++
	return nil
}

// iterateAhead runs iterations with these numbers of steps in one call of the device.
func (c *drawCollector) iterateAhead(steps []int) error {
	first := c.state.Chains[0].Counted
	due := func(i int) bool { return (first+i+1)%c.run.Report.Thin == 0 }
	return c.moveAhead(steps, due, func(seen *population.Record) {
		c.run.stats.Iterations++
		c.findReady()
		if len(c.ready) > 0 {
			c.queue(seen.Drawn())
		}
	})
}

func (c *drawCollector) more() bool { return c.run.Report.Draws < c.run.Phase.Options.Draws }

// Name returns the name of this part in checkpoints.
func (c *drawCollector) Name() string { return collecting }

// State returns the state that checkpoints store.
func (c *drawCollector) State() any { return c.state }

// collecting is the name of this part in checkpoints taken while sampling.
const collecting = "draws"

// saveLast saves the state at the end of the run, so that the run can be extended.
func (c *drawCollector) saveLast() error {
	if keep := c.run.Phase.Options.Checkpoints; keep != nil {
		return c.run.Save(keep, c)
	}
	return nil
}

// rememberFirstHalf stores, for the report, the counts at the time when half of the draws were done.
func (c *drawCollector) rememberFirstHalf() {
	draws, half, pairs := c.run.Report.Draws, c.run.Phase.Options.Draws/2, c.run.swaps.Counts().Pairs
	if len(pairs) > 0 && draws >= half && (c.state.Rungs.FirstHalf == nil || c.state.HalfAt < half) {
		c.state.Rungs.FirstHalf, c.state.HalfAt = slices.Clone(pairs), draws
	}
}

// moveAndSwap runs one iteration: a trajectory of every walker at the temperature of its rung, then jumps between known
// modes and swaps of neighbouring rungs. draws says that every chain will have a draw afterwards. If this draw is the
// end of the trajectory, the same call of the device computes its values.
func (c *drawCollector) moveAndSwap(draws bool) error {
	r, w := c.run, c.run.Walkers
	n := r.Steps(population.MaxSteps)
	c.computed = draws && r.drawsEndTrajectories()
	var then []device.Call
	if c.computed {
		then = append(then, device.Call{Entry: dynamics.Values, Times: 1})
	}
	if err := r.StayInside(func() error { return w.Trajectory(r.Ctx, n, then...) }); err != nil {
		return err
	}
	c.count(float64(n), r.EndsOf(r.modes.ModeOf))
	r.Iterations++
	if err := r.StayInside(func() error { return r.modes.Jump(r.swaps.Rounds()) }); err != nil {
		return err
	}
	return r.swaps.Round(r.Ctx, w)
}

// count adds a trajectory of each walker to the statistics.
func (c *drawCollector) count(steps float64, now *population.Ends) {
	r, w := c.run, c.run.Walkers
	c.countNonFinite(now)
	c.countHeat(now)
	c.energies.KeepEnergies(now)
	for chain := range w.Chains {
		lane, t := w.Cold(chain), &c.state.Chains[chain]
		t.Accept += now.Accept[lane]
		t.Steps += steps
		t.Sweeps++
		t.Energy = now.Total[lane]
		diverged := now.Diverged[lane] != 0 && !c.watch.JumpsOnly(now.Mode, lane)
		if diverged {
			t.Diverged = true
			r.Report.Divergences++
		}
		c.countEscape(chain, diverged)
	}
	r.stats.Steps += steps
	c.state.Rungs.Add(w, &r.swaps.Counts().RoundTrips, now)
}

// countEscape counts divergences after which the chain's next trajectory at temperature 1 does not diverge: the walker
// has left the region, or a swap or jump has replaced it.
func (c *drawCollector) countEscape(chain int, diverged bool) {
	if c.state.Diverged[chain] && !diverged {
		c.run.Report.Escapes++
	}
	c.state.Diverged[chain] = diverged
}

// countNonFinite counts trajectories at temperature 1 that reached a density or gradient that is not finite. Hot
// walkers are not counted: they reach regions in which the model was not meant to be evaluated, without effect on
// draws.
func (c *drawCollector) countNonFinite(now *population.Ends) {
	w := c.run.Walkers
	for lane, finite := range now.Finite {
		if finite == 0 && w.RungOf[lane] == 0 {
			c.run.Report.AddNonFinite(now.Of(dynamics.Ended, lane))
		}
	}
}

// handOnDraws passes draws to the recorder, one for each chain, as long as all chains have one.
func (c *drawCollector) handOnDraws() error {
	for c.more() && c.allQueued() {
		for chain := range c.state.Chains {
			t := &c.state.Chains[chain]
			d := t.Queue[0]
			t.Queue = slices.Delete(t.Queue, 0, 1)
			if err := c.run.Recorder.Draw(chain, d.Values, d.Stats); err != nil {
				return err
			}
			c.spare = append(c.spare, d)
		}
		c.run.Report.Draws++
	}
	return nil
}

func (c *drawCollector) allQueued() bool {
	return !slices.ContainsFunc(c.state.Chains, func(t chainProgress) bool { return len(t.Queue) == 0 })
}

// drawsEndTrajectories reports whether every draw is the end of a trajectory, on every lane: jumps do not change it,
// and no lane has another temperature, for which values would be useless.
func (r *run) drawsEndTrajectories() bool {
	w := r.Walkers
	return w.Lanes() == w.Chains && !r.modes.CanJump() && !r.Phase.Batches.InUse() && r.Phase.Images == nil
}

// allDueNext reports whether the next iteration will give every chain a draw, as far as this is known in advance.
func (c *drawCollector) allDueNext() bool {
	due := c.run.Report.Thin - 1
	return !c.run.Walkers.Traits.Flagged &&
		!slices.ContainsFunc(c.state.Chains, func(t chainProgress) bool { return t.Counted != due })
}

// findReady sets ready to the chains that have a draw now.
func (c *drawCollector) findReady() {
	w := c.run.Walkers
	var counts []float64
	if w.Traits.Flagged {
		counts = w.View(dynamics.Counts)
	}
	c.ready = c.ready[:0]
	for chain := range c.state.Chains {
		if counts != nil && counts[w.Cold(chain)] == 0 {
			continue
		}
		t := &c.state.Chains[chain]
		t.Counted++
		if t.Counted == c.run.Report.Thin {
			c.ready = append(c.ready, chain)
		}
	}
}

// queueDraws computes a draw of each chain that is ready, and adds it to the chain's queue.
func (c *drawCollector) queueDraws() error {
	w := c.run.Walkers
	c.findReady()
	if len(c.ready) == 0 {
		return c.checkProgress()
	}
	if err := c.computeValues(c.ready); err != nil {
		return err
	}
	c.queue(w.Drawn())
	return nil
}

// queue adds a draw of each chain that is ready to its queue.
func (c *drawCollector) queue(now *population.Drawn) {
	w := c.run.Walkers
	var lanes []int
	var draws []queuedDraw
	var values [][]float64
	for _, chain := range c.ready {
		d := c.room()
		lanes, draws, values = append(lanes, w.Cold(chain)), append(draws, d), append(values, d.Values)
	}
	now.Recorded(lanes, values)
	for k, chain := range c.ready {
		lane, t, d := lanes[k], &c.state.Chains[chain], draws[k]
		c.energies.KeepHottest(chain, now)
		c.watch.CountVisits(lane, now.Theta)
		c.watchImages(lane, now.Theta)
		d.Stats = c.kept.Append(d.Stats[:0], infer.DrawStats{LogPrior: now.LogPrior[lane], LogLik: now.LogLik[lane],
			AcceptRate: t.Accept / float64(t.Sweeps), StepSize: w.Rungs[0].Step, Steps: t.Steps,
			Diverging: t.Diverged, Replica: lane - chain*w.PerChain, Energy: t.Energy})
		*t = chainProgress{Queue: append(t.Queue, d)}
	}
}

// room returns a buffer for a draw.
func (c *drawCollector) room() queuedDraw {
	n := len(c.spare)
	if n == 0 {
		return queuedDraw{Values: make([]float64, c.run.Walkers.Exe.Size(dynamics.Values))}
	}
	d := c.spare[n-1]
	c.spare = c.spare[:n-1]
	return d
}

// checkProgress returns an error if a chain has had no draw at temperature 1 for too long.
func (c *drawCollector) checkProgress() error {
	const most = 20_000
	for chain, t := range c.state.Chains {
		if t.Sweeps > most*c.run.Report.Thin {
			return fmt.Errorf("chain %d has had no draw at temperature 1 for %d iterations; use another sampler, or "+
				"a smaller step size (--set step_size)", chain+1, t.Sweeps)
		}
	}
	return nil
}

// computeValues computes the saved values of these chains' cold walkers in the lane buffer Values, unless the call of
// the last trajectory has done so.
func (c *drawCollector) computeValues(chains []int) error {
	w := c.run.Walkers
	if c.computed {
		return nil
	}
	clear(c.mask)
	for _, chain := range chains {
		c.mask[w.Cold(chain)] = true
	}
	if c.images != nil {
		return c.run.ImageValues(c.mask, c.images)
	}
	return w.RunEntry(c.run.Ctx, dynamics.Values, c.mask)
}

// report adds the collector's statistics to the report.
func (c *drawCollector) report() {
	r, w, out, s := c.run, c.run.Walkers, c.run.Report, &c.state.Rungs
	if s.Rungs[0].Trajectories == 0 {
		return
	}
	if !r.Phase.Batches.InUse() { // otherwise energies are estimates, and their noise would dominate
		for chain := range s.Energies {
			out.EBFMI = append(out.EBFMI, s.Energies[chain].BFMI())
		}
	}
	out.Halves = s.Halves(r.swaps.Counts().Pairs)
	out.Positions = c.positionTemperature()
	out.Ladder = c.energies.Ladder()
	c.watch.ReportModes()
	c.watch.ReportSearch()
	if s := c.state.Monitor; s != nil {
		out.Warnings = append(out.Warnings, s.Warnings()...)
	}
	for j, count := range s.Rungs {
		count.Describe(&out.Rungs, w.Rungs[j].Step)
		if w.Thermostated() {
			out.Rungs.Thermostat = append(out.Rungs.Thermostat, count.Thermostat/float64(count.Trajectories))
			out.Rungs.Injected = append(out.Rungs.Injected, r.Phase.ExpectedFriction(w.Rungs[j]))
		}
	}
}

// watchImages passes a draw to the monitor of images.
func (c *drawCollector) watchImages(lane int, place func(lane int, dst []float64)) {
	m, w := c.state.Monitor, c.run.Walkers
	if m == nil {
		return
	}
	x := make([]float64, w.Dim)
	place(lane, x)
	m.Add(c.run.Phase.Images, lane/w.PerChain, x, c.run.ImageNoise(population.NearestStream, lane))
}

// Numbers returns the approximate number of values in a checkpoint of the state.
func (s *collectorState) Numbers() int { return s.Ladder.Numbers() }
