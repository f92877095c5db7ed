package modifiers

import (
	"math"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

// A Checker adds modifiers to terms.
type Checker struct {
	*typing.Context
	// Expr elaborates an expression.
	Expr func(s *scope.Scope, e ast.Expr) model.Expr
	// Value elaborates an expression of a modifier m of draw d, subscripted by the plates of d. It returns false after
	// an error.
	Value func(d *scope.Draw, e ast.Expr, m scope.Modified, a *scope.Array) (model.Expr, bool)
}

// Enter adds the modifiers of a draw of an array to its term, including those at uses of templates that led to the
// draw. It returns false after an error.
func (c Checker) Enter(a *scope.Array, d *scope.Draw, t *model.Term) bool {
	ok := true
	for _, m := range d.Modifiers() {
		ok = c.modify(a, d, t, m) && ok
	}
	if !ok || t.NonCentered && !c.noncentered(a, d, t) {
		return false
	}
	return !t.Ordered && !t.ZeroSum || c.constraint(a, d, t)
}

// modify adds the modifiers of one statement: of the distribution, or of a use of the template that contains it. It
// returns false after an error.
func (c Checker) modify(a *scope.Array, d *scope.Draw, t *model.Term, m scope.Modified) bool {
	dist := m.Dist
	t.Ordered, t.ZeroSum = t.Ordered || dist.Ordered, t.ZeroSum || dist.ZeroSum
	t.NonCentered = t.NonCentered || dist.NonCentered
	ok := true
	if dist.In != nil {
		if t.In != nil {
			use := d.ModifiedBy(func(l *ast.Distribution) bool { return l.In != nil })
			return c.refuseRepeated("in", use.In, dist.In)
		}
		if c.endsOfElements(t, dist.In, m) {
			return c.refuseTruncation(t, dist)
		}
		if t.In, ok = c.bounds(d, dist.In, m, a); ok {
			t.In = wholeEnds(t, t.In, "ceil", "floor")
			ok = c.truncation(a, t, dist)
		}
	}
	if dist.Censored != nil {
		ok = c.censored(a, d, t, m) && ok
	}
	return c.recorded(a, d, t, m) && ok
}

func (c Checker) censored(a *scope.Array, d *scope.Draw, t *model.Term, m scope.Modified) (ok bool) {
	at := m.Dist.Censored
	switch {
	case !c.ofData(a, at, "censored") || !c.hasProbabilities(d, t, at, "censored"):
		return false
	case t.Censored != nil:
		use := d.ModifiedBy(func(l *ast.Distribution) bool { return l.Censored != nil })
		return c.refuseRepeated("censored", use.Censored, at)
	}
	if t.Censored, ok = c.bounds(d, at, m, a); ok {
		t.Censored = wholeEnds(t, t.Censored, "floor", "ceil")
	}
	return ok
}

// ofData reports an error and returns false if a modifier that describes how data were recorded is used for an array
// that is not observed.
func (c Checker) ofData(a *scope.Array, at ast.Node, word string) bool {
	if a.Observed && !a.Factor {
		return true
	}
	what := map[string]string{"censored": "be censored", "weight": "have weights"}[word]
	if what == "" {
		what = "be known to lie between two ends"
	}
	said := c.Errorf(diag.CensoredNotData, at.Span(), "`%s`: only data can %s; `%s` is not observed", word, what,
		a.Name)
	r, ok := at.(*ast.Range)
	if !ok {
		return false
	}
	if _, number := r.Lo.(*ast.Number); number {
		said.Help("for truncation write `in`")
	} else {
		said.Help("for truncation write `in`; if data give an interval that contains each value, observe the lower "+
			"end: `%s ~ … upto %s`", r.Lo.Span().Text(), r.Hi.Span().Text())
	}
	return false
}

// hasProbabilities reports an error and returns false if a modifier needs a distribution function that ppl does not
// have.
func (c Checker) hasProbabilities(d *scope.Draw, t *model.Term, at ast.Node, word string) bool {
	if t.Form != nil && t.Form.LogCDF != nil && t.Form.LogCCDF != nil {
		return true
	}
	c.Errorf(diag.NoCDF, at.Span(), "`%s` needs the distribution function of %s, which ppl does not have yet", word,
		d.Stmt.Dist.Base.Span().Text())
	return false
}

// recorded adds the modifiers that describe how an observation was recorded: its weight, and the bounds between which
// it is known to be.
func (c Checker) recorded(a *scope.Array, d *scope.Draw, t *model.Term, m scope.Modified) bool {
	ok := true
	if at := m.Dist.Weight; at != nil {
		if !c.ofData(a, at, "weight") {
			return false
		}
		t.Weight, ok = c.Value(d, at, m, a)
	}
	word, at := "upto", m.Dist.UpTo
	if at == nil {
		word, at = "rounded", m.Dist.Rounded
	}
	switch {
	case at == nil:
		return ok
	case !c.ofData(a, at, word) || !c.hasProbabilities(d, t, at, word):
		return false
	case t.Censored != nil || t.UpTo != nil || t.Rounded != nil || m.Dist.UpTo != nil && m.Dist.Rounded != nil:
		c.Errorf(diag.CensoredNotData, at.Span(), "`censored`, `upto` and `rounded` cannot be combined: each "+
			"describes how a value was recorded")
		return false
	case word == "rounded" && t.Dist.Discrete():
		c.Errorf(diag.CensoredNotData, at.Span(), "`rounded` is for continuous measurements, but %s draws integers",
			t.Dist.Name)
		return false
	}
	x, fits := c.Value(d, at, m, a)
	switch {
	case !fits:
		return false
	case word == "rounded":
		t.Rounded = x
	case t.Dist.Discrete():
		t.UpTo = rounded(x, "floor")
	default:
		t.UpTo = x
	}
	return ok
}

// wholeEnds rounds the bounds of a modifier of an integer distribution with the functions lower and upper, because
// later stages rely on integer bounds. It returns the bounds of other distributions unchanged. Integers between 1.5 and
// 6.5 are 2..6, so bounds of a truncation move inwards. A count of at most 1.5 is at most 1, and one of at least 6.5 is
// at least 7, so bounds of censoring move outwards.
func wholeEnds(t *model.Term, b *model.Bounds, lower, upper string) *model.Bounds {
	if t.Dist == nil || !t.Dist.Discrete() {
		return b
	}
	return &model.Bounds{Lo: rounded(b.Lo, lower), Hi: rounded(b.Hi, upper)}
}

// rounded applies the named function, floor or ceil, to an expression that may not be an integer.
func rounded(x model.Expr, name string) model.Expr {
	info := *x.Info()
	fn := stdlib.Funcs()[name]
	if info.Type.Range.Int {
		return x
	}
	info.Type.Range = fn.Range([]stdlib.Range{info.Type.Range})
	if number, ok := x.(*model.Num); ok {
		if math.IsInf(number.Value, 0) {
			return x
		}
		whole := *number
		whole.Fact, whole.Value = info, info.Type.Range.Lo
		return &whole
	}
	info.Type.Elem = types.Int
	return &model.Apply{Name: fn.Name, Args: []model.Expr{x}, Build: fn.Build, Fact: info}
}

// refuseRepeated reports an error for a modifier that is both in a template and at its use. It returns false.
func (c Checker) refuseRepeated(word string, use, inside *ast.Range) bool {
	c.Errorf(diag.NoCDF, use.Span(), "both the use of a template and the distribution in the template have `%s`",
		word).Related(inside.Span(), "in the template").
		Help("leave one of them out; if the bounds differ between uses, make them arguments of the template")
	return false
}

// bounds elaborates the bounds of a modifier in the scope of its statement.
func (c Checker) bounds(d *scope.Draw, r *ast.Range, m scope.Modified, a *scope.Array) (*model.Bounds, bool) {
	lo, ok1 := c.Value(d, r.Lo, m, a)
	hi, ok2 := c.Value(d, r.Hi, m, a)
	return &model.Bounds{Lo: lo, Hi: hi}, ok1 && ok2
}

// truncation reports an error and returns false for `in a..b` if its normaliser P(a ≤ v ≤ b) is needed but not
// available. Flat and Density have no normaliser. If a parameter has constant bounds and arguments, the normaliser is a
// constant, which a posterior does not need.
func (c Checker) truncation(a *scope.Array, t *model.Term, dist *ast.Distribution) bool {
	if t.Dist == nil || t.Dist.Improper || t.Form.LogCDF != nil && t.Form.LogCCDF != nil {
		return true
	}
	constant := typing.IsNumber(t.In.Lo) && typing.IsNumber(t.In.Hi)
	for _, x := range t.Args {
		constant = constant && x.Info().Static
	}
	if constant && !a.Observed || c.wholeSupport(t) {
		return true
	}
	return c.refuseTruncation(t, dist)
}

// endsOfElements reports whether the bounds of a truncated vector differ between its elements.
func (c Checker) endsOfElements(t *model.Term, r *ast.Range, m scope.Modified) bool {
	if t.Dist == nil || t.Dist.Event == 0 {
		return false
	}
	of := func(e ast.Expr) bool { return len(c.Expr(m.Scope, e).Info().Type.Axes) > 0 }
	return of(r.Lo) || of(r.Hi)
}

func (c Checker) refuseTruncation(t *model.Term, dist *ast.Distribution) bool {
	said := c.Errorf(diag.NoCDF, dist.In.Span(), "`%s in …`: truncation needs the distribution function of %s, which "+
		"ppl does not have yet", t.Dist.Name, t.Dist.Name)
	if t.Dist.Event > 0 {
		said.Help("draw the elements one after another, each from its distribution given those before it, as in the " +
			"probit model for several outcomes in REFERENCE.md")
	}
	return false
}

func (c Checker) wholeSupport(t *model.Term) bool {
	return t.In.Lo.Info().Type.Range.Hi <= t.Dist.Lo && t.In.Hi.Info().Type.Range.Lo >= t.Dist.Hi
}

func (c Checker) noncentered(a *scope.Array, d *scope.Draw, t *model.Term) bool {
	at := d.ModifiedBy(func(l *ast.Distribution) bool { return l.NonCentered }).Span()
	switch {
	case a.Observed:
		c.Errorf(diag.BadNoncentered, at, "`noncentered` is for parameters; `%s` is observed", a.Name)
	case t.Dist == nil || !t.Dist.Recentres():
		c.Errorf(diag.BadNoncentered, at, "`noncentered` has no meaning for `%s`, which has no location and scale",
			d.Stmt.Dist.Base.Span().Text()).Help("leave `noncentered` out")
	case t.LowRank():
		c.Errorf(diag.BadNoncentered, at, "`noncentered` cannot be combined with `cov_factor`").
			Help("leave `noncentered` out, or write the covariance: `cov = …`")
	case t.Ordered:
		c.Errorf(diag.BadNoncentered, at, "`noncentered` cannot be combined with `ordered`").
			Help("leave `noncentered` out")
	case t.In != nil && !t.OnLine():
		c.Errorf(diag.BadNoncentered, at, "`noncentered` cannot be combined with `in` for `%s`", t.Dist.Name).
			Help("leave `noncentered` out")
	default:
		return true
	}
	return false
}

// constraint reports an error and returns false for `ordered` and `zerosum`, which constrain the last axis, if the
// array has no such axis or its elements are not exchangeable.
func (c Checker) constraint(a *scope.Array, d *scope.Draw, t *model.Term) bool {
	at := d.ModifiedBy(func(l *ast.Distribution) bool { return l.Ordered || l.ZeroSum }).Span()
	word := "ordered"
	if t.ZeroSum {
		word = "zerosum"
	}
	switch {
	case a.Observed:
		c.Errorf(diag.BadOrder, at, "`%s` is for parameters; `%s` is observed", word, a.Name)
	case a.Role == model.Latent:
		c.Errorf(diag.BadOrder, at, "`%s` is for continuous parameters; `%s` is discrete", word, a.Name)
	case t.Dist != nil && t.Dist.Event > 0:
		c.Errorf(diag.BadOrder, at, "`%s` is for elements with distributions of one number; %s is a distribution of %s",
			word, t.Dist.Name, typing.EventText(t.Dist.Event))
	case len(t.Plates) == 0:
		c.Errorf(diag.BadOrder, at, "`%s` needs an axis: write `%s[K] ~ … %s`", word, a.Name, word)
	case t.ZeroSum && (t.Dist == nil || t.Dist.Name != "Normal"):
		c.Errorf(diag.BadOrder, at, "`zerosum` needs the distribution Normal").
			Help("write `%s[K] ~ Normal(0, sigma) zerosum`", a.Name)
	case !c.exchangeable(t):
		c.Errorf(diag.BadOrder, at, "`%s` needs exchangeable elements: the arguments of the distribution change along "+
			"the axis and are not constant", word).
			Help("leave `%s` out, or give all elements one distribution", word)
	default:
		return true
	}
	return false
}

// exchangeable reports whether no argument varies along the last plate. For `ordered`, arguments that depend only on
// data may vary.
func (c Checker) exchangeable(t *model.Term) bool {
	last := t.Plates[len(t.Plates)-1]
	for _, x := range t.Args {
		if x.Info().Static && !t.ZeroSum {
			continue
		}
		for _, i := range model.Indices(x) {
			if i == last {
				return false
			}
		}
	}
	return true
}
