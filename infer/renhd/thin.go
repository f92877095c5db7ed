package renhd

import (
	"math"
	"slices"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/netwarmup"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/symmetry"
)

const (
	margin          = 2 // to the goal of thinning, since a pilot can be lucky
	maxThin         = 50
	pilotIterations = 300
	enoughSeen      = 100 // effective iterations of a pilot below which its share is a guess, and a longer one is run;
	// up to four times as many on a ladder, where moves between modes are rare
	longPilot = 4 // times as long

	// behindJumps multiplies the goal where Metropolis steps move coordinates: a place behind a jump that holds a few
	// hundredths is entered so rarely that a pilot hardly sees it.
	behindJumps = 8.0
	longest     = 8 // times the usual length of a trajectory

	// fading is what a doubling of lengths gains where the next one no longer pays: gains fall from 4, while a
	// coordinate moves like length squared, to 1, where trajectories are as long as its quarter period.
	fading = 3
)

// chooseThinning decides, from pilots of the sampler as it will run, how many iterations make a draw. Before that is
// more than two, trajectories are made twice as long as long as that pays: a coordinate too slow for a quarter period
// then moves like length squared, where repeating gains like number. Where two iterations are enough, none is so slow:
// of 25 such pilots of models with one mode none gained twofold, 1.3 times at most.
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

// shareWithoutDivergences returns the share of a pilot with few divergences: while there are more, steps are halved,
// twice at most. A divergence is a place that the step cannot follow; where a shorter one can, nobody should have to
// ask for it.
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

// mayLengthen reports whether trajectories twice as long are worth a pilot: not where the last doubling shows that
// another gains too little.
func (r *run) mayLengthen(share, gain float64) bool {
	seen := share * float64(pilotIterations*r.Phase.Options.Chains)
	return !r.Phase.Unadjusted() && r.Phase.Steps == 0 && r.Length < longest &&
		share < margin*adapt.GoalShare/2 && (gain > fading || seen < enoughSeen)
}

// runTrial gives the worst effective share of iterations, over location and spread of every judged value.
func (r *run) runTrial(iterations int) (found trialResult, err error) {
	found, err = part.Do(r.Run, &trialRun{run: r, iterations: iterations, collector: newDrawCollector(r)})
	if err != nil {
		found.Share = 1
	}
	return found, err
}

// A trialRun is the sampler for a number of iterations, whose judged values are all seen.
type trialRun struct {
	run        *run
	iterations int
	collector  *drawCollector
	state      trialState
	room       []float64 // for the values of a draw
}

// trialResult is what a pilot has found out.
type trialResult struct {
	Share       float64 // effective share of its iterations
	Divergences int
}

// trialState is what a pilot has seen so far: by chain and iteration, what is saved of a draw.
type trialState struct {
	Iterations int
	Seen       [][][]float64
	Reference  symmetry.Reference // of images; empty if the target has no symmetries
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

// Resumed implements resumed.
func (p *trialRun) Resumed() {
	p.collector = newDrawCollector(p.run)
	p.takeImages()
}

// takeImages lets a pilot see images that belong to one mode: those at random, as in draws, would hide how slow the
// sampler is in it.
func (p *trialRun) takeImages() {
	if r := p.run; r.Phase.Images != nil {
		p.collector.images = r.NearTo(p.state.Reference)
	}
}

func (p *trialRun) Iterate() error {
	r, c := p.run, p.collector
	if steps := r.ahead(p.iterations - p.state.Iterations); len(steps) > 1 {
		always := func(int) bool { return true }
		if err := c.moveAhead(steps, always, func(seen *population.Record) { p.see(seen.Drawn()) }); err != nil {
			return err
		}
		r.ShowProgress(infer.WarmingUp)
		return nil
	}
	if err := c.moveAndSwap(true); err != nil {
		return err
	}
	r.ShowProgress(infer.WarmingUp)
	if err := c.computeValues(adapt.AllOf(r.Walkers.Chains)); err != nil {
		return err
	}
	p.see(r.Walkers.Drawn())
	return nil
}

// see keeps the values of every chain that are judged.
func (p *trialRun) see(now *population.Drawn) {
	w := p.run.Walkers
	for chain := range p.state.Seen {
		values := slices.Grow(p.room[:0], w.Exe.Size(dynamics.Values))[:w.Exe.Size(dynamics.Values)]
		now.Values(w.Cold(chain), values)
		p.room = values
		if judged := p.run.Phase.Options.Judged; judged > 0 {
			values = values[:judged] // what nobody judges, such as the log density of each row, is not kept
		}
		p.state.Seen[chain] = append(p.state.Seen[chain], slices.Clone(values))
	}
	p.state.Iterations++
}

func (p *trialRun) Finish() (trialResult, error) {
	return trialResult{Share: adapt.WorstShare(p.state.Seen), Divergences: p.run.Report.Divergences}, nil
}
