package ode

import (
	"math"
	"slices"

	ad "ppl/autodiff"
)

// The carry of the scan holds t, log₂ of the proposed step in units of grain, the number of listed times reached, and,
// from element state on, y.
const state = 3

const (
	grain = 1. / 64 // proposed steps are 2^(grain·integer)
	fine  = 1 << 50 // a step is an integer multiple of the proposed step / fine
	safe  = -0.152  // log₂ of the safety factor 0.9
	grow  = 2.32    // log₂ of 5, the greatest factor by which a step grows or shrinks
	ln2   = math.Ln2
)

// A solver holds a problem and values derived from it.
type solver struct {
	problem Problem
	options Options
	method  method
	times   []float64 // times after T0 at which steps end: output times, breaks, stops of events
	breaks  int       // number of breaks
	jumps   int       // number of stops of events
}

func newSolver(p Problem, o Options) *solver {
	if !slices.IsSorted(p.Times) || len(p.Times) > 0 && !(p.T0 <= p.Times[0]) || p.Y0.Rank() != 1 {
		bug("times %v from %v for a state of shape %v", p.Times, p.T0, p.Y0.Shape())
	}
	s := &solver{problem: p, times: slices.Compact(slices.Clone(p.Times))}
	if len(s.times) > 0 && s.times[0] == p.T0 {
		s.times = s.times[1:]
	}
	if len(s.times) > 0 {
		s.times = s.stops(s.times)
	}
	all, _ := s.moving(s.inputs())
	s.options, s.method = o.complete(len(s.times) + stepsAtBreak*(s.breaks+s.jumps+len(all)))
	return s
}

// stepsAtBreak is half the number of attempts that are added for each break, because the step size before a break may
// be far too large after it.
const stepsAtBreak = 4

func (s *solver) field(shared []Node) field {
	return func(t, y Node) Node { return s.problem.RHS(t, y, shared) }
}

// within returns the field for a step from t. It moves evaluation times at both ends of the step inwards by 2⁻⁴⁶ of
// their size, which exceeds their rounding error. At a break, the right-hand side then takes its limit from inside the
// step.
func within(f field, t, step Node) field {
	g := t.Graph()
	size := ad.Maximum(ad.Abs(t), ad.Abs(ad.Add(t, step)))
	inwards := ad.Minimum(scale(1./(1<<46), size), scale(1./8, step))
	whole := ad.Where(ad.Lt(g.Const(0), step), step, g.Const(1))
	return func(at, y Node) Node {
		place := ad.Sub(g.Const(1), scale(2, ad.Div(ad.Sub(at, t), whole)))
		return f(ad.Add(at, ad.Mul(inwards, place)), y)
	}
}

// attempt returns the carry after one attempted step. After the last time, attempts change nothing.
func (s *solver) attempt(carry Node, inputs []Node) Node {
	g, t, size, reached := carry.Graph(), at(carry, 0), at(carry, 1), at(carry, 2)
	y := ad.Slice(carry, []int{state}, []int{carry.Size()})
	next := s.next(t, reached, inputs)
	h := ad.Exp(scale(ln2*grain, ad.Round(size)))
	way := ad.Div(ad.Sub(next.time, t), h)
	part := partOf(way)
	step := s.length(next.time, t, way, ad.Mul(h, part))

	to, e := s.stepped(t, y, step, inputs)
	accept := ad.Mul(ad.Le(e, g.Const(1)), ad.Lt(t, g.Const(s.times[len(s.times)-1])))
	arrive := ad.Mul(accept, ad.Le(way, g.Const(1)))
	to = s.jumped(next, reached, arrive, to, inputs)
	return ad.Concat(0,
		one(ad.Where(arrive, next.time, ad.Add(t, ad.Mul(accept, step)))),
		one(ad.Round(ad.Add(size, scale(1/grain, s.change(part, e))))),
		one(ad.Add(reached, ad.Mul(arrive, next.listed))),
		ad.Where(ad.Broadcast(accept, y.Shape(), nil), to, y))
}

