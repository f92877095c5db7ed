package check

import (
	"math"
	"slices"
	"strings"

	"ppl/compiler/model"
	"ppl/lang/ast"
	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/stdlib"
)

// slots elaborates the left side's subscripts. A set without an index is a plate matched by its set; trailing ones of them, as
// many as event says, are the event instead.
func (c *checker) slots(inner *scope, h *ast.Head, event int) (slots []model.Slot, bare []*model.Index, ev []*model.Set) {
	n := len(h.Slots)
	for k := n - 1; k >= 0 && len(ev) < event && isBare(h.Slots[k]); k-- {
		ev = append([]*model.Set{c.set(inner, h.Slots[k].Set)}, ev...)
	}
	slots = make([]model.Slot, n-len(ev))
	for _, late := range []bool{false, true} { // a range may read an index that stands behind it: i in start[m]..N[m], m in M
		for k, s := range h.Slots[:n-len(ev)] {
			if readsSlots(s, h.Slots[k+1:]) == late {
				slots[k] = c.slot(inner, s)
			}
		}
	}
	for k, slot := range slots {
		if slot.Index != nil && h.Slots[k].Index == nil {
			bare = append(bare, slot.Index)
		}
	}
	return slots, bare, ev
}

// readsSlots reports whether a slot's range reads the index of one of others.
func readsSlots(s *ast.Slot, others []*ast.Slot) bool {
	found := false
	ast.SetNames(s.Set, func(n *ast.Name) {
		for _, o := range others {
			found = found || o.Index != nil && o.Index.Name == n.Name
		}
	})
	return found
}

// isBare reports whether a slot is a set without an index name (and not one element).
func isBare(s *ast.Slot) bool {
	if s.Index != nil {
		return false
	}
	if _, lit := s.Set.Lo.(*ast.Number); lit && s.Set.Hi == nil {
		return false
	}
	return true
}

func (c *checker) slot(inner *scope, s *ast.Slot) model.Slot {
	if s.Index != nil {
		return model.Slot{Index: c.bindIndex(inner, *s.Index, c.set(inner, s.Set))}
	}
	if s.Set.Hi == nil {
		switch lo := s.Set.Lo.(type) {
		case *ast.Number:
			if !lo.IsInt {
				c.errorf("E44", lo.Span(), "subscript must be an integer; `%s` is real", lo.Text)
			}
			return model.Slot{At: num(lo.Value, lo)}
		case *ast.Name:
			if inner.lookup(lo.Name) == nil && c.sizes[lo.Name] == nil {
				return model.Slot{Index: c.newIndex("", c.unknownSet(lo, "; for an index write `"+lo.Name+" in …`"))}
			}
		default:
			text := s.Set.Span().Text()
			c.errorf("E13", s.Set.Span(), "`%s` in a left side is neither an index nor a set", text).
				Help("for an axis write `1..%s`, for a plate `i in 1..%s`", text, text)
			return model.Slot{At: poison(s)}
		}
	}
	return model.Slot{Index: c.newIndex("", c.set(inner, s.Set))}
}

func plates(slots []model.Slot) (out []*model.Index) {
	for _, s := range slots {
		if s.Index != nil {
			out = append(out, s.Index)
		}
	}
	return out
}

// absorb subscripts an expression's axes beyond the last rank by the plates without a name whose sets they are.
func (c *checker) absorb(x model.Expr, rank int, bare []*model.Index, what string) (model.Expr, bool) {
	axes := x.Info().Type.Axes
	if len(axes) <= rank {
		return x, true
	}
	sub := &model.Subscript{X: x, Fact: *x.Info()}
	for _, s := range axes[:len(axes)-rank] {
		i := indexOver(s, bare)
		if i == nil {
			d := c.errorf("E40", x.Info().At, "`%s` has axis %s, which `%s` does not have here", x.Info().At.Text(), s.Name, what)
			if _, isRef := x.(*model.Ref); isRef && len(axes) == rank+1 {
				d.Help("give it an index: `%s[i]`", x.Info().At.Text())
			} else {
				d.Help("write `%s[i in %s]` on the left and `i` in what has axis %s, or sum over it: `*` is by element, `@` the matrix product", what, s.Name, s.Name)
			}
			return x, false
		}
		sub.Subs = append(sub.Subs, model.Sub{At: &model.IndexVar{Index: i, Fact: model.Fact{At: x.Info().At, Static: true,
			Type: model.Type{Elem: types.Int, Range: constRange(i.Set)}}}})
	}
	sub.Type.Axes = axes[len(axes)-rank:]
	return sub, true
}

