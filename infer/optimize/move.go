package optimize

import (
	"math"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer/firstorder"
)

// A first-order search runs two entries in turn: one evaluates density and gradient, and move makes a step. Its state
// is in lane buffers, so that many steps follow each other without the host.
const (
	move       = "move"
	best       = "best"       // the best point, see judge; with early stopping, the host sets it
	top        = "top"        // log density at best
	lost       = "lost"       // number of iterations since best
	rate       = "rate"       // rate at the beginning of the schedule; 0 before the first step if it is chosen
	moves      = "moves"      // number of steps
	means      = "means"      // firstorder.Memory.Means
	powers     = "powers"     // firstorder.Memory.Powers
	remembered = "remembered" // firstorder.Memory.Steps
	iteration  = "iteration"  // number of steps and of returns to best
)

// laneState lists the buffers that a checkpoint stores for each climber.
func laneState() []string {
	return []string{theta, best, top, lost, rate, moves, means, powers, remembered, iteration}
}

// stallLimit is the number of steps that a climber may stay below its best point before it returns there and halves its
// rate.
const stallLimit = 50

// moveEntry returns the entry that moves a point along its gradient. If density or gradient is not finite, or the
// density has been below its maximum for too long, the point returns to the best one instead, with half the rate and
// without memory.
func (p *problem) moveEntry(m method) lower.Entry {
	g := autodiff.New()
	at, slope, zeros := g.Input(theta, p.dim), g.Input(gradient, p.dim), g.Full(0, p.dim)
	zero, one := g.Const(0), g.Const(1)
	total := autodiff.SumAll(g.Input(density, 2))
	sane := autodiff.Mul(autodiff.IsFinite(total), autodiff.IsFinite(autodiff.SumAll(slope)))
	better, fine := p.judge(sane, autodiff.Lt(g.Input(top), total))
	since := autodiff.Where(fine, zero, autodiff.Add(g.Input(lost), one))
	back := autodiff.Maximum(autodiff.Not(sane), autodiff.Lt(g.Const(stallLimit), since))
	kept := autodiff.Where(better, at, g.Input(best, p.dim))

	full := autodiff.Where(autodiff.Eq(g.Input(rate), zero), m.first(slope, p.network), g.Input(rate))
	memory := firstorder.Memory{Means: g.Input(means, p.dim), Powers: g.Input(powers, p.dim),
		Steps: g.Input(remembered)}
	now := firstorder.Cosine(full, g.Input(iteration), p.options.Iterations)
	to, next := m.step(at, slope, memory, now, p.options.Decay)
	return lower.Entry{Name: move, Still: true, Assign: []lower.Assign{
		{Name: theta, Value: autodiff.Where(back, kept, to)},
		{Name: best, Value: kept},
		{Name: top, Value: autodiff.Where(better, total, g.Input(top))},
		{Name: lost, Value: autodiff.Where(back, zero, since)},
		{Name: rate, Value: autodiff.Where(back, autodiff.Mul(g.Const(0.5), full), full)},
		{Name: moves, Value: autodiff.Add(g.Input(moves), autodiff.Not(back))},
		{Name: means, Value: autodiff.Where(back, zeros, next.Means)},
		{Name: powers, Value: autodiff.Where(back, zeros, next.Powers)},
		{Name: remembered, Value: autodiff.Where(back, zero, next.Steps)},
		{Name: iteration, Value: autodiff.Add(g.Input(iteration), one)}}}
}

// judge reports whether a point becomes the best one, and whether it counts as progress. With early stopping, held-out
// rows decide on the first, and every finite point counts.
func (p *problem) judge(sane, above autodiff.Node) (better, fine autodiff.Node) {
	switch {
	case p.options.StopAfter > 0:
		return sane.Graph().Const(0), sane
	case p.endsAtLast():
		return sane, sane
	}
	better = autodiff.Mul(sane, above)
	return better, better
}

// endsAtLast reports whether densities do not show which point is best: they are estimates, or leave out the decay.
func (p *problem) endsAtLast() bool { return p.options.Batch > 0 || p.options.Method == "adamw" }

// newLane returns the state of a climber at a point. The values of other buffers of laneState are zeros.
func (p *problem) newLane(at []float64) map[string][]float64 {
	lane := map[string][]float64{}
	for _, name := range laneState() {
		lane[name] = make([]float64, p.exe.Size(name))
	}
	copy(lane[theta], at)
	copy(lane[best], at)
	lane[top][0], lane[rate][0] = math.Inf(-1), p.options.Rate
	return lane
}

// readLane reads the state of a climber.
func (p *problem) readLane(lane int, into map[string][]float64) {
	for name, values := range into {
		p.exe.GetLane(name, lane, values)
	}
}

// writeLane sets the state of a climber.
func (p *problem) writeLane(lane int, from map[string][]float64) {
	for name, values := range from {
		p.exe.SetLane(name, lane, values)
	}
}
