package netwarmup

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
	"ppl/lang/types"
)

// Constants for settling.
const (
	networkFriction = 0.1  // c; momenta are forgotten in ten steps
	hottestExcess   = 0.1  // heat of gradient noise divided by heat of friction, in the block with most noise
	networkProbes   = 100  // number of batches used to measure the noise
	longestSettled  = 0.15 // maximum step; the theory of the friction does not hold for longer steps
	settlingSweeps  = 8    // number of trajectories between checks of the temperatures; the second half counts
	settledExcess   = 0.02 // allowed difference of a temperature from 1, in addition to its standard error
	mostHalvings    = 5
)

// blockNoise describes the variance of gradients in a block: the mean and maximum over its coordinates of the variance
// between batches.
type blockNoise struct{ Mean, Worst float64 }

// noiseOfBlocks is the part of warm-up that measures the noise of gradients, and sets metric and step from it.
//
// Let V be the variance of a coordinate of the whitened gradient, c the friction and h the step. Noise adds h²V to p²
// at each step, and friction adds 2c. The mass of a block is proportional to the standard deviation σ of its gradient:
// a compromise between one mass for all blocks (the last layer gets hot) and equal noise (it gets slow). A coordinate
// with more noise than the mean of its block gets enough mass to be no hotter than the block. The step is chosen so
// that h²V/2c is hottestExcess in the block with most noise.
type noiseOfBlocks struct {
	run           *Warmup
	first, second []float64 // buffers for the gradients of a pair of batches
	state         noiseState
}

// noiseState sums half the squared differences of the gradients of two batches, by coordinate, over pairs and lanes.
// The mean gradients of lanes differ, so the variance of all gradients would need separate sums for each lane.
type noiseState struct {
	Pairs   int
	Squares []float64
}

func (t *noiseOfBlocks) Begin() error {
	t.state = noiseState{Squares: make([]float64, t.run.Walkers.Dim)}
	return nil
}

func (t *noiseOfBlocks) More() bool { return t.state.Pairs < networkProbes/2 }
func (*noiseOfBlocks) Name() string { return "noise of gradients" }
func (t *noiseOfBlocks) State() any { return &t.state }

// Iterate compares two batches: on average, half the squared difference of their gradients is the variance.
func (t *noiseOfBlocks) Iterate() error {
	w, s := t.run.Walkers, &t.state
	for _, room := range []*[]float64{&t.first, &t.second} {
		if err := w.RunEntry(t.run.Ctx, dynamics.NoisyGrad, nil); err != nil {
			return err
		}
		*room = w.Read(dynamics.NoisyGrad, *room)
	}
	w.Gradients += int64(2 * w.Lanes())
	for i, g := range t.second {
		d := g - t.first[i]
		s.Squares[i%w.Dim] += d * d / 2
	}
	s.Pairs++
	return nil
}

func (t *noiseOfBlocks) Finish() (struct{}, error) {
	r := t.run
	w, s := r.Walkers, &r.Phase
	variances := t.variances()
	noise, g := blockNoises(variances, s.Blocks), &w.Rungs[0]
	hottest := 0.0
	for _, b := range noise {
		hottest = math.Max(hottest, b.Mean)
	}
	if hottest == 0 || math.IsNaN(hottest) || math.IsInf(hottest, 0) {
		return struct{}{}, fmt.Errorf("the gradients of %d minibatches have a variance of %g, which gives no step "+
			"size; check the data", networkProbes, hottest)
	}
	g.Metric, g.Noise, g.WorstNoise = adapt.Diagonal(w.Dim), 0, 0
	for k, b := range s.Blocks {
		scaleBlock(g.Metric.Scale[b.First:b.First+b.Size], variances[b.First:b.First+b.Size], noise[k].Mean, hottest)
	}
	for i, v := range variances {
		v *= g.Metric.Scale[i] * g.Metric.Scale[i]
		g.Noise, g.WorstNoise = g.Noise+v/float64(w.Dim), math.Max(g.WorstNoise, v)
	}
	g.Friction = networkFriction
	if c := s.Settings().Friction; c > 0 {
		g.Friction = c
	}
	g.Step = s.StepSize
	if g.Step == 0 {
		g.Step = math.Min(math.Sqrt(2*g.Friction*hottestExcess), longestSettled)
	}
	w.WriteAllRungs()
	r.noteNoise(noise)
	return struct{}{}, nil
}

// scaleBlock sets the scales of a block from the variances of its gradients, their mean, and the mean of the hottest
// block. A block without noise, such as units that are never active, is treated as having a tiny share of that noise.
func scaleBlock(scale, variances []float64, mean, hottest float64) {
	mean = math.Max(mean, 1e-6*hottest)
	for i, v := range variances {
		scale[i] = 1 / math.Sqrt(math.Sqrt(hottest*mean)*math.Max(1, v/mean))
	}
}

