package subsampling

import (
	"fmt"
	"math"

	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
)

// With batch = auto, warm-up chooses the size of minibatches. It measures the noise of gradients in batches of
// LeastBatch rows, with control variates if they help; the variance is inversely proportional to the size. The cost of
// a step is counted in arithmetic operations, so that the choice does not depend on the speed of a machine:
//
//	rows   variance   steps for a draw · operations of a step
//	  64        .40         55 · 17,000         935,000
//	 256        .10         40 · 60,000       2,400,000    → 64, unless all rows cost less
//
// If all rows cost less, the run begins again with all of them. The first size is the smallest, which regressions
// usually keep: a program for another size needs a second copy of all rows in random order.

// Relative costs, measured once: a row of a batch costs more than a row of a product with all rows (sharedRows); in
// separate batches, a walker's rows are copied element by element (ownRows). An effective draw takes stepsForDraw/pace
// gradients of minibatches, but fewer exact gradients of corrected trajectories (exactGradient).
const (
	sharedRows    = 1.5
	ownRows       = 5.0
	stepsForDraw  = 5.3 // gradients of minibatches for an effective draw, divided by the pace
	exactGradient = 8.0 // exact gradients for an effective draw, in up to fewExact dimensions
	fewExact      = 32.0
)

// A batchChoice is the part of warm-up that chooses the size of minibatches.
type batchChoice struct{ run *Subsampling }

// batchResult is the chosen number of rows.
type batchResult struct{ Rows int }

func (*batchChoice) Begin() error   { return nil }
func (*batchChoice) More() bool     { return false }
func (*batchChoice) Iterate() error { return nil }
func (*batchChoice) Name() string   { return "batch" }
func (*batchChoice) State() any     { return new(struct{}) }

func (t *batchChoice) Finish() (found batchResult, err error) {
	r := t.run
	cost, err := workOfSteps(&r.Phase)
	if err != nil {
		return found, err
	}
	at, least := r.Rungs[0], math.Inf(1)
	for m := population.LeastBatch; m <= r.Phase.Batches.Rows/2; m *= 2 {
		if c := cost.of(m) * stepsForDraw / r.Phase.Pace(at, inBatches(at.Noises.Used(), m)); c < least {
			found.Rows, least = m, c
		}
	}
	if cost.exact > 0 && cost.exact <= least {
		return found, population.UseAllRows{Reason: fmt.Sprintf("batch = auto: all rows are used, because they take "+
			"%.2g times the arithmetic of minibatches for a draw", cost.exact/least)}
	}
	if cost.exact > 0 {
		r.Notef("batch = auto: minibatches of %d rows take %.2g times the arithmetic of all rows for a draw",
			found.Rows, least/cost.exact)
	}
	return found, nil
}

// inBatches converts a noise level measured in batches of LeastBatch rows to batches of m rows.
func inBatches(n population.NoiseLevel, m int) population.NoiseLevel {
	n.Mean *= population.LeastBatch / float64(m)
	n.Worst *= population.LeastBatch / float64(m)
	return n
}

// A stepCost holds the number of operations of a step in minibatches, fixed and for each row, and that of an effective
// draw with all rows, or 0 if these do not fit into memory.
type stepCost struct{ fixed, row, exact float64 }

func (c stepCost) of(rows int) float64 { return c.fixed + c.row*float64(rows) }

// workOfSteps counts the operations of the programs that would be compiled.
func workOfSteps(s *population.Phase) (c stepCost, err error) {
	one, err := stepWork(s, s.Rule, s.Batches.Size)
	if err != nil {
		return c, err
	}
	two, err := stepWork(s, s.Rule, 2*s.Batches.Size)
	if err != nil {
		return c, err
	}
	c.row = (two - one) / float64(s.Batches.Size)
	c.fixed = one - c.row*float64(s.Batches.Size)
	if s.System.Batches.Anchored {
		c.row *= sharedRows
	} else {
		c.row *= ownRows
	}
	if _, streamed := infer.Streaming(s.Target); streamed {
		return c, nil
	}
	whole, err := stepWork(s, dynamics.Named("hmc"), 0)
	c.exact = whole * exactGradient * math.Pow(math.Max(float64(s.Target.Dim())/fewExact, 1), .25)
	return c, err
}

// stepWork returns the number of operations of a step with batches of some rows; 0 means all rows.
func stepWork(s *population.Phase, rule dynamics.Rule, rows int) (float64, error) {
	system := s.System
	system.Batches.Size = rows
	if rows == 0 {
		system.Batches = dynamics.Batches{}
	}
	for _, e := range rule.Entries(system) {
		if e.Name == "step" {
			p, err := lower.Program([]lower.Entry{e})
			if err != nil {
				return 0, err
			}
			return p.Work(e.Name), nil
		}
	}
	panic("internal error: a program without steps")
}

// ChooseBatch changes the size of minibatches to the one with the lowest cost, if batch = auto.
func (r *Subsampling) ChooseBatch() error {
	if !r.Phase.Auto {
		return nil
	}
	found, err := part.Do(r.Run, &batchChoice{run: r})
	if err != nil || found.Rows == r.Phase.Batches.Size {
		return err
	}
	r.Phase = r.Phase.InBatches(found.Rows)
	r.Batch = found.Rows
	if err := r.ChangeProgram(r.controls.Positions()); err != nil {
		return err
	}
	return r.MeasureNoise()
}
