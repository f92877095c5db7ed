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

// With batch = auto, warm-up chooses the rows of a minibatch. It measures the noise of gradients in batches of
// leastBatch, with control variates where they pay; noise falls as one over the rows of a batch. What a step costs is
// counted as arithmetic, so that the choice does not depend on the clock of a machine:
//
//	rows   variance   steps for a draw · work of a step
//	  64       .40          55   ·  17,000                  935,000
//	 256       .10          40   ·  60,000                2,400,000     → 64, unless all rows cost less
//
// Where all rows cost less, the run begins again with all of them. The first batch is the least, which regressions
// keep: a program for another one takes a second copy of all rows in random order.

// How work compares, measured once: a row of a batch takes longer than one of a product with all rows; in batches of
// its own, a walker's rows are gathered element by element; and for an effective draw walkers take fewer steps of
// corrected trajectories than gradients of minibatches, at a pace of 1.
const (
	sharedRows    = 1.5
	ownRows       = 5.0
	stepsForDraw  = 5.3 // times 1/pace, in minibatches
	exactGradient = 8.0 // for an effective draw, in up to fewExact dimensions
	fewExact      = 32.0
)

// A batchChoice is the part of warm-up that chooses the batch.
type batchChoice struct{ run *Subsampling }

// batchResult is the number of rows that were chosen.
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

// inBatches returns a noise that was measured in batches of leastBatch, in batches of m rows.
func inBatches(n population.NoiseLevel, m int) population.NoiseLevel {
	n.Mean *= population.LeastBatch / float64(m)
	n.Worst *= population.LeastBatch / float64(m)
	return n
}

// A stepCost is the arithmetic of a step in minibatches, and that of an effective draw with all rows; 0 if these do
// not fit into memory.
type stepCost struct{ fixed, row, exact float64 }

func (c stepCost) of(rows int) float64 { return c.fixed + c.row*float64(rows) }

// workOfSteps counts the arithmetic of programs as they would be.
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

// stepWork returns the arithmetic of a step in batches of some rows; 0: all.
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

// ChooseBatch gives walkers that began in batches of leastBatch the rows that pay best, where that is asked for.
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
