package optimize

import (
	"math"
	"slices"

	"ppl/infer"
)

// An ascent moves all starts at once by a first-order method, each with its own rate. The result of each is its best
// point. With early stopping this is the point with the best predictions of held-out rows. Without, it is the last
// point if densities do not show which point is better (endsAtLast), else the point of greatest density.
type ascent struct {
	*problem
	method method
	state  ascentState
}

// An ascentState is the state of an ascent.
type ascentState struct {
	Iteration int
	Climbers  []*climber
	Gradients int64
}

// A climber is one start with its method's state.
type climber struct {
	X     []float64
	Rate  float64
	Adam  *Adam // nil before the first step
	Steps int
	Best  []float64
	Top   float64 // log density at Best; with early stopping, mean log ℓ of a held-out row
	At    int     // iteration of Best
	Lost  int     // number of iterations, or with early stopping of evaluations, since Best
	Done  bool    // whether it has stopped early
}

// ascend runs a first-order method from the latest checkpoint, or from the starting points if there is none.
func (p *problem) ascend(m method) ([]End, error) {
	a := &ascent{problem: p, method: m}
	if err := a.begin(); err != nil {
		return nil, err
	}
	s, o := &a.state, p.options
	for s.Iteration < o.Iterations && slices.ContainsFunc(s.Climbers, func(c *climber) bool { return !c.Done }) {
		if err := a.iterate(); err != nil {
			return nil, firstError(a.saveInterrupted(), err)
		}
		if err := a.saveIfDue(); err != nil {
			return nil, err
		}
	}
	return a.ends()
}

func firstError(errs ...error) error {
	return errs[max(0, slices.IndexFunc(errs, func(err error) bool { return err != nil }))]
}

func (a *ascent) begin() error {
	if keep := a.options.Checkpoints; keep != nil {
		if found, err := keep.Load(&a.state); found || err != nil {
			a.gradients = a.state.Gradients
			a.setClock(a.state.Iteration)
			return err
		}
	}
	starts, err := a.starts(a.options)
	for _, x := range starts {
		c := &climber{X: x, Best: slices.Clone(x), Rate: a.options.Rate, Top: math.Inf(-1)}
		a.state.Climbers = append(a.state.Climbers, c)
	}
	a.setClock(0)
	return err
}

// iterate makes a step of all climbers, and after an epoch evaluates the held-out rows.
func (a *ascent) iterate() error {
	s := &a.state
	here, err := a.look(a.entry(), s.positions())
	if err != nil {
		return err
	}
	for k, c := range s.Climbers {
		if !c.Done {
			a.move(c, here[k])
		}
	}
	s.Iteration++
	if a.options.StopAfter > 0 && (s.Iteration%a.epoch() == 0 || s.Iteration == a.options.Iterations) {
		err = a.scoreHeldOut()
	}
	a.show(here)
	return err
}

// positions returns the positions of the climbers.
func (s *ascentState) positions() (at [][]float64) {
	for _, c := range s.Climbers {
		at = append(at, c.X)
	}
	return at
}

// stallLimit is the number of steps that a climber may stay below its best point before it returns there and halves its
// rate.
const stallLimit = 50

func (a *ascent) move(c *climber, here point) {
	if c.Adam == nil {
		c.Adam = NewAdam(a.dim)
		if c.Rate == 0 {
			c.Rate = a.method.first(here.gradient, a.network)
		}
	}
	sane := !math.IsInf(here.total(), 0) && finite(here.gradient)
	switch {
	case a.options.StopAfter > 0 && sane: // held-out rows decide which point is best
	case sane && (a.endsAtLast() || here.total() > c.Top):
		c.setBest(here.total(), a.state.Iteration)
	default:
		c.Lost++
		if c.Lost > stallLimit || !sane {
			copy(c.X, c.Best)
			c.Rate, c.Adam, c.Lost = c.Rate/2, NewAdam(a.dim), 0
			return // the next evaluation computes the gradient at Best
		}
	}
	c.Steps++
	a.method.step(c.Adam, c.X, here.gradient, Cosine(c.Rate, a.state.Iteration, a.options.Iterations),
		a.options.Decay)
}

// endsAtLast reports whether densities do not show which point is best: they are estimates, or leave out the decay.
func (p *problem) endsAtLast() bool { return p.options.Batch > 0 || p.options.Method == "adamw" }

// setBest sets the best point of a climber to its current point.
func (c *climber) setBest(top float64, iteration int) {
	c.Best, c.Top, c.At, c.Lost = append(c.Best[:0], c.X...), top, iteration, 0
}

// scoreHeldOut evaluates the held-out rows, and stops climbers whose predictions of them have not improved for too
// long.
func (a *ascent) scoreHeldOut() error {
	s := &a.state
	scores, err := a.heldOutScores(s.positions())
	if err != nil {
		return err
	}
	for k, c := range s.Climbers {
		switch {
		case c.Done:
		case scores[k] > c.Top:
			c.setBest(scores[k], s.Iteration)
		default:
			c.Lost++
			c.Done = c.Lost >= a.options.StopAfter
		}
	}
	return nil
}

// ends returns the best points with their densities, computed from all data.
func (a *ascent) ends() ([]End, error) {
	var at [][]float64
	for _, c := range a.state.Climbers {
		at = append(at, c.Best)
	}
	here, err := a.evaluate(at)
	var ends []End
	for k := range here {
		e := End{Theta: at[k], LogDensity: here[k].total(), Iterations: a.state.Iteration}
		if c := a.state.Climbers[k]; a.options.StopAfter > 0 {
			e.Iterations, e.HeldOut, e.BestAt = c.Steps, c.Top, c.At
		}
		ends = append(ends, e)
	}
	return ends, err
}

func (a *ascent) show(here []point) {
	if a.options.Progress == nil {
		return
	}
	s := &a.state
	p := infer.Progress{Phase: infer.Optimising, Done: s.Iteration, Total: a.options.Iterations,
		Steps: int64(s.Iteration)}
	if n := float64(a.rows); n > 0 {
		p.Epoch = float64(s.Iteration) / float64(a.epoch())
		for k, c := range s.Climbers {
			p.Learned += here[k].logLik / n / float64(len(here))
			if a.options.StopAfter > 0 && !math.IsInf(c.Top, 0) {
				p.HeldOut += c.Top / float64(len(here))
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
	a.state.Gradients = a.gradients
	return a.options.Checkpoints.Save(a.state)
}
