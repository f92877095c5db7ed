package analyze

import (
	"maps"
	"math"
	"slices"

	"ppl/compiler/frontend/model"
)

// A cases rewrites the expressions of a model for fixed values of a discrete unknown z. For z[i] = 1 the expression
//
//	z[i] == 1 ? m[1] : m[2]
//
// becomes m[1]. So do m[z[i]] and m[1]*(2 - z[i]) + m[2]*(z[i] - 1): different expressions that choose by z give the
// same result.
type cases struct {
	z       *model.Array
	reading func(*model.Array) bool // reports whether an array is z or a definition that reads it
}

func newCases(z *model.Array, reads *readers) cases { return cases{z, reads.from(z)} }

// A caseOf is a term that reads z, prepared for substituting values for its reads of z.
type caseOf struct {
	term  *model.Term
	exprs []model.Expr // expressions of the term, with definitions inlined so that they read z directly
	own   string       // for a prior of z, the name of the element that is drawn; empty for other terms
	reads []string     // names of the elements of z that it reads or draws, made from their subscripts
}

// of prepares a term; ok is false if a definition that reads z cannot be inlined.
func (c *cases) of(t *model.Term) (out caseOf, ok bool) {
	out.term = t
	in := inliner{when: c.reading}
	found := map[string]bool{}
	for _, x := range in.all(t.Exprs()) {
		if x == nil {
			continue
		}
		out.exprs = append(out.exprs, x)
		c.find(x, found)
	}
	if t.Array == c.z && t.Kind == model.LatentPrior {
		out.own, _ = c.read(t.Value)
		found[out.own] = true
	}
	out.reads = slices.Sorted(maps.Keys(found))
	return out, !in.failed
}

// find adds the elements of z that an expression reads to found.
func (c *cases) find(x model.Expr, found map[string]bool) {
	if read, ok := c.read(x); ok {
		found[read] = true
		return
	}
	for _, y := range x.Children() {
		c.find(y, found)
	}
}

// read returns a name for a read of z: reads with equal names read the same element. The name of a read of all of z is
// "whole". ok is false if x is not a read of z.
func (c *cases) read(x model.Expr) (name string, ok bool) {
	switch x := x.(type) {
	case *model.Subscript:
		if ref, isRef := x.X.(*model.Ref); isRef && ref.Array == c.z {
			return "[" + keyOf(x) + "]", true
		}
	case *model.Ref:
		return "whole", x.Array == c.z
	}
	return "", false
}

// at returns an expression with values substituted for its reads of z, and simplifies it. It changes x.
func (c *cases) at(x model.Expr, values map[string]float64) model.Expr {
	if read, ok := c.read(x); ok {
		return number(x, values[read])
	}
	model.Replace(x, func(y model.Expr) model.Expr { return c.at(y, values) })
	return simple(x)
}

// An inliner replaces names of definitions by their expressions.
type inliner struct {
	when   func(*model.Array) bool // reports whether a definition is to be inlined
	failed bool                    // whether a definition was not one expression, or a result was too long
	nodes  int                     // number of nodes visited for the current result
}

// maxNodes limits the nodes of one expression. Definitions that each read the previous one twice would otherwise double
// its size at each level.
const maxNodes = 5000

func (in *inliner) expand(x model.Expr) model.Expr {
	in.nodes++
	if in.nodes > maxNodes {
		in.failed = true
		return x
	}
	switch y := x.(type) {
	case *model.Subscript:
		if ref, ok := y.X.(*model.Ref); ok && in.wants(ref.Array) {
			if value := elementValue(ref.Array, y); value != nil {
				return in.expand(value)
			}
			in.failed = true
			return x
		}
	case *model.Ref:
		if in.wants(y.Array) {
			if value := wholeValue(y.Array); value != nil {
				return in.expand(value)
			}
			in.failed = true
			return x
		}
	}
	model.Replace(x, in.expand)
	return simple(x)
}

// all returns copies of expressions with definitions inlined; nil remains nil.
func (in *inliner) all(xs []model.Expr) (out []model.Expr) {
	for _, x := range xs {
		if x != nil {
			x = in.inlined(x)
		}
		out = append(out, x)
	}
	return out
}

// inlined returns a copy of an expression with definitions inlined.
func (in *inliner) inlined(x model.Expr) model.Expr {
	in.nodes = 0
	return in.expand(model.Copy(x))
}

func (in *inliner) wants(a *model.Array) bool { return a.Role == model.Definition && in.when(a) }

// onePiece returns the only piece of a definition, or nil if it has several pieces, is a recurrence, or defines one
// element.
func onePiece(a *model.Array) *model.Piece {
	if len(a.Pieces) != 1 || a.Pieces[0].Value == nil || a.Pieces[0].Recurrence != nil {
		return nil
	}
	p := a.Pieces[0]
	if slices.ContainsFunc(p.Slots, func(s model.Slot) bool { return s.Index == nil }) {
		return nil
	}
	return p
}

