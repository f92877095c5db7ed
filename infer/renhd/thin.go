package renhd

import (
	"math"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/netwarmup"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/symmetry"
)

const (
	margin  = 2 // factor on the goal of thinning, since a pilot run may look better than the truth
	maxThin = 50

	// A pilot has at least shortPilot iterations. From then on it looks every lookEvery iterations whether it has seen
	// enough. It has at least usualPilot on a ladder, where moves between modes are rare, if the density jumps, and
	// after a divergence.
	shortPilot = 100
	usualPilot = 300
	longPilot  = 1200
	lookEvery  = 50

	// enoughSeen is the number of effective iterations after which a pilot ends. On a ladder the number is up to four
	// times as large.
	enoughSeen = 100

	// behindJumps is a factor on the goal if Metropolis steps move coordinates: a region behind a jump that holds a few
	// per cent of the mass is entered so rarely that a pilot hardly sees it.
	behindJumps = 8.0
	longest     = 8 // maximum factor on the usual length of a trajectory

	// fading is the gain of a doubling of lengths below which another doubling does not pay. While a coordinate moves
	// in proportion to length squared, the gain is 4; when trajectories reach its quarter period, it falls to 1.
	fading = 3
)

// chooseThinning chooses the number of iterations per draw from pilot runs of the sampler. If more than two are needed,
// it first doubles the length of trajectories as long as this pays: for a coordinate whose quarter period is longer
// than a trajectory, the effective size grows like the square of the length, but only linearly with the number of
// trajectories. If two iterations suffice, no coordinate is that slow: in 25 such pilots of models with one mode,
// doubling gained at most a factor of 1.3.
func (r *run) chooseThinning() error {
	o, report := r.Phase.Options, r.Report
	report.Thin = max(o.Thin, 1)
	if o.Thin == 0 && r.Phase.Blocks != nil {
		report.Thin = netwarmup.New(r.Run).Thin()
		return nil
	}
	if o.Thin > 0 || o.Warmup == 0 || r.Walkers.Traits.Flagged {
		return nil
	}
	found, err := r.pilotWithoutDivergences()
	for gain := math.Inf(1); err == nil && r.mayLengthen(found, gain); {
		var longer trialResult
		r.Length *= 2
		if longer, err = r.runTrial(usualPilot / 2); longer.Share/2 < found.Share {
			r.Length /= 2
			break
		}
		gain, found = longer.Share/found.Share, longer
	}
	few := found.Share*float64(usualPilot*o.Chains) < r.wanted()
	if err == nil && few && o.Draws > usualPilot {
		found, err = r.runTrial(longPilot)
	}
	enough := margin * adapt.GoalShare
	if len(r.Discontinuities) > 0 {
		enough *= behindJumps
	}
	report.Thin = adapt.Thin(found.Share, enough, maxThin)
	report.Divergences, report.Escapes, report.NotFinite, report.NonFiniteEnds, r.stats.Steps = 0, 0, 0, nil, 0
	return err
}

// effective returns the number of effective iterations of a pilot, over all chains.
func (r *run) effective(of trialResult) float64 {
	return of.Share * float64(of.Iterations*r.Walkers.Chains)
}

// wanted returns the number of effective iterations from which thinning can be chosen. If a pilot of usual length has
// fewer, a longer one is run.
func (r *run) wanted() float64 { return enoughSeen * float64(min(len(r.Walkers.Rungs), 4)) }

// pilotWithoutDivergences returns the result of a pilot with few divergences. If there are more, it halves the steps,
// at most twice. A divergence marks a region that needs a shorter step; if a shorter step works, users should not have
// to ask for it.
func (r *run) pilotWithoutDivergences() (found trialResult, err error) {
	const few, halvings = 0.001, 2
	for try := 0; ; try++ {
		found, err := r.runTrial(usualPilot)
		w := r.Walkers
		often := float64(found.Divergences) > few*float64(usualPilot*w.Chains)
		if err != nil || !often || try == halvings || !r.Phase.AdaptsStep() {
			return found, err
		}
		for j := range w.Rungs {
			w.Rungs[j].Step /= 2
		}
		w.WriteAllRungs()
		r.MedianStep /= 2
	}
}

