package simulate

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// A reading is a graph of elements of some arrays: an edge means that an element is drawn or computed from another.
// Elements are distinguished along the axes for which all pieces of an array have a slot.
type reading struct {
	e      *evaluate.Evaluator
	arrays []*model.Array
	boxes  map[*model.Array][]evaluate.Box
	first  map[*model.Array]int // number of an array's first element
	of     [][]readOf           // reads of each element
	size   int                  // number of reads
}

// A readOf is an element that is read, and the expression that reads it.
type readOf struct {
	element int
	at      model.Expr
}

// mostReads limits the number of reads between elements.
const mostReads = 1 << 24

// CheckOrder reports an error for arrays in which an element is drawn from itself, directly or indirectly.
func CheckOrder(e *evaluate.Evaluator, arrays []*model.Array) {
	r := newReading(e, arrays)
	if cycle := r.depthFirst(func(int) {}); cycle != nil {
		r.refuse(cycle)
	}
}

func newReading(e *evaluate.Evaluator, arrays []*model.Array) *reading {
	r := &reading{e: e, arrays: arrays, boxes: map[*model.Array][]evaluate.Box{}, first: map[*model.Array]int{}}
	elements := 0
	for _, a := range arrays {
		depth := len(a.Type.Axes)
		for _, p := range a.Pieces {
			depth = min(depth, len(p.Slots))
		}
		r.first[a] = elements
		n := 1
		for _, s := range a.Type.Axes[:depth] {
			r.boxes[a] = append(r.boxes[a], e.Box(s))
			n *= e.Box(s).Size()
		}
		elements += n
	}
	r.of = make([][]readOf, elements)
	for _, a := range arrays {
		for _, p := range a.Pieces {
			r.piece(a, p)
		}
	}
	return r
}

// piece adds the reads of a piece's elements.
func (r *reading) piece(a *model.Array, p *model.Piece) {
	roots := []model.Expr{p.Value}
	if p.Value == nil {
		roots = p.Term.Exprs()
	}
	defer r.e.UnderRanges(p.Plates)()
	for _, x := range roots {
		r.follow(a, p, x)
	}
}

func (r *reading) follow(a *model.Array, p *model.Piece, x model.Expr) {
	ref, _ := x.(*model.Ref)
	sub, _ := x.(*model.Subscript)
	if sub != nil {
		ref, _ = sub.X.(*model.Ref)
	}
	if ref != nil && slices.Contains(r.arrays, ref.Array) {
		r.addReads(a, p, ref.Array, sub, x)
		if sub == nil {
			return
		}
	}
	r.e.EachChild(x, r.known, func(y model.Expr) {
		if sub == nil || y != sub.X {
			r.follow(a, p, y)
		}
	})
}

// known returns a condition's value if it depends on data only.
func (r *reading) known(x model.Expr) evaluate.Value {
	if !x.Info().Static {
		return evaluate.Value{}
	}
	return r.e.Expr(x)
}

// addReads adds the reads that elements of the piece p make of elements of the array `of`: those at sub, or all if sub
// is nil. If a subscript depends on parameters, all positions of its axis count as read.
func (r *reading) addReads(a *model.Array, p *model.Piece, of *model.Array, sub *model.Subscript, at model.Expr) {
	var vs []evaluate.Value
	for k := range r.boxes[a] {
		vs = append(vs, r.slotValue(p.Slots[k]))
	}
	for k, b := range r.boxes[of] {
		lo, hi := r.readPart(sub, k, b)
		vs = append(vs, lo, hi)
	}
	n, counts := r.evaluateJointly(vs)
	for i, c := range counts {
		if c == 0 {
			continue
		}
		here, part := make([]int, len(r.boxes[a])), make([]evaluate.Box, len(r.boxes[of]))
		for k := range here {
			here[k] = evaluate.ToInt(n[k][i])
		}
		for k := range part {
			all := r.boxes[of][k]
			part[k] = evaluate.Box{Lo: max(all.Lo, evaluate.ToInt(n[len(here)+2*k][i])),
				Hi: min(all.Hi, evaluate.ToInt(n[len(here)+2*k+1][i]))}
		}
		r.add(a, here, of, part, at)
	}
}

// slotValue returns the position of a piece's elements along an axis.
func (r *reading) slotValue(s model.Slot) evaluate.Value {
	if s.Index != nil {
		return r.e.IndexVar(s.Index)
	}
	return r.e.Expr(s.At)
}

