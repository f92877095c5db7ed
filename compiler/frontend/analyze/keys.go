package analyze

import (
	"fmt"
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/stdlib"
)

// A keyer converts expressions to canonical texts, after applying a permutation of parameters. Expressions with equal
// texts have equal values. The order of the operands of a sum or product does not affect its text.
type keyer struct {
	by    *permutation
	bound []*binding
	// the axes of the expression that an enclosing function, such as sum, reduces in any order; nil for none
	fold    *binding
	unknown bool // whether the effect of the permutation on some subexpression is not known
}

// A binding is an index in scope, or the axes of a reduction; then index is nil. moves is set if the permutation moves
// some elements read along it, and stay if it leaves others where they are. If both are set, the permutation may change
// the result.
type binding struct {
	index       *model.Index
	moves, stay bool
}

func newKeyer(by *permutation) *keyer { return &keyer{by: by} }

// keyOf returns the canonical text of an expression to which no permutation is applied.
func keyOf(x model.Expr) string { return newKeyer(&permutation{}).key(x) }

func (k *keyer) key(x model.Expr) string {
	if x == nil {
		return "none"
	}
	return k.linear(x, nil).Key()
}

// linear returns an expression as an affine form whose variables are canonical texts. If parts is not nil, linear adds
// the expression of each text to it.
func (k *keyer) linear(x model.Expr, parts map[string]model.Expr) model.Affine {
	switch y := x.(type) {
	case *model.Num:
		return model.Affine{Const: y.Value}
	case *model.Apply:
		if f, ok := k.linearApply(y, parts); ok {
			return f
		}
	}
	name := k.text(x)
	if parts != nil {
		parts[name] = x
	}
	f := model.AffineName(name)
	if sum, ok := k.mirrored(x); ok {
		return model.Affine{Const: sum}.Minus(f)
	}
	return f
}

func (k *keyer) linearApply(x *model.Apply, parts map[string]model.Expr) (model.Affine, bool) {
	sum := x.Name == "+" || x.Name == "-"
	if !sum && !(x.Name == "*" && (isNumber(x.Args[0]) || isNumber(x.Args[1]))) {
		return model.Affine{}, false
	}
	var args []model.Affine
	for _, a := range x.Args {
		args = append(args, k.linear(a, parts))
	}
	return model.Combined(x.Name, args...)
}

// mirrored returns sum if the permutation replaces the array (or element) x by sum - x.
func (k *keyer) mirrored(x model.Expr) (sum float64, ok bool) {
	if sub, isSub := x.(*model.Subscript); isSub {
		x = sub.X
	}
	if ref, isRef := x.(*model.Ref); isRef {
		sum, ok = k.by.mirrored[ref.Array]
	}
	return sum, ok
}

var symmetricOperators = []string{"*", "==", "!=", "&&", "||"}

// text returns the canonical text of an expression that is not a sum.
func (k *keyer) text(x model.Expr) string {
	switch x := x.(type) {
	case *model.IndexVar:
		return k.index(x.Index)
	case *model.Ref:
		k.readAxes(x.Array, nil)
		return k.array(x.Array)
	case *model.Subscript:
		return k.element(x)
	case *model.Reduce:
		return k.reduce(x)
	case *model.Build:
		return k.build(x)
	case *model.Apply:
		args := k.keys(k.factors(x))
		if slices.Contains(symmetricOperators, x.Name) {
			slices.Sort(args)
		}
		return x.Name + "(" + strings.Join(args, "; ") + ")"
	case *model.Cond, *model.Fill, *model.Num:
		return headOf(x) + "(" + strings.Join(k.keys(x.Children()), "; ") + ")"
	case *model.List:
		return k.list(x)
	}
	return k.withoutFold(func() string { return headOf(x) + "(" + strings.Join(k.keys(x.Children()), "; ") + ")" })
}

// factors returns the operands of a nested product, or the arguments of another function.
func (k *keyer) factors(x *model.Apply) (out []model.Expr) {
	for _, a := range x.Args {
		if inner, ok := a.(*model.Apply); ok && x.Name == "*" && inner.Name == "*" {
			out = append(out, k.factors(inner)...)
			continue
		}
		out = append(out, a)
	}
	return out
}

