// Package ode solves initial value problems y′ = f(t, y) inside a density's graph, so that a solution has gradients.
//
// A solution is one autodiff.Scan over attempts of steps. Each lane chooses its own steps: an attempt is made over h,
// its error is estimated by an embedded method, and t and y move on by a select if it is small enough; h follows the
// error either way. Steps end at the times asked for, which is where values are read. After the last time nothing moves
// any more.
//
// Step sizes are rounded, and so carry no gradient: what is differentiated is the chosen sequence of steps with their
// sizes held fixed, for which the gradient is exact and as accurate as the solution (Bock, Recent advances in parameter
// identification for ODEs, 1983: internal numerical differentiation).
//
// Steps and their control: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, 2nd edition (1993),
// sections II.4, II.5; Hairer, Wanner, part II, 2nd edition (1996), section IV.7.
package ode

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	ad "ppl/autodiff"
)

// Node is a value in a density's graph.
type Node = ad.Node

// A Problem is y′ = f(t, y), y(T0) = Y0 for a state of S numbers.
//
// RHS is called on nodes of several graphs, those of steps among them: it makes its result, shape [S], from its
// arguments and constants of their graph only. Arrays that it reads besides t (a scalar) and y [S] are listed in Shared
// and handed to it in that order. It should be smooth between Breaks; where it is not finite a step is
// refused and a smaller one tried. Breaks that are computed, Moving, have gradients, as have computed times of events.
type Problem struct {
	T0     float64
	Times  []float64 // ascending, none before T0; the same one may occur more than once
	Y0     Node      // [S]
	Shared []Node
	RHS    func(t, y Node, shared []Node) Node
	Breaks []float64 // times at which RHS is not smooth in t, in any order: no step goes across one
	Moving Node      // more of them, computed, [K]; no node for none
	Events []Events
}

// Options of a solution. A step is accepted if the root mean square of its estimated errors, each over ATol + RTol·|y|,
// is at most 1.
type Options struct {
	Method     string  // "rk45" or "bdf"; empty is rk45
	RTol, ATol float64 // 0 is Tolerance
	MaxSteps   int     // attempts, accepted or not; 0 is the method's usual number and two for each time asked for
}

// Tolerance is what tolerances are unless given.
const Tolerance = 1e-6

// A method makes one step from y at t over h and estimates its error, both [S].
type method struct {
	name  string
	order float64 // the estimate is O(h^order)
	usual int     // attempts that smooth problems take at the default tolerances, with room
	step  func(f field, t, y, h Node) (next, err Node)
}

// A field is a right side with its shared arrays in place.
type field func(t, y Node) Node

// methods by the language's names. The stiff method has the name that users know from other systems.
func methods() []method {
	return []method{{"rk45", 5, 200, dormandPrince}, {"bdf", 4, 400, rodas}}
}

// Solve gives the values at the times, shape [M, S].
//
// It is computed in double precision, whatever the precision of its arguments.
//
// A scan has a fixed number of turns, so every lane pays time and memory for MaxSteps attempted steps, whether or not
// it needs them. Times not reached by then are NaN, and a sampler rejects such a state; a posterior with much mass
// there would be cut off. So MaxSteps should be a multiple of what Pilot.Steps reports at draws of the prior, and be
// raised if NaN still occurs.
func Solve(p Problem, o Options) Node {
	if p.single() {
		return ad.Single(Solve(p.double(), o))
	}
	s := newSolver(p, o)
	shape := []int{len(p.Times), p.Y0.Size()}
	if len(s.times) == 0 {
		return ad.Broadcast(p.Y0, shape, []int{1})
	}
	attempts := []Node{p.Y0.Graph().Iota(s.options.MaxSteps)}
	rows := ad.Scan(s.start(), attempts, s.inputs(), false, func(carry Node, _, inputs []Node) Node {
		return s.attempt(carry, inputs)
	})
	return s.read(rows)
}

// single reports whether anything in the problem is of single precision, which is too little for the control of steps.
func (p Problem) single() bool {
	in := slices.Concat([]Node{p.Y0}, (&solver{problem: p}).inputs())
	return slices.ContainsFunc(in, Node.Single)
}

// double returns the problem in double precision.
func (p Problem) double() Problem {
	p.Y0, p.Shared = ad.Double(p.Y0), slices.Clone(p.Shared)
	for k, x := range p.Shared {
		p.Shared[k] = ad.Double(x)
	}
	if p.Moving.Valid() {
		p.Moving = ad.Double(p.Moving)
	}
	p.Events = slices.Clone(p.Events)
	for k, e := range p.Events {
		if e.Moving.Valid() {
			p.Events[k].Moving = ad.Double(e.Moving)
		}
	}
	return p
}

// read takes the rows at which times were reached out of all carries.
func (s *solver) read(rows Node) Node {
	g, n := rows.Graph(), s.options.MaxSteps
	reached := func(lo, hi int) Node { return ad.Reshape(ad.Slice(rows, []int{lo, 2}, []int{hi, 3}), n) }
	before, after := reached(0, n), reached(1, n+1)
	row := ad.Add(g.Iota(n), g.Const(1))
	found := ad.ScatterAdd([]int{len(s.times)}, ad.Mul(ad.Sub(after, before), row), before)
	found = ad.Where(ad.Eq(found, g.Const(0)), g.Const(-1), found)
	at := ad.Gather(ad.Concat(0, g.Full(0, 1), found), s.which(g))
	states := ad.Slice(rows, []int{0, state}, rows.Shape())
	if y0 := s.problem.Y0; len(s.problem.Events) > 0 { // the first row is the state after the events at T0
		later := ad.Slice(rows, []int{1, state}, rows.Shape())
		states = ad.Concat(0, ad.Reshape(y0, 1, y0.Size()), later)
	}
	y := ad.Gather(states, at)
	missing := ad.Broadcast(ad.Lt(at, g.Const(0)), y.Shape(), []int{0})
	return ad.Where(missing, g.Const(math.NaN()), y)
}

// which is, for each time asked for, 0 for T0 or 1 + its place among the times after it.
func (s *solver) which(g *ad.Graph) Node {
	at := make([]float64, len(s.problem.Times))
	for m, t := range s.problem.Times {
		if k, ok := slices.BinarySearch(s.times, t); ok {
			at[m] = float64(k + 1)
		}
	}
	return g.Data("times asked for", at, len(at))
}

// complete checks options and fills in what is left out.
func (o Options) complete(times int) (Options, method) {
	k := slices.IndexFunc(methods(), func(m method) bool { return m.name == cmp.Or(o.Method, "rk45") })
	if k < 0 || o.RTol < 0 || o.ATol < 0 || o.MaxSteps < 0 {
		bug("options %+v", o)
	}
	m := methods()[k]
	return Options{m.name, cmp.Or(o.RTol, Tolerance), cmp.Or(o.ATol, Tolerance), cmp.Or(o.MaxSteps, m.usual+2*times)}, m
}

// bug stops on a broken invariant of the caller.
func bug(format string, args ...any) {
	panic("internal error: ode: " + fmt.Sprintf(format, args...))
}
