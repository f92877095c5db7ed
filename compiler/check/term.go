package check

import (
	"math"
	"slices"
	"strconv"

	"ppl/compiler/model"
	"ppl/lang/ast"
)

func boundText(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// drawBodies turns an array's draws into terms, once every type is known.
func (c *checker) drawBodies(a *arrayInfo) {
	if a.state != typed && a.decl == nil {
		return
	}
	a.state = done
	piece := 0
	for i := range a.draws {
		d := &a.draws[i]
		if d.scope == nil { // an observation
			if !c.observe(a, d) {
				continue
			}
		}
		var p *model.Piece
		if a.observed && a.Role == model.Latent {
			p = &model.Piece{At: d.head.Span(), Slots: d.slots, Plates: plates(d.slots)}
			a.Pieces = append(a.Pieces, p)
		}
		if !a.observed {
			for piece < len(a.Pieces) && a.Pieces[piece].At != d.head.Span() {
				piece++
			}
			if piece == len(a.Pieces) {
				return
			}
			if p = a.Pieces[piece]; p.Value != nil { // a template's block defines it
				continue
			}
		}
		if t := c.term(a, d, p); t != nil {
			c.model.Terms = append(c.model.Terms, t)
		}
	}
	switch {
	case a.observed && a.Role == model.Latent:
		c.coverData(a)
	case a.Role == model.Imputed && len(a.draws) > 1:
		c.coverHoles(a)
	}
}

// coverHoles is coverData for holes that are parameters.
func (c *checker) coverHoles(a *arrayInfo) {
	inPieces := *a
	inPieces.Array = &model.Array{Name: a.Name, At: a.At, Type: a.Type}
	for _, d := range a.draws {
		inPieces.Pieces = append(inPieces.Pieces, &model.Piece{At: d.head.Span(), Slots: d.slots})
	}
	c.coverData(&inPieces)
}

// coverData refuses data with holes where the laws' pieces do not cover the data.
func (c *checker) coverData(a *arrayInfo) {
	if len(a.Pieces) < len(a.draws) {
		return
	}
	for k, axis := range a.Type.Axes {
		known := c.diags.Len()
		if whole := c.joinAxis(a, k); !whole.Same(axis) && c.diags.Len() == known {
			c.errorf("E12", a.At, "`%s` has missing entries, but laws only for %s of %s", a.Name, whole.Name, axis.Name)
		}
	}
}

// observe gives the plates of an observation: its slots, or every axis of the data before the event.
func (c *checker) observe(a *arrayInfo, d *draw) bool {
	d.scope = newScope(a.scope)
	if a.decl == nil && !c.isStatic(a) {
		c.errorf("E31", d.head.Span(), "`%s` is defined on line %d from parameters; it cannot be observed too", a.Name,
			a.At.Line()).
			Related(a.At, "the definition").Help("for a density on it use `Density` on its parameters")
		return false
	}
	axes := a.Type.Axes
	event := min(c.eventOf(d.scope, d.stmt.Dist), len(axes))
	switch {
	case isBroken(a): // its axes are not known; what else is wrong here is
		c.slots(d.scope, d.head, event)
		c.lawOf(d)
		return false
	case len(d.head.Slots) > len(axes):
		c.errorf("E42", d.head.Span(), "`%s` has %s but is given %s", a.Name, haveAxes(axes),
			count(len(d.head.Slots), "subscript", "subscripts"))
		return false
	case len(d.head.Slots) > 0:
		d.slots, d.bare, d.event = c.slots(d.scope, d.head, event)
		d.event = axes[len(d.slots):]
	default:
		for _, s := range axes[:len(axes)-event] {
			i := c.newIndex("", s)
			d.slots, d.bare = append(d.slots, model.Slot{Index: i}), append(d.bare, i)
		}
		d.event = axes[len(axes)-event:]
	}
	if poisonSlot(d.slots) {
		return false
	}
	if a.Role == model.Imputed && len(a.draws) == 1 && !coversAxes(d.slots, axes) {
		c.notYet(d.head.Span(), "missing entries that other statements read, in an array observed in part").
			Help("give the rest of `%s` a law, too, or declare it as data of its own", a.Name)
		return false
	}
	if _, ok := c.expand(a, d); !ok {
		return false
	}
	dist := c.distRow(d)
	if dist != nil && dist.Discrete() {
		a.NeedInt = true
	}
	if dist != nil && len(d.event) != dist.Event {
		c.errorf("E42", d.head.Span(), "`%s` has %s, so `%s` leaves %s; %s is a law of %s", a.Name, haveAxes(axes),
			d.head.Span().Text(), haveAxes(d.event), dist.Name, eventText(dist.Event)).Help("give every axis an index")
		return false
	}
	return true
}

// coversAxes reports whether slots run over the whole of their axes.
func coversAxes(slots []model.Slot, axes []*model.Set) bool {
	for k, s := range slots {
		if s.Index == nil || !s.Index.Set.Same(axes[k]) {
			return false
		}
	}
	return true
}

func eventText(rank int) string {
	return [...]string{"one number", "a vector", "a matrix"}[min(rank, 2)]
}

// term elaborates one ~ statement.
func (c *checker) term(a *arrayInfo, d *draw, p *model.Piece) *model.Term {
	l := c.lawOf(d)
	if !l.ok {
		return nil
	}
	t := &model.Term{At: d.head.Span(), Array: a.Array, Piece: p, Kind: c.kind(a), Dist: l.dist, Form: l.form,
		Plates: plates(d.slots), Event: d.event}
	ok := true
	rank := func(i int) int { return l.form.Args[i].Rank }
	for i, x := range l.args {
		x, fits := c.absorb(x, rank(i), d.bare, a.Name)
		// one number for every element
		if n := rank(i); fits && len(x.Info().Type.Axes) == 0 && n > 0 && n == len(d.event) {
			x = &model.Fill{Value: x, Fact: *x.Info()}
			x.Info().Type.Axes = d.event
		}
		if fits && len(x.Info().Type.Axes) < rank(i) {
			c.errorf("E50", x.Info().At, "argument `%s` of `%s` is a vector, but `%s` has %s", l.form.Args[i].Name,
				l.dist.Name,
				x.Info().At.Text(), haveAxes(x.Info().Type.Axes))
			fits = false
		}
		ok = ok && fits
		t.Args = append(t.Args, x)
	}
	if l.density != nil {
		var fits bool
		t.Density, fits = c.absorb(l.density, 0, d.bare, a.Name)
		ok = ok && fits
	}
	if l.dist != nil && l.dist.Support.EventRank() == 2 && len(d.event) == 2 && !d.event[0].Same(d.event[1]) {
		c.errorf("E63", d.head.Span(), "%s draws a square matrix, but the axes of `%s` are %s", l.dist.Name, a.Name,
			axesText(d.event))
		ok = false
	}
	t.Value = c.valueAt(a, d)
	ok = c.modifiers(a, d, t) && ok
	if !ok || !c.someBetween(t) {
		return nil
	}
	if !c.setOffset(a, t) {
		return nil
	}
	if p != nil {
		p.Term = t
	}
	return t
}

func (c *checker) kind(a *arrayInfo) model.TermKind {
	switch {
	case a.Role == model.Latent:
		return model.LatentPrior
	case a.observed:
		return model.Likelihood
	case a.Role == model.Generated:
		return model.Generate
	}
	return model.Prior
}

// valueAt is the array at the statement's plates.
func (c *checker) valueAt(a *arrayInfo, d *draw) model.Expr {
	static := a.observed && a.Role != model.Latent && a.Role != model.Imputed
	ref := &model.Ref{Array: a.Array, Fact: model.Fact{At: d.head.Span(), Type: a.Type, Static: static}}
	if len(d.slots) == 0 {
		return ref
	}
	sub := &model.Subscript{X: ref, Fact: ref.Fact}
	for _, s := range d.slots {
		at := s.At
		if s.Index != nil {
			at = indexVar(s.Index, d.head)
		}
		sub.Subs = append(sub.Subs, model.Sub{At: at})
	}
	sub.Type.Axes = a.Type.Axes[min(len(d.slots), len(a.Type.Axes)):] // fewer where pieces disagree, which was reported
	return sub
}

func (c *checker) modifiers(a *arrayInfo, d *draw, t *model.Term) bool {
	ok := true
	for _, m := range d.modifiers() {
		ok = c.modify(a, d, t, m) && ok
	}
	if !ok || t.NonCentered && !c.noncentered(a, d, t) {
		return false
	}
	return !t.Ordered && !t.ZeroSum || c.constraint(a, d, t)
}

// modify enters the modifiers of one statement: of a law, or of what uses the template that the law stands in.
func (c *checker) modify(a *arrayInfo, d *draw, t *model.Term, m modified) bool {
	law := m.law
	t.Ordered, t.ZeroSum = t.Ordered || law.Ordered, t.ZeroSum || law.ZeroSum
	t.NonCentered = t.NonCentered || law.NonCentered
	ok := true
	if law.In != nil {
		if t.In != nil {
			return c.twiceModified("in", d.saying(func(l *ast.Distribution) bool { return l.In != nil }).In, law.In)
		}
		if t.In, ok = c.bounds(d, law.In, m, a); ok {
			ok = c.truncation(a, t, law)
		}
	}
	if law.Censored != nil {
		return c.censored(a, d, t, m) && ok
	}
	return ok
}

func (c *checker) censored(a *arrayInfo, d *draw, t *model.Term, m modified) (ok bool) {
	at := m.law.Censored
	switch {
	case !a.observed:
		c.errorf("E60", at.Span(), "`censored`: only data can be censored; `%s` is a parameter",
			a.Name).Help("for truncation write `in`")
		return false
	case t.Form == nil || t.Form.LogCDF == nil || t.Form.LogCCDF == nil:
		c.errorf("E58", at.Span(), "`censored` needs the distribution function of %s, which is not there yet",
			d.stmt.Dist.Base.Span().Text())
		return false
	case t.Censored != nil:
		return c.twiceModified("censored", d.saying(func(l *ast.Distribution) bool { return l.Censored != nil }).Censored, at)
	}
	t.Censored, ok = c.bounds(d, at, m, a)
	return ok
}

// twiceModified refuses a modifier that both a template's law and its use have.
func (c *checker) twiceModified(word string, use, law *ast.Range) bool {
	c.errorf("E58", use.Span(), "`%s` stands on the use of a template and on the law that the template draws from",
		word).Related(law.Span(), "on the law").
		Help("leave one of them out; an end that differs from use to use can be an argument of the template")
	return false
}

// bounds are the ends of a modifier, in the scope of the statement that it stands in.
func (c *checker) bounds(d *draw, r *ast.Range, m modified, a *arrayInfo) (*model.Bounds, bool) {
	lo, hi := c.expr(m.scope, r.Lo), c.expr(m.scope, r.Hi)
	if anyPoison(lo, hi) {
		return nil, false
	}
	var ok1, ok2 bool
	bare := append(slices.Clone(d.bare), m.bare...)
	lo, ok1 = c.absorb(lo, 0, bare, a.Name)
	hi, ok2 = c.absorb(hi, 0, bare, a.Name)
	return &model.Bounds{Lo: lo, Hi: hi}, ok1 && ok2
}

// truncation: log p − log P(a ≤ v ≤ b). Flat and Density have no normaliser; constant ends and arguments make it a
// constant.
func (c *checker) truncation(a *arrayInfo, t *model.Term, law *ast.Distribution) bool {
	if t.Dist == nil || t.Dist.Improper || t.Form.LogCDF != nil && t.Form.LogCCDF != nil {
		return true
	}
	constant := isNumber(t.In.Lo) && isNumber(t.In.Hi)
	for _, x := range t.Args {
		constant = constant && x.Info().Static
	}
	if constant && !a.observed || c.wholeSupport(t) {
		return true
	}
	c.errorf("E58", law.In.Span(), "`%s in …`: truncation needs the distribution function of %s, which is "+
		"not there yet", t.Dist.Name, t.Dist.Name)
	return false
}

func (c *checker) wholeSupport(t *model.Term) bool {
	return t.In.Lo.Info().Type.Range.Hi <= t.Dist.Lo && t.In.Hi.Info().Type.Range.Lo >= t.Dist.Hi
}

func isNumber(x model.Expr) bool {
	r := x.Info().Type.Range
	return x.Info().Static && r.Lo == r.Hi
}

func (c *checker) noncentered(a *arrayInfo, d *draw, t *model.Term) bool {
	at := d.saying(func(l *ast.Distribution) bool { return l.NonCentered }).Span()
	switch {
	case a.observed:
		c.errorf("E61", at, "`noncentered` is for parameters; `%s` is observed", a.Name)
	case t.Dist == nil || !t.Dist.LocationScale && t.Dist.Name != "MvNormal":
		c.errorf("E61", at, "`noncentered` has no meaning for `%s`: no location and scale",
			d.stmt.Dist.Base.Span().Text())
	case t.In != nil || t.Ordered || t.ZeroSum:
		c.errorf("E61", at, "`noncentered` does not go with `in`, `ordered` or `zerosum`")
	default:
		return true
	}
	return false
}

// constraint: ordered and zerosum constrain the last axis.
func (c *checker) constraint(a *arrayInfo, d *draw, t *model.Term) bool {
	at := d.saying(func(l *ast.Distribution) bool { return l.Ordered || l.ZeroSum }).Span()
	word := "ordered"
	if t.ZeroSum {
		word = "zerosum"
	}
	switch {
	case a.observed || a.Role == model.Latent:
		c.errorf("E59", at, "`%s` is for continuous parameters", word)
	case len(t.Plates) == 0 || t.Dist != nil && t.Dist.Event > 0:
		c.errorf("E59", at, "`%s` needs an axis: write `%s[K] ~ … %s`", word, a.Name, word)
	case t.ZeroSum && (t.Dist == nil || t.Dist.Name != "Normal"):
		c.errorf("E59", at, "`zerosum` is for independent Normal elements of one law")
	case !c.exchangeable(t):
		c.errorf("E59", at, "`%s` needs exchangeable elements: the arguments of the law change along the axis and "+
			"are not constant", word)
	default:
		return true
	}
	return false
}

// exchangeable: no argument changes along the last plate, or all are constant.
func (c *checker) exchangeable(t *model.Term) bool {
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

// influential are the arrays that reach an observation, what is generated, or a density by formula, through laws and
// definitions.
func (c *checker) influential() map[*model.Array]bool {
	reached := map[*model.Array]bool{}
	var reach func(xs []model.Expr)
	enter := func(a *model.Array) {
		for _, t := range c.model.Terms {
			if t.Array == a {
				reach(t.Exprs())
			}
		}
		for _, p := range a.Pieces {
			reach([]model.Expr{p.Value})
		}
	}
	reach = func(xs []model.Expr) {
		for _, x := range xs {
			for _, a := range model.Arrays(x) {
				if !reached[a] {
					reached[a] = true
					enter(a)
				}
			}
		}
	}
	for _, t := range c.model.Terms {
		if t.Kind == model.Likelihood || t.Kind == model.Generate || t.Density != nil || t.Array.Missing {
			reach(t.Exprs())
		}
	}
	for _, a := range c.model.Arrays {
		if a.Save && a.Role == model.Definition {
			enter(a)
		}
	}
	return reached
}

// unused warns of data nothing reads and of parameters without influence, and recognises a typing mistake in both at
// once.
func (c *checker) unused() {
	var idleData []*entity
	for _, e := range c.global.order {
		if e.array != nil && e.array.decl != nil && !e.used && !e.array.observed && !c.namesSet(e.name) {
			idleData = append(idleData, e)
		}
	}
	reached := c.influential()
	target := !slices.ContainsFunc(c.model.Terms, func(t *model.Term) bool { return t.Kind == model.Likelihood })
	for _, e := range c.global.order {
		if e.array == nil || e.array.Role != model.Parameter && (e.array.Role != model.Latent || e.used) || e.used &&
			(target || reached[e.array.Array]) || len(e.array.Pieces) == 0 || e.array.Pieces[0].Term == nil ||
			e.array.Pieces[0].Term.Density != nil {
			continue
		}
		near := nearEntity(e.name, idleData)
		if near != nil && !e.used {
			c.errorf("E30", e.at, "`%s` is a parameter nothing reads, and data `%s` is never used: did you mean `%s`?",
				e.name, near.name, near.name).
				Related(near.at, "declared here")
			near.used = true
		} else if !target {
			d := c.diags.Warnf("W02", e.at, "parameter `%s` has no influence on any observation; its posterior "+
				"is its prior", e.name)
			switch t := e.array.Pieces[0].Term; {
			case t.Dist.Improper && t.In == nil:
				d.Help("its prior is improper, so there is nothing to draw from: give it a proper one, or "+
					"leave `%s` out", e.name)
			case !e.used:
				d.Help("for draws after inference write `generate %s ~ …`", e.name)
			}
		}
	}
	for _, e := range idleData {
		if !e.used {
			c.diags.Warnf("W01", e.at, "data `%s` is never used", e.name)
		}
	}
}

func nearEntity(name string, among []*entity) *entity {
	var names []string
	for _, e := range among {
		names = append(names, e.name)
	}
	if near, ok := diagNearest(name, names); ok {
		for _, e := range among {
			if e.name == near {
				return e
			}
		}
	}
	return nil
}

// namesSet reports whether a data scalar is used as an index set.
func (c *checker) namesSet(name string) bool {
	for _, a := range c.model.Arrays {
		for _, s := range a.Type.Axes {
			if s.Name == name {
				return true
			}
		}
	}
	return false
}
