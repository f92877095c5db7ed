package warmup

import (
	"math"

	"ppl/infer/adapt"
	"ppl/infer/renhd/part"
)

// An approach is the part of warm-up that moves walkers from starting points in regions of negligible density.
// Metropolis-corrected trajectories get stuck there or diverge, since the potential energy turns into speed.
type approach struct {
	run   *Warmup
	state ApproachState
}

// ApproachState is the state of an approach.
type ApproachState struct {
	Climbs []adapt.Approach // climb of each lane
	Rounds int
}

const (
	// A walker is out of reach if its log density is below minus outOfReach times the sum of the best walker's absolute
	// value and the dimension, or below −farthest. Starting points on a parabola differ by less.
	outOfReach = 1e4
	farthest   = 1e9
	mostRounds = 500
)

// approachTarget climbs from starting points that are out of reach.
func (r *Warmup) approachTarget() error {
	s := &r.Phase
	if s.Unadjusted() || s.Settings().Noise > 0 || s.Batches.InUse() {
		return nil
	}
	_, err := part.Do(r.Run, &approach{run: r})
	return err
}

func (t *approach) Begin() error {
	density := t.run.Walkers.LogDensities()
	for lane, x := range t.run.Walkers.Positions() {
		t.state.Climbs = append(t.state.Climbs, adapt.NewApproach(x, density[lane]))
	}
	return nil
}

func (*approach) Name() string { return "approach" }
func (t *approach) State() any { return &t.state }
func (t *approach) More() bool { return t.state.Rounds < mostRounds && len(t.outOfReach()) > 0 }

// outOfReach returns the walkers that need to climb.
func (t *approach) outOfReach() (lanes []int) {
	highest := math.Inf(-1)
	for _, c := range t.state.Climbs {
		highest = math.Max(highest, c.Density)
	}
	limit := math.Min(farthest, outOfReach*(math.Abs(highest)+float64(t.run.Walkers.Dim)))
	for lane, c := range t.state.Climbs {
		if !c.Done && c.Density < -limit {
			lanes = append(lanes, lane)
		}
	}
	return lanes
}

// Iterate moves every walker that is out of reach by one step.
func (t *approach) Iterate() error {
	lanes := t.outOfReach()
	at := make([][]float64, len(lanes))
	for i, lane := range lanes {
		at[i] = t.state.Climbs[lane].Next()
	}
	density, gradient, err := t.run.Evaluate(at, true)
	if err != nil {
		return err
	}
	for i, lane := range lanes {
		t.state.Climbs[lane].Report(density[i], gradient[i])
	}
	t.state.Rounds++
	return nil
}

// Finish places the walkers at their last positions.
func (t *approach) Finish() (struct{}, error) {
	if t.state.Rounds == 0 {
		return struct{}{}, nil
	}
	at := make([][]float64, len(t.state.Climbs))
	for lane, c := range t.state.Climbs {
		at[lane] = c.At
	}
	_, err := t.run.Walkers.Place(t.run.Ctx, at)
	return struct{}{}, err
}