// elementValue returns the expression that defines the element sub of a definition, or nil if there is no single
// expression for it.
func elementValue(a *model.Array, sub *model.Subscript) model.Expr {
	p := onePiece(a)
	if p == nil || len(sub.Subs) < len(p.Slots) || sub.Inside != nil {
		return nil
	}
	value := model.Copy(p.Value)
	for k, s := range p.Slots {
		if sub.Subs[k].At == nil {
			return nil
		}
		value = model.Put(value, s.Index, sub.Subs[k].At)
	}
	if rest := sub.Subs[len(p.Slots):]; len(rest) > 0 {
		return &model.Subscript{Fact: sub.Fact, X: value, Subs: rest}
	}
	return value
}

// wholeValue returns the expression that defines an entire array, or nil if there is no single expression for it.
func wholeValue(a *model.Array) model.Expr {
	p := onePiece(a)
	if p == nil {
		return nil
	}
	value := model.Copy(p.Value)
	if len(p.Plates) == 0 {
		return value
	}
	return &model.Build{Fact: *value.Info(), Over: p.Plates, Body: value}
}

func number(at model.Expr, v float64) *model.Num {
	n := &model.Num{Fact: *at.Info(), Value: v}
	n.Type.Axes = nil
	return n
}

// simple simplifies an expression whose operands are simplified: a condition, a subscript or an operator with
// constants.
func simple(x model.Expr) model.Expr {
	switch x := x.(type) {
	case *model.Cond:
		if n, ok := x.If.(*model.Num); ok {
			if n.Value != 0 {
				return x.Then
			}
			return x.Else
		}
	case *model.Subscript:
		return simpleElement(x)
	case *model.Apply:
		return simpleApply(x)
	}
	return x
}

// simpleElement simplifies an element of a list, of a Fill, or of an elementwise expression.
func simpleElement(x *model.Subscript) model.Expr {
	switch y := x.X.(type) {
	case *model.List:
		n, ok := x.Subs[0].At.(*model.Num)
		if k := 0; ok && len(x.Subs) == 1 {
			k = int(n.Value) - 1
			if k >= 0 && k < len(y.Items) {
				return y.Items[k]
			}
		}
	case *model.Fill:
		if len(x.Subs) == len(y.Type.Axes) && !slices.ContainsFunc(x.Subs, notAnElement) {
			return y.Value
		}
	case *model.Apply:
		axes := len(y.Type.Axes)
		if slices.ContainsFunc(y.Args, func(a model.Expr) bool {
			n := len(a.Info().Type.Axes)
			return n > 0 && n != axes
		}) {
			return x
		}
		out := *y
		out.Args = slices.Clone(y.Args)
		for k, a := range y.Args {
			if len(a.Info().Type.Axes) > 0 {
				out.Args[k] = simple(&model.Subscript{Fact: x.Fact, X: a, Subs: x.Subs})
			}
		}
		return simple(&out)
	}
	return x
}

func notAnElement(s model.Sub) bool { return s.At == nil }

