package check

import (
	"math"
	"strconv"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
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

func (c *checker) collectPrime(h *ast.Head, st *ast.Define, s *scope.Scope) {
	name := h.Path[0].Name
	e := s.Names[name]
	switch {
	case s != c.global:
		c.NotYet(h.Span(), "differential equations inside a function").
			Help("write them at the top of the file, where they may read every name; for different constants give "+
				"them an index: `%s'[k in K](t) = …`", name)
		return
	case e != nil && (e.Ode == nil || again(e.Ode.Prime, h)):
		c.Errorf(diag.DefinedTwice, h.Span(), "`%s` is defined twice", name).Related(e.At, "first defined here")
		return
	}
	t := c.trajectoryOf(h, s)
	t.Prime = append(t.Prime, scope.Define{Head: h, Stmt: st})
}

// again reports whether one more statement can only say what others have said: parts have subscripts.
func again(known []scope.Define, h *ast.Head) bool {
	return len(known) > 0 && (len(h.Slots) == 0 || len(known[0].Head.Slots) != len(h.Slots))
}

func (c *checker) collectInitial(h *ast.Head, st *ast.Define, s *scope.Scope) {
	t := c.trajectoryOf(h, s)
	if t == nil || again(t.Init, h) {
		c.Errorf(diag.DefinedTwice, h.Span(), "`%s` has two initial values", h.Path[0].Name)
		return
	}
	t.Init = append(t.Init, scope.Define{Head: h, Stmt: st})
}

func (c *checker) trajectoryOf(h *ast.Head, s *scope.Scope) *scope.Trajectory {
	name := h.Path[0].Name
	if e := s.Names[name]; e != nil {
		return e.Ode
	}
	t := &scope.Trajectory{State: &model.State{Name: name, At: h.Span()}, Scope: s}
	s.Add(&scope.Entity{Name: name, At: h.Span(), Ode: t, Used: true})
	c.odes = append(c.odes, t)
	return t
}

// odeShape gives a trajectory its plates, which is all that reading it needs.
func (c *checker) odeShape(t *scope.Trajectory) bool {
	if t.Phase != scope.Untouched {
		return t.Ok
	}
	t.Phase = scope.Typed
	if len(t.Prime) == 0 { // two names of which the other was meant
		return false
	}
	axes, ok := c.joinedParts(t, t.Prime)
	if !ok {
		return false
	}
	for _, s := range axes {
		t.State.Plates = append(t.State.Plates, c.NewIndex("", s))
	}
	t.State.Axes = axes
	h := t.Prime[0].Head
	if len(t.Init) == 0 {
		c.Errorf(diag.NoInitialEquation, h.Span(), "`%s'` has no initial value: add `%s(t0) = …`", t.State.Name,
			t.State.Name)
		return false
	}
	for _, d := range t.Prime {
		if len(d.Head.Params) != 1 || d.Head.Params[0].Name == nil {
			c.Errorf(diag.NoInitialEquation, d.Head.Span(), "a derivative is written `%s'(t) = …`", t.State.Name)
			return false
		}
	}
	t.Ok = true
	return true
}

// resolveODE elaborates initial value and right side.
func (c *checker) resolveODE(t *scope.Trajectory) bool {
	if !c.odeShape(t) || t.Phase == scope.Done {
		return t.State.Rhs != nil && t.State.Init != nil
	}
	t.Phase = scope.Done
	return c.rightSide(t) && c.initialValue(t)
}

// rightSide elaborates u'(t) = e with t as the time.
func (c *checker) rightSide(t *scope.Trajectory) (ok bool) {
	t.State.Rhs, ok = c.chosen(t, t.Prime, func(s *scope.Scope, d scope.Define) model.Expr {
		p := d.Head.Params[0]
		s.Add(&scope.Entity{Name: p.Name.Name, At: p.Span(), Used: true,
			Expr: &model.TimeNow{Fact: model.Fact{At: p.Span(), Type: model.Type{Range: stdlib.Everything()}}}})
		x := c.definedBy(s, d.Stmt)
		if typing.IsPoison(x) || !c.oneNumber(x, t.State.Name+"'") {
			return nil
		}
		return x
	})
	return ok
}

func (c *checker) definedBy(s *scope.Scope, st *ast.Define) model.Expr {
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
func (c *checker) initialValue(t *scope.Trajectory) (ok bool) {
	axes, ok := c.joinedParts(t, t.Init)
	if !ok {
		return false
	}
	prime := t.Prime[0].Head
	for _, d := range t.Init {
		switch h := d.Head; {
		case len(h.Slots) != len(prime.Slots):
			c.Errorf(diag.AxisCount, h.Span(), "the initial value of `%s` has %s, its derivative %s", t.State.Name,
				diag.Count(len(h.Slots), "subscript", "subscripts"), diag.Count(len(prime.Slots), "subscript",
					"subscripts")).Related(prime.Span(), "the derivative")
			return false
		case len(h.Params) != 1:
			c.Errorf(diag.NoInitialEquation, h.Span(), "an initial value is written `%s(t0) = …`", t.State.Name)
			return false
		}
	}
	for k, s := range axes {
		if !s.Same(t.State.Axes[k]) {
			c.Errorf(diag.Gap, t.Init[0].Head.Span(), "the initial values of `%s` are for %s, its derivatives for %s",
				t.State.Name, s.Name, t.State.Axes[k].Name).
				Related(prime.Span(), "the derivative")
			return false
		}
	}
	t.State.Init, ok = c.chosen(t, t.Init, func(s *scope.Scope, d scope.Define) model.Expr {
		x := c.definedBy(s, d.Stmt)
		if typing.IsPoison(x) || !c.oneNumber(x, t.State.Name) {
			return nil
		}
		return x
	})
	return ok
}

// initialTime is t0 of u(t0) = e, the same in all parts.
func (c *checker) initialTime(t *scope.Trajectory) (t0 model.Expr) {
	for _, d := range t.Init {
		p := d.Head.Params[0]
		e := p.Expr
		if p.Name != nil {
			e = &ast.Name{Place: p.Name.Place, Name: p.Name.Name}
		}
		x := c.staticInt(t.Scope, e, false)
		if t0 != nil && !model.SameForm(t0, x) {
			c.Errorf(diag.SystemTimes, d.Head.Span(), "parts of `%s` start at %s and %s", t.State.Name,
				t0.Info().At.Text(), x.Info().At.Text()).
				Related(t.Init[0].Head.Span(), "the other part")
		}
		if t0 == nil {
			t0 = x
		}
	}
	return t0
}

// stateAt is u(e): the state at the present time inside a right side, else at a time.
func (c *checker) stateAt(s *scope.Scope, t *scope.Trajectory, e *ast.Call) model.Expr {
	if len(e.Args) != 1 || e.Args[0].Name != nil {
		c.Errorf(diag.Arguments, e.Span(), "`%s` is a function of time: write `%s(t)`", t.State.Name, t.State.Name)
		return typing.Poison(e)
	}
	if !c.odeShape(t) {
		return typing.Poison(e)
	}
	at := c.expr(s, e.Args[0].Value)
	if typing.IsPoison(at) {
		return at
	}
	ty := model.Type{Axes: t.State.Axes, Range: stdlib.Everything()}
	if _, now := at.(*model.TimeNow); now {
		return &model.StateNow{State: t.State, Fact: model.Fact{At: e.Span(), Type: ty}}
	}
	if readsTime(at) {
		c.Errorf(diag.TrajectoryTime, e.Span(), "`%s` is read here at another time than the present: delays "+
			"are not offered", t.State.Name)
		return typing.Poison(e)
	}
	ty.Axes = append(append([]*model.Set{}, t.State.Axes...), at.Info().Type.Axes...)
	q := &model.StateAt{State: t.State, Time: at, Fact: model.Fact{At: e.Span(), Type: ty}}
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
		if t.State.Rhs != nil && t.State.Init != nil && t.State.System == nil {
			sys := &model.System{At: t.State.At}
			c.Model.Systems = append(c.Model.Systems, sys)
			c.join(t.State, sys)
		}
	}
	for _, t := range c.odes {
		if t.State.System == nil || t.State.Init == nil { // refused
			continue
		}
		t0 := c.initialTime(t)
		sys := t.State.System
		if sys.T0 == nil {
			sys.T0 = t0
		} else if !model.SameForm(sys.T0, t0) {
			c.Errorf(diag.SystemTimes, t.Init[0].Head.Span(), "`%s` and `%s` read each other but start at %s and %s",
				sys.States[0].Name, t.State.Name,
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
		if t.State.Rhs != nil && (readsState(s, t.State) || readsState(t.State, s)) {
			c.join(t.State, sys)
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
