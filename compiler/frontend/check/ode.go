package check

import (
	"math"
	"strconv"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// primes lists the names that have an equation for their prime: for these, name(x) = e is an initial value.
func primes(stmts []ast.Stmt) map[string]bool {
	names := map[string]bool{}
	for _, st := range stmts {
		if d, ok := st.(*ast.Define); ok {
			for _, h := range d.Heads {
				if h.Prime {
					names[h.Path[0].Name] = true
				}
			}
		}
	}
	return names
}

func (c *checker) collectPrime(h *ast.Head, st *ast.Define, s *scope) {
	name := h.Path[0].Name
	e := s.names[name]
	switch {
	case s != c.global:
		c.NotYet(h.Span(), "differential equations inside a function").
			Help("write them at the top of the file, where they may read every name; for different constants give "+
				"them an index: `%s'[k in K](t) = …`", name)
		return
	case e != nil && (e.ode == nil || again(e.ode.prime, h)):
		c.Errorf(diag.DefinedTwice, h.Span(), "`%s` is defined twice", name).Related(e.at, "first defined here")
		return
	}
	t := c.trajectoryOf(h, s)
	t.prime = append(t.prime, define{head: h, stmt: st})
}

// again reports whether one more statement can only say what others have said: parts have subscripts.
func again(known []define, h *ast.Head) bool {
	return len(known) > 0 && (len(h.Slots) == 0 || len(known[0].head.Slots) != len(h.Slots))
}

func (c *checker) collectInitial(h *ast.Head, st *ast.Define, s *scope) {
	t := c.trajectoryOf(h, s)
	if t == nil || again(t.init, h) {
		c.Errorf(diag.DefinedTwice, h.Span(), "`%s` has two initial values", h.Path[0].Name)
		return
	}
	t.init = append(t.init, define{head: h, stmt: st})
}

func (c *checker) trajectoryOf(h *ast.Head, s *scope) *trajectory {
	name := h.Path[0].Name
	if e := s.names[name]; e != nil {
		return e.ode
	}
	t := &trajectory{state: &model.State{Name: name, At: h.Span()}, scope: s}
	s.add(&entity{name: name, at: h.Span(), ode: t, used: true})
	c.odes = append(c.odes, t)
	return t
}

// odeShape gives a trajectory its plates, which is all that reading it needs.
func (c *checker) odeShape(t *trajectory) bool {
	if t.phase != untouched {
		return t.ok
	}
	t.phase = typed
	if len(t.prime) == 0 { // two names of which the other was meant
		return false
	}
	axes, ok := c.joinedParts(t, t.prime)
	if !ok {
		return false
	}
	for _, s := range axes {
		t.state.Plates = append(t.state.Plates, c.NewIndex("", s))
	}
	t.state.Axes = axes
	h := t.prime[0].head
	if len(t.init) == 0 {
		c.Errorf(diag.NoInitialEquation, h.Span(), "`%s'` has no initial value: add `%s(t0) = …`", t.state.Name,
			t.state.Name)
		return false
	}
	for _, d := range t.prime {
		if len(d.head.Params) != 1 || d.head.Params[0].Name == nil {
			c.Errorf(diag.NoInitialEquation, d.head.Span(), "a derivative is written `%s'(t) = …`", t.state.Name)
			return false
		}
	}
	t.ok = true
	return true
}

// resolveODE elaborates initial value and right side.
func (c *checker) resolveODE(t *trajectory) bool {
	if !c.odeShape(t) || t.phase == done {
		return t.state.Rhs != nil && t.state.Init != nil
	}
	t.phase = done
	return c.rightSide(t) && c.initialValue(t)
}

// rightSide elaborates u'(t) = e with t as the time.
func (c *checker) rightSide(t *trajectory) (ok bool) {
	t.state.Rhs, ok = c.chosen(t, t.prime, func(s *scope, d define) model.Expr {
		p := d.head.Params[0]
		s.add(&entity{name: p.Name.Name, at: p.Span(), used: true,
			expr: &model.TimeNow{Fact: model.Fact{At: p.Span(), Type: model.Type{Range: stdlib.Everything()}}}})
		x := c.definedBy(s, d.stmt)
		if typing.IsPoison(x) || !c.oneNumber(x, t.state.Name+"'") {
			return nil
		}
		return x
	})
	return ok
}

func (c *checker) definedBy(s *scope, st *ast.Define) model.Expr {
	if st.Block != nil {
		return c.block(s, st.Block)
	}
	return c.expr(s, st.Value)
}

func (c *checker) oneNumber(x model.Expr, what string) bool {
	if len(x.Info().Type.Axes) > 0 {
		c.Errorf(diag.AxisCount, x.Info().At, "`%s` is one number, but this has %s; give it a plate: `%s[k in …]`",
			what, model.HaveAxes(x.Info().Type.Axes), what)
		return false
	}
	return true
}

// initialValue elaborates u(t0) = e; its plates are those of the derivative.
func (c *checker) initialValue(t *trajectory) (ok bool) {
	axes, ok := c.joinedParts(t, t.init)
	if !ok {
		return false
	}
	prime := t.prime[0].head
	for _, d := range t.init {
		switch h := d.head; {
		case len(h.Slots) != len(prime.Slots):
			c.Errorf(diag.AxisCount, h.Span(), "the initial value of `%s` has %s, its derivative %s", t.state.Name,
				diag.Count(len(h.Slots), "subscript", "subscripts"), diag.Count(len(prime.Slots), "subscript",
					"subscripts")).Related(prime.Span(), "the derivative")
			return false
		case len(h.Params) != 1:
			c.Errorf(diag.NoInitialEquation, h.Span(), "an initial value is written `%s(t0) = …`", t.state.Name)
			return false
		}
	}
	for k, s := range axes {
		if !s.Same(t.state.Axes[k]) {
			c.Errorf(diag.Gap, t.init[0].head.Span(), "the initial values of `%s` are for %s, its derivatives for %s",
				t.state.Name, s.Name, t.state.Axes[k].Name).
				Related(prime.Span(), "the derivative")
			return false
		}
	}
	t.state.Init, ok = c.chosen(t, t.init, func(s *scope, d define) model.Expr {
		x := c.definedBy(s, d.stmt)
		if typing.IsPoison(x) || !c.oneNumber(x, t.state.Name) {
			return nil
		}
		return x
	})
	return ok
}

// initialTime is t0 of u(t0) = e, the same in all parts.
func (c *checker) initialTime(t *trajectory) (t0 model.Expr) {
	for _, d := range t.init {
		p := d.head.Params[0]
		e := p.Expr
		if p.Name != nil {
			e = &ast.Name{Place: p.Name.Place, Name: p.Name.Name}
		}
		x := c.staticInt(t.scope, e, false)
		if t0 != nil && !model.SameForm(t0, x) {
			c.Errorf(diag.SystemTimes, d.head.Span(), "parts of `%s` start at %s and %s", t.state.Name,
				t0.Info().At.Text(), x.Info().At.Text()).
				Related(t.init[0].head.Span(), "the other part")
		}
		if t0 == nil {
			t0 = x
		}
	}
	return t0
}

// stateAt is u(e): the state at the present time inside a right side, else at a time.
func (c *checker) stateAt(s *scope, t *trajectory, e *ast.Call) model.Expr {
	if len(e.Args) != 1 || e.Args[0].Name != nil {
		c.Errorf(diag.Arguments, e.Span(), "`%s` is a function of time: write `%s(t)`", t.state.Name, t.state.Name)
		return typing.Poison(e)
	}
	if !c.odeShape(t) {
		return typing.Poison(e)
	}
	at := c.expr(s, e.Args[0].Value)
	if typing.IsPoison(at) {
		return at
	}
	ty := model.Type{Axes: t.state.Axes, Range: stdlib.Everything()}
	if _, now := at.(*model.TimeNow); now {
		return &model.StateNow{State: t.state, Fact: model.Fact{At: e.Span(), Type: ty}}
	}
	if readsTime(at) {
		c.Errorf(diag.TrajectoryTime, e.Span(), "`%s` is read here at another time than the present: delays "+
			"are not offered", t.state.Name)
		return typing.Poison(e)
	}
	ty.Axes = append(append([]*model.Set{}, t.state.Axes...), at.Info().Type.Axes...)
	q := &model.StateAt{State: t.state, Time: at, Fact: model.Fact{At: e.Span(), Type: ty}}
	c.queries = append(c.queries, q)
	return q
}

// readsTime reports whether an expression depends on the present time, itself or by a state at this time.
func readsTime(x model.Expr) bool {
	found := false
	model.WalkNow(x, func(y model.Expr) {
		switch y.(type) {
		case *model.TimeNow, *model.StateNow:
			found = true
		}
	})
	return found
}

// systems joins states whose right sides read each other, and gives each query to its system.
func (c *checker) systems() {
	for _, t := range c.odes {
		c.resolveODE(t)
	}
	for _, e := range c.events {
		c.event(e)
	}
	if !c.odeCycles() {
		return
	}
	for _, t := range c.odes {
		if t.state.Rhs != nil && t.state.Init != nil && t.state.System == nil {
			sys := &model.System{At: t.state.At}
			c.Model.Systems = append(c.Model.Systems, sys)
			c.join(t.state, sys)
		}
	}
	for _, t := range c.odes {
		if t.state.System == nil || t.state.Init == nil { // refused
			continue
		}
		t0 := c.initialTime(t)
		sys := t.state.System
		if sys.T0 == nil {
			sys.T0 = t0
		} else if !model.SameForm(sys.T0, t0) {
			c.Errorf(diag.SystemTimes, t.init[0].head.Span(), "`%s` and `%s` read each other but start at %s and %s",
				sys.States[0].Name, t.state.Name,
				sys.T0.Info().At.Text(), t0.Info().At.Text()).Related(sys.States[0].At, "`%s`", sys.States[0].Name)
		}
		sys.Options = c.odeOptions()
	}
	for _, q := range c.queries {
		if q.State.System != nil {
			q.State.System.Queries = append(q.State.System.Queries, q)
		}
	}
}

func (c *checker) join(s *model.State, sys *model.System) {
	if s.System != nil {
		return
	}
	s.System = sys
	sys.States = append(sys.States, s)
	for _, t := range c.odes { // in both directions
		if t.state.Rhs != nil && (readsState(s, t.state) || readsState(t.state, s)) {
			c.join(t.state, sys)
		}
	}
}

// readsState reports whether the equation or an event of a state reads another.
func readsState(s, other *model.State) bool {
	found := false
	visit := func(y model.Expr) {
		if n, ok := y.(*model.StateNow); ok && n.State == other {
			found = true
		}
	}
	model.WalkNow(s.Rhs, visit)
	for _, e := range s.Events {
		model.WalkNow(e.Amount, visit)
	}
	return found
}

// odeOptions are those of `infer ode(…)`.
func (c *checker) odeOptions() map[string]string {
	out := map[string]string{}
	for _, call := range c.Model.Infer {
		if call.Name != "ode" {
			continue
		}
		for _, a := range call.Args {
			switch v, err := strconv.ParseFloat(a.Value, 64); {
			case a.Name == "method" && a.Value != "rk45" && a.Value != "bdf":
				c.Errorf(diag.Arguments, a.At, "there is no method `%s`; there are rk45 and bdf", a.Value)
			case a.Name == "method":
			case a.Name == "rtol" || a.Name == "atol":
				if err != nil || !(v > 0) {
					c.Errorf(diag.Arguments, a.At, "`%s` must be a positive number; it is `%s`", a.Name, a.Value)
				}
			case a.Name == "max_steps":
				if err != nil || v < 1 || v > 1e6 || v != math.Trunc(v) {
					c.Errorf(diag.Arguments, a.At, "`max_steps` must be a whole number from 1 to 1000000; it is `%s`",
						a.Value)
				}
			default:
				c.Errorf(diag.Arguments, a.At, "`ode` has no option `%s`; it has method, rtol, atol and max_steps",
					a.Name)
			}
			out[a.Name] = a.Value
		}
	}
	return out
}