// ofNumbers maps operators and functions to their values for two numbers.
var ofNumbers = map[string]func(a, b float64) float64{
	"==": func(a, b float64) float64 { return truth(a == b) },
	"!=": func(a, b float64) float64 { return truth(a != b) },
	"<":  func(a, b float64) float64 { return truth(a < b) },
	"<=": func(a, b float64) float64 { return truth(a <= b) },
	">":  func(a, b float64) float64 { return truth(a > b) },
	">=": func(a, b float64) float64 { return truth(a >= b) },
	"&&": func(a, b float64) float64 { return truth(a != 0 && b != 0) },
	"||": func(a, b float64) float64 { return truth(a != 0 || b != 0) },
	"*":  func(a, b float64) float64 { return a * b },
	"/":  func(a, b float64) float64 { return a / b },
	"^":  math.Pow, "min": math.Min, "max": math.Max,
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func simpleApply(x *model.Apply) model.Expr {
	switch {
	case x.Name == "+" || x.Name == "-":
		return simpleSum(x)
	case x.Name == "!" && isNumber(x.Args[0]):
		return number(x, 1-truth(x.Args[0].(*model.Num).Value != 0))
	case len(x.Args) != 2 || ofNumbers[x.Name] == nil:
		return x
	}
	a, isA := x.Args[0].(*model.Num)
	b, isB := x.Args[1].(*model.Num)
	switch {
	case isA && isB:
		return number(x, ofNumbers[x.Name](a.Value, b.Value))
	case x.Name == "*" && isA && a.Value == 1, x.Name == "&&" && isA && a.Value != 0,
		x.Name == "||" && isA && a.Value == 0:
		return x.Args[1]
	case (x.Name == "*" || x.Name == "/" || x.Name == "^") && isB && b.Value == 1,
		x.Name == "&&" && isB && b.Value != 0, x.Name == "||" && isB && b.Value == 0:
		return x.Args[0]
	case (x.Name == "*" || x.Name == "&&") && (isA && a.Value == 0 || isB && b.Value == 0):
		return number(x, 0)
	case x.Name == "^" && isB && b.Value == 0, x.Name == "||" && (isA || isB):
		return number(x, 1)
	}
	return x
}

func isNumber(x model.Expr) bool { _, ok := x.(*model.Num); return ok }

// simpleSum simplifies a sum whose terms cancel until one term or a constant remains: b for a + (b - a). It returns
// other sums unchanged.
func simpleSum(x *model.Apply) model.Expr {
	parts := map[string]model.Expr{}
	sum := newKeyer(&permutation{}).linear(x, parts)
	if len(sum.Coefs) == 0 {
		return number(x, sum.Const)
	}
	if len(sum.Coefs) > 1 || sum.Const != 0 {
		return x
	}
	for name, k := range sum.Coefs {
		if k == 1 {
			return parts[name]
		}
	}
	return x
}

// values lists the values of z that the proofs examine: all values if there are at most 8, else the first three. It
// returns nil if the smallest value is not known.
func (c *cases) values() []float64 {
	const many = 8
	first := c.z.Type.Range.Lo
	if math.IsInf(first, -1) {
		return nil
	}
	n := 3
	if count := c.count(); count <= many {
		n = int(max(count, 0)) // a size in the model may be negative; that is rejected later
	}
	out := make([]float64, n)
	for k := range out {
		out[k] = first + float64(k)
	}
	return out
}

// count returns an upper bound of the number of values of z, which may be infinity. For a Categorical with a
// probability vector of known length it is this length.
func (c *cases) count() float64 {
	n := c.z.Type.Range.Hi - c.z.Type.Range.Lo + 1
	for _, p := range c.z.Pieces {
		if p.Term == nil || p.Term.Dist == nil || p.Term.Dist.Name != "Categorical" {
			continue
		}
		if axes := p.Term.Args[0].Info().Type.Axes; len(axes) > 0 {
			last := axes[len(axes)-1]
			if f := model.AffineOf(last.Hi).Minus(model.AffineOf(last.Lo)); f.IsConst() {
				n = min(n, f.Const+1)
			}
		}
	}
	return n
}

// assignments returns all assignments of values to reads, or nil if they are too many.
func assignments(reads []string, values []float64) []map[string]float64 {
	const most = 512
	out := []map[string]float64{{}}
	for _, read := range reads {
		if len(out)*len(values) > most {
			return nil
		}
		var next []map[string]float64
		for _, before := range out {
			for _, v := range values {
				one := maps.Clone(before)
				one[read] = v
				next = append(next, one)
			}
		}
		out = next
	}
	return out
}

// weight returns the argument of a prior that determines the probability of value v: the probability itself, or its
// logit. A factor of the probabilities, or a summand of the logits, that is the same for all values is left out. It
// returns nil for distributions other than Bernoulli, Categorical and DiscreteUniform, and for truncated ones.
func weight(t *model.Term, args []model.Expr, v float64) model.Expr {
	switch {
	case t.In != nil:
		return nil
	case t.Dist.Name == "DiscreteUniform":
		return number(args[0], 1)
	case t.Dist.Name == "Bernoulli" && t.Form.Args[0].Name == "p":
		return coin(args[0], 1, v)
	case t.Dist.Name == "Bernoulli":
		return coin(args[0], 0, v)
	case t.Dist.Name != "Categorical":
		return nil
	}
	x := args[0]
	place := v - t.Array.Type.Range.Lo + 1
	if axes := x.Info().Type.Axes; len(axes) > 0 {
		place += model.AffineOf(axes[0].Lo).Const - 1
	}
	if sub, ok := x.(*model.Subscript); ok { // w[g[i], :], or w[g[i]]
		out := *sub
		out.Subs = slices.DeleteFunc(slices.Clone(sub.Subs), notAnElement)
		out.Subs = append(out.Subs, model.Sub{At: number(x, place)})
		return simple(&out)
	}
	return simple(&model.Subscript{Fact: *x.Info(), X: x, Subs: []model.Sub{{At: number(x, place)}}})
}

// coin returns x if v is 1, and sum - x for other values.
func coin(x model.Expr, sum, v float64) model.Expr {
	if v == 1 {
		return x
	}
	return simple(&model.Apply{Fact: *x.Info(), Name: "-", Args: []model.Expr{number(x, sum), x}})
}