func indexOver(s *model.Set, among []*model.Index) *model.Index {
	for _, i := range among {
		if i.Set.Same(s) {
			return i
		}
	}
	return nil
}

// ---- definitions ----

// headSlots are the subscripts of a left side, and the scope in which its indices are known.
type headSlots struct {
	scope *scope
	slots []model.Slot
	bare  []*model.Index
}

func (c *checker) headOf(a *arrayInfo, d define) headSlots {
	h := headSlots{scope: newScope(a.scope)}
	h.slots, h.bare, _ = c.slots(h.scope, d.head, 0)
	return h
}

// piece is what a statement defines, without its value.
func (h headSlots) piece(d define) *model.Piece {
	return &model.Piece{At: d.head.Span(), Slots: h.slots, Plates: plates(h.slots)}
}

func (c *checker) definePiece(a *arrayInfo, k int) bool {
	d, h := a.defs[k], a.heads[k]
	var x model.Expr
	if d.stmt.Block != nil {
		x = c.block(h.scope, d.stmt.Block)
	} else {
		x = c.expr(h.scope, d.stmt.Value)
	}
	if isPoison(x) || poisonSlot(h.slots) {
		return false
	}
	if len(h.bare) > 0 {
		var ok bool
		if x, ok = c.absorb(x, 0, h.bare, a.Name); !ok {
			return false
		}
	}
	if !a.recurs {
		p := h.piece(d)
		p.Value = x
		c.addPiece(a, p, x.Info().Type.Axes, x.Info().Type)
		return true
	}
	p := a.Pieces[k]
	p.Value = x
	if n := len(p.Slots) + len(x.Info().Type.Axes); n != len(a.Type.Axes) {
		c.errorf("E42", p.At, "`%s` reads its own past, so its axes are those on the left; here there are %d, elsewhere %d", a.Name, n, len(a.Type.Axes)).
			Help("give every axis an index: `%s[t in …, k in …] = …`", a.Name)
		return false
	}
	return true
}

func poisonSlot(slots []model.Slot) bool {
	for _, s := range slots {
		if s.At != nil && isPoison(s.At) {
			return true
		}
	}
	return false
}

// addPiece appends a piece and widens the array's type by it.
func (c *checker) addPiece(a *arrayInfo, p *model.Piece, rest []*model.Set, t model.Type) {
	first := len(a.Pieces) == 0
	a.Pieces = append(a.Pieces, p)
	if a.decl != nil {
		return
	}
	var axes []*model.Set
	for _, s := range p.Slots {
		axes = append(axes, slotSet(s))
	}
	axes = append(axes, rest...)
	if first {
		a.Type = model.Type{Elem: t.Elem, Axes: axes, Range: t.Range}
		return
	}
	a.Type.Elem = min(a.Type.Elem, t.Elem) // a real piece makes the array real
	a.Type.Range.Lo = math.Min(a.Type.Range.Lo, t.Range.Lo)
	a.Type.Range.Hi = math.Max(a.Type.Range.Hi, t.Range.Hi)
	a.Type.Range.Int = a.Type.Range.Int && t.Range.Int
	if len(axes) != len(a.Type.Axes) {
		c.errorf("E42", p.At, "`%s` has %s here and %s elsewhere", a.Name, haveAxes(axes), haveAxes(a.Type.Axes)).
			Related(a.At, "elsewhere")
	}
}

// cover joins the axes of an array's pieces to one box.
func (c *checker) cover(a *arrayInfo) {
	if a.decl != nil || a.observed || len(a.Pieces) == 0 {
		return
	}
	if len(a.Pieces) == 1 {
		c.lone(a.Pieces[0])
		return
	}
	if c.twice(a) {
		return
	}
	for k := range a.Type.Axes {
		a.Type.Axes[k] = c.joinAxis(a, k)
	}
}

