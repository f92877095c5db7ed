package translate

import (
	"fmt"
	"slices"

	"ppl/lang/stan"
)

// Differential equations: Stan calls a solver with the right-hand side, the state at an initial time, and the output
// times. In ppl this is a trajectory for each state, read at the output times.

// A solver describes the arguments of a Stan solver.
type solver struct {
	method string
	old    bool // integrate_ode: arguments are theta, x_r, x_i, then optional tolerances
	tols   int  // number of tolerances between the times and the other arguments
}

var solvers = map[string]solver{
	"integrate_ode": {"rk45", true, 0}, "integrate_ode_rk45": {"rk45", true, 0}, "integrate_ode_bdf": {"bdf",
		true, 0},
	"integrate_ode_adams": {"bdf", true, 0},
	"ode_rk45":            {"rk45", false, 0}, "ode_bdf": {"bdf", false, 0}, "ode_adams": {"bdf", false, 0},
	"ode_ckrk": {"rk45", false, 0}, "ode_rk45_tol": {"rk45", false, 3}, "ode_bdf_tol": {"bdf", false, 3},
	"ode_adams_tol": {"bdf", false, 3}, "ode_ckrk_tol": {"rk45", false, 3}}

// trajectory writes the equations of a solver call, and returns the states at the output times.
func (x *executor) trajectory(e *stan.Call, s solver) value {
	if len(x.plates) > 0 {
		cannot("a differential equation in a loop")
	}
	name, ok := stan.Bare(e.Args[0]).(*stan.Name)
	if !ok {
		refuse("the right side of a differential equation is not a function of the program")
	}
	args := x.args(e.Args[1:])
	first, start, times, rest := args[0], args[1].number(), args[2], args[3:]
	var tolerances []value
	if s.old && len(rest) > 3 {
		rest, tolerances = rest[:3], rest[3:]
	} else if s.tols > 0 {
		tolerances, rest = rest[:s.tols], rest[s.tols:]
	}
	n, ok := first.dims[0].whole()
	if !ok || n < 1 || n > 200 {
		cannot("the number of states of a differential equation is not known without data")
	}
	u, now := x.names.take("u"), x.freshPlate("t", constant(1), constant(1)).index()
	state := value{typ: first.typ, dims: []term{constant(n)}, level: ofParameters}
	state.elem = func(i []term) term {
		t := termOf(appliedOf(element(u, i), now.node), i...)
		t.level = ofParameters
		return t
	}
	time, shift := term{node: now.node, level: ofParameters}, constant(0)
	began := start.node
	if _, ok := start.value(); !ok || !began.isDigits() { // the equations start at time 0
		shift, began = start, literalOf("0")
		time = add(shift.real(), time)
	}
	right := x.rightSide(name.Name, append([]value{scalar(time), state}, rest...))
	for i := 1; i <= n; i++ {
		at := []term{constant(i)}
		x.emit(item{left: appliedOf(element(u+"'", at), now.node), body: right.elem(at).node, at: x.at,
			level: ofParameters})
		x.emit(item{left: appliedOf(element(u, at), began), body: first.elem(at).node, at: x.at, level: ofParameters})
	}
	x.settings(s.method, tolerances)
	out := lazily(stan.Type{Word: "vector", Depth: 1}, []term{times.dims[0], constant(n)}, args, func(i []term) term {
		at := subtract(times.elem(i[:1]).real(), shift.real())
		t := termOf(appliedOf(element(u, i[1:]), at.node), at, i[0], i[1])
		t.level = ofParameters
		return t
	})
	if s.old {
		out.typ = stan.Type{Word: "real", Depth: 2}
	}
	out.level = ofParameters
	return out
}

// real returns the term as a real number, without its linear form.
func (t term) real() term {
	t.integer, t.linear = false, nil
	return t
}

// rightSide translates the right-hand side. It gives no names to intermediate values, because named values would not
// depend on time.
func (x *executor) rightSide(name string, args []value) value {
	fs := x.info.Functions[name]
	if len(fs) == 0 {
		refuse("`" + name + "` is not defined")
	}
	before := x.inline
	x.inline = true
	defer func() { x.inline = before }()
	f := fs[0]
	if len(f.Params) != len(args) {
		refuse(fmt.Sprintf("`%s` takes %d arguments, but the solver passes %d", name, len(f.Params), len(args)))
	}
	return x.run(f, args)
}

// settings emits the solver and its tolerances if they are not the defaults and were not emitted before.
func (x *executor) settings(method string, tolerances []value) {
	settings := node{kind: kindCall, text: "ode"}
	set := func(name string, value *node) {
		settings.names, settings.kids = append(settings.names, name), append(settings.kids, value)
	}
	if method != "rk45" {
		set("method", nameOf(method))
	}
	for i, name := range []string{"rtol", "atol"} {
		if i < len(tolerances) && tolerances[i].isScalar() {
			if _, ok := tolerances[i].number().value(); ok {
				set(name, tolerances[i].number().node)
			}
		}
	}
	if len(settings.kids) == 0 || slices.ContainsFunc(x.items, func(it item) bool { return it.setting }) {
		return
	}
	x.emit(item{setting: true, body: finished(settings), at: x.at})
}
