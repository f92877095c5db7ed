package subsampling

import (
	"cmp"
	"math"
	"slices"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/runtime/device"
)

// A leverage is the part of warm-up that finds rows of high leverage: rows whose terms differ most from their
// first-order approximation about the anchor, at the walkers' positions. A block that contains one of them
// overestimates, and all others underestimate, which causes most of the noise. If a few rows cause most of it, they are
// put in every batch (dynamics.Batches). With r for the residual of a row, the difference between its term and the
// approximation:
//
//	share of Σ r²   .3 .2 .2 .1 .1 .05   .000002 .000002 …   the first six are chosen
//	share of Σ r²   .0004 .0004 .0003 …                      none is
//
// One pass over all rows, in the order of the data, finds them with the entry Residuals. If a run has several ranks,
// each reads one of the next parts of the rows, and they exchange the largest residuals.
type leverage struct {
	run   *Subsampling
	state leverageState
}

// leverageResult holds the rows that should be in every batch, in ascending order.
type leverageResult struct{ Rows []float64 }

// leverageState holds the residuals of the parts so far.
type leverageState struct {
	Part int // number of the next part of the rows
	residuals
}

// residuals holds the sum of the residuals of some rows, and the largest of them.
type residuals struct {
	Sum   float64
	Worst []residual // in descending order
}

// A residual is the squared difference between a row's term and its first-order approximation, summed over walkers.
type residual struct{ Row, Square float64 }

func (*leverage) Name() string { return "leverage" }
func (t *leverage) State() any { return &t.state }
func (*leverage) Begin() error { return nil }
func (t *leverage) More() bool { return t.state.Part < t.run.Phase.Batches.Passes() }

// Share returns the share of the rows that were read.
func (t *leverage) Share() float64 {
	return float64(t.state.Part) / float64(t.run.Phase.Batches.Passes())
}

// mostAlways returns the maximum number of rows in every batch, an eighth of a batch.
func (t *leverage) mostAlways() int { return t.run.Phase.Batches.Size / 8 }

// Iterate reads a part of the rows on each rank, the same for all walkers. It does not advance the noise step, so later
// batches are the same as without this part of warm-up.
func (t *leverage) Iterate() error {
	s, most := &t.state, t.mostAlways()
	team := device.TeamOf(t.run.controls.Exe)
	rank, size := team.Member()
	// A rank for which no part is left reads the last one, since all ranks must make the same calls of the device.
	mine, err := t.read(min(s.Part+rank, t.run.Phase.Batches.Passes()-1))
	if err != nil {
		return err
	}
	all, err := team.Exchange(mine.numbers(most))
	if err != nil {
		return err
	}
	for each := range slices.Chunk(all, len(all)/size) {
		if t.More() {
			s.add(residualsOf(each), most)
			s.Part++
		}
	}
	return nil
}

// read returns the residuals of a part of the rows, without those that are not among the largest of earlier parts.
func (t *leverage) read(part int) (found residuals, err error) {
	r := t.run
	w, b := r.controls, &r.Phase.Batches
	w.GiveAll(dynamics.Part, float64(part))
	if err := w.runAside(r.Ctx, dynamics.Residuals, nil); err != nil {
		return found, err
	}
	start, from, end := b.InPass(part)
	all, squares := w.Read(dynamics.Residuals, nil), make([]float64, end-from)
	for lane := range w.Lanes() {
		for i, beyond := range all[lane*b.Pass+from : lane*b.Pass+end] {
			squares[i] += beyond * beyond
		}
	}
	return t.state.beyond(start+from, squares, t.mostAlways()), nil
}

// beyond returns the sum of the residuals of neighbouring rows, the first of which is given, and those of the n largest
// that may be among the n largest of all.
func (s *residuals) beyond(first int, squares []float64, n int) (found residuals) {
	least := s.least(n)
	for i, square := range squares {
		if math.IsNaN(square) || math.IsInf(square, 0) {
			continue
		}
		found.Sum += square
		if square > least {
			found.Worst = append(found.Worst, residual{float64(first + i), square})
		}
	}
	found.keep(n)
	return found
}

// add adds the residuals of other rows, and keeps the n largest.
func (s *residuals) add(others residuals, n int) {
	s.Sum += others.Sum
	s.Worst = append(s.Worst, others.Worst...)
	s.keep(n)
}

// numbers returns the residuals as numbers that residualsOf reads, as many for any n residuals at most.
func (s *residuals) numbers(n int) []float64 {
	out := append(make([]float64, 0, 2+2*n), s.Sum, float64(len(s.Worst)))
	for _, x := range s.Worst {
		out = append(out, x.Row, x.Square)
	}
	return out[:2+2*n]
}

func residualsOf(numbers []float64) residuals {
	s := residuals{Sum: numbers[0]}
	for pair := range slices.Chunk(numbers[2:2+2*int(numbers[1])], 2) {
		s.Worst = append(s.Worst, residual{pair[0], pair[1]})
	}
	return s
}

// least returns the number that a residual must exceed to be among the n largest so far.
func (s *residuals) least(n int) float64 {
	switch {
	case n == 0:
		return math.Inf(1)
	case len(s.Worst) < n:
		return math.Inf(-1)
	}
	return s.Worst[n-1].Square
}