// stepped returns the state after a step and its squared error. A step of length 0 changes nothing, even if the
// right-hand side is not finite.
func (s *solver) stepped(t, y, step Node, inputs []Node) (to, e Node) {
	f := s.field(inputs[:len(s.problem.Shared)])
	if s.breaks > 0 || s.problem.Moving.Valid() {
		f = within(f, t, step)
	}
	to, err := s.method.step(f, t, y, step)
	e = s.size2(err, ad.Maximum(ad.Abs(y), ad.Abs(to)))
	if s.jumps > 0 {
		zero := t.Graph().Const(0)
		still := ad.Eq(step, zero)
		to, e = ad.Where(ad.Broadcast(still, y.Shape(), nil), y, to), ad.Where(still, zero, e)
	}
	return to, e
}

// partOf returns the step to attempt, in units of the proposed step. way is the distance to the next stop in the same
// units; it is divided into the fewest equal parts that do not exceed the proposed step. The result is rounded, so it
// has no gradient.
func partOf(way Node) Node {
	part := ad.Div(way, ad.Maximum(way.Graph().Const(1), ad.Ceil(way)))
	return scale(1./fine, ad.Round(scale(fine, part)))
}

// change returns log₂ of the next proposed step over the present one. part is the attempted fraction of the present
// step, and e its squared error. The next step is the attempted one times (safety factor)·e^(−1/(2·order)). An accurate
// step never reduces the proposal merely because it was shortened to end at a stop.
func (s *solver) change(part, e Node) Node {
	c := part.Graph().Const
	tried := ad.Where(ad.Lt(c(0), part), log2(part), c(0))
	want := ad.Add(tried, ad.Sub(c(safe), scale(1/(2*s.method.order), log2(e))))
	least, most := ad.Sub(tried, c(grow)), ad.Maximum(c(0), ad.Add(tried, c(grow)))
	change := ad.Where(ad.Le(c(0), e), ad.Maximum(least, ad.Minimum(want, most)), least)
	return ad.Where(ad.Lt(c(0), part), change, c(0))
}

// size2 returns the mean square of x divided by the tolerances for numbers of the given magnitude.
func (s *solver) size2(x, magnitude Node) Node {
	tol := ad.Add(x.Graph().Const(s.options.ATol), scale(s.options.RTol, magnitude))
	z := ad.Div(x, tol)
	return scale(1/float64(x.Size()), ad.SumAll(ad.Mul(z, z)))
}

// start returns the carry at T0. The first proposed step is chosen such that the error of an explicit Euler step, and
// that of the method as estimated from the first two derivatives, are small (Hairer, Nørsett, Wanner I, II.4).
func (s *solver) start() Node {
	y := s.begun()
	g, f := y.Graph(), s.field(s.problem.Shared)
	c, size := g.Const, func(x Node) Node { return ad.Sqrt(s.size2(x, ad.Abs(y))) }
	span := s.times[len(s.times)-1] - s.problem.T0

	slope := f(c(s.problem.T0), y)
	d0, d1 := size(y), size(slope)
	small := ad.Lt(ad.Minimum(d0, d1), c(1e-5))
	h0 := ad.Minimum(c(span), ad.Where(small, c(1e-6), scale(0.01, ad.Div(d0, d1))))
	bend := ad.Sub(f(ad.Add(c(s.problem.T0), h0), ad.Add(y, ad.Mul(h0, slope))), slope)
	most := ad.Maximum(d1, ad.Div(size(bend), h0))
	h1 := ad.Pow(ad.Div(c(0.01), most), c(1/s.method.order))
	h1 = ad.Where(ad.Lt(c(1e-15), most), h1, ad.Maximum(c(1e-6), scale(1e-3, h0)))
	h := ad.Minimum(ad.Minimum(scale(100, h0), h1), c(span))
	h = ad.Where(ad.Lt(c(0), h), h, h0)
	return ad.Concat(0, g.Full(s.problem.T0, 1), one(ad.Round(scale(1/grain, log2(h)))), g.Full(0, 1), y)
}

func at(x Node, k int) Node { return ad.Reshape(ad.Slice(x, []int{k}, []int{k + 1})) }

func one(x Node) Node { return ad.Reshape(x, 1) }

func scale(c float64, x Node) Node { return ad.Mul(x.Graph().Const(c), x) }

func log2(x Node) Node { return scale(1/ln2, ad.Log(x)) }