// lone refuses an array that is nothing but its element 2: a size was meant.
func (c *checker) lone(p *model.Piece) {
	for _, s := range p.Slots {
		if n, ok := s.At.(*model.Num); ok && n.Value > 1 {
			at := n.Info().At
			c.errorf("E13", at, "`%s` is one element, the only one defined", p.At.Text()).Help("for an axis of size %s write `1..%s`", at.Text(), at.Text())
		}
	}
}

// twice reports two pieces that cover the same elements.
func (c *checker) twice(a *arrayInfo) bool {
	for i, p := range a.Pieces {
		for _, q := range a.Pieces[:i] {
			if region(p) == region(q) {
				c.errorf("E11", p.At, "`%s` is defined twice: lines %d and %d overlap", p.At.Text(), q.At.Line(), p.At.Line()).
					Related(q.At, "also defined here")
				return true
			}
		}
	}
	return false
}

// region writes a piece's part of each axis, equal for equal parts.
func region(p *model.Piece) (s string) {
	for _, slot := range p.Slots {
		s += slotSet(slot).Key + ","
	}
	return s
}

// slotSet is the part of an axis that a slot covers.
func slotSet(s model.Slot) *model.Set {
	if s.Index != nil {
		return s.Index.Set
	}
	return newSet(s.At.Info().At.Text(), s.At, s.At)
}

func (c *checker) joinAxis(a *arrayInfo, k int) *model.Set {
	var parts []*model.Set
	for _, p := range a.Pieces {
		if k >= len(p.Slots) {
			return a.Type.Axes[k]
		}
		part := slotSet(p.Slots[k])
		if axisOf(part, parts) < 0 {
			parts = append(parts, part)
		}
	}
	joined := parts[0]
	for rest := parts[1:]; len(rest) > 0; {
		next := -1
		for i, p := range rest {
			if follows(joined, p) || follows(p, joined) {
				next = i
			}
		}
		if next < 0 {
			c.uncovered(a, joined, rest[0])
			return joined
		}
		if p := rest[next]; follows(joined, p) {
			joined = newSet(joined.Lo.Info().At.Text()+".."+p.Hi.Info().At.Text(), joined.Lo, p.Hi)
		} else {
			joined = newSet(p.Lo.Info().At.Text()+".."+joined.Hi.Info().At.Text(), p.Lo, joined.Hi)
		}
		rest = append(append([]*model.Set{}, rest[:next]...), rest[next+1:]...)
	}
	for _, n := range c.sizes { // 1..N is N
		if set := (&model.Set{Key: linear{c: 1}.key() + ".." + atom(n.Name).key()}); set.Same(joined) {
			joined.Name = n.Name
		}
	}
	return joined
}

// follows reports whether t starts just after s ends.
func follows(s, t *model.Set) bool {
	gap := linearOf(t.Lo).plus(linearOf(s.Hi), -1)
	return gap.isConst() && gap.c == 1
}

func (c *checker) uncovered(a *arrayInfo, s, t *model.Set) {
	overlap := linearOf(t.Lo).plus(linearOf(s.Lo), -1)
	if overlap.isConst() && overlap.c == 0 {
		c.errorf("E11", a.Pieces[len(a.Pieces)-1].At, "`%s` is defined twice: %s and %s overlap", a.Name, s.Name, t.Name).Related(a.At, "also here")
		return
	}
	c.errorf("E12", a.At, "the pieces %s and %s of `%s` do not meet: something between them is not defined, or defined twice", s.Name, t.Name, a.Name).
		Related(a.Pieces[len(a.Pieces)-1].At, "another piece")
}

// ---- draws ----

// A law is a distribution with its arguments, elaborated.
type law struct {
	dist    *stdlib.Dist // nil for Density
	form    *stdlib.Form
	args    []model.Expr
	density model.Expr
	ok      bool
}