func (k *keyer) keys(xs []model.Expr) (out []string) {
	for _, x := range xs {
		out = append(out, k.key(x))
	}
	return out
}

// withoutFold calls write for a subexpression whose axes are not those of the enclosing reduction, and whose elements
// therefore stay.
func (k *keyer) withoutFold(write func() string) string {
	outer := k.fold
	k.fold = nil
	s := write()
	k.fold = outer
	if outer != nil {
		outer.stay = true
	}
	return s
}

// list returns the text of a vector written as a list. The elements of a list stay, unless all are equal.
func (k *keyer) list(x *model.List) string {
	items := k.keys(x.Items)
	if k.fold != nil && slices.ContainsFunc(items, func(s string) bool { return s != items[0] }) {
		k.fold.stay = true
	}
	return "[" + strings.Join(items, "; ") + "]"
}

func (k *keyer) index(i *model.Index) string {
	for depth, b := range k.bound {
		if b.index == i {
			b.stay = true
			return fmt.Sprintf("bound %d", depth)
		}
	}
	return fmt.Sprintf("index %d", i.ID)
}

// array returns the name of an array, or of the array that the permutation replaces it by.
func (k *keyer) array(a *model.Array) string {
	if b := k.by.pairs[a]; b != nil {
		a = b
	}
	return fmt.Sprintf("array %p", a)
}

// readAxes records, for each axis of an array that is read without a subscript or with a range, whether the permutation
// moves its elements.
func (k *keyer) readAxes(a *model.Array, subs []model.Sub) {
	for axis := range a.Type.Axes {
		if axis < len(subs) && subs[axis].At != nil {
			continue
		}
		_, moves := k.by.along[a][axis]
		switch {
		case moves && (k.fold == nil || axis < len(subs) && subs[axis].Range != nil):
			k.unknown = true
		case moves:
			k.fold.moves = true
		case k.fold != nil:
			k.fold.stay = true
		}
	}
}

func (k *keyer) element(x *model.Subscript) string {
	var out strings.Builder
	ref, isRef := x.X.(*model.Ref)
	switch vector, isVector := x.X.(*model.Vector); {
	case isRef:
		out.WriteString(k.array(ref.Array))
		k.readAxes(ref.Array, x.Subs)
	case isVector && equivariant(vector):
		inner := model.Subscript{Fact: x.Fact, X: vector.X, Subs: x.Subs}
		return headOf(vector) + " of " + k.folded(vector.X) + " at " + k.key(&inner)
	default:
		out.WriteString(k.withoutFold(func() string { return k.key(x.X) }))
	}
	for axis, s := range x.Subs {
		switch places, moves := [2]float64{}, false; {
		case s.Range != nil:
			out.WriteString("[" + s.Range.Key + "]")
		case s.At == nil:
			out.WriteString("[]")
		default:
			if isRef {
				places, moves = k.by.along[ref.Array][axis]
			}
			if moves {
				out.WriteString("[" + k.moved(s.At, ref.Array.Type.Axes[axis], places) + "]")
			} else {
				out.WriteString("[" + k.key(s.At) + "]")
			}
		}
	}
	if x.Inside != nil {
		out.WriteString(strings.Join(k.keys([]model.Expr{x.Inside.Group, x.Inside.Place}), "; "))
	}
	return out.String()
}

// moved returns the text of a subscript along an axis whose elements change places. If the subscript is neither a
// number nor an index over the entire axis, it sets unknown.
func (k *keyer) moved(at model.Expr, axis *model.Set, places [2]float64) string {
	switch x := at.(type) {
	case *model.Num:
		for i, place := range places {
			if x.Value == place {
				return model.Affine{Const: places[1-i]}.Key()
			}
		}
		return k.key(x)
	case *model.IndexVar:
		for depth, b := range k.bound {
			if b.index == x.Index && x.Index.Set.Same(axis) {
				b.moves = true
				return model.AffineName(fmt.Sprintf("bound %d", depth)).Key()
			}
		}
	}
	k.unknown = true
	return k.key(at)
}