// readPart returns the first and last position along an axis that a subscript reads.
func (r *reading) readPart(sub *model.Subscript, k int, all evaluate.Box) (lo, hi evaluate.Value) {
	if sub != nil && k < len(sub.Subs) {
		switch s := sub.Subs[k]; {
		case s.Range != nil:
			return r.e.Expr(s.Range.Lo), r.e.Expr(s.Range.Hi)
		case s.At != nil && s.At.Info().Static:
			v := r.e.Expr(s.At)
			return v, v
		}
	}
	return evaluate.Value{Node: r.e.Graph.Const(float64(all.Lo))},
		evaluate.Value{Node: r.e.Graph.Const(float64(all.Hi))}
}

// evaluateJointly evaluates values over all indices that they or the guards have. counts is 0 where a guard excludes
// the read.
func (r *reading) evaluateJointly(vs []evaluate.Value) (numbers [][]float64, counts []float64) {
	guards := slices.DeleteFunc(slices.Clone(r.e.Guards), func(q evaluate.Value) bool {
		return !q.Node.Valid() || !q.Node.Static() || len(q.Axes) > 0
	})
	bound := evaluate.Union(slices.Concat(vs, guards)...)
	var axes []*model.Set
	for _, v := range vs {
		for _, s := range v.Axes {
			if !slices.ContainsFunc(axes, s.Same) {
				axes = append(axes, s)
			}
		}
	}
	count := r.e.Graph.Full(1, r.e.Shape(bound, axes)...)
	for _, q := range guards {
		count = autodiff.Where(r.e.Align(q, bound, axes), count, r.e.Graph.Const(0))
	}
	nodes := []autodiff.Node{count}
	for _, v := range vs {
		nodes = append(nodes, r.e.Align(v, bound, axes))
	}
	all := autodiff.Eval(nil, nodes...)
	return all[1:], all[0]
}

// add adds the reads of a part of an array by one element.
func (r *reading) add(a *model.Array, here []int, of *model.Array, part []evaluate.Box, at model.Expr) {
	element := make([]evaluate.Box, len(here))
	for k, i := range here {
		if b := r.boxes[a][k]; i < b.Lo || i > b.Hi {
			return
		}
		element[k] = evaluate.Box{Lo: here[k], Hi: here[k]}
	}
	evaluate.EachPlace(r.boxes[a], element, func(from int) {
		evaluate.EachPlace(r.boxes[of], part, func(to int) {
			from := &r.of[r.first[a]+from]
			*from = append(*from, readOf{r.first[of] + to, at})
			r.size++
			if r.size > mostReads {
				r.e.Fail(diag.NotPast, at, "cannot verify that `%s` is drawn before the elements that read it: more "+
					"than %d reads would have to be checked; read it at t - c, or over a range that ends at t-1",
					at.Info().At.Text(), mostReads)
			}
		})
	})
}

// depthFirst visits each element after all elements that it reads. It uses no recursion, because a path may be as long
// as the number of elements. If it finds a cycle, it returns the elements of the cycle, each with its read of the next.
func (r *reading) depthFirst(visit func(element int)) (cycle []readOf) {
	const open, done = 1, 2
	state := make([]uint8, len(r.of))
	next := make([]int, len(r.of))
	for start := range r.of {
		way := []int{start}
		for len(way) > 0 && state[start] != done {
			i := way[len(way)-1]
			state[i] = open
			if next[i] == len(r.of[i]) {
				visit(i)
				state[i], way = done, way[:len(way)-1]
				continue
			}
			to := r.of[i][next[i]].element
			next[i]++
			switch state[to] {
			case open:
				return r.pathReads(way[slices.Index(way, to):], next)
			case 0:
				way = append(way, to)
			}
		}
	}
	return nil
}

// pathReads returns the elements of a path, each with the read that leads to the next element.
func (r *reading) pathReads(way, next []int) (out []readOf) {
	for _, i := range way {
		out = append(out, readOf{i, r.of[i][next[i]-1].at})
	}
	return out
}

// refuse reports the elements that are drawn from each other.
func (r *reading) refuse(cycle []readOf) {
	const shown = 6
	text, first := r.name(cycle[0].element), r.name(cycle[0].element)
	for k, x := range cycle[1:] {
		if k == shown {
			text += " → …"
			break
		}
		text += " → " + r.name(x.element)
	}
	a := r.arrayOf(cycle[0].element)
	r.e.Stop(r.e.Diags.Errorf(diag.Circular, cycle[0].at.Info().At, "`%s` is drawn from itself: %s → %s", first, text,
		first).Related(a.At, "`%s`", a.Name).
		Help("a distribution's arguments may use only variables drawn earlier; for any other joint density " +
			"write `Density`"))
}

func (r *reading) arrayOf(element int) *model.Array {
	for _, a := range slices.Backward(r.arrays) {
		if r.first[a] <= element {
			return a
		}
	}
	return nil
}

func (r *reading) name(element int) string {
	a := r.arrayOf(element)
	return evaluate.ElementName(a, r.boxes[a], element-r.first[a])
}
