package analyze

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/stdlib"
)

// A permutation records which parameters change places when two values of a discrete unknown are exchanged: elements
// along axes of arrays, entire arrays such as m1 and m2, or a parameter p and c - p for a constant c. An empty
// permutation changes nothing.
type permutation struct {
	along    map[*model.Array]map[int][2]float64 // for an array and axis, the two positions that change places
	pairs    map[*model.Array]*model.Array       // maps an array to the array that it changes places with
	mirrored map[*model.Array]float64            // for an array a that is replaced by c - a, the number c
}

func newPermutation() *permutation {
	return &permutation{map[*model.Array]map[int][2]float64{}, map[*model.Array]*model.Array{},
		map[*model.Array]float64{}}
}

// arrays returns the set of arrays that change.
func (p *permutation) arrays() map[*model.Array]bool {
	out := map[*model.Array]bool{}
	for _, a := range p.list() {
		out[a] = true
	}
	return out
}

// list lists the arrays that change; an array may occur twice.
func (p *permutation) list() []*model.Array {
	return slices.Concat(slices.Collect(maps.Keys(p.along)), slices.Collect(maps.Keys(p.pairs)),
		slices.Collect(maps.Keys(p.mirrored)))
}

// swap adds the exchange of two positions along an axis; ok is false if other positions already change there.
func (p *permutation) swap(a *model.Array, axis int, u, v float64) (ok bool) {
	if p.along[a] == nil {
		p.along[a] = map[int][2]float64{}
	}
	places := [2]float64{min(u, v), max(u, v)}
	old, known := p.along[a][axis]
	p.along[a][axis] = places
	return !known || old == places
}

// pair adds the exchange of two arrays; ok is false if one already changes places with another, or if their axes
// differ.
func (p *permutation) pair(a, b *model.Array) (ok bool) {
	for _, two := range [][2]*model.Array{{a, b}, {b, a}} {
		if old := p.pairs[two[0]]; old != nil && old != two[1] {
			return false
		}
		p.pairs[two[0]] = two[1]
	}
	return model.SameSets(a.Type.Axes, b.Type.Axes)
}

// match extends the permutation so that it transforms x into y; ok is false if it finds no such extension. x and y are
// one expression for two values of an unknown, so they have the same form except for the order of operands in sums and
// products.
func (p *permutation) match(x, y model.Expr) (ok bool) {
	if keyOf(x) == keyOf(y) {
		return true
	}
	if a, sum, isMirror := mirrorOf(x, y); isMirror {
		old, known := p.mirrored[a]
		p.mirrored[a] = sum
		return !known || old == sum
	}
	switch x := x.(type) {
	case *model.Ref:
		y, isRef := y.(*model.Ref)
		return isRef && x.Array.Role == model.Parameter && y.Array.Role == model.Parameter && p.pair(x.Array, y.Array)
	case *model.Subscript:
		y, isSub := y.(*model.Subscript)
		return isSub && p.matchElements(x, y)
	}
	return p.matchOperands(x, y)
}

// mirrorOf reports whether one expression is a parameter, or an element of one, and the other is 0 or 1 minus this
// expression. It returns the array of the parameter and the sum, 0 or 1.
func mirrorOf(x, y model.Expr) (a *model.Array, sum float64, ok bool) {
	for range 2 {
		ref, isRef := x.(*model.Ref)
		if sub, isSub := x.(*model.Subscript); isSub {
			ref, isRef = sub.X.(*model.Ref)
		}
		if isRef && ref.Array.Role == model.Parameter {
			total := model.Apply{Fact: *x.Info(), Name: "+", Args: []model.Expr{x, y}}
			if n, isNum := simpleSum(&total).(*model.Num); isNum && (n.Value == 0 || n.Value == 1) {
				return ref.Array, n.Value, true
			}
		}
		x, y = y, x
	}
	return nil, 0, false
}

