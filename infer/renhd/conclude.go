package renhd

import (
	"fmt"
	"math"
)

// conclude fills the report with what the run was, and says in words what to beware of.
func (r *run) conclude() {
	p, w := &r.report, r.walkers
	p.Sampler, p.Dynamics, p.Path = "renhd", r.rule.Name(), r.system.Path.String()
	p.Chains, p.Warmup = r.options.Chains, r.options.Warmup
	p.Temperatures = []float64{1}
	if w == nil {
		return
	}
	p.Gradients, p.StepSize = w.laneSteps, w.rungs[0].step
	p.Steps = r.totalSteps / math.Max(float64(r.kept), 1)
	if len(w.rungs) > 1 {
		p.Temperatures, p.SwapRates = temperatures(r.betas()), r.exchange.rates()
		p.RoundTrips, p.Barrier = r.exchange.trips.count, barrier(p.SwapRates)
	}
	if p.Draws > 0 {
		r.warn()
	}
}

// warn adds what the user should know before trusting the draws.
func (r *run) warn() {
	r.warnDivergences()
	r.warnSwaps()
}

func (r *run) warnf(format string, args ...any) {
	r.report.Warnings = append(r.report.Warnings, fmt.Sprintf(format, args...))
}

func (r *run) warnDivergences() {
	n := r.report.Divergences
	if n == 0 {
		return
	}
	if r.thermostated() {
		r.warnf("%d trajectories ran away and were started anew: the step is too long for the target somewhere; try a smaller step_size", n)
		return
	}
	r.warnf("%d of %d trajectories diverged: somewhere the target is too curved for the step size, and draws near there may be missing; "+
		"for a hierarchical model try `noncentered`, else `--set accept=0.95`", n, r.kept*r.options.Chains)
}

func (r *run) warnSwaps() {
	p := r.report
	if len(p.Temperatures) < 2 {
		return
	}
	for j, rate := range p.SwapRates {
		if rate < 0.02 {
			r.warnf("rungs %d and %d (temperatures %.4g and %.4g) hardly ever trade places (rate %.2g): the ladder is cut there; add replicas",
				j+1, j+2, p.Temperatures[j], p.Temperatures[j+1], rate)
		}
	}
	if p.RoundTrips == 0 {
		r.warnf("no walker went from the cold end of the ladder to the hot end and back: weights of modes are not to be trusted; " +
			"take more draws or replicas")
	}
}