// drawPiece gives a parameter's piece its axes and range; the term follows in drawBodies.
func (c *checker) drawPiece(a *arrayInfo, d *draw) {
	d.scope = newScope(a.scope)
	d.slots, d.bare, d.event = c.slots(d.scope, d.head, c.eventOf(d.scope, d.stmt.Law))
	d.slots = append(outerSlots(a.outer), d.slots...)
	if poisonSlot(d.slots) {
		return
	}
	if x, ok := c.expand(a, d); !ok || x != nil {
		c.drawnByBlock(a, d, x)
		return
	}
	dist := c.distRow(d)
	t := model.Type{Range: anyRange}
	if n := distName(d.stmt.Law.Dist); dist == nil && n != nil && n.Name != "Density" && len(d.head.Slots) == 0 {
		c.lawOf(d) // says that there is none; axes that it might give are not known
		return
	}
	if dist != nil {
		t.Range = stdlib.Range{Lo: dist.Lo, Hi: dist.Hi, Int: dist.Discrete()}
		if dist.Discrete() {
			t.Elem = types.Int
		}
		if len(d.event) < dist.Event && !c.inferEvent(a, d, dist) {
			return
		}
		if dist.Support == types.Simplex {
			t.Range = stdlib.Range{Lo: 0, Hi: 1}
		}
		c.rangeFromArgs(a, d, &t)
	}
	if in := d.stmt.Law.In; in != nil {
		t.Range = c.narrowed(d.scope, in, t.Range)
	}
	if a.Role == model.Parameter && dist != nil && dist.Discrete() {
		a.Role, a.Save = model.Latent, false
	}
	c.addPiece(a, &model.Piece{At: d.head.Span(), Slots: d.slots, Plates: plates(d.slots)}, d.event, t)
}

func outerSlots(outer []*model.Index) (slots []model.Slot) {
	for _, i := range outer {
		slots = append(slots, model.Slot{Index: i})
	}
	return slots
}

// drawnByBlock: what a template's block returns defines the array; its draws are the parameters.
func (c *checker) drawnByBlock(a *arrayInfo, d *draw, x model.Expr) {
	if x == nil || isPoison(x) {
		return
	}
	a.Role, a.Save = model.Definition, true
	if r := d.returned; r != nil && r.array != nil && r.array.Role == model.Parameter {
		a.Save, r.array.Name = false, a.Name // one and the same
	}
	if len(d.bare) > 0 {
		var ok bool
		if x, ok = c.absorb(x, len(x.Info().Type.Axes)-len(d.bare), d.bare, a.Name); !ok {
			return
		}
	}
	c.addPiece(a, &model.Piece{At: d.head.Span(), Slots: d.slots, Plates: plates(d.slots), Value: x}, x.Info().Type.Axes, x.Info().Type)
}

// narrowed is a range cut to a..b.
func (c *checker) narrowed(s *scope, in *ast.Range, r stdlib.Range) stdlib.Range {
	lo, hi := c.expr(s, in.Lo), c.expr(s, in.Hi)
	if isPoison(lo) || isPoison(hi) {
		return r
	}
	return stdlib.Range{Lo: math.Max(r.Lo, lo.Info().Type.Range.Lo), Hi: math.Min(r.Hi, hi.Info().Type.Range.Hi), Int: r.Int}
}

// rangeFromArgs: the support of Uniform(0, 5) is known from its arguments, unless they read the array itself.
func (c *checker) rangeFromArgs(a *arrayInfo, d *draw, t *model.Type) {
	if d.stmt.Law == nil || mentions(d.stmt.Law.Dist, a.Name) || !math.IsInf(t.Range.Lo, 0) && !math.IsInf(t.Range.Hi, 0) {
		return
	}
	if dist := c.distRow(d); dist.Name != "Uniform" && dist.Name != "DiscreteUniform" {
		return
	}
	l := c.lawOf(d)
	if l.ok && len(l.args) == 2 {
		t.Range.Lo, t.Range.Hi = l.args[0].Info().Type.Range.Lo, l.args[1].Info().Type.Range.Hi
	}
}

// inferEvent takes the axes of an event that are not written from the distribution's arguments.
func (c *checker) inferEvent(a *arrayInfo, d *draw, dist *stdlib.Dist) bool {
	l := c.lawOf(d)
	if !l.ok {
		return false
	}
	for i, arg := range l.form.Args {
		axes := l.args[i].Info().Type.Axes
		if arg.Rank >= 1 && len(axes) >= 1 && dist.Event == 1 {
			d.event = []*model.Set{axes[len(axes)-1]}
			return true
		}
	}
	c.errorf("E46", d.head.Span(), "the size of `%s` is not known from the arguments of %s; write its axis, a set: `%s[K%s]`", a.Name, dist.Name, a.Name,
		strings.Repeat(", K", max(0, dist.Event-1)))
	return false
}

