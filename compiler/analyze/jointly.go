package analyze

import (
	"slices"

	"ppl/compiler/model"
)

// JointlyNormal fills Model.Normal: effects and series that are normal together, given all other parameters and the
// data. Of
//
//	level[t in 2..T] ~ Normal(level[t-1] + slope[t-1], s)
//	slope[t in 2..T] ~ Normal(slope[t-1], r)
//	y[t in T] ~ Normal(level[t], sigma)
//
// level and slope are: their distributions, and those of all that reads them, are normal about what is linear in them,
// with scales that do not depend on them. Other parameters must not be drawn from them. After all of them come fewer
// and fewer, for data with which all are too many.
func JointlyNormal(m *model.Model) {
	m.Normal = nil
	var arrays []*model.Array
	for _, a := range m.Arrays {
		if normalEffect(a) {
			arrays = append(arrays, a)
		}
	}
	for all := jointly(m, arrays); all != nil; {
		m.Normal = append(m.Normal, all)
		all = jointly(m, all.Arrays[:len(all.Arrays)-1])
	}
}

// jointly are those of some arrays, from the first on, that are normal together; nil if none is.
func jointly(m *model.Model, arrays []*model.Array) *model.Jointly {
	for len(arrays) > 0 {
		out := &model.Jointly{Arrays: arrays}
		var wrong *model.Array
		for _, t := range m.Terms {
			if t.Kind == model.Generate {
				continue
			}
			r := reach{of: out.Arrays, known: map[*model.Array]bool{}}
			own := slices.Contains(arrays, t.Array)
			switch {
			case !own && !slices.ContainsFunc(t.Exprs(), r.reaches):
			case (own || t.Kind == model.Likelihood) && r.normalAbout(t):
				out.Terms = append(out.Terms, t)
			default:
				wrong = r.lastOf(t)
			}
		}
		if wrong == nil {
			return out
		}
		arrays = slices.DeleteFunc(slices.Clone(arrays), func(a *model.Array) bool { return a == wrong })
	}
	return nil
}

// normalEffect reports whether a parameter is normal wherever it has a distribution, and somewhere in a way that bends.
func normalEffect(a *model.Array) bool {
	if a.Role != model.Parameter {
		return false
	}
	bends := false
	for _, p := range a.Pieces {
		if t := p.Term; t != nil {
			if !t.Relative() || t.Dist.Name != "Normal" || len(t.Reads) > 0 {
				return false
			}
			bends = bends || t.Bends()
		}
	}
	return bends
}

// A reach is what reads some arrays, directly or through definitions.
type reach struct {
	of    []*model.Array
	known map[*model.Array]bool // of definitions
}

func (r reach) reaches(x model.Expr) bool { return slices.ContainsFunc(model.Arrays(x), r.isIn) }

// isIn reports whether an array is among those reached, or is computed of them.
func (r reach) isIn(b *model.Array) bool {
	if slices.Contains(r.of, b) {
		return true
	}
	in, seen := r.known[b]
	if !seen && b.Role == model.Definition {
		r.known[b] = false // while it is looked at: what a definition reads of itself says nothing new
		in = slices.ContainsFunc(b.Pieces, func(p *model.Piece) bool { return p.Value != nil && r.reaches(p.Value) })
		r.known[b] = in
	}
	return in
}

// normalAbout reports whether a term is normal about what is linear in the arrays, with a scale that is not of them.
func (r reach) normalAbout(t *model.Term) bool {
	if t.Dist == nil || t.Dist.Name != "Normal" || t.In != nil || t.Censored != nil || len(t.Reads) > 0 {
		return false
	}
	for i, x := range t.Args {
		if i != t.Dist.Location && r.reaches(x) {
			return false
		}
	}
	return model.NewLinear(func(x model.Expr) bool { return !r.reaches(x) }).In(t.Args[t.Dist.Location])
}

// lastOf is the last of the arrays that a term reads, or its own.
func (r reach) lastOf(t *model.Term) *model.Array {
	for _, a := range slices.Backward(r.of) {
		one := reach{of: []*model.Array{a}, known: map[*model.Array]bool{}}
		if slices.ContainsFunc(t.Exprs(), one.reaches) {
			return a
		}
	}
	return t.Array
}
