package evaluate

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/stdlib/ode"
)

// A solution holds a system's states at all requested times, sorted and without duplicates: shape [times, states].
type solution struct {
	node   Node
	times  []float64
	first  map[*model.State]int // maps a state to its first position in the state vector
	inputs odeInputs
	states int // length of the state vector
	events []timedEvent
	steps  int // largest number of steps to attempt; 0 means the method's default
}

// A Query identifies a solution of a system: at all times that data determine or, if query is not nil, at the time of
// that query, which depends on parameters.
type Query struct {
	System *model.System
	query  *model.StateAt
}

// A Solve is a problem to solve: a system at the times that data determine, or at the times of one query.
type Solve struct {
	Of      Query
	Problem ode.Problem
	Options ode.Options
}

// EachSolve visits the problems of all systems.
func (e *Evaluator) EachSolve(visit func(Solve)) {
	for _, s := range e.Data.Model.Systems {
		problem, _ := e.problem(s)
		visit(Solve{Query{s, nil}, problem, odeOptions(s)})
		for _, q := range s.Queries {
			if !q.Time.Info().Static {
				problem, o, _ := e.reaching(q, e.unguarded(q.Time))
				visit(Solve{Query{s, q}, problem, o})
			}
		}
	}
}

// StepLimits holds the largest number of steps that a solver may attempt for each solution; missing entries mean the
// method's default.
type StepLimits map[Query]int

// A Solution holds a system's states at the requested times. They are NaN from the first time that is not reached
// within the allowed number of attempts. Node has shape [times, states]; Steps is the allowed number, 0 for the
// method's default.
type Solution struct {
	System *model.System
	Node   Node
	Steps  int
}

// Solutions returns the solutions of the model's systems that have been read.
func (e *Evaluator) Solutions() (out []Solution) {
	for _, s := range e.Data.Model.Systems {
		for _, q := range append([]*model.StateAt{nil}, s.Queries...) {
			if sol := e.solved[Query{s, q}]; sol != nil {
				out = append(out, Solution{s, sol.node, sol.steps})
			}
		}
	}
	return out
}

// stateAt returns a trajectory at the times of a query. Its own axes are those of the state, followed by those of the
// time.
func (e *Evaluator) stateAt(x *model.StateAt) Value {
	at := e.Expr(x.Time)
	n := e.statesAt(x, at) // axes: bound, those of the time, those of the state
	b, own := len(at.Bound), len(at.Axes)
	var perm []int
	for k := range b {
		perm = append(perm, k)
	}
	for k := range x.State.Axes {
		perm = append(perm, b+own+k)
	}
	for k := range own {
		perm = append(perm, b+k)
	}
	return Value{autodiff.Permute(n, perm...), at.Bound, slices.Concat(x.State.Axes, at.Axes)}
}

func (e *Evaluator) statesAt(x *model.StateAt, at Value) Node {
	shape := slices.Concat(at.Node.Shape(), e.Shape(nil, x.State.Axes))
	if !x.Time.Info().Static {
		sol := e.solveAt(x, at)
		return autodiff.Reshape(e.column(sol, x.State), shape...)
	}
	sol := e.solve(x.State.System)
	row := make([]float64, at.Node.Size())
	for i, t := range autodiff.Eval(nil, at.Node)[0] {
		row[i] = float64(slices.Index(sol.times, t))
	}
	return autodiff.Gather(e.column(sol, x.State), e.Graph.Data("time", row, at.Node.Shape()...))
}

// column returns one state at the times of a solution, [times, state's axes…].
func (e *Evaluator) column(sol *solution, s *model.State) Node {
	n, first, own := sol.node.Shape()[0], sol.first[s], e.Shape(nil, s.Axes)
	return autodiff.Reshape(autodiff.Slice(sol.node, []int{0, first}, []int{n, first + Product(own)}),
		append([]int{n}, own...)...)
}

// solve integrates a system at the times that data determine, once.
func (e *Evaluator) solve(s *model.System) *solution {
	return e.solution(Query{s, nil}, func() (ode.Problem, ode.Options, *solution) {
		p, sol := e.problem(s)
		return p, odeOptions(s), sol
	})
}

// solveAt integrates a system to times that depend on parameters. All times are integrated side by side, each in a
// rescaled time z = (t − t0) / (time − t0), which runs from 0 to 1. So the order of the times does not matter, a time
// before t0 is reached backwards, and the derivative with respect to the time needs no special treatment. Each
// trajectory satisfies the tolerance, although the solver bounds the mean square over all: the tolerances are divided
// by the square root of their number.
func (e *Evaluator) solveAt(x *model.StateAt, at Value) *solution {
	return e.solution(Query{x.State.System, x}, func() (ode.Problem, ode.Options, *solution) {
		return e.reaching(x, at)
	})
}

