package model

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppl/lang/types"
)

// An Affine is an integer expression written as c + Σ kᵢ·xᵢ. Bounds and subscripts are compared in this form before
// data are known: `2..T` and `1 + 1..T` are the same set, and `t - 1` is one before `t`.
type Affine struct {
	Const float64
	// maps a variable to its coefficient: an index, a size, or the text of a subexpression that is not affine
	Coefs map[string]float64
}

// AffineOf returns the affine form of an integer expression. A subexpression that is not affine becomes a variable,
// named by its source text and the names in it.
func AffineOf(e Expr) Affine { return affineOf(e, maxDepth) }

// maxDepth limits how many nested definitions affineOf follows. Without a limit, definitions that each read the
// previous one twice would take exponential time.
const maxDepth = 8

func affineOf(e Expr, depth int) Affine {
	switch e := e.(type) {
	case *Num:
		return Affine{Const: e.Value}
	case *IndexVar:
		return AffineIndex(e.Index)
	case *SizeOf:
		return AffineName(e.Size.Name)
	case *SetSize:
		return affineOf(e.Set.Hi, depth).Minus(affineOf(e.Set.Lo, depth)).Plus(Affine{Const: 1})
	case *Ref:
		if a := e.Array; depth > 0 && len(a.Type.Axes) == 0 && a.Role == Definition && len(a.Pieces) == 1 {
			return affineOf(a.Pieces[0].Value, depth-1)
		}
	case *Apply:
		if f, ok := affineApply(e, depth); ok {
			return f
		}
	case *Subscript:
		if name, ok := elementName(e, depth); ok {
			return AffineName(name)
		}
	}
	return AffineName(identity(e))
}

// elementName returns a variable name for an array element, made of the array and the forms of its subscripts. ok is
// false if e is not one element of a named array.
func elementName(e *Subscript, depth int) (name string, ok bool) {
	ref, ok := e.X.(*Ref)
	if !ok || len(e.Type.Axes) > 0 {
		return "", false
	}
	name = fmt.Sprintf("%p", ref.Array)
	for _, s := range e.Subs {
		if s.At == nil {
			return "", false
		}
		name += " [" + affineOf(s.At, depth).Key() + "]"
	}
	return name, true
}

// identity returns the text of an expression together with the identity of each name in it. The body of a function has
// the same text wherever the function is called, but its names mean different things.
func identity(e Expr) string {
	var out strings.Builder
	out.WriteString(e.Info().At.Text())
	Walk(e, func(x Expr) {
		switch x := x.(type) {
		case *Num:
			fmt.Fprintf(&out, " %g", x.Value)
		case *IndexVar:
			fmt.Fprintf(&out, " index %d", x.Index.ID)
		case *SizeOf:
			out.WriteString(" size " + x.Size.Name)
		case *SetSize:
			out.WriteString(" set " + x.Set.Key)
		case *Ref:
			fmt.Fprintf(&out, " %p", x.Array)
		}
	})
	return out.String()
}

func affineApply(e *Apply, depth int) (Affine, bool) {
	if len(e.Args) == 1 && e.Name == "floor" {
		return floorOf(e.Args[0], depth)
	}
	if len(e.Args) > 2 || len(e.Args) == 1 && e.Name != "-" {
		return Affine{}, false
	}
	args := make([]Affine, len(e.Args))
	for k, a := range e.Args {
		args[k] = affineOf(a, depth)
	}
	return Combined(e.Name, args...)
}

// Combined applies an operator to forms: -x, x + y, x - y, or a product with a constant. ok is false for other
// operators.
func Combined(operator string, args ...Affine) (f Affine, ok bool) {
	switch {
	case len(args) == 1 && operator == "-":
		return args[0].Times(-1), true
	case len(args) != 2:
	case operator == "+":
		return args[0].Plus(args[1]), true
	case operator == "-":
		return args[0].Minus(args[1]), true
	case operator == "*" && args[0].IsConst():
		return args[1].Times(args[0].Const), true
	case operator == "*" && args[1].IsConst():
		return args[0].Times(args[1].Const), true
	}
	return Affine{}, false
}

// floorOf returns the form of floor(e). It handles an integer e, a constant e, and a quotient whose divisor divides
// every term, such as the sizes floor((H - 1) / 1) and floor((28 - 3) / 2). ok is false for others.
func floorOf(e Expr, depth int) (Affine, bool) {
	q, ok := e.(*Apply)
	if !ok || q.Name != "/" || q.Args[0].Info().Type.Elem == types.Real {
		x := affineOf(e, depth)
		if x.IsConst() {
			return Affine{Const: math.Floor(x.Const)}, true
		}
		return x, e.Info().Type.Elem != types.Real
	}
	x, by := affineOf(q.Args[0], depth), affineOf(q.Args[1], depth)
	if !by.IsConst() || by.Const == 0 {
		return Affine{}, false
	}
	if x.IsConst() {
		return Affine{Const: math.Floor(x.Const / by.Const)}, true
	}
	x = x.Times(1 / by.Const)
	for _, c := range x.Coefs {
		if c != math.Trunc(c) {
			return Affine{}, false
		}
	}
	return x, x.Const == math.Trunc(x.Const)
}

// AffineName returns the form that consists of one variable.
func AffineName(name string) Affine { return Affine{Coefs: map[string]float64{name: 1}} }

// AffineIndex returns the form of an index. It uses the index's ID, because two statements may both use the name `i`.
func AffineIndex(i *Index) Affine { return AffineName("index " + strconv.Itoa(i.ID)) }

// Offset returns the difference x − from, for example −1 for `t - 1` and `t`.
func Offset(x Expr, from *Index) Affine { return AffineOf(x).Minus(AffineIndex(from)) }

// SameForm reports whether two expressions have the same affine form, so that their values are equal. Nil equals only
// nil.
func SameForm(x, y Expr) bool {
	if x == nil || y == nil {
		return x == y
	}
	return AffineOf(x).Key() == AffineOf(y).Key()
}

// Plus returns the sum of two forms.
func (f Affine) Plus(g Affine) Affine { return f.plusTimes(g, 1) }

// Minus returns the difference of two forms.
func (f Affine) Minus(g Affine) Affine { return f.plusTimes(g, -1) }

// Times returns the form multiplied by a number.
func (f Affine) Times(k float64) Affine { return Affine{}.plusTimes(f, k) }

// plusTimes returns f + k·g. It drops variables whose coefficient becomes 0, so that IsConst and Key ignore these.
func (f Affine) plusTimes(g Affine, k float64) Affine {
	sum := Affine{f.Const + k*g.Const, map[string]float64{}}
	maps.Copy(sum.Coefs, f.Coefs)
	for name, c := range g.Coefs {
		sum.Coefs[name] += k * c
		if sum.Coefs[name] == 0 {
			delete(sum.Coefs, name)
		}
	}
	return sum
}

// IsConst reports whether the form has no variables.
func (f Affine) IsConst() bool { return len(f.Coefs) == 0 }

// Key returns a text; two forms have equal texts if and only if the forms are equal.
func (f Affine) Key() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f.Coefs)) {
		fmt.Fprintf(&b, "%g*%s+", f.Coefs[name], name)
	}
	fmt.Fprintf(&b, "%g", f.Const)
	return b.String()
}
