package bind

import (
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/lang/source"
)

// An orderRead is a position in a model that depends on the order of the elements of a set.
type orderRead struct {
	at   source.Span
	what string
}

// findReads finds where a model depends on the order of the elements of a set: in arithmetic with or comparison of
// their numbers, in ranges bounded by them, in cumulative sums, random walks and ordered parameters over them, and as
// values of a distribution with ordered values. It also finds where the model reads an element by its number.
func findReads(m *model.Model, s *model.Size) *orderFinder {
	o := &orderFinder{s: s, seen: map[*model.Array]bool{}}
	for _, t := range m.Terms {
		o.term(t)
		for _, x := range t.Exprs() {
			o.visit(x)
		}
	}
	for _, a := range m.Arrays {
		o.array(a)
	}
	return o
}

// A placeRead is a position in a model that reads one element by its number, or the last element.
type placeRead struct {
	at     source.Span
	number int
	head   bool // the element is defined there
}

// last is the number in a placeRead that means the last element.
const last = -1

type orderFinder struct {
	s      *model.Size
	seen   map[*model.Array]bool
	reads  []orderRead
	places []placeRead
}

func (o *orderFinder) over(set *model.Set) bool {
	of, ok := set.Hi.(*model.SizeOf)
	return ok && of.Size == o.s
}

// place records a number that selects an element of the set.
func (o *orderFinder) place(x model.Expr) {
	switch x := x.(type) {
	case *model.Num:
		o.places = append(o.places, placeRead{at: x.At, number: int(x.Value)})
	case *model.SizeOf:
		if x.Size == o.s {
			o.places = append(o.places, placeRead{at: x.At, number: last})
		}
	}
}

func (o *orderFinder) overAny(sets []*model.Set) bool { return slices.ContainsFunc(sets, o.over) }

func (o *orderFinder) read(at source.Span, what string) {
	o.reads = append(o.reads, orderRead{at, what})
}

func (o *orderFinder) term(t *model.Term) {
	if t.Dist == nil {
		return
	}
	switch name := t.Dist.Name; {
	case t.Array.IndexOf != nil && o.over(t.Array.IndexOf) && !strings.HasPrefix(name, "Categorical"):
		o.read(t.At, "the values of "+name+" have an order")
	case t.Ordered && o.overAny(append(slices.Clone(t.Event), t.Array.Type.Axes...)):
		o.read(t.At, "`ordered` sorts elements")
	case name == "GaussianRandomWalk" && o.overAny(t.Event):
		o.read(t.At, "a random walk goes from one element to the next")
	}
}

// array visits the statements of an array, once.
func (o *orderFinder) array(a *model.Array) {
	if o.seen[a] {
		return
	}
	o.seen[a] = true
	for _, p := range a.Pieces {
		for k, slot := range p.Slots {
			if n := len(o.places); slot.At != nil && k < len(a.Type.Axes) && o.over(a.Type.Axes[k]) {
				o.place(slot.At)
				if len(o.places) > n {
					o.places[n].head = true
				}
			}
		}
		o.visit(p.Value)
		if p.Term != nil {
			for _, x := range p.Term.Exprs() {
				o.visit(x)
			}
		}
	}
}

func (o *orderFinder) visit(x model.Expr) {
	switch x := x.(type) {
	case nil:
		return
	case *model.Ref:
		o.array(x.Array)
	case *model.Vector:
		if axes := x.X.Info().Type.Axes; x.Name == "cumsum" && len(axes) > 0 && o.over(axes[len(axes)-1]) {
			o.read(x.At, "a cumulative sum adds elements in their order")
		}
	case *model.Apply:
		o.apply(x)
	case *model.Reduce:
		o.ends(x.Over)
	case *model.Build:
		o.ends(x.Over)
	case *model.Subscript:
		o.visit(x.X)
		axes := x.X.Info().Type.Axes
		for k, sub := range x.Subs {
			if k < len(axes) && o.over(axes[k]) {
				o.element(sub.At)
			}
			if sub.Range != nil && (o.over(sub.Range) && !isOne(sub.Range.Lo) ||
				!o.over(sub.Range) && k < len(axes) && o.over(axes[k])) {
				o.place(sub.Range.Lo)
			}
			o.visit(sub.At)
		}
		return
	}
	for _, y := range x.Children() {
		o.visit(y)
	}
}

// element examines a subscript on an axis of the set.
func (o *orderFinder) element(x model.Expr) {
	switch x := x.(type) {
	case *model.Apply:
		if x.Name == "+" || x.Name == "-" {
			o.read(x.At, "`"+x.At.Text()+"` counts with the numbers of elements")
		}
	case *model.IndexVar:
		if !o.over(x.Index.Set) {
			o.place(x.Index.Set.Lo)
		}
	default:
		o.place(x)
	}
}

// ends visits the bounds of ranges.
func (o *orderFinder) ends(over []*model.Index) {
	for _, i := range over {
		if o.over(i.Set) {
			continue
		}
		for _, end := range []model.Expr{i.Set.Lo, i.Set.Hi} {
			if end != nil && o.isNumber(end) {
				o.read(end.Info().At, "the range `"+i.Set.Name+"` counts with the numbers of elements")
			}
			o.visit(end)
		}
	}
}

// apply checks whether an argument of an operator is the number of an element.
func (o *orderFinder) apply(x *model.Apply) {
	if x.Name == "==" || x.Name == "!=" { // equality does not depend on the order
		if y := otherThan(x.Args, x.Args[0]); o.isNumber(x.Args[0]) {
			o.place(y)
		} else if o.isNumber(y) {
			o.place(x.Args[0])
		}
		return
	}
	if slices.ContainsFunc(x.Args, func(y model.Expr) bool { return o.isNumber(y) }) {
		what := "`" + x.At.Text() + "` counts with the numbers of elements"
		if strings.ContainsAny(x.Name, "<>") {
			what = "`" + x.At.Text() + "` compares elements"
		}
		o.read(x.At, what)
	}
}

// isNumber reports whether an expression is the number of an element: an index, or data of type index.
func (o *orderFinder) isNumber(x model.Expr) bool {
	if i, ok := x.(*model.IndexVar); ok {
		return o.over(i.Index.Set)
	}
	return numbering(x, o.s)
}