// solution solves a problem once; pose returns the problem.
func (e *Evaluator) solution(of Query, pose func() (ode.Problem, ode.Options, *solution)) *solution {
	if sol := e.solved[of]; sol != nil {
		return sol
	}
	p, o, sol := pose()
	sol.steps = e.steps[of]
	o.MaxSteps = sol.steps
	sol.node = ode.Solve(p, o)
	sol.node = autodiff.Reshape(sol.node, sol.node.Size()/sol.states, sol.states)
	e.solved[of] = sol
	return sol
}

func (e *Evaluator) reaching(x *model.StateAt, at Value) (ode.Problem, ode.Options, *solution) {
	s, m := x.State.System, at.Node.Size()
	p, sol := e.problem(s)
	size := sol.states
	p.Y0 = autodiff.Reshape(autodiff.Broadcast(p.Y0, []int{m, size}, []int{1}), m*size)
	span := autodiff.Sub(autodiff.Reshape(at.Node, m), e.Graph.Const(p.T0))
	in, way := sol.inputs, reach{p.T0, span}
	p.Shared = slices.Concat(in.nodes(), []Node{span}, e.Noise.inputs())
	p.T0, p.Times, p.Breaks = 0, []float64{1}, nil
	if breaks := e.allBreaks(s, way.t0); breaks.Valid() {
		p.Moving = way.passed(breaks)
	}
	times := &model.Set{Name: "times", Lo: &model.Num{Value: 1}, Hi: &model.Num{Value: float64(m)},
		Key: "times of a trajectory"}
	each := []*model.Index{{Name: "time", Set: times, ID: 1 << 27}}
	timeAt := func(z Node, shared []Node) Value {
		return Value{Node: autodiff.Add(z.Graph().Const(way.t0), autodiff.Mul(z, shared[len(in)])), Bound: each}
	}
	p.RHS = func(z, y Node, shared []Node) Node {
		span := shared[len(in)]
		slope := e.rightSides(s, sol, each, timeAt(z, shared), autodiff.Reshape(y, m, size), shared)
		return autodiff.Reshape(autodiff.Mul(autodiff.Broadcast(span, []int{m, size}, []int{0}), slope), m*size)
	}
	p.Events = way.events(sol.events, size, func(h timedEvent, z, y Node, shared []Node) Node {
		return e.amounts(s, sol, h.event, each, timeAt(z, shared), autodiff.Reshape(y, m, size), shared)
	})
	o := odeOptions(s)
	o.RTol, o.ATol = o.RTol/math.Sqrt(float64(m)), o.ATol/math.Sqrt(float64(m))
	return p, o, sol
}

// problem returns a system in the form that the solver needs: the initial state vector, inputs of the right sides, and
// times.
func (e *Evaluator) problem(s *model.System) (ode.Problem, *solution) {
	guards := e.Guards
	e.Guards = nil
	defer func() { e.Guards = guards }()
	sol := &solution{first: map[*model.State]int{}, times: e.askedTimes(s)}
	var parts []Node
	for _, st := range s.States {
		sol.first[st] = sol.states
		v := e.unbind(e.Expr(st.Init), st.Plates, nil)
		e.noUnknowns(v, nil, st.Init)
		parts = append(parts, autodiff.Reshape(v.Node, v.Node.Size()))
		sol.states += v.Node.Size()
	}
	sol.inputs = e.systemInputs(s)
	t0 := e.StaticValues(s.T0)[0]
	sol.events = e.timedEvents(s, sol, t0)
	p := ode.Problem{T0: t0, Times: sol.times, Y0: e.notBefore(t0, sol.events, autodiff.Concat(0, parts...)),
		Shared: append(sol.inputs.nodes(), e.Noise.inputs()...)}
	p.RHS = func(t, y Node, shared []Node) Node { return e.rightSides(s, sol, nil, Value{Node: t}, y, shared) }
	if n := len(sol.times); n > 0 {
		p.Breaks, p.Moving = e.breaksOf(s, p.T0, sol.times[n-1])
	}
	p.Events = e.eventsOf(s, sol)
	return p, sol
}

// unguarded returns the value of a query's time with subscripts clamped: the query may be in a branch, and values that
// are out of range there are not used.
func (e *Evaluator) unguarded(x model.Expr) Value {
	e.Guards = []Value{{Node: e.Graph.Const(0)}}
	defer func() { e.Guards = nil }()
	return e.Expr(x)
}

func odeOptions(s *model.System) ode.Options {
	number := func(name string) float64 {
		v, _ := strconv.ParseFloat(s.Options[name], 64)
		return v
	}
	return ode.Options{Method: s.Options["method"], RTol: cmp.Or(number("rtol"), ode.Tolerance),
		ATol: cmp.Or(number("atol"), ode.Tolerance)}
}