// variances returns the variance of each coordinate of a batch's gradient.
func (t *noiseOfBlocks) variances() []float64 {
	out := slices.Clone(t.state.Squares)
	floats.Scale(1/float64(t.state.Pairs*t.run.Walkers.Lanes()), out)
	return out
}

func blockNoises(variances []float64, blocks []types.Block) []blockNoise {
	out := make([]blockNoise, len(blocks))
	for k, b := range blocks {
		of := variances[b.First : b.First+b.Size]
		out[k] = blockNoise{Mean: floats.Sum(of) / float64(b.Size), Worst: floats.Max(of)}
	}
	return out
}

// noteNoise adds a note on how the noise of gradients differs between blocks.
func (r *Warmup) noteNoise(noise []blockNoise) {
	b := r.Phase.Batches
	perRow := float64(b.Size) / (float64(b.Rows) * float64(b.Rows))
	var parts []string
	for k, block := range r.Phase.Blocks {
		parts = append(parts, fmt.Sprintf("%s %.2g (largest %.2g)", block.Parameter, perRow*noise[k].Mean,
			perRow*noise[k].Worst))
	}
	r.Notef("variance of the gradient of one row, by block: %s", strings.Join(parts, "; "))
}

// settling is the part of warm-up that runs the sampler until its thermostats have settled, and checks the kinetic
// temperature of each block. If one is not 1, the step is halved.
type settling struct {
	run   *Warmup
	state settlingState
}

// A settlingResult reports whether the kinetic temperatures of all blocks are 1.
type settlingResult struct{ Settled bool }

// settlingState sums p²/d by block, over lanes and the trajectories of the second half.
type settlingState struct {
	Sweeps, Counted int
	Sums            []float64
	Lost            bool // whether a walker became non-finite
}

func (t *settling) Begin() error {
	t.state.Sums = make([]float64, len(t.run.Phase.Blocks))
	return nil
}

func (t *settling) More() bool { return t.state.Sweeps < settlingSweeps && !t.state.Lost }
func (*settling) Name() string { return "settling" }
func (t *settling) State() any { return &t.state }

func (t *settling) Iterate() error {
	r, s := t.run, &t.state
	if err := r.Walkers.Trajectory(r.Ctx, r.Steps(population.MaxSteps)); err != nil {
		return err
	}
	r.Iterations++
	s.Sweeps++
	for _, finite := range r.Walkers.View(dynamics.Finite) {
		s.Lost = s.Lost || finite == 0
	}
	if s.Sweeps > settlingSweeps/2 && t.showsHeat() {
		t.count()
	}
	r.Recorder.Progress(infer.Progress{Phase: infer.WarmingUp, Done: s.Sweeps, Total: settlingSweeps})
	return nil
}

// showsHeat reports whether the momenta have the temperature of the positions. Rules without friction have no momenta.
// With rules that flag draws, momenta have other temperatures in trajectories that do not count.
func (t *settling) showsHeat() bool {
	traits := t.run.Phase.Rule.Traits()
	return traits.Friction && !traits.Flagged
}

func (t *settling) count() {
	w, s := t.run.Walkers, &t.state
	p := w.View(dynamics.Momentum)
	for k, b := range t.run.Phase.Blocks {
		for lane := range w.Lanes() {
			for _, v := range p[lane*w.Dim+b.First : lane*w.Dim+b.First+b.Size] {
				s.Sums[k] += v * v / float64(b.Size*w.Lanes())
			}
		}
	}
	s.Counted++
}

// Finish halves the step if a block is not in equilibrium. Then it also resets momenta and thermostats.
func (t *settling) Finish() (found settlingResult, err error) {
	r := t.run
	w := r.Walkers
	found.Settled = !t.state.Lost && t.atOne()
	if found.Settled || r.Phase.StepSize > 0 {
		found.Settled = true
		return found, nil
	}
	w.Rungs[0].Step /= 2
	w.WriteAllRungs()
	_, err = w.Place(r.Ctx, w.Positions())
	return found, err
}

// atOne reports whether the kinetic temperatures of all blocks are 1. The mean square of n independent momenta has a
// standard error of √(2/n).
func (t *settling) atOne() bool {
	s := &t.state
	if !t.showsHeat() {
		return true
	}
	for k, b := range t.run.Phase.Blocks {
		se := math.Sqrt(2 / float64(b.Size*t.run.Walkers.Lanes()*s.Counted))
		if math.Abs(s.Sums[k]/float64(s.Counted)-1) > settledExcess+4*se {
			return false
		}
	}
	return true
}