// keep keeps the n largest residuals.
func (s *residuals) keep(n int) {
	slices.SortFunc(s.Worst, func(a, b residual) int {
		return cmp.Or(-cmp.Compare(a.Square, b.Square), cmp.Compare(a.Row, b.Row))
	})
	s.Worst = slices.Clone(s.Worst[:min(n, len(s.Worst))])
}

func (t *leverage) Finish() (found leverageResult, err error) {
	r := t.run
	r.controls.NumberLanes()
	g, batch, all := r.controls.Rungs[0], float64(r.Phase.Batches.Size), t.noise()
	found.Rows = t.state.worthReading(func(rows int, rest float64) float64 {
		level := population.NoiseLevel{Mean: all.Mean * rest, Worst: all.Worst * rest}
		return r.Phase.Pace(g, level) / (batch + float64(rows))
	})
	return found, nil
}

// noise returns the noise level of gradients with control variates over all blocks, since the measured blocks may not
// contain the few rows of high leverage. A row with curvature h in one direction has the residual hz²/2 and the
// gradient hz, where z is the distance from the anchor, about 1 on average.
func (t *leverage) noise() population.NoiseLevel {
	w := t.run.controls
	level := w.Rungs[0].Noises.Anchored
	level.Worst = math.Max(level.Worst, 4*float64(w.Batches.Blocks())*t.state.Sum/float64(w.Lanes()))
	level.Mean = math.Max(level.Mean, level.Worst/float64(w.Dim))
	return level
}

// gainOfAlways is the minimum ratio of paces per row with and without rows in every batch.
const gainOfAlways = 1.25

// worthReading returns the rows that maximise the pace per row read, if the gain is notable. pace returns it for a
// number of rows in every batch and the share of noise that remains.
func (s *residuals) worthReading(pace func(rows int, rest float64) float64) []float64 {
	var all, best []float64
	rest, least := s.Sum, gainOfAlways*pace(0, 1)
	for _, x := range s.Worst {
		all, rest = append(all, x.Row), math.Max(rest-x.Square, 0)
		if p := pace(len(all), rest/s.Sum); p > least {
			best, least = slices.Clone(all), p
		}
	}
	slices.Sort(best)
	return best
}

// takeAlways adds the rows of high leverage to every batch, if there are any, and decides whether gradients have
// control variates. Explorers that did not see these rows have learned a metric that is too wide. So if curvatures are
// unknown, they are computed first, and the climb continues in their metric.
func (r *Subsampling) takeAlways(curved, anchored bool) (bool, error) {
	found, err := part.Do(r.Run, &leverage{run: r})
	if err != nil || len(found.Rows) == 0 {
		return anchored, err
	}
	if !curved && r.controls.Dim <= mostCurved {
		if arrived, err := r.arriveAtMode(); err != nil || !arrived {
			return false, err
		}
		if found, err = part.Do(r.Run, &leverage{run: r}); err != nil {
			return false, err
		}
	}
	if err := r.readAlways(found.Rows); err != nil {
		return false, err
	}
	judged, err := part.Do(r.Run, &judgement{run: r})
	return judged.Anchored, err
}

// arriveAtMode computes the curvature at an anchor. If the anchor is not at the mode, it continues the climb in the
// resulting metric.
func (r *Subsampling) arriveAtMode() (arrived bool, err error) {
	const most = 3
	for range most {
		curved, err := part.Do(r.Run, &curvature{run: r})
		if err != nil || !curved.Unfinished {
			return curved.Anchors > 0, err
		}
		on := &anchorSearch{run: r, starts: r.controls.nearestAnchors, climbs: true, judge: r.judgeAnchors}
		if _, err := part.Do(r.Run, on); err != nil {
			return false, err
		}
	}
	r.Notef("minibatches have no control variates: climbs did not reach the mode")
	return false, nil
}

// readAlways changes the program to one that reads these rows at every step.
func (r *Subsampling) readAlways(rows []float64) error {
	if len(rows) == 0 {
		return nil
	}
	r.Phase, r.Always = r.Phase.WithAlways(rows), rows
	if err := r.ChangeProgram(r.controls.Positions()); err != nil {
		return err
	}
	r.Notef("%d rows are in every minibatch, since they cause much of the noise that remains with control variates",
		len(rows))
	return nil
}

// A judgement is the part of warm-up that decides, after batches have changed, whether gradients have control variates.
type judgement struct{ run *Subsampling }

func (*judgement) Begin() error   { return nil }
func (*judgement) More() bool     { return false }
func (*judgement) Iterate() error { return nil }
func (*judgement) Name() string   { return "judgement" }
func (*judgement) State() any     { return new(struct{}) }

// judgementResult is the decision.
type judgementResult struct{ Anchored bool }

func (t *judgement) Finish() (found judgementResult, err error) {
	if err = t.run.MeasureNoise(); err == nil {
		found.Anchored = t.run.anchorsPay(t.run.controls.Rungs[0].Noises)
	}
	return found, err
}
