package nuts

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

// A window is a part of warm-up with one metric. At its end, the points seen in it give the next metric, unless it is
// the last window.
type window struct {
	iterations int
	learn      bool
	// recentre chooses the coordinates of effects. It is false while chains are on the way from their starting points,
	// and if no later window learns.
	recentre bool
}

// windows divides warm-up as Stan does: 75 iterations to find the typical set; windows of 25, 50, 100, … iterations to
// learn the metric and the coordinates of effects, the last of which is longer if another one would not fit; 50
// iterations for the final step size. Short warm-ups are divided into 15, 75 and 10 %. The first part learns the metric
// too, since our estimate does not need draws from the target, only points and gradients.
func windows(warmup int) []window {
	if warmup < 20 {
		return []window{{iterations: warmup}}
	}
	first, base, last := 75, 25, 50
	if warmup < first+base+last {
		first, last = warmup*15/100, warmup*10/100
		base = warmup - first - last
	}
	out := opening(first)
	for left := warmup - first - last; left > 0; base *= 2 {
		n := base
		if left-n < 2*base {
			n = left
		}
		left -= n
		out = append(out, window{iterations: n, learn: true, recentre: left > 0})
	}
	return append(out, window{iterations: last})
}

// opening divides the first part into three windows.
func opening(n int) (out []window) {
	for k := range 3 {
		if part := n*(k+1)/3 - n*k/3; part > 0 {
			out = append(out, window{iterations: part, learn: true})
		}
	}
	return out
}

// warm adapts the step size of each chain, and the metric of all. A resumed run continues in its current window.
func (r *run) warm(resumed bool) error {
	if !resumed {
		r.firstSteps()
	}
	for all := windows(r.options.Warmup); r.state.Window < len(all); r.state.Window++ {
		w := all[r.state.Window]
		if !resumed {
			if !w.learn {
				r.raiseGoal()
				r.chooseThinning()
				if err := r.searchModes(); err != nil {
					return err
				}
			}
			if err := r.beginWindow(); err != nil {
				return err
			}
		}
		if err := r.tune(w, resumed); err != nil {
			return err
		}
		resumed = false
	}
	if at := r.state.Divergence.AtEnd(); at >= 0 {
		return r.diverges(at)
	}
	return nil
}

func (r *run) firstSteps() {
	for _, c := range r.chains {
		c.step = 1
		if h := r.settings().StepSize; h > 0 {
			c.step = h
		}
	}
}

// chooseThinning chooses the number of trajectories per draw from the data of the last window that learned, if there
// are enough.
func (r *run) chooseThinning() {
	if r.options.Thin == 0 && r.state.Seen.Late >= enough {
		share := adapt.WorstShare(r.state.Seen.Visited, r.options.Threads)
		r.report.Thin = adapt.Thin(share, margin*adapt.GoalShare, mostThin)
	}
}

// enough is the minimum number of trajectories from which effective sizes can be estimated; margin is a factor on the
// goal, because such a window may look better than the truth; mostThin is the maximum number of trajectories per draw.
const (
	enough   = 400
	margin   = 1.2
	mostThin = 10
)

// raiseGoal raises the acceptance goal if trajectories failed in the last window.
func (r *run) raiseGoal() {
	seen, note := &r.state.Seen, ""
	switch {
	case !r.adaptsStep() || r.settings().Accept > 0:
		return
	case float64(seen.Divergent) > fewDivergent*float64(seen.Late):
		note = fmt.Sprintf("%d of %d trajectories diverged", seen.Divergent, seen.Late)
	case float64(seen.Stuck) > fewStuck*float64(seen.Usual):
		note = fmt.Sprintf("%d of %d trajectories hardly moved", seen.Stuck, seen.Usual)
	default:
		return
	}
	r.state.Careful = true
	r.report.Notes = append(r.report.Notes,
		fmt.Sprintf("%s late in warm-up, so the step size was reduced: its goal is now an acceptance rate of %v", note,
			carefulAccept))
}

// beginWindow finds initial step sizes, and resets the data of the window.
func (r *run) beginWindow() error {
	if err := r.probe(); err != nil {
		return err
	}
	for _, c := range r.chains {
		c.adapt = adapt.NewStepSize(c.step, r.goal(), math.Inf(1))
	}
	r.state.Seen = windowSeen{Visited: make([][][]float64, len(r.chains)), Density: make([][]float64, len(r.chains))}
	return nil
}

