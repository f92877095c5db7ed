package validate

import (
	"math"

	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

// WarnLeaving warns about arguments that can leave their domain, given the data and the supports of the parameters.
// Package check has already rejected arguments that can leave it whatever the data are. In
//
//	a, b ~ HalfNormal(1)            x in -1.5..2: a + b * x is in -inf..inf, so it may be negative
//	y[i in N] ~ Normal(0, a + b * x[i])
//
// a sampler would only find that such parameters have density 0.
func WarnLeaving(e *evaluate.Evaluator, m *model.Model) {
	r := &ranges{data: e.Data, definitions: map[*model.Array]outer{}}
	for _, t := range m.Terms {
		if t.Dist == nil || t.Kind == model.Generate {
			continue
		}
		for k, x := range t.Args {
			domain := t.Form.Args[k].Domain
			if x.Info().Static || domain.Kind != types.Interval && domain.Kind != types.IntRange {
				continue
			}
			all := r.of(x)
			below := all.Lo < 0 && domain.Lo >= 0
			if !all.known || !below && all.Hi <= domain.Hi {
				continue
			}
			where, help := "below 0", "exp"
			if !below {
				where = "above " + evaluate.EndText(domain.Hi)
			}
			if domain.Hi == 1 {
				help = "sigmoid"
			}
			e.Diags.Warnf(diag.PossibleDomain, x.Info().At, "the argument `%s` of `%s` must be %s, but `%s` may be %s",
				t.Form.Args[k].Name,
				t.Dist.Name, domain, x.Info().At.Text(), where).
				Help("give the parameters of the argument narrower supports, or write `%s(…)`; the density is 0 if "+
					"the argument is invalid", help)
		}
	}
}

// An outer is an interval that contains all values of an expression; known is false if it may be far too wide, because
// part of the expression is not analysed.
type outer struct {
	stdlib.Range
	known bool
}

// ranges computes outer ranges of expressions from the data and the supports of parameters.
type ranges struct {
	data        *dataset.Dataset
	definitions map[*model.Array]outer
}

func (r *ranges) of(x model.Expr) outer {
	unknown := outer{Range: x.Info().Type.Range}
	switch x := x.(type) {
	case *model.Num:
		return outer{stdlib.Point(x.Value), true}
	case *model.SizeOf:
		return outer{stdlib.Point(float64(r.data.Sizes[x.Size])), true}
	case *model.IndexVar:
		if ends, ds := evaluate.SetBox(r.data, x.Index.Set); len(ds) == 0 {
			return outer{stdlib.Range{Lo: float64(ends[0]), Hi: float64(ends[1]), Int: true}, true}
		}
	case *model.Ref:
		return r.array(x.Array)
	case *model.Subscript:
		return r.of(x.X)
	case *model.Build:
		return r.of(x.Body)
	case *model.Fill:
		return r.of(x.Value)
	case *model.List:
		return r.union(x.Items)
	case *model.Concat:
		return r.union(x.Items)
	case *model.MatMul:
		a, b := r.of(x.X), r.of(x.Y)
		return outer{stdlib.Reductions()["sum"].Range(stdlib.RangeOf("*", a.Range, b.Range), -1), a.known && b.known}
	case *model.Reduce:
		a := r.of(x.X)
		return outer{x.Row.Range(a.Range, -1), a.known}
	case *model.Apply:
		return r.apply(x)
	}
	return unknown
}

func (r *ranges) apply(x *model.Apply) outer {
	args, known := make([]stdlib.Range, len(x.Args)), true
	for i, a := range x.Args {
		o := r.of(a)
		args[i], known = o.Range, known && o.known
	}
	if f := stdlib.Funcs()[x.Name]; f != nil {
		return outer{f.Range(args), known}
	}
	if x.Name == "*" && sameArray(x.Args[0], x.Args[1]) { // a square is not negative
		return outer{stdlib.RangeOf("^", args[0], stdlib.Point(2)), known}
	}
	// The range of a - a / 2 and the like is too wide.
	return outer{stdlib.RangeOf(x.Name, args...), known && !shareParameter(x.Args)}
}

func sameArray(x, y model.Expr) bool {
	a, ok := x.(*model.Ref)
	b, ok2 := y.(*model.Ref)
	return ok && ok2 && a.Array == b.Array
}

// shareParameter reports whether two operands read the same unknown.
func shareParameter(xs []model.Expr) bool {
	seen := map[*model.Array]int{}
	for i, x := range xs {
		for _, a := range readBy(x) {
			if a.Role != model.Data && a.Role != model.Definition {
				if k, ok := seen[a]; ok && k != i {
					return true
				}
				seen[a] = i
			}
		}
	}
	return false
}

// readBy lists the arrays that an expression reads, directly or through definitions.
func readBy(x model.Expr) (out []*model.Array) {
	seen := map[*model.Array]bool{}
	var visit func(x model.Expr)
	visit = func(x model.Expr) {
		for _, a := range model.Arrays(x) {
			if seen[a] {
				continue
			}
			seen[a] = true
			out = append(out, a)
			for _, p := range a.Pieces {
				if p.Value != nil {
					visit(p.Value)
				}
			}
		}
	}
	visit(x)
	return out
}

func (r *ranges) union(xs []model.Expr) outer {
	all := outer{stdlib.Range{Lo: math.Inf(1), Hi: math.Inf(-1), Int: true}, true}
	for _, x := range xs {
		o := r.of(x)
		all = outer{stdlib.Union(all.Range, o.Range), all.known && o.known}
	}
	return all
}

func (r *ranges) array(a *model.Array) outer {
	switch a.Role {
	case model.Data:
		return r.ofData(a)
	case model.Definition:
		if o, ok := r.definitions[a]; ok {
			return o
		}
		r.definitions[a] = outer{Range: a.Type.Range} // used if the definition reads itself
		var values []model.Expr
		for _, p := range a.Pieces {
			if p.Value == nil || p.Recurrence != nil {
				return r.definitions[a]
			}
			values = append(values, p.Value)
		}
		r.definitions[a] = r.union(values)
		return r.definitions[a]
	case model.Parameter:
		return r.parameter(a)
	}
	return outer{Range: a.Type.Range}
}

// parameter returns the support of a parameter, including bounds that depend on data.
func (r *ranges) parameter(a *model.Array) outer {
	all := outer{a.Type.Range, true}
	for _, p := range a.Pieces {
		t := p.Term
		if t == nil || t.Dist == nil {
			return outer{Range: a.Type.Range}
		}
		ends := [][2]model.Expr{}
		if t.Form.Bounds != nil {
			if t.Dist.Name != "Uniform" && t.Dist.Name != "DiscreteUniform" {
				return outer{Range: a.Type.Range}
			}
			ends = append(ends, [2]model.Expr{t.Args[0], t.Args[1]})
		}
		if t.In != nil {
			ends = append(ends, [2]model.Expr{t.In.Lo, t.In.Hi})
		}
		for _, e := range ends {
			lo, hi := r.of(e[0]), r.of(e[1])
			all = outer{stdlib.Range{Lo: math.Max(all.Lo, lo.Lo), Hi: math.Min(all.Hi, hi.Hi), Int: all.Int},
				all.known && lo.known && hi.known && len(a.Pieces) == 1}
		}
	}
	return all
}

// ofData returns the range of the data.
func (r *ranges) ofData(a *model.Array) outer {
	x, ok := r.data.Arrays[a]
	switch {
	case !ok || a.Missing:
		return outer{Range: a.Type.Range}
	case x.Stream != nil && x.Low.At >= 0:
		return outer{stdlib.Range{Lo: x.Low.Value, Hi: x.High.Value}, true}
	case x.Stream != nil || x.Values.Len() == 0:
		return outer{Range: a.Type.Range}
	}
	lo, hi := x.Values.Range()
	return outer{stdlib.Range{Lo: lo, Hi: hi}, true}
}