// mentions reports whether a name occurs in an expression's text.
func mentions(e ast.Expr, name string) bool {
	found := false
	ast.Names(e, func(n *ast.Name) { found = found || n.Name == name })
	return found
}

// distRow is the library's row for a draw's distribution; nil for Density and for what does not exist.
func (c *checker) distRow(d *draw) *stdlib.Dist {
	if d.stmt.Law == nil {
		return nil
	}
	if n := distName(d.stmt.Law.Dist); n != nil {
		return stdlib.Dists()[n.Name]
	}
	return nil
}

func distName(e ast.Expr) *ast.Name {
	if call, ok := e.(*ast.Call); ok {
		e = call.Fun
	}
	n, _ := e.(*ast.Name)
	return n
}

// lawOf elaborates a draw's distribution once.
func (c *checker) lawOf(d *draw) *law {
	if d.law != nil {
		return d.law
	}
	d.law = &law{}
	e := d.stmt.Law.Dist
	if n := distName(e); n != nil && n.Name == "Density" {
		d.law.density, d.law.ok = c.densityArg(d.scope, e)
		return d.law
	}
	d.law.dist, d.law.form, d.law.args, d.law.ok = c.distribution(d.scope, e)
	return d.law
}

func (c *checker) densityArg(s *scope, e ast.Expr) (model.Expr, bool) {
	call, ok := e.(*ast.Call)
	if !ok || len(call.Args) != 1 || call.Args[0].Name != nil {
		c.errorf("E50", e.Span(), "`Density` takes one argument, the log density: `x ~ Density(-x^2 / 2)`")
		return nil, false
	}
	x := c.expr(s, call.Args[0].Value)
	return x, !isPoison(x)
}

// distribution finds the row and the parametrisation of D(args) and elaborates the arguments in the order of the form.
func (c *checker) distribution(s *scope, e ast.Expr) (*stdlib.Dist, *stdlib.Form, []model.Expr, bool) {
	n := distName(e)
	if n == nil {
		c.notYet(e.Span(), "`"+e.Span().Text()+"` as a distribution")
		return nil, nil, nil, false
	}
	dist := stdlib.Dists()[n.Name]
	if dist == nil {
		c.unknownDist(n)
		return nil, nil, nil, false
	}
	var given []*ast.Arg
	if call, ok := e.(*ast.Call); ok {
		given = call.Args
	}
	form, order := c.pickForm(dist, given, e.Span())
	if form == nil {
		return nil, nil, nil, false
	}
	args := make([]model.Expr, len(form.Args))
	ok := true
	for i, a := range order {
		if a == nil {
			args[i] = num(*form.Args[i].Default, e)
			continue
		}
		args[i] = c.expr(s, a.Value)
		ok = ok && !isPoison(args[i]) && c.argDomain(dist, form.Args[i], i, args[i])
	}
	return dist, form, args, ok
}

func (c *checker) unknownDist(n *ast.Name) {
	if c.lost[n.Name] {
		return
	}
	var names []string
	for d := range stdlib.Dists() {
		names = append(names, d)
	}
	meant(c.errorf("E10", n.Span(), "there is no distribution `%s`", n.Name), n.Name, append(sorted(names), "Density"))
}

// pickForm is the first parametrisation that the arguments fit, with the arguments in its order.
func (c *checker) pickForm(dist *stdlib.Dist, given []*ast.Arg, at source.Span) (*stdlib.Form, []*ast.Arg) {
	for i := range dist.Forms {
		if order, ok := fitForm(&dist.Forms[i], given); ok {
			return &dist.Forms[i], order
		}
	}
	known := map[string]bool{}
	var all []string
	for _, f := range dist.Forms {
		for _, a := range f.Args {
			if !known[a.Name] {
				known[a.Name] = true
				all = append(all, a.Name)
			}
		}
	}
	for _, a := range given {
		if a.Name != nil && !known[a.Name.Name] {
			d := c.errorf("E50", a.Name.Span(), "`%s` has no argument `%s`; it has %s", dist.Name, a.Name.Name, joinAnd(all))
			if own, ok := stdlib.ForeignArgument(dist, a.Name.Name); ok {
				d.Help("write `%s`", own)
			} else if near, ok := diagNearest(a.Name.Name, all); ok {
				d.Help("did you mean `%s`?", near)
			}
			return nil, nil
		}
	}
	c.errorf("E50", at, "these arguments do not fit `%s`; write %s", dist.Name, formsText(dist))
	return nil, nil
}