// tune runs one window, or the rest of the current one.
func (r *run) tune(w window, resumed bool) error {
	run := func(after func(c *chain) error) error { return r.iterate(w.iterations, after) }
	if resumed {
		run = r.repeatAndContinue
	}
	seen := &r.state.Seen
	err := run(func(c *chain) error {
		r.countLate(c, w)
		r.learnStep(c)
		at := position(c.state(), c.dim)
		seen.Visited[c.lane] = append(seen.Visited[c.lane], slices.Clone(at[:min(len(at), adapt.MaxDense)]))
		seen.Density[c.lane] = append(seen.Density[c.lane], logPrior(c.state(), c.dim)+logLik(c.state(), c.dim))
		if w.learn {
			seen.Points.Add(position(c.state(), c.dim), gradient(c.state(), c.dim))
		}
		r.state.Warmed++
		r.reportProgress(infer.WarmingUp, r.state.Warmed, r.options.Warmup)
		return nil
	})
	if err != nil {
		return err
	}
	r.keepSteps()
	if !w.learn {
		return nil
	}
	visited := slices.Concat(seen.Visited...)
	if at := r.state.Divergence.Watch(visited, r.bounded); at >= 0 {
		return r.diverges(at)
	}
	if err := r.refuseInfiniteIntegral(visited); err != nil {
		return err
	}
	if err := r.restartStuck(); err != nil {
		return err
	}
	if r.settings().Metric == "identity" {
		return nil
	}
	if err := r.move(r.state.Metric.Estimate(&seen.Points)); err != nil || !w.recentre {
		return err
	}
	return r.recentre()
}

// diverges returns the error of a run whose chains diverge along a coordinate.
func (r *run) diverges(coordinate int) error {
	if err := r.readValues(r.chains[0]); err != nil {
		return err
	}
	return infer.DivergesToInfinity(r.named, coordinate, r.values)
}

// countLate counts failures in the second half of a window. In the first half, adaptation still tries steps that are
// too long.
func (r *run) countLate(c *chain, w window) {
	if c.left > w.iterations/2 {
		return
	}
	seen := &r.state.Seen
	seen.Late++
	if c.diverged {
		seen.Divergent++
	}
	if r.adaptsStep() && c.step <= c.adapt.Adapted() {
		seen.Usual++
		if c.isStuck() {
			seen.Stuck++
		}
	}
}

func (r *run) goal() float64 {
	if a := r.settings().Accept; a > 0 {
		return a
	}
	if r.state.Careful {
		return carefulAccept
	}
	return defaultAccept
}

func (r *run) learnStep(c *chain) {
	if r.adaptsStep() {
		c.adapt.Update(c.accept / float64(c.steps))
		c.step = c.adapt.Current()
	}
}

func (r *run) keepSteps() {
	for _, c := range r.chains {
		if r.adaptsStep() {
			c.step = c.adapt.Adapted()
		}
	}
}

// move changes the metric, and recomputes the whitened gradients.
func (r *run) move(m adapt.Metric) error {
	r.state.Metric = m
	dynamics.ShareMetric(r.exe, m)
	at := make([][]float64, len(r.chains))
	for lane, c := range r.chains {
		at[lane] = position(c.state(), c.dim)
	}
	_, err := r.place(at)
	return err
}

// probes is the maximum number of doublings or halvings of the first step size.
const probes = 100

// probe finds an initial step size for every chain by doubling or halving, until the acceptance probability of one step
// crosses the goal (Hoffman and Gelman 2014, algorithm 4).
func (r *run) probe() error {
	if !r.adaptsStep() {
		return nil
	}
	rising := make([]bool, len(r.chains))
	searching := make([]bool, len(r.chains))
	for lane := range searching {
		searching[lane] = true
	}
	for try := range probes {
		if err := r.tryStep(searching, try); err != nil {
			return err
		}
		busy := false
		for lane, c := range r.chains {
			if searching[lane] {
				good := c.origin-hamiltonian(r.stateOf(lane), c.dim) > math.Log(r.goal())
				if try == 0 {
					rising[lane] = good
				}
				searching[lane] = good == rising[lane]
				c.step *= factor(rising[lane], searching[lane])
				busy = busy || searching[lane]
			}
		}
		if !busy {
			return nil
		}
	}
	if rising[slices.Index(searching, true)] {
		return errors.New("no step size suits the density: it is almost constant even over the longest steps; check " +
			"that the posterior is proper: give every parameter a proper prior")
	}
	return errors.New("no step size suits the density: it or its gradient changes abruptly even over the shortest " +
		"steps; check the model for jumps of its density near the start of the chain")
}

// factor returns the factor by which a step changes. A search that rose ends at a step that is too long, and goes back
// by one halving.
func factor(rising, searching bool) float64 {
	switch {
	case searching && rising:
		return 2
	case searching || rising:
		return 0.5
	}
	return 1
}

// tryStep makes one step of the chains in mask, from their last draws with new momenta.
func (r *run) tryStep(mask []bool, try int) error {
	for lane, c := range r.chains {
		if !mask[lane] {
			continue
		}
		here := c.ends[0]
		copy(here, c.state())
		c.kick(here, siteProbe, c.iteration*probes+uint64(try))
		c.origin = hamiltonian(here, c.dim)
		c.forward = true
		r.exe.SetLane(dynamics.State, lane, here)
		c.setStep(c.step)
	}
	return r.call("step", mask)
}
