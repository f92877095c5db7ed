package odes

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

// Names holds functions that resolve other names in equations. Each function reports mistakes itself.
type Names struct {
	// Expr elaborates an expression.
	Expr func(s *scope.Scope, e ast.Expr) model.Expr
	// Block elaborates a block that returns an expression.
	Block func(s *scope.Scope, b *ast.Block) model.Expr
	// StaticInt elaborates an expression that must depend on data only and, if integer is set, be an integer.
	StaticInt func(s *scope.Scope, e ast.Expr, integer bool) model.Expr
	// Slots elaborates the subscripts of a left-hand side and adds their indices to a scope.
	Slots func(s *scope.Scope, h *ast.Head, event int) (slots []model.Slot, bare []*model.Index, events []*model.Set)
	// Axes returns the axes that the statements for parts of a name cover together; false after an error.
	Axes func(s *scope.Scope, name string, parts []scope.Define) ([]*model.Set, bool)
	// Undefined reports an undefined name.
	Undefined func(s *scope.Scope, n *ast.Name)
}

// Equations collects the differential equations of a model. Queries lists the reads of their states at given times.
type Equations struct {
	*typing.Context
	Queries []*model.StateAt

	names  Names
	global *scope.Scope
	states []*scope.Trajectory
	events []*ast.Event
}

// New returns an Equations without any equation; global is the scope of the file's names.
func New(to *typing.Context, global *scope.Scope, names Names) *Equations {
	return &Equations{Context: to, global: global, names: names}
}

