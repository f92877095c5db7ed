// Package ode solves initial value problems y′ = f(t, y) inside a computation graph, so that solutions have gradients.
//
// A solution is one autodiff.Scan over attempted steps. Each lane has its own step sizes. An attempt computes a step of
// size h and estimates its error with an embedded method. If the error is small enough, t and y advance; the next h
// depends on the error in both cases. Steps end at the output times. After the last one, attempts change nothing.
//
// Step sizes are rounded and therefore have no gradient. The code differentiates the chosen sequence of steps with
// fixed sizes. For it the gradient is exact, and as accurate as the solution (Bock, Recent advances in parameter
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

// Node is a value in a computation graph.
type Node = ad.Node

// A Problem is y′ = f(t, y), y(T0) = Y0 for a state of S numbers.
//
// RHS is called with nodes of several graphs, and must build its result, of shape [S], only from its arguments and
// constants of their graph. The scalar t and y [S] are passed directly; other arrays that it reads are listed in Shared
// and passed in the same order. RHS should be smooth between Breaks. If it is not finite, the step is rejected and a
// smaller one attempted. Gradients reach computed breaks, Moving, and computed times of events.
type Problem struct {
	T0     float64
	Times  []float64 // output times, ascending, none before T0; may repeat
	Y0     Node      // initial state, [S]
	Shared []Node
	RHS    func(t, y Node, shared []Node) Node
	Breaks []float64 // times at which RHS is not smooth in t, in any order; no step crosses one
	Moving Node      // computed breaks, [K]; invalid if there are none
	Events []Events
}

// Options control the accuracy of a solution. A step is accepted if the root mean square of its estimated errors, each
// divided by ATol + RTol·|y|, is at most 1.
type Options struct {
	Method     string  // "rk45" or "bdf"; empty means rk45
	RTol, ATol float64 // 0 means Tolerance
	MaxSteps   int     // number of attempts; 0 means the method's usual number plus two per stop
}

// Tolerance is the default of RTol and ATol.
const Tolerance = 1e-6

// A method computes one step of size h from y at t, and estimates its error. Both results have shape [S].
type method struct {
	name  string
	order float64 // the error estimate is O(h^order)
	usual int     // number of attempts, with a margin, that smooth problems need at the default tolerances
	step  func(f field, t, y, h Node) (next, err Node)
}

// A field is a right-hand side whose shared arrays are bound.
type field func(t, y Node) Node

// methods lists the methods under their names in the language. The stiff one, rodas, is called bdf because users know
// that name from other systems.
func methods() []method {
	return []method{{"rk45", 5, 200, dormandPrince}, {"bdf", 4, 400, rodas}}
}

// Solve returns the values at the output times, shape [M, S].
//
// It computes in double precision, whatever the precision of its arguments.
//
// A scan has a fixed number of iterations, so every lane spends time and memory on MaxSteps attempts, whether or not it
// needs them. Output times that are not reached by then are NaN. A sampler rejects such a state, which would cut off a
// posterior with much mass there. MaxSteps should therefore be a multiple of the number that Pilot.Steps returns at
// prior draws, and be raised if NaN still occurs.
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

// single reports whether any input of the problem has single precision, which is not enough for step control.
func (p Problem) single() bool {
	in := slices.Concat([]Node{p.Y0}, (&solver{problem: p}).inputs())
	return slices.ContainsFunc(in, Node.Single)
}

// double returns the problem with inputs converted to double precision.
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

// read selects from the carries of all attempts the states at the output times.
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

// which maps each output time to 0 for T0, or to 1 + its index in s.times.
func (s *solver) which(g *ad.Graph) Node {
	at := make([]float64, len(s.problem.Times))
	for m, t := range s.problem.Times {
		if k, ok := slices.BinarySearch(s.times, t); ok {
			at[m] = float64(k + 1)
		}
	}
	return g.Data("times asked for", at, len(at))
}

// complete checks options, fills in defaults, and returns the method.
func (o Options) complete(times int) (Options, method) {
	k := slices.IndexFunc(methods(), func(m method) bool { return m.name == cmp.Or(o.Method, "rk45") })
	if k < 0 || o.RTol < 0 || o.ATol < 0 || o.MaxSteps < 0 {
		bug("options %+v", o)
	}
	m := methods()[k]
	return Options{m.name, cmp.Or(o.RTol, Tolerance), cmp.Or(o.ATol, Tolerance), cmp.Or(o.MaxSteps, m.usual+2*times)}, m
}

// bug panics about a broken invariant of the caller.
func bug(format string, args ...any) {
	panic("internal error: ode: " + fmt.Sprintf(format, args...))
}
