package evaluate

import (
	"fmt"
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// A Pick is one resolved subscript: an affine function of an index (which renames or slices the axis), one element, a
// range, or an integer value (a gather).
type Pick struct {
	axis   int // number of the subscripted own axis of x
	all    bool
	set    *model.Set   // all or range: the resulting axis
	index  *model.Index // affine: the bound axis that replaces it
	lo, hi int          // affine and range: [lo, hi) of the axis
	gather bool
	At     Value // gather: positions, numbered as in the model
	origin int   // gather: the first index of the axis
	Size   int
}

// Subscript returns x at its subscripts. Affine subscripts move no elements; the others become one gather.
func (e *Evaluator) Subscript(s *model.Subscript) Value {
	s, x := e.read(s)
	picks := make([]Pick, len(x.Axes))
	used := slices.Clone(x.Bound)
	for k, axis := range x.Axes {
		if k >= len(s.Subs) {
			picks[k] = Pick{axis: k, all: true, set: axis}
			continue
		}
		picks[k] = e.pick(s, k, axis, used)
		if i := picks[k].index; i != nil {
			used = append(used, i)
		}
	}
	x = e.slice(x, picks)
	return e.gather(s, x, picks)
}

func (e *Evaluator) pick(s *model.Subscript, k int, axis *model.Set, used []*model.Index) Pick {
	sub, b := s.Subs[k], e.Box(axis)
	p := Pick{axis: k, origin: b.Lo, Size: b.Size()}
	if sub.At == nil && sub.Range == nil {
		p.all, p.set = true, axis
		return p
	}
	if sub.Range != nil {
		r := e.Box(sub.Range)
		if r.Size() > 0 && (r.Lo < b.Lo || r.Hi > b.Hi) {
			e.OutOfRange(s, k, r.Lo, r.Hi, b)
		}
		p.set, p.lo, p.hi = sub.Range, r.Lo-b.Lo, r.Lo-b.Lo+r.Size()
		if r.Size() == 0 {
			p.lo, p.hi = 0, 0
		}
		return p
	}
	i, c, ok := e.Affine(sub.At)
	if ok && !slices.Contains(used, i) && !e.isRow(i) && !e.atOnePlace(sub.At, i) {
		r := e.Box(i.Set)
		lo, hi := r.Lo+c-b.Lo, r.Hi+c-b.Lo+1
		if r.Size() == 0 {
			lo, hi = 0, 0
		}
		if lo >= 0 && hi <= b.Size() {
			p.index, p.lo, p.hi = i, lo, hi
			return p
		}
	}
	p.gather, p.At = true, e.Expr(sub.At)
	e.CheckGather(s, k, p, b)
	return p
}

// atOnePlace reports whether an expression that reads an index has a single value here, as in a step of a series that
// runs along the index.
func (e *Evaluator) atOnePlace(x model.Expr, i *model.Index) bool {
	v, known := e.exprs[min(len(e.Guards), 1)][x]
	return known && !slices.Contains(v.Bound, i)
}

// Affine recognises i, i + c and i - c, also where sizes cancel as in n - (n - i).
func (e *Evaluator) Affine(x model.Expr) (*model.Index, int, bool) {
	switch x := x.(type) {
	case *model.IndexVar:
		return x.Index, 0, true
	case *model.Apply:
		if len(x.Args) != 2 || x.Name != "+" && x.Name != "-" {
			return nil, 0, false
		}
		i, ok := x.Args[0].(*model.IndexVar)
		if !ok || !x.Args[1].Info().Static {
			return shiftedIndex(x)
		}
		v := e.Expr(x.Args[1])
		if v.Rank() > 0 || !v.Node.Static() {
			return nil, 0, false
		}
		c := autodiff.Eval(nil, v.Node)[0][0]
		if c != math.Trunc(c) {
			return nil, 0, false
		}
		if x.Name == "-" {
			c = -c
		}
		return i.Index, int(c), true
	}
	return nil, 0, false
}

// shiftedIndex returns the index and the constant of an expression whose linear form is index + constant.
func shiftedIndex(x model.Expr) (*model.Index, int, bool) {
	var only *model.Index
	one := true
	model.Walk(x, func(y model.Expr) {
		if v, ok := y.(*model.IndexVar); ok {
			one = one && (only == nil || only == v.Index)
			only = v.Index
		}
	})
	if only == nil || !one {
		return nil, 0, false
	}
	gap := model.Offset(x, only)
	if !gap.IsConst() || gap.Const != math.Trunc(gap.Const) {
		return nil, 0, false
	}
	return only, int(gap.Const), true
}

// CheckGather reports an error for positions outside the axis that are known from data, if the surrounding branches and
// ranges use them.
func (e *Evaluator) CheckGather(s *model.Subscript, k int, p Pick, b Box) {
	if e.Data.Streamed(s.Subs[k].At) {
		e.checkStreamed(s, k, b)
		return
	}
	at, counts, ok := e.Counted(p.At)
	if !ok {
		return
	}
	for i, v := range at {
		if counts[i] == 0 {
			continue
		}
		if v != math.Trunc(v) {
			e.Fail(diag.WrongKind, s.Subs[k].At, "subscript must be an integer; `%s` has the value %g",
				s.Subs[k].At.Info().At.Text(), v)
		}
		if v < float64(b.Lo) || v > float64(b.Hi) {
			e.OutOfRange(s, k, int(v), int(v), b)
		}
	}
}

// OutOfRange reports an error for a subscript that runs from lo to hi while the axis is b.
func (e *Evaluator) OutOfRange(s *model.Subscript, k, lo, hi int, b Box) {
	at := lo
	if hi > b.Hi {
		at = hi
	}
	end, word, guard := b.Hi, "ends", "<="
	if at < b.Lo {
		end, word, guard = b.Lo, "starts", ">="
	}
	var where model.Expr = s
	if s.Subs[k].At != nil {
		where = s.Subs[k].At
	}
	text, array := where.Info().At.Text(), s.X.Info().At.Text()
	if n, constant := where.(*model.Num); constant {
		d := e.Diags.Errorf(diag.OutOfRange, where.Info().At, "`%s` has no element %s: this axis %s at %d", array, text,
			word, end)
		if at > b.Hi {
			d.Help("correct the subscript, or give `%s` more elements", array)
		} else if n.Value == 0 && b.Lo == 1 {
			d.Help("elements are numbered from 1: `%s[1]` is the first", array)
		} else {
			d.Help("correct the subscript")
		}
		e.Stop(d)
	}
	d := e.Diags.Errorf(diag.OutOfRange, where.Info().At, "subscript %d of `%s` runs to %d, but the axis %s at %d", k+1,
		array, at, word, end)
	if unknown := arrayOf(where); unknown != nil && unknown.Role == model.Latent && hi+b.Lo-lo <= b.Hi && lo < b.Lo {
		e.Stop(d.Help("the values of `%s` begin at %d and the elements of `%s` at %d: write `%s[%s + %d]`",
			unknown.Name, lo, array, b.Lo, array, text, b.Lo-lo))
	}
	e.Stop(d.Help("%s", e.rangeAdvice(s, k, lo, b, fmt.Sprintf("%s %s %d", text, guard, end))))
}

// rangeAdvice returns advice for a subscript that exceeds its axis; lo is the least value of the subscript. A condition
// would omit rows of data, so it is not advised for groups that data define.
func (e *Evaluator) rangeAdvice(s *model.Subscript, k, lo int, b Box, condition string) string {
	array := s.X.Info().At.Text()
	if g := arrayOf(s.Subs[k].At); g != nil && g.Role == model.Data {
		if lo == 0 && b.Lo == 1 {
			return fmt.Sprintf("if the groups in `%s` are counted from 0, declare `%s[…]: index(0..%d)`", g.Name,
				g.Name, b.Hi-1)
		}
		return fmt.Sprintf("correct the values of `%s`, or give `%s` an element for each of them: with `%s[…]: "+
			"index(J)`, J has the groups that occur, and `%s[J]` one element for each", g.Name, array, g.Name, array)
	}
	guarded := fmt.Sprintf("guard it with a condition: `%s ? … : …`", condition)
	if other := e.otherSubscript(s, k, b.Lo-lo); other != "" {
		return other + "; or " + guarded
	}
	return guarded
}

// arrayOf returns the array that an expression is, or is an element of; nil for other expressions.
func arrayOf(x model.Expr) *model.Array {
	switch x := x.(type) {
	case *model.Ref:
		return x.Array
	case *model.Subscript:
		return arrayOf(x.X)
	}
	return nil
}

// otherSubscript returns the most likely correction of a subscript that exceeds its axis; `short` is the number of
// missing elements at the start. It returns "" if it has none.
func (e *Evaluator) otherSubscript(s *model.Subscript, k, short int) string {
	ref, _ := s.X.(*model.Ref)
	if ref == nil || k >= len(ref.Array.Type.Axes) || s.Subs[k].At == nil {
		return ""
	}
	at, name := s.Subs[k].At, ref.Array.Name
	if sum, ok := at.(*model.Apply); ok && len(sum.Args) == 2 && sum.Args[1].Info().Static && isIndexData(sum.Args[0]) {
		return fmt.Sprintf("elements are numbered from 1, as groups are: `%s[%s]`", name, sum.Args[0].Info().At.Text())
	}
	index, lag, affine := e.Affine(at)
	switch {
	case !affine || index == nil:
		return ""
	case lag == 0:
		for _, g := range e.Data.Model.Arrays {
			if g.IndexOf != nil && len(g.Type.Axes) == 1 && g.IndexOf.Same(ref.Array.Type.Axes[k]) &&
				g.Type.Axes[0].Same(index.Set) {
				return fmt.Sprintf("the element of each row is `%s[%s[%s]]`", name, g.Name, index.Name)
			}
		}
	case short > 0 && ref.Array.Role == model.Parameter:
		return fmt.Sprintf("draw its first element, too: `%s[%d] ~ …`", name, e.Box(index.Set).Lo+lag)
	case short > 0:
		return fmt.Sprintf("let `%s` begin later on the left: `%s in %d..%s`", index.Name, index.Name,
			e.Box(index.Set).Lo+short, index.Set.Hi.Info().At.Text())
	}
	return ""
}

// isIndexData reports whether an expression is an element of data that number groups.
func isIndexData(x model.Expr) bool {
	sub, ok := x.(*model.Subscript)
	if !ok {
		return false
	}
	ref, ok := sub.X.(*model.Ref)
	return ok && ref.Array.IndexOf != nil
}

// slice applies the affine subscripts and ranges, and converts affine axes into bound axes.
func (e *Evaluator) slice(x Value, picks []Pick) Value {
	b := len(x.Bound)
	shape := x.Node.Shape()
	lo, hi := make([]int, len(shape)), slices.Clone(shape)
	for k, p := range picks {
		if !p.all && !p.gather {
			lo[b+k], hi[b+k] = p.lo, p.hi
		}
	}
	n := autodiff.Slice(x.Node, lo, hi)
	// Order: bound axes sorted with the new ones, then own axes (entire axes, ranges and gathered ones in their
	// positions).
	bound := slices.Clone(x.Bound)
	for _, p := range picks {
		if p.index != nil {
			bound = append(bound, p.index)
		}
	}
	slices.SortFunc(bound, func(a, c *model.Index) int { return a.ID - c.ID })
	var perm []int
	for _, i := range bound {
		if at := slices.Index(x.Bound, i); at >= 0 {
			perm = append(perm, at)
		} else {
			perm = append(perm, b+slices.IndexFunc(picks, func(p Pick) bool { return p.index == i }))
		}
	}
	var axes []*model.Set
	for k, p := range picks {
		if p.index == nil {
			perm = append(perm, b+k)
			set := p.set
			if p.gather {
				set = x.Axes[k]
			}
			axes = append(axes, set)
		}
	}
	return Value{autodiff.Permute(n, perm...), bound, axes}
}

// gather reads the axes of x (after slice) at integer values. The result has the bound axes of x and of the positions;
// the positions' own axes replace the first gathered axis.
func (e *Evaluator) gather(s *model.Subscript, x Value, picks []Pick) Value {
	var gathered []Pick
	var own []int // for each of x's own axes: the number in gathered, or −1 if the axis is kept
	for _, p := range picks {
		switch {
		case p.index != nil:
		case p.gather:
			own = append(own, len(gathered))
			gathered = append(gathered, p)
		default:
			own = append(own, -1)
		}
	}
	if len(gathered) == 0 {
		return x
	}
	return e.gatherAxes(s, x, gathered, own)
}

func (e *Evaluator) gatherAxes(s *model.Subscript, x Value, gathered []Pick, own []int) Value {
	at := make([]Value, len(gathered))
	var sets []*model.Set
	for k, p := range gathered {
		at[k] = p.At
		for _, set := range p.At.Axes {
			if !slices.ContainsFunc(sets, set.Same) {
				sets = append(sets, set)
			}
		}
	}
	positions := Union(at...)
	shared := slices.ContainsFunc(x.Bound, func(i *model.Index) bool { return slices.Contains(positions, i) })
	lead := x.Bound
	if !shared {
		lead = nil // x's bound axes are not gathered
	}
	bound := Union(Value{Bound: lead}, Value{Bound: positions})
	var index []Node
	for _, i := range lead {
		index = append(index, e.Align(Value{e.Graph.Iota(e.Box(i.Set).Size()), []*model.Index{i}, nil}, bound, sets))
	}
	for k, p := range gathered {
		n := autodiff.Sub(e.Align(at[k], bound, sets), e.Graph.Const(float64(p.origin)))
		index = append(index, e.Clamped(n, p))
	}
	// x with the indexed axes first
	var perm, rest []int
	if shared {
		for k := range x.Bound {
			perm = append(perm, k)
		}
	} else {
		for k := range x.Bound {
			rest = append(rest, k)
		}
	}
	var keep []*model.Set
	for k, g := range own {
		if g >= 0 {
			perm = append(perm, len(x.Bound)+k)
		} else {
			rest = append(rest, len(x.Bound)+k)
			keep = append(keep, x.Axes[k])
		}
	}
	n := autodiff.Gather(autodiff.Permute(x.Node, append(perm, rest...)...), index...)
	if shared {
		return e.placed(Value{n, bound, append(slices.Clone(sets), keep...)}, s)
	}
	return e.placed(e.ordered(n, bound, sets, x.Bound, keep), s)
}

// Clamped clamps guarded positions to the axis; static positions are evaluated now.
func (e *Evaluator) Clamped(n Node, p Pick) Node {
	if len(e.Guards) > 0 && p.Size > 0 {
		n = autodiff.Minimum(autodiff.Maximum(n, e.Graph.Const(0)), e.Graph.Const(float64(p.Size-1)))
	}
	if _, isConst := n.IsConst(); isConst || !n.Static() {
		return n
	}
	return e.Graph.Data("index", autodiff.Eval(nil, n)[0], n.Shape()...)
}

// placed permutes own axes into the order that the checker determined for the subscript.
func (e *Evaluator) placed(v Value, s *model.Subscript) Value {
	want := s.Type.Axes
	if model.SameSets(v.Axes, want) {
		v.Axes = want
		return v
	}
	perm := make([]int, 0, v.Rank())
	for k := range v.Bound {
		perm = append(perm, k)
	}
	taken := make([]bool, len(v.Axes))
	for _, set := range want {
		for k, a := range v.Axes {
			if !taken[k] && a.Same(set) {
				taken[k] = true
				perm = append(perm, len(v.Bound)+k)
				break
			}
		}
	}
	if len(perm) != v.Rank() {
		InternalErrorf("subscript axes of %s", s.At.Text())
	}
	return Value{autodiff.Permute(v.Node, perm...), v.Bound, want}
}

// read returns a subscript without the axes that are read at the row, and the value that it subscripts.
func (e *Evaluator) read(s *model.Subscript) (*model.Subscript, Value) {
	if e.Rows == nil {
		return s, e.Expr(s.X)
	}
	if rest, x, ok := e.Rows.Neighbour(e, s); ok {
		return rest, x
	}
	at := *s
	at.Subs, at.Type.Axes = WithoutRow(s.Subs, e.Along(s.X)), e.AxesOf(s)
	return &at, e.Expr(at.X)
}

// checkStreamed reports an error for positions outside the axis that are read from a stream, whose extremes are known.
func (e *Evaluator) checkStreamed(s *model.Subscript, k int, b Box) {
	x := s.Subs[k].At
	d, ok := e.Data.StreamItself(x)
	if !ok {
		e.Fail(diag.RowsAtOnce, x, "`%s` is computed from data that are read from %s row by row, so that it cannot be "+
			"checked as a subscript before sampling; give it as a column of the file",
			x.Info().At.Text(), e.Data.StreamFile(x))
	}
	if d.Low.At >= 0 && (d.Low.Value < float64(b.Lo) || d.High.Value > float64(b.Hi)) {
		e.OutOfRange(s, k, int(d.Low.Value), int(d.High.Value), b)
	}
}
