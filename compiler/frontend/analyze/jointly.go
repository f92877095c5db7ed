package analyze

import (
	"slices"

	"ppl/compiler/frontend/model"
)

// JointlyNormal fills Model.Normal: sets of parameters that are jointly normal given all other parameters and the data.
// In
//
//	level[t in 2..T] ~ Normal(level[t-1] + slope[t-1], s)
//	slope[t in 2..T] ~ Normal(slope[t-1], r)
//	y[t in T] ~ Normal(level[t], sigma)
//
// level and slope are jointly normal: their distributions, and those of everything that reads them, are normal with a
// mean that is linear in them and a scale that does not depend on them. Other parameters must not be drawn from them.
// The list starts with the largest set; each following set has fewer arrays. If a set has too many elements for some
// data, a smaller one can be used.
func JointlyNormal(m *model.Model) {
	m.Normal = nil
	var arrays []*model.Array
	for _, a := range m.Arrays {
		if normalEffect(a) {
			arrays = append(arrays, a)
		}
	}
	reads := readersOf(m)
	for all := jointly(reads, arrays); all != nil; {
		m.Normal = append(m.Normal, all)
		all = jointly(reads, all.Arrays[:len(all.Arrays)-1])
	}
}

// jointly removes arrays until the others are jointly normal, and returns these with their terms, or nil if none
// remains. It removes the last array that a violating term reads, so the result may not be the largest possible set.
func jointly(reads *readers, arrays []*model.Array) *model.Jointly {
	for len(arrays) > 0 {
		out := &model.Jointly{Arrays: arrays, Terms: reads.termsOf(arrays...)}
		in := reads.from(arrays...)
		constant := func(x model.Expr) bool { return !slices.ContainsFunc(model.Arrays(x), in) }
		own := map[*model.Array]bool{}
		for _, a := range arrays {
			own[a] = true
		}
		var wrong *model.Term // the last term that violates the conditions
		for _, t := range slices.Backward(out.Terms) {
			if !own[t.Array] && t.Kind != model.Likelihood || !normalAbout(t, constant) {
				wrong = t
				break
			}
		}
		if wrong == nil {
			return out
		}
		last := reads.lastOf(arrays, wrong)
		arrays = slices.DeleteFunc(slices.Clone(arrays), func(a *model.Array) bool { return a == last })
	}
	return nil
}

// normalEffect reports whether all priors of a parameter are normal and without latents, and at least one of them
// Bends.
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

// normalAbout reports whether a term is normal with a constant scale and a mean that is affine in everything that is
// not constant.
func normalAbout(t *model.Term, constant func(model.Expr) bool) bool {
	if t.Dist == nil || t.Dist.Name != "Normal" || t.In != nil || t.Recorded() || len(t.Reads) > 0 {
		return false
	}
	for i, x := range t.Args {
		if i != t.Dist.Location && !constant(x) {
			return false
		}
	}
	return model.NewLinear(constant).In(t.Args[t.Dist.Location])
}

// lastOf returns the last of the given arrays that a term reads, or the array that the term draws if it reads none of
// them.
func (r *readers) lastOf(arrays []*model.Array, t *model.Term) *model.Array {
	read := model.Arrays(t.Exprs()...)
	for _, a := range slices.Backward(arrays) {
		if slices.ContainsFunc(read, r.from(a)) {
			return a
		}
	}
	return t.Array
}