// askedTimes returns the times of all queries that data determine, sorted and without duplicates.
func (e *Evaluator) askedTimes(s *model.System) []float64 {
	t0 := e.StaticValues(s.T0)[0]
	var all []float64
	for _, q := range s.Queries {
		if !q.Time.Info().Static {
			continue
		}
		values := autodiff.Eval(nil, e.unguarded(q.Time).Node)[0]
		for _, t := range values {
			if t < t0 {
				e.Fail(diag.SystemTimes, q, "`%s` is read at time %g, before its initial time %g", q.State.Name, t,
					t0)
			}
		}
		all = append(all, values...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// odeInputs are the largest subexpressions of the right sides that read neither states nor the time.
type odeInputs []input

func (in odeInputs) nodes() []Node {
	nodes := make([]Node, len(in))
	for k := range in {
		nodes[k] = in[k].v.Node
	}
	return nodes
}

func (e *Evaluator) systemInputs(s *model.System) odeInputs {
	var in odeInputs
	seen := map[*model.Array]bool{}
	var collect func(x model.Expr)
	collect = func(x model.Expr) {
		if !readsNow(x) {
			if x != nil {
				in = append(in, input{expr: x, v: e.Expr(x)})
			}
			return
		}
		if r, ok := x.(*model.Ref); ok && !seen[r.Array] { // an array in the body of a function of the state
			seen[r.Array] = true
			for _, p := range r.Array.Pieces {
				e.notInSystem(p)
				for _, y := range p.Exprs() {
					collect(y)
				}
			}
		}
		for _, y := range x.Children() {
			collect(y)
		}
	}
	for _, st := range s.States {
		collect(st.Rhs)
		for _, ev := range st.Events {
			collect(ev.Amount)
		}
	}
	return in
}

// notInSystem reports an error for a recurrence that reads the state of a system that is being solved.
func (e *Evaluator) notInSystem(p *model.Piece) {
	if p.Recurrence != nil {
		e.Fail(diag.NotCompiled, p.Value, "not supported by this version of ppl yet: a recurrence that reads the "+
			"state of a differential equation")
	}
}

// readsNow reports whether an expression reads states or the time, directly or through definitions.
func readsNow(x model.Expr) bool {
	found, seen := false, map[*model.Array]bool{}
	var visit func(x model.Expr)
	visit = func(x model.Expr) {
		model.WalkNow(x, func(y model.Expr) {
			switch y := y.(type) {
			case *model.StateNow, *model.TimeNow:
				found = true
			case *model.Ref:
				if y.Array.Role == model.Definition && !seen[y.Array] {
					seen[y.Array] = true
					for _, p := range y.Array.Pieces {
						visit(p.Value)
					}
				}
			}
		})
	}
	visit(x)
	return found
}

// rightSides evaluates the derivatives inside a step. States y have a leading axis for each index in `each`.
func (e *Evaluator) rightSides(s *model.System, sol *solution, each []*model.Index, t Value, y Node,
	shared []Node) Node {
	step, front := e.inStep(sol, each, t, y, shared), e.Shape(each, nil)
	var parts []Node
	for _, st := range s.States {
		v := step.unbind(step.Expr(st.Rhs), st.Plates, nil)
		e.noUnknowns(v, each, st.Rhs)
		n := step.Align(v, each, v.Axes)
		parts = append(parts, autodiff.Reshape(n, append(slices.Clone(front), Product(n.Shape())/Product(front))...))
	}
	return autodiff.Concat(len(front), parts...)
}

// noUnknowns reports an error if a value of a system has a bound axis other than `each`, which can only be the axis of
// a discrete unknown.
func (e *Evaluator) noUnknowns(v Value, each []*model.Index, x model.Expr) {
	if slices.ContainsFunc(v.Bound, func(i *model.Index) bool { return !slices.Contains(each, i) }) {
		e.Fail(diag.NotCompiled, x, "not supported by this version of ppl yet: a differential equation that reads a "+
			"discrete unknown")
	}
}

// inStep returns the evaluator for the expressions of a step of the solver.
func (e *Evaluator) inStep(sol *solution, each []*model.Index, t Value, y Node, shared []Node) *Evaluator {
	front := e.Shape(each, nil)
	part := func(first, size int) Node {
		lo, hi := append(make([]int, len(front)), first), append(slices.Clone(front), first+size)
		return autodiff.Slice(y, lo, hi)
	}
	step := e.Inside(y.Graph(), solverStep{time: t, state: func(st *model.State) Value {
		shape := e.Shape(nil, st.Axes)
		first, known := sol.first[st]
		if !known {
			InternalErrorf("state %s is used outside its system of equations", st.Name)
		}
		return Value{autodiff.Reshape(part(first, Product(shape)), slices.Concat(front, shape)...), each, st.Axes}
	}})
	step.Noise = e.Noise.inside(shared, Node{})
	for k, i := range sol.inputs {
		v := i.v
		v.Node = shared[k]
		step.Remember(i.expr, v)
	}
	return step
}

// A solverStep is the source inside a step of a solver: it supplies the time and the states.
type solverStep struct {
	NoSource
	time  Value
	state func(*model.State) Value
}

// Expr returns the value of a state or of the time; ok is false for other expressions.
func (s solverStep) Expr(_ *Evaluator, x model.Expr) (Value, bool) {
	switch x := x.(type) {
	case *model.StateNow:
		return s.state(x.State), true
	case *model.TimeNow:
		return s.time, true
	}
	return Value{}, false
}
