package optimize

import (
	"math"
	"slices"

	"ppl/infer"
)

// An ascent moves all starts at once by a method of first order, each with a rate of its own. It ends at the best point
// of each: with exact gradients, where the density is greatest; with early stopping, where rows that are held out are
// predicted best; else, as densities of minibatches do not show which point is better, at the last.
type ascent struct {
	*problem
	method method
	state  ascentState
}

// An ascentState is how far it is.
type ascentState struct {
	Iteration int
	Climbers  []*climber
	Gradients int64
}

// A climber is one start under a method.
type climber struct {
	X     []float64
	Rate  float64
	Adam  *Adam // nil before the first step
	Steps int
	Best  []float64
	Top   float64 // at Best: log density, or of early stopping mean log ℓ of a row held out
	At    int     // the iteration of Best
	Lost  int     // iterations since then, or looks at the rows held out
	Done  bool    // it has stopped early
}

// ascend continues from a checkpoint, or begins.
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

// iterate makes a step of all climbers, and after an epoch evaluates the rows held out.
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

// positions returns where the climbers are.
func (s *ascentState) positions() (at [][]float64) {
	for _, c := range s.Climbers {
		at = append(at, c.X)
	}
	return at
}

// stallLimit is for how many steps a climber may stay below its best point before it returns there with half the rate.
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
	case a.options.StopAfter > 0 && sane: // the rows held out say what is best
	case sane && (a.endsAtLast() || here.total() > c.Top):
		c.better(here.total(), a.state.Iteration)
	default:
		c.Lost++
		if c.Lost > stallLimit || !sane {
			copy(c.X, c.Best)
			c.Rate, c.Adam, c.Lost = c.Rate/2, NewAdam(a.dim), 0
			return // the gradient at best comes with the next evaluation
		}
	}
	c.Steps++
	a.method.step(c.Adam, c.X, here.gradient, Cosine(c.Rate, a.state.Iteration, a.options.Iterations),
		a.options.Decay)
}

// endsAtLast reports whether densities do not say which point is best: estimates, and those that leave out the decay.
func (p *problem) endsAtLast() bool { return p.options.Batch > 0 || p.options.Method == "adamw" }

// better makes the point of a climber its best one.
func (c *climber) better(top float64, iteration int) {
	c.Best, c.Top, c.At, c.Lost = append(c.Best[:0], c.X...), top, iteration, 0
}

// scoreHeldOut looks at the rows that are held out, and stops those climbers whose predictions of them have not become
// better for too long.
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
			c.better(scores[k], s.Iteration)
		default:
			c.Lost++
			c.Done = c.Lost >= a.options.StopAfter
		}
	}
	return nil
}

// ends returns the best points with their densities, of all data.
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

// saveIfDue keeps a checkpoint when it is time.
func (a *ascent) saveIfDue() error {
	if keep := a.options.Checkpoints; keep == nil || !keep.Due(4*a.dim*len(a.state.Climbers)) {
		return nil
	}
	return a.save()
}

// saveInterrupted keeps one where the search is ended between two iterations.
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