// Primes returns the names that have an equation for their derivative: for these, name(x) = e is an initial value.
func Primes(stmts []ast.Stmt) map[string]bool {
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

// CollectPrime records u'(t) = e, and reports an error if it is not at the top of the file or is a second definition.
func (eq *Equations) CollectPrime(h *ast.Head, st *ast.Define, s *scope.Scope) {
	name := h.Path[0].Name
	e := s.Names[name]
	switch {
	case s != eq.global:
		eq.NotYet(h.Span(), "differential equations inside a function").
			Help("write them outside of functions and blocks; for different constants give them an index: "+
				"`%s'[k in K](t) = …`", name)
		return
	case e != nil && (e.Ode == nil || repeats(e.Ode.Prime, h)):
		eq.Errorf(diag.DefinedTwice, h.Span(), "`%s` is defined twice", name).Related(e.At, "first defined here")
		return
	}
	t := eq.trajectoryOf(h, s)
	t.Prime = append(t.Prime, scope.Define{Head: h, Stmt: st})
}

// repeats reports whether a further statement about a name certainly defines it twice. Only statements for parts, with
// the same number of subscripts, can be combined.
func repeats(known []scope.Define, h *ast.Head) bool {
	return len(known) > 0 && (len(h.Slots) == 0 || len(known[0].Head.Slots) != len(h.Slots))
}

// CollectInitial records u(t0) = e, and reports an error for a second initial value.
func (eq *Equations) CollectInitial(h *ast.Head, st *ast.Define, s *scope.Scope) {
	t := eq.trajectoryOf(h, s)
	if t == nil { // CollectPrime reports that the name is defined twice
		return
	}
	if repeats(t.Init, h) {
		eq.Errorf(diag.DefinedTwice, h.Span(), "`%s` has two initial values", t.State.Name).
			Related(t.Init[0].Head.Span(), "the first one")
		return
	}
	t.Init = append(t.Init, scope.Define{Head: h, Stmt: st})
}

func (eq *Equations) trajectoryOf(h *ast.Head, s *scope.Scope) *scope.Trajectory {
	name := h.Path[0].Name
	if e := s.Names[name]; e != nil {
		return e.Ode
	}
	t := &scope.Trajectory{State: &model.State{Name: name, At: h.Span()}, Scope: s}
	s.Add(&scope.Entity{Name: name, At: h.Span(), Ode: t, Used: true})
	eq.states = append(eq.states, t)
	return t
}

// shape determines the plates of a trajectory, which are all that a read of it needs. It returns false after an error.
func (eq *Equations) shape(t *scope.Trajectory) bool {
	if t.Phase != scope.Untouched {
		return t.Ok
	}
	t.Phase = scope.Typed
	if len(t.Prime) == 0 { // its derivative has an error, which was reported
		return false
	}
	axes, ok := eq.names.Axes(t.Scope, t.State.Name, t.Prime)
	if !ok {
		return false
	}
	for _, s := range axes {
		t.State.Plates = append(t.State.Plates, eq.NewIndex("", s))
	}
	t.State.Axes = axes
	h := t.Prime[0].Head
	if len(t.Init) == 0 {
		eq.Errorf(diag.NoInitialEquation, h.Span(), "`%[1]s` has no initial value: add `%[1]s(t0) = …` for its start "+
			"time t0",
			t.State.Name)
		return false
	}
	for _, d := range t.Prime {
		if len(d.Head.Params) != 1 || d.Head.Params[0].Name == nil {
			eq.Errorf(diag.NoInitialEquation, d.Head.Span(), "a derivative is written `%s'(t) = …`", t.State.Name)
			return false
		}
	}
	t.Ok = true
	return true
}

// resolve elaborates the initial value and the right-hand side. It returns false after an error.
func (eq *Equations) resolve(t *scope.Trajectory) bool {
	if !eq.shape(t) || t.Phase == scope.Done {
		return t.State.Rhs != nil && t.State.Init != nil
	}
	t.Phase = scope.Done
	return eq.rightSide(t) && eq.initialValue(t)
}

// rightSide elaborates u'(t) = e with t as the time.
func (eq *Equations) rightSide(t *scope.Trajectory) (ok bool) {
	t.State.Rhs, ok = eq.chosen(t, t.Prime, func(s *scope.Scope, d scope.Define) model.Expr {
		p := d.Head.Params[0]
		s.Add(&scope.Entity{Name: p.Name.Name, At: p.Span(), Used: true,
			Expr: &model.TimeNow{Fact: model.Fact{At: p.Span(), Type: model.Type{Range: stdlib.Everything()}}}})
		x := eq.definedBy(s, d.Stmt)
		if typing.IsPoison(x) || !eq.oneNumber(x, t.State.Name+"'") {
			return nil
		}
		return x
	})
	return ok
}

func (eq *Equations) definedBy(s *scope.Scope, st *ast.Define) model.Expr {
	if st.Block != nil {
		return eq.names.Block(s, st.Block)
	}
	return eq.names.Expr(s, st.Value)
}

func (eq *Equations) oneNumber(x model.Expr, what string) bool {
	if len(x.Info().Type.Axes) > 0 {
		eq.Errorf(diag.AxisCount, x.Info().At, "an equation for `%[1]s` gives one number, but this has %[2]s; give "+
			"`%[1]s` an index for each axis: `%[1]s[k in …]`", what, model.HaveAxes(x.Info().Type.Axes))
		return false
	}
	return true
}

// initialValue elaborates u(t0) = e; its plates must be those of the derivative.
func (eq *Equations) initialValue(t *scope.Trajectory) (ok bool) {
	axes, ok := eq.names.Axes(t.Scope, t.State.Name, t.Init)
	if !ok {
		return false
	}
	prime := t.Prime[0].Head
	for _, d := range t.Init {
		switch h := d.Head; {
		case len(h.Slots) != len(prime.Slots):
			eq.Errorf(diag.AxisCount, h.Span(), "the initial value of `%s` has %s, its derivative %s", t.State.Name,
				diag.Count(len(h.Slots), "subscript", "subscripts"), diag.Count(len(prime.Slots), "subscript",
					"subscripts")).Related(prime.Span(), "the derivative")
			return false
		case len(h.Params) != 1:
			eq.Errorf(diag.NoInitialEquation, h.Span(), "an initial value is written `%s(t0) = …`", t.State.Name)
			return false
		}
	}
	for k, s := range axes {
		if !s.Same(t.State.Axes[k]) {
			eq.Errorf(diag.Gap, t.Init[0].Head.Span(), "the initial values of `%s` are for %s, its derivatives for %s",
				t.State.Name, s.Name, t.State.Axes[k].Name).
				Related(prime.Span(), "the derivative")
			return false
		}
	}
	t.State.Init, ok = eq.chosen(t, t.Init, func(s *scope.Scope, d scope.Define) model.Expr {
		x := eq.definedBy(s, d.Stmt)
		if typing.IsPoison(x) || !eq.oneNumber(x, t.State.Name) {
			return nil
		}
		return x
	})
	return ok
}

// initialTime returns t0 of u(t0) = e, and reports an error if it is not the same in all parts.
func (eq *Equations) initialTime(t *scope.Trajectory) (t0 model.Expr) {
	for _, d := range t.Init {
		p := d.Head.Params[0]
		e := p.Expr
		if p.Name != nil {
			e = &ast.Name{Place: p.Name.Place, Name: p.Name.Name}
		}
		x := eq.names.StaticInt(t.Scope, e, false)
		if t0 != nil && !model.SameForm(t0, x) {
			eq.Errorf(diag.SystemTimes, d.Head.Span(), "elements of `%s` start at different times, %s and %s; "+
				"let them start together", t.State.Name, t0.Info().At.Text(), x.Info().At.Text()).
				Related(t.Init[0].Head.Span(), "the other elements")
		}
		if t0 == nil {
			t0 = x
		}
	}
	return t0
}

// StateAt elaborates u(e): on a right-hand side the state at the present time, elsewhere a query.
func (eq *Equations) StateAt(s *scope.Scope, t *scope.Trajectory, e *ast.Call) model.Expr {
	if len(e.Args) != 1 || e.Args[0].Name != nil {
		eq.Errorf(diag.Arguments, e.Span(), "`%s` is a function of time: write `%s(t)`", t.State.Name, t.State.Name)
		return typing.Poison(e)
	}
	if !eq.shape(t) {
		return typing.Poison(e)
	}
	at := eq.names.Expr(s, e.Args[0].Value)
	if typing.IsPoison(at) {
		return at
	}
	ty := model.Type{Axes: t.State.Axes, Range: stdlib.Everything()}
	if _, now := at.(*model.TimeNow); now {
		return &model.StateNow{State: t.State, Fact: model.Fact{At: e.Span(), Type: ty}}
	}
	if readsTime(at) {
		eq.Errorf(diag.TrajectoryTime, e.Span(), "`%s` is evaluated here at another time than the present: delay "+
			"differential equations are not supported", t.State.Name)
		return typing.Poison(e)
	}
	ty.Axes = append(append([]*model.Set{}, t.State.Axes...), at.Info().Type.Axes...)
	q := &model.StateAt{State: t.State, Time: at, Fact: model.Fact{At: e.Span(), Type: ty}}
	eq.Queries = append(eq.Queries, q)
	return q
}

// readsTime reports whether an expression depends on the present time, directly or through a state at this time.
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

// Join elaborates all equations and events, joins states whose equations read each other into systems, and assigns each
// query to its system.
func (eq *Equations) Join() {
	for _, t := range eq.states {
		eq.resolve(t)
	}
	for _, e := range eq.events {
		eq.event(e)
	}
	if !eq.refuseDelays() {
		return
	}
	for _, t := range eq.states {
		if t.State.Rhs != nil && t.State.Init != nil && t.State.System == nil {
			sys := &model.System{At: t.State.At}
			eq.Model.Systems = append(eq.Model.Systems, sys)
			eq.joinInto(t.State, sys)
		}
	}
	for _, t := range eq.states {
		if t.State.System == nil || t.State.Init == nil { // it has an error, which was reported
			continue
		}
		t0 := eq.initialTime(t)
		sys := t.State.System
		if sys.T0 == nil {
			sys.T0 = t0
		} else if !model.SameForm(sys.T0, t0) {
			eq.Errorf(diag.SystemTimes, t.Init[0].Head.Span(), "`%s` and `%s` belong to one system of equations, but "+
				"start at %s and %s; let them start at the same time", sys.States[0].Name, t.State.Name,
				sys.T0.Info().At.Text(), t0.Info().At.Text()).Related(sys.States[0].At, "`%s`", sys.States[0].Name)
		}
		sys.Options = eq.options()
	}
	for _, q := range eq.Queries {
		if q.State.System != nil {
			q.State.System.Queries = append(q.State.System.Queries, q)
		}
	}
}

func (eq *Equations) joinInto(s *model.State, sys *model.System) {
	if s.System != nil {
		return
	}
	s.System = sys
	sys.States = append(sys.States, s)
	for _, t := range eq.states { // states belong to one system if either reads the other
		if t.State.Rhs != nil && (readsState(s, t.State) || readsState(t.State, s)) {
			eq.joinInto(t.State, sys)
		}
	}
}

// readsState reports whether the right-hand side or an event of a state reads the other state at the present time.
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

// options returns the options of `infer ode(…)` by name, and reports an error for each invalid one.
func (eq *Equations) options() map[string]string {
	out := map[string]string{}
	for _, call := range eq.Model.Infer {
		if call.Name != "ode" {
			continue
		}
		for _, a := range call.Args {
			switch v, err := strconv.ParseFloat(a.Value, 64); {
			case a.Name == "method" && a.Value != "rk45" && a.Value != "bdf":
				eq.Errorf(diag.Arguments, a.At, "unknown method `%s`; available: rk45, bdf", a.Value)
			case a.Name == "method":
			case a.Name == "rtol" || a.Name == "atol":
				if err != nil || !(v > 0) {
					eq.Errorf(diag.Arguments, a.At, "`%s` must be a positive number; it is `%s`", a.Name, a.Value)
				}
			case a.Name == "max_steps":
				if err != nil || v < 1 || v > 1e6 || v != math.Trunc(v) {
					eq.Errorf(diag.Arguments, a.At, "`max_steps` must be an integer from 1 to 1000000; it is `%s`",
						a.Value)
				}
			default:
				eq.Errorf(diag.Arguments, a.At, "`ode` has no option `%s`; it has method, rtol, atol and max_steps",
					a.Name)
			}
			out[a.Name] = a.Value
		}
	}
	return out
}