// matchElements extends the permutation for two elements of one array, or for the elements of two arrays at the same
// position.
func (p *permutation) matchElements(x, y *model.Subscript) bool {
	if len(x.Subs) != len(y.Subs) {
		return false
	}
	a, isA := x.X.(*model.Ref)
	b, isB := y.X.(*model.Ref)
	one := isA && isB && a.Array == b.Array
	if one && a.Array.Role == model.Definition {
		u, v := elementValue(a.Array, x), elementValue(b.Array, y)
		return u != nil && v != nil && p.match(simple(u), simple(v))
	}
	if one && a.Array.Role != model.Parameter {
		return false
	}
	for k := range x.Subs {
		u, v := x.Subs[k], y.Subs[k]
		switch {
		case u.At == nil && v.At == nil && (u.Range == nil) == (v.Range == nil):
		case u.At == nil || v.At == nil:
			return false
		case keyOf(u.At) == keyOf(v.At):
		case !isNumber(u.At) || !isNumber(v.At) || !one && !equivariant(x.X):
			return false
		case one && !p.swap(a.Array, k, u.At.(*model.Num).Value, v.At.(*model.Num).Value):
			return false
		}
	}
	if vector, ok := x.X.(*model.Vector); ok && equivariant(vector) { // for example softmax(v)[1] and softmax(v)[2]
		return keyOf(x.X) == keyOf(y.X) && p.match(&model.Subscript{Fact: x.Fact, X: vector.X, Subs: x.Subs},
			&model.Subscript{Fact: y.Fact, X: vector.X, Subs: y.Subs})
	}
	return one || p.match(x.X, y.X)
}

// equivariant reports whether an expression is a function of a vector such that permuting the vector permutes the
// result in the same way.
func equivariant(x model.Expr) bool {
	v, ok := x.(*model.Vector)
	return ok && (v.Name == "softmax" || v.Name == "log_softmax")
}

// matchOperands matches the operands of two expressions in order. It exchanges the two operands of a sum or product if
// the first ones differ in shape.
func (p *permutation) matchOperands(x, y model.Expr) bool {
	if headOf(x) != headOf(y) {
		return false
	}
	xs, ys := x.Children(), y.Children()
	if len(xs) != len(ys) {
		return false
	}
	apply, ok := x.(*model.Apply)
	if ok && len(xs) == 2 && (apply.Name == "+" || apply.Name == "*") && shape(xs[0]) != shape(ys[0]) {
		ys = []model.Expr{ys[1], ys[0]}
	}
	for k := range xs {
		if !p.match(xs[k], ys[k]) {
			return false
		}
	}
	return true
}

// shape returns a text that is equal for expressions that differ only in their parameters.
func shape(x model.Expr) string {
	var out strings.Builder
	model.Walk(x, func(y model.Expr) {
		if ref, ok := y.(*model.Ref); ok && ref.Array.Role == model.Parameter {
			out.WriteString(" parameter")
			return
		}
		out.WriteString(" " + headOf(y))
	})
	return out.String()
}

// headOf returns a text of the outermost operator of an expression, without its operands.
func headOf(x model.Expr) string {
	switch x := x.(type) {
	case *model.Num:
		return strconv.FormatFloat(x.Value, 'g', -1, 64)
	case *model.Apply:
		return x.Name
	case *model.Reduce:
		return "reduce " + x.Row.Name
	case *model.Vector:
		return "vector " + x.Name
	case *model.LogProb:
		return x.Name + " " + x.Dist.Name + " " + formName(x.Form)
	case *model.Ref:
		return fmt.Sprintf("array %p", x.Array)
	case *model.IndexVar:
		return "index"
	case *model.SizeOf:
		return "size " + x.Size.Name
	case *model.SetSize:
		return "size of " + x.Set.Key
	case *model.Random:
		return fmt.Sprintf("random %d", x.Number)
	case *model.Label:
		return "label " + x.Text + " of " + x.Set.Key
	case *model.Cond, *model.Subscript, *model.Build, *model.List, *model.Concat, *model.MatMul, *model.Fill:
		return fmt.Sprintf("%T", x)
	}
	return fmt.Sprintf("%p", x) // equal only to itself
}

func formName(f *stdlib.Form) string {
	names := make([]string, len(f.Args))
	for i, a := range f.Args {
		names[i] = a.Name
	}
	return strings.Join(names, ",")
}

// follow extends the permutation to all parameters that xs read along index i, if it moves one of them; ok is false if
// the permutation already moves other elements of these parameters.
func (p *permutation) follow(i *model.Index, xs []model.Expr) (ok bool) {
	reads := map[*model.Array]int{} // maps an array to the axis along which it is read
	var places *[2]float64
	for _, x := range xs {
		model.Walk(x, func(y model.Expr) {
			sub, isSub := y.(*model.Subscript)
			if !isSub {
				return
			}
			ref, isRef := sub.X.(*model.Ref)
			for axis, s := range sub.Subs {
				v, isIndex := s.At.(*model.IndexVar)
				if !isRef || !isIndex || v.Index != i || ref.Array.Role != model.Parameter {
					continue
				}
				reads[ref.Array] = axis
				if at, moves := p.along[ref.Array][axis]; moves {
					places = &at
				}
			}
		})
	}
	if places == nil {
		return true
	}
	for a, axis := range reads {
		if !p.swap(a, axis, places[0], places[1]) {
			return false
		}
	}
	return true
}