// mayLengthen reports whether trajectories of twice the length are worth a pilot. They are not if the last doubling
// shows that another one gains too little.
func (r *run) mayLengthen(found trialResult, gain float64) bool {
	return !r.Phase.Unadjusted() && r.Phase.Steps == 0 && r.Length < longest &&
		found.Share < margin*adapt.GoalShare/2 && (gain > fading || r.effective(found) < enoughSeen)
}

// runTrial runs a pilot of at most a number of iterations. The share in its result is the worst one, over location and
// spread of all judged values; it is 1 if the pilot fails.
func (r *run) runTrial(most int) (found trialResult, err error) {
	r.Report.Divergences = 0
	found, err = part.Do(r.Run, &trialRun{run: r, most: most, collector: newDrawCollector(r)})
	if err != nil {
		found.Share = 1
	}
	return found, err
}

// A trialRun is a pilot: the sampler, until enough effective iterations have been seen to choose thinning. The judged
// values of all iterations are stored.
type trialRun struct {
	run       *run
	most      int // maximum number of iterations
	collector *drawCollector
	state     trialState
}

// trialResult is the result of a pilot.
type trialResult struct {
	Share       float64 // effective iterations divided by iterations
	Iterations  int
	Divergences int
}

// trialState holds the saved values seen so far, by chain and iteration.
type trialState struct {
	Iterations int
	Seen       [][][]float64
	Reference  symmetry.Reference // reference for images; empty if the target has no symmetries
}

func (p *trialRun) Begin() error {
	p.state.Seen = make([][][]float64, p.run.Walkers.Chains)
	if p.run.Phase.Images != nil {
		p.state.Reference = p.run.FirstReference()
	}
	p.takeImages()
	return nil
}

// More reports whether the pilot has seen too little.
func (p *trialRun) More() bool {
	i := p.state.Iterations
	if i >= p.most {
		return false
	}
	return i < p.least() || i%lookEvery != 0 || p.run.effective(p.result()) < p.run.wanted()
}

// least returns the number of iterations before the first look.
func (p *trialRun) least() int {
	if len(p.run.Walkers.Rungs) > 1 || len(p.run.Discontinuities) > 0 || p.run.Report.Divergences > 0 {
		return usualPilot
	}
	return shortPilot
}

func (*trialRun) Name() string { return "pilot" }
func (p *trialRun) State() any { return &p.state }

// Resumed is called after the state has been restored from a checkpoint.
func (p *trialRun) Resumed() {
	p.collector = newDrawCollector(p.run)
	p.takeImages()
}

// takeImages makes a pilot see images in one mode. Random images, as in draws, would hide how slowly the sampler moves
// within that mode.
func (p *trialRun) takeImages() {
	if r := p.run; r.Phase.Images != nil {
		p.collector.images = r.NearTo(p.state.Reference)
	}
}

func (p *trialRun) Iterate() error {
	r, c := p.run, p.collector
	if steps := r.ahead(min(p.most-p.state.Iterations, lookEvery-p.state.Iterations%lookEvery)); len(steps) > 1 {
		always := func(int) bool { return true }
		return c.moveAhead(steps, always, func(seen *population.Record) { p.see(seen.Drawn()) })
	}
	if err := c.moveAndSwap(true); err != nil {
		return err
	}
	if err := c.computeValues(adapt.AllOf(r.Walkers.Chains)); err != nil {
		return err
	}
	p.see(r.Walkers.Drawn())
	return nil
}

// see stores the judged values of every chain.
func (p *trialRun) see(now *population.Drawn) {
	w := p.run.Walkers
	lanes := make([]int, w.Chains)
	for chain := range lanes {
		lanes[chain] = w.Cold(chain)
	}
	judged := p.run.Phase.Options.Judged // the rest, such as the log density of each row, is not read
	if judged == 0 {
		judged = w.Exe.Size(dynamics.Values)
	}
	values := population.Split(make([]float64, w.Chains*judged), judged)
	now.Judged(lanes, values)
	for chain, v := range values {
		p.state.Seen[chain] = append(p.state.Seen[chain], v)
	}
	p.state.Iterations++
}

func (p *trialRun) Finish() (trialResult, error) { return p.result(), nil }

// result returns what the pilot has shown so far.
func (p *trialRun) result() trialResult {
	return trialResult{Share: adapt.WorstShare(p.state.Seen), Iterations: p.state.Iterations,
		Divergences: p.run.Report.Divergences}
}
