package emit

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"ppl/autodiff"
	"ppl/compiler/model"
	"ppl/stdlib/ode"
)

// A solution is a system's states at all the times that are asked for, each once and in order: shape [times, states].
type solution struct {
	node  Node
	times []float64
	first map[*model.State]int // where a state begins in the state vector
	steps int                  // attempts that it may take; 0 is the method's usual number
}

// A Solution is a system's states at the times that are asked for, NaN from the first that is not reached in the attempts it may take. Node has
// shape [times, states]; Steps is 0 where the method's usual number of attempts is taken.
type Solution struct {
	System *model.System
	Node   Node
	Steps  int
}

// solutions are those of the model's systems that something reads.
func (e *emitter) solutions() (out []Solution) {
	for _, s := range e.b.Model.Systems {
		if sol := e.solved[s]; sol != nil {
			out = append(out, Solution{s, sol.node, sol.steps})
		}
	}
	return out
}

// stateAt is a trajectory at the times of a query. Its own axes are the state's, then the time's.
func (e *emitter) stateAt(x *model.StateAt) value {
	sol := e.solve(x.State.System)
	at := e.expr(x.Time)
	row := make([]float64, at.node.Size())
	for i, t := range autodiff.Eval(nil, at.node)[0] {
		row[i] = float64(slices.Index(sol.times, t))
	}
	rows := e.g.Data("time", row, at.node.Shape()...)
	first, size := sol.first[x.State], product(e.shape(nil, x.State.Axes))
	mine := autodiff.Slice(sol.node, []int{0, first}, []int{len(sol.times), first + size})
	mine = autodiff.Reshape(mine, append([]int{len(sol.times)}, e.shape(nil, x.State.Axes)...)...)
	n := autodiff.Gather(mine, rows) // [bound…, time's axes…, state's axes…]
	b, own := len(at.bound), len(at.axes)
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
	return value{autodiff.Permute(n, perm...), at.bound, slices.Concat(x.State.Axes, at.axes)}
}

// solve integrates a system once.
func (e *emitter) solve(s *model.System) *solution {
	if sol := e.solved[s]; sol != nil {
		return sol
	}
	guards := e.guards
	e.guards = nil
	defer func() { e.guards = guards }()
	p, sol := e.problem(s)
	o := odeOptions(s)
	sol.steps = e.b.steps[s]
	o.MaxSteps = sol.steps
	sol.node = ode.Solve(p, o)
	e.solved[s] = sol
	return sol
}

// problem is a system as the solver wants it: one state vector, what the right sides read beside it, the times.
func (e *emitter) problem(s *model.System) (ode.Problem, *solution) {
	sol := &solution{first: map[*model.State]int{}, times: e.askedTimes(s)}
	var parts []Node
	size := 0
	for _, st := range s.States {
		sol.first[st] = size
		v := e.unbind(e.expr(st.Init), st.Plates, nil)
		if len(v.bound) > 0 {
			bug("a state with outer plates")
		}
		parts = append(parts, autodiff.Reshape(v.node, v.node.Size()))
		size += v.node.Size()
	}
	in := e.systemInputs(s)
	p := ode.Problem{T0: e.staticValues(s.T0)[0], Times: sol.times, Y0: autodiff.Concat(0, parts...), Shared: in.nodes()}
	p.RHS = func(t, y Node, shared []Node) Node { return e.rightSides(s, sol, in, t, y, shared) }
	return p, sol
}

// Attempts of steps are what `infer ode(max_steps = …)` says, or budgeted from solutions at starting points: three times what the median of them takes. Where that does not
// suffice a solution is NaN, which a sampler counts as a divergence.
const (
	pilots      = 9
	budgetTimes = 3
	budgetMore  = 16
)

// budget finds the number of attempts for each system of the model.
func (p *Plan) budget(e *emitter, systems []*model.System) {
	p.steps = map[*model.System]int{}
	for _, s := range systems {
		if n, err := strconv.Atoi(s.Options["max_steps"]); err == nil {
			p.steps[s] = n
			continue
		}
		problem, _ := e.problem(s)
		var taken []int
		for k := range pilots {
			theta := p.Start(rand.New(rand.NewPCG(0x0de, uint64(k))))
			if n, ok := ode.Steps(problem, odeOptions(s), map[string][]float64{"theta": theta}); ok {
				taken = append(taken, n)
			}
		}
		if len(taken) > 0 {
			slices.Sort(taken)
			p.steps[s] = budgetTimes*taken[len(taken)/2] + budgetMore
		}
	}
}

func odeOptions(s *model.System) ode.Options {
	number := func(name string) float64 {
		v, _ := strconv.ParseFloat(s.Options[name], 64)
		return v
	}
	return ode.Options{Method: s.Options["method"], RTol: number("rtol"), ATol: number("atol")}
}

// askedTimes are the times of all queries, sorted, each once.
func (e *emitter) askedTimes(s *model.System) []float64 {
	t0 := e.staticValues(s.T0)[0]
	e.guards = []value{{node: e.g.Const(0)}} // a query may stand in a branch; what is out of range there is not used
	defer func() { e.guards = nil }()
	var all []float64
	for _, q := range s.Queries {
		values := e.staticValues(q.Time)
		for _, t := range values {
			if t < t0 {
				e.fail("E92", q, "`%s` is asked for at time %g, before its initial time %g", q.State.Name, t, t0)
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
		nodes[k] = in[k].v.node
	}
	return nodes
}

func (e *emitter) systemInputs(s *model.System) odeInputs {
	var in odeInputs
	var collect func(x model.Expr)
	collect = func(x model.Expr) {
		if !readsNow(x) {
			in = append(in, input{expr: x, v: e.expr(x)})
			return
		}
		for _, y := range model.Children(x) {
			collect(y)
		}
	}
	for _, st := range s.States {
		collect(st.Rhs)
	}
	return in
}

func readsNow(x model.Expr) bool {
	found := false
	model.Walk(x, func(y model.Expr) {
		switch y.(type) {
		case *model.StateNow, *model.TimeNow:
			found = true
		}
	})
	return found
}

// rightSides evaluates the derivatives inside a step.
func (e *emitter) rightSides(s *model.System, sol *solution, in odeInputs, t, y Node, shared []Node) Node {
	step := newEmitter(y.Graph(), e.b, e.diags)
	step.outer = e
	step.now = func(x model.Expr) value {
		st, ok := x.(*model.StateNow)
		if !ok {
			return value{t, nil, nil}
		}
		shape := e.shape(nil, st.State.Axes)
		first, known := sol.first[st.State]
		if !known {
			bug("state %s read in another system", st.State.Name)
		}
		mine := autodiff.Slice(y, []int{first}, []int{first + product(shape)})
		return value{autodiff.Reshape(mine, shape...), nil, st.State.Axes}
	}
	for k, i := range in {
		v := i.v
		v.node = shared[k]
		step.remember(i.expr, v)
	}
	var parts []Node
	for _, st := range s.States {
		v := step.unbind(step.expr(st.Rhs), st.Plates, nil)
		parts = append(parts, autodiff.Reshape(v.node, v.node.Size()))
	}
	return autodiff.Concat(0, parts...)
}