// fitForm places positional arguments first, then named ones; every argument without a default must be given.
func fitForm(f *stdlib.Form, given []*ast.Arg) ([]*ast.Arg, bool) {
	order := make([]*ast.Arg, len(f.Args))
	for k, a := range given {
		at := k
		if a.Name != nil {
			at = -1
			for i, fa := range f.Args {
				if fa.Name == a.Name.Name {
					at = i
				}
			}
		}
		if at < 0 || at >= len(order) || order[at] != nil {
			return nil, false
		}
		order[at] = a
	}
	for i, a := range order {
		if a == nil && f.Args[i].Default == nil {
			return nil, false
		}
	}
	return order, true
}

func formsText(d *stdlib.Dist) string {
	texts := d.Signatures()
	for i := range texts {
		texts[i] = "`" + texts[i] + "`"
	}
	return joinOr(texts)
}

func joinAnd(names []string) string { return joinWith(names, " and ") }
func joinOr(names []string) string  { return joinWith(names, " or ") }

func joinWith(names []string, last string) string {
	s := ""
	for i, n := range names {
		switch {
		case i > 0 && i == len(names)-1:
			s += last
		case i > 0:
			s += ", "
		}
		s += n
	}
	return s
}

// argDomain refuses an argument that is plainly outside its domain: a parameter on the whole real line where a positive number is
// wanted, or a constant that never fits. What cannot be seen here gives −Inf at run time.
func (c *checker) argDomain(dist *stdlib.Dist, a stdlib.Arg, k int, x model.Expr) bool {
	if a.Domain.Kind == types.Simplex {
		return c.simplexArg(dist, x)
	}
	if a.Domain.Kind != types.Interval && a.Domain.Kind != types.IntRange {
		return true
	}
	r := x.Info().Type.Range
	name := parameterName(x)
	outside := r.Hi < a.Domain.Lo || r.Lo > a.Domain.Hi
	crosses := name != "" && (r.Lo < 0 && a.Domain.Lo >= 0)
	if !outside && !crosses {
		return true
	}
	d := c.errorf("E51", x.Info().At, "the %s argument of `%s` (%s) must be %s, but `%s` is %s", ordinal(k+1), dist.Name, a.Name,
		a.Domain, x.Info().At.Text(), rangeText(r))
	if crosses && a.Domain.Lo >= 0 && math.IsInf(a.Domain.Hi, 1) {
		d.Help("write exp(%s), or `%s ~ … in 0..inf`", name, name)
	}
	return false
}

// simplexArg refuses a parameter that is plainly no simplex.
func (c *checker) simplexArg(dist *stdlib.Dist, x model.Expr) bool {
	r, name := x.Info().Type.Range, parameterName(x)
	if name == "" || r.Lo >= 0 {
		return true
	}
	d := c.errorf("E53", x.Info().At, "the argument of `%s` must be a simplex, but `%s` is %s", dist.Name, x.Info().At.Text(), rangeText(r))
	if slices.ContainsFunc(dist.Forms, func(f stdlib.Form) bool { return f.Args[len(f.Args)-1].Name == "logits" }) {
		d.Help("is `%s` on the log scale? write `logits = %s`", name, x.Info().At.Text())
	} else {
		d.Help("draw it from a Dirichlet, or write `softmax(…)`")
	}
	return false
}

// parameterName is the name of a parameter that an expression is, or is an element of.
func parameterName(x model.Expr) string {
	switch x := x.(type) {
	case *model.Ref:
		if x.Array.Role == model.Parameter {
			return x.Array.Name
		}
	case *model.Subscript:
		return parameterName(x.X)
	}
	return ""
}

func ordinal(n int) string {
	switch n {
	case 1:
		return "first"
	case 2:
		return "second"
	case 3:
		return "third"
	}
	return itoa(n) + "th"
}

func rangeText(r stdlib.Range) string {
	if math.IsInf(r.Lo, -1) && math.IsInf(r.Hi, 1) {
		return "real"
	}
	if r.Lo == r.Hi {
		return boundText(r.Lo)
	}
	return "in " + boundText(r.Lo) + ".." + boundText(r.Hi)
}
