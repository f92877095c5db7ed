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
	margin          = 2 // factor on the goal of thinning, since a pilot run may look better than the truth
	maxThin         = 50
	pilotIterations = 300
	// enoughSeen is the minimum number of effective iterations of a pilot; below it a longer pilot is run. On a ladder,
	// where moves between modes are rare, the minimum is up to four times as large.
	enoughSeen = 100
	longPilot  = 4 // factor on the length of the longer pilot

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
	share, err := r.shareWithoutDivergences()
	for gain := math.Inf(1); err == nil && r.mayLengthen(share, gain); {
		var longer trialResult
		r.Length *= 2
		if longer, err = r.runTrial(pilotIterations); longer.Share/2 < share {
			r.Length /= 2
			break
		}
		gain, share = longer.Share/share, longer.Share
	}
	few := share*float64(pilotIterations*o.Chains) < enoughSeen*float64(min(len(r.Walkers.Rungs), 4))
	if err == nil && few && o.Draws > pilotIterations {
		var long trialResult
		long, err = r.runTrial(longPilot * pilotIterations)
		share = long.Share
	}
	enough := margin * adapt.GoalShare
	if len(r.Discontinuities) > 0 {
		enough *= behindJumps
	}
	report.Thin = adapt.Thin(share, enough, maxThin)
	report.Divergences, report.Escapes, report.NotFinite, report.NonFiniteEnds, r.stats.Steps = 0, 0, 0, nil, 0
	return err
}

// shareWithoutDivergences returns the effective share of a pilot with few divergences. If there are more, it halves the
// steps, at most twice. A divergence marks a region that needs a shorter step; if a shorter step works, users should
// not have to ask for it.
func (r *run) shareWithoutDivergences() (share float64, err error) {
	const few, halvings = 0.001, 2
	for try := 0; ; try++ {
		r.Report.Divergences = 0
		found, err := r.runTrial(pilotIterations)
		w, share := r.Walkers, found.Share
		often := float64(found.Divergences) > few*float64(pilotIterations*w.Chains)
		if err != nil || !often || try == halvings || !r.Phase.AdaptsStep() {
			return share, err
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
func (r *run) mayLengthen(share, gain float64) bool {
	seen := share * float64(pilotIterations*r.Phase.Options.Chains)
	return !r.Phase.Unadjusted() && r.Phase.Steps == 0 && r.Length < longest &&
		share < margin*adapt.GoalShare/2 && (gain > fading || seen < enoughSeen)
}

// runTrial runs a pilot. The share in its result is the worst one, over location and spread of all judged values; it is
// 1 if the pilot fails.
func (r *run) runTrial(iterations int) (found trialResult, err error) {
	found, err = part.Do(r.Run, &trialRun{run: r, iterations: iterations, collector: newDrawCollector(r)})
	if err != nil {
		found.Share = 1
	}
	return found, err
}

// A trialRun is a pilot: the sampler for a fixed number of iterations, all of whose judged values are stored.
type trialRun struct {
	run        *run
	iterations int
	collector  *drawCollector
	state      trialState
}

// trialResult is the result of a pilot.
type trialResult struct {
	Share       float64 // effective iterations divided by iterations
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

func (p *trialRun) More() bool { return p.state.Iterations < p.iterations }
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
	if steps := r.ahead(p.iterations - p.state.Iterations); len(steps) > 1 {
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

func (p *trialRun) Finish() (trialResult, error) {
	return trialResult{Share: adapt.WorstShare(p.state.Seen, p.run.Phase.Options.Threads),
		Divergences: p.run.Report.Divergences}, nil
}
