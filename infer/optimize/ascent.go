package optimize

import (
	"math"
	"slices"
	"time"

	"ppl/infer"
	"ppl/runtime/device"
)

// An ascent moves all starts at once by a first-order method, each with its own rate. The device makes many steps in a
// call; the host evaluates held-out rows, saves checkpoints and shows progress in between. The result of each start is
// its best point. With early stopping this is the point with the best predictions of held-out rows. Without, it is the
// last point if densities do not show which point is better (endsAtLast), else the point of greatest density.
type ascent struct {
	*problem
	state ascentState
	chunk int // number of steps of the next call
}

// An ascentState is the state of an ascent.
type ascentState struct {
	Iteration int
	Climbers  []*climber
	Gradients int64
}

// A climber is one start.
type climber struct {
	Lane    map[string][]float64 // its lane's buffers, by name; they are read when a checkpoint is saved and at the end
	HeldOut heldOutBest
}

// A heldOutBest describes, with early stopping, the point that predicts the held-out rows best so far. The point itself
// is in buffer best.
type heldOutBest struct {
	Score float64 // mean log ℓ of a held-out row
	Moves int     // number of steps up to the point
	Lost  int     // number of evaluations since
	Done  bool    // whether the climber has stopped
}

// ascend runs a first-order method from the latest checkpoint, or from the starting points if there is none.
func (p *problem) ascend() ([]End, error) {
	a := &ascent{problem: p, chunk: 1}
	if err := a.begin(); err != nil {
		return nil, err
	}
	s, o := &a.state, p.options
	for s.Iteration < o.Iterations && slices.ContainsFunc(s.Climbers, (*climber).climbs) {
		if err := a.advance(); err != nil {
			return nil, firstError(a.saveInterrupted(), err)
		}
		if err := a.saveIfDue(); err != nil {
			return nil, err
		}
	}
	return a.ends()
}

func (c *climber) climbs() bool { return !c.HeldOut.Done }

func firstError(errs ...error) error {
	return errs[max(0, slices.IndexFunc(errs, func(err error) bool { return err != nil }))]
}

func (a *ascent) begin() error {
	found, err := infer.LoadCheckpoint(a.options.Checkpoints, &a.state)
	if err != nil {
		return err
	}
	if !found {
		starts, err := a.starts(a.options)
		if err != nil {
			return err
		}
		for _, x := range starts {
			a.state.Climbers = append(a.state.Climbers, &climber{Lane: a.newLane(x),
				HeldOut: heldOutBest{Score: math.Inf(-1)}})
		}
	} else {
		a.gradients = a.state.Gradients
	}
	a.setClock(a.state.Iteration)
	for lane, c := range a.state.Climbers {
		a.writeLane(lane, c.Lane)
	}
	return nil
}

// advance makes the next steps of all climbers. If held-out rows are evaluated after each epoch, steps end there.
func (a *ascent) advance() error {
	s, o := &a.state, a.options
	n := min(a.chunk, o.Iterations-s.Iteration)
	if o.StopAfter > 0 {
		n = min(n, a.epoch()-s.Iteration%a.epoch())
	}
	if err := a.takeSteps(n); err != nil {
		return err
	}
	s.Iteration += n
	var err error
	if o.StopAfter > 0 && (s.Iteration%a.epoch() == 0 || s.Iteration == o.Iterations) {
		err = a.scoreHeldOut()
	}
	a.show()
	return err
}

// Calls of the device take about callTime, so that a search can be interrupted and shows progress; but they make at
// most longestCall steps.
const (
	callTime    = 100 * time.Millisecond
	longestCall = 1024
)

// takeSteps makes n steps of the climbers that have not stopped.
func (a *ascent) takeSteps(n int) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	mask := make([]bool, a.lanes)
	for lane, c := range a.state.Climbers {
		if c.climbs() {
			mask[lane] = true
			a.gradients += int64(n)
		}
	}
	step := []device.Call{{Entry: a.entry(), Times: 1}, {Entry: move, Times: 1}}
	begin := time.Now()
	next, err := a.exe.Run(slices.Repeat(step, n), a.clock, mask)
	a.clock = next
	switch took := time.Since(begin); {
	case took < callTime/2:
		a.chunk = min(2*a.chunk, longestCall)
	case took > 2*callTime:
		a.chunk = max(a.chunk/2, 1)
	}
	return err
}

// scoreHeldOut evaluates the held-out rows, and stops climbers whose predictions of them have not improved for too
// long.
func (a *ascent) scoreHeldOut() error {
	var at [][]float64
	for lane := range a.state.Climbers {
		at = append(at, a.lane(theta, lane))
	}
	scores, err := a.heldOutScores(at)
	if err != nil {
		return err
	}
	for lane, c := range a.state.Climbers {
		switch h := &c.HeldOut; {
		case h.Done:
		case scores[lane] > h.Score:
			*h = heldOutBest{Score: scores[lane], Moves: int(a.lane(moves, lane)[0])}
			a.exe.SetLane(best, lane, at[lane])
		default:
			h.Lost++
			h.Done = h.Lost >= a.options.StopAfter
		}
	}
	return nil
}

// ends returns the best points with their densities, computed from all data.
func (a *ascent) ends() ([]End, error) {
	a.readLanes()
	var at [][]float64
	for _, c := range a.state.Climbers {
		at = append(at, c.Lane[best])
	}
	here, err := a.evaluate(at)
	var ends []End
	for k := range here {
		e := End{Theta: at[k], LogDensity: here[k].total(), Iterations: a.state.Iteration}
		if c := a.state.Climbers[k]; a.options.StopAfter > 0 {
			e.Iterations, e.HeldOut, e.BestAt = int(c.Lane[moves][0]), c.HeldOut.Score, c.HeldOut.Moves
		}
		ends = append(ends, e)
	}
	return ends, err
}

// readLanes reads the state of all climbers from the device.
func (a *ascent) readLanes() {
	for lane, c := range a.state.Climbers {
		a.readLane(lane, c.Lane)
	}
}

func (a *ascent) show() {
	if a.options.Progress == nil {
		return
	}
	s := &a.state
	p := infer.Progress{Phase: infer.Optimising, Done: s.Iteration, Total: a.options.Iterations,
		Steps: int64(s.Iteration)}
	if n := float64(a.rows); n > 0 {
		p.Epoch = float64(s.Iteration) / float64(a.epoch())
		starts := float64(len(s.Climbers))
		for lane, c := range s.Climbers {
			p.Learned += a.lane(density, lane)[1] / n / starts
			if a.options.StopAfter > 0 && !math.IsInf(c.HeldOut.Score, 0) {
				p.HeldOut += c.HeldOut.Score / starts
			}
		}
	}
	a.options.Progress(p)
}

// saveIfDue saves a checkpoint if it is time.
func (a *ascent) saveIfDue() error {
	if keep := a.options.Checkpoints; keep == nil || !keep.Due(4*a.dim*len(a.state.Climbers)) {
		return nil
	}
	return a.save()
}

// saveInterrupted saves a checkpoint if the search is interrupted between two iterations.
func (a *ascent) saveInterrupted() error {
	if a.options.Checkpoints == nil || a.ctx.Err() == nil {
		return nil
	}
	return a.save()
}

func (a *ascent) save() error {
	a.readLanes()
	a.state.Gradients = a.gradients
	return a.options.Checkpoints.Save(a.state)
}