// reduce returns the text of a reduction. Its result does not depend on the order of the elements.
func (k *keyer) reduce(x *model.Reduce) string {
	if len(x.Over) == 0 {
		return headOf(x) + "(" + k.folded(x.X) + ")"
	}
	return headOf(x) + k.within(x.Over, func() string { return k.key(x.X) })
}

// folded returns the text of an expression whose elements are reduced in any order.
func (k *keyer) folded(x model.Expr) string {
	outer := k.fold
	k.fold = &binding{}
	s := k.key(x)
	k.unknown = k.unknown || k.fold.moves && k.fold.stay
	k.fold = outer
	return s
}

// within calls write in the scope of indices, and returns its text with the sets of the indices.
func (k *keyer) within(over []*model.Index, write func() string) string {
	var sets []string
	for _, i := range over {
		sets = append(sets, i.Set.Key)
		k.bound = append(k.bound, &binding{index: i})
	}
	s := write()
	for _, b := range k.bound[len(k.bound)-len(over):] {
		k.unknown = k.unknown || b.moves && b.stay
	}
	k.bound = k.bound[:len(k.bound)-len(over)]
	return " over " + strings.Join(sets, ", ") + "(" + s + ")"
}

// build returns the text of an array comprehension. Its elements move if the elements that they read move.
func (k *keyer) build(x *model.Build) string {
	before := len(k.bound)
	s := k.within(x.Over, func() string {
		body := k.key(x.Body)
		for _, b := range k.bound[before:] {
			switch {
			case b.moves && k.fold == nil:
				k.unknown = true
			case b.moves:
				k.fold.moves = true
			case k.fold != nil:
				k.fold.stay = true
			}
		}
		return body
	})
	return "build" + s
}

// inCase returns the text of one argument x of a term, together with the value that the term draws.
func (k *keyer) inCase(t *model.Term, value, x model.Expr) string {
	return k.within(t.Plates, func() string { return k.key(value) + " ~ " + k.key(x) })
}

// term returns the text of a term after the permutation. exprs are the term's expressions with definitions inlined.
func (k *keyer) term(t *model.Term, exprs []model.Expr) string {
	head := "density"
	if t.Dist != nil {
		head = t.Dist.Name + " " + formName(t.Form)
	}
	sum, mirrored := k.by.mirrored[t.Array]
	k.unknown = k.unknown || mirrored && !symmetricAbout(t, sum/2) || t.Ordered && k.by.along[t.Array] != nil
	return head + k.within(t.Plates, func() string {
		k.fold = &binding{}
		s := k.text(t.Value) + " ~ " + strings.Join(k.keys(exprs), "; ")
		// The result depends on the order of elements if it is a formula, or a distribution with vectors other than the
		// Dirichlet.
		vectors := t.Dist != nil && (t.Dist.Event > 0 || slices.ContainsFunc(t.Form.Args, isVector))
		seesOrder := t.Dist == nil || vectors && t.Dist.Name != "Dirichlet"
		k.unknown = k.unknown || k.fold.moves && (k.fold.stay || seesOrder)
		k.fold = nil
		return s
	}) + fmt.Sprint(t.Kind, t.NonCentered, t.ZeroSum)
}

// symmetricAbout reports whether the values x and 2·mid - x of a term have equal densities, as far as their form shows.
func symmetricAbout(t *model.Term, mid float64) bool {
	switch {
	case t.Dist == nil || t.In != nil || t.Ordered:
		return false
	case t.Dist.Name == "Beta" && t.Form.Args[0].Name == "a":
		return mid == 0.5 && keyOf(t.Args[0]) == keyOf(t.Args[1])
	case t.Dist.Name == "Uniform":
		return isSum(t.Args[0], t.Args[1], 2*mid)
	}
	about := centre(t)
	return about != nil && isSum(about, about, 2*mid)
}

// isSum reports whether x + y is the given number, as far as the form of x and y shows.
func isSum(x, y model.Expr, sum float64) bool {
	f := model.AffineOf(x).Plus(model.AffineOf(y))
	return f.IsConst() && f.Const == sum
}

func isVector(a stdlib.Arg) bool { return a.Rank > 0 }
