package analyze

import (
	"slices"

	"ppl/compiler/model"
	"ppl/lang/diag"
)

// Switching warns about mixtures with exchangeable components: every permutation of the labels of a discrete
// unknown, and of the parameters it chooses from, leaves the joint density as it is, so the posterior has as many
// copies of each mode. It warns only where that is certain: weights are symmetric, parameters have one distribution
// along the labels, and both are read at the unknown alone.
func Switching(m *model.Model, diags *diag.List) {
	seen := map[*model.Array]bool{}
	for _, t := range m.Terms {
		if t.Kind != model.LatentPrior || seen[t.Array] || t.Array.Missing { // what is observed fixes the labels
			continue
		}
		seen[t.Array] = true
		mix := mixture{z: t.Array, chosen: map[*model.Array]int{}}
		if len(t.Array.Type.Axes) == 0 && mix.reads(m.Terms, nil) {
			warnOneForAll(diags, mix)
		}
		mix = mixture{z: t.Array, chosen: map[*model.Array]int{}}
		if components := mix.exchangeable(m.Terms); len(components) > 0 {
			warnSwitching(diags, mix.z, components)
			m.Exchangeable = append(m.Exchangeable, components...)
		}
	}
}

func warnSwitching(diags *diag.List, z *model.Array, components []*model.Array) {
	names, plain := "", (*model.Array)(nil)
	for i, a := range components {
		if i > 0 {
			names += ", "
		}
		names += "`" + a.Name + "`"
		if plain == nil && len(a.Type.Axes) == 1 {
			plain = a
		}
	}
	d := diags.Warnf("W04", components[0].At, "the components of %s are exchangeable: label switching, nothing "+
		"distinguishes the values of `%s`", names, z.Name).
		Related(z.At, "`%s` chooses a component", z.Name)
	if plain != nil {
		d.Help("`ordered` picks one labelling: `%s[…] ~ … ordered`", plain.Name)
	} else {
		d.Help("give the components different priors, or look only at quantities that do not depend on labels")
	}
}

// warnOneForAll warns of an unknown without an index that chooses one of several parameters with one prior: then all
// rows come from one of them, and the others have no data. Between models the parameters differ.
func warnOneForAll(diags *diag.List, m mixture) {
	for _, a := range m.order {
		if sharedPrior(a, m.chosen[a]) == nil {
			continue
		}
		diags.Warnf("W22", m.z.At, "`%s` is one unknown for all rows: they all come from one element of `%s`, and the "+
			"others have no data", m.z.Name, a.Name).
			Related(a.At, "`%s` chooses one of these", m.z.Name).
			Help("for one of each row write `%s[i in N] ~ …` and `%s[%s[i]]`", m.z.Name, a.Name, m.z.Name)
		return
	}
}

// A mixture is a discrete unknown with the parameters it chooses from.
type mixture struct {
	z      *model.Array
	chosen map[*model.Array]int // the axis along which the unknown chooses
	order  []*model.Array
}

// exchangeable are the arrays that z chooses from, if all of the model is symmetric in the labels; else none.
func (m *mixture) exchangeable(terms []*model.Term) (components []*model.Array) {
	var weights []*model.Array
	for _, t := range terms {
		if t.Kind != model.LatentPrior || t.Array != m.z {
			continue
		}
		w, ok := m.symmetricPrior(t)
		if !ok {
			return nil
		}
		weights = append(weights, w...)
	}
	if !m.reads(terms, nil) {
		return nil
	}
	for _, a := range m.order {
		if !slices.Contains(weights, a) {
			components = append(components, a)
		}
		if !drawnAlike(a, m.chosen[a]) {
			return nil
		}
	}
	// What z chooses from must be read nowhere else: neither component by component nor as a whole.
	if !m.reads(terms, append(slices.Clone(m.order), weights...)) {
		return nil
	}
	return components
}

// symmetricPrior reports whether a prior gives every value the same weight, however its parameters are labelled; the
// weights are the parameters it reads.
func (m *mixture) symmetricPrior(t *model.Term) (weights []*model.Array, ok bool) {
	switch {
	case t.In != nil:
		return nil, false
	case t.Dist.Name == "Bernoulli" && t.Form.Args[0].Name == "p":
		return evenOdds(t.Args[0])
	case t.Dist.Name == "DiscreteUniform":
		return nil, t.Args[0].Info().Static && t.Args[1].Info().Static
	case t.Dist.Name != "Categorical":
		return nil, false
	}
	x := t.Args[0]
	if list, isList := x.(*model.List); isList && len(list.Items) == 2 && oneMinus(list.Items[1], list.Items[0]) {
		return evenOdds(list.Items[0])
	}
	if sub, isSub := x.(*model.Subscript); isSub {
		x = sub.X
	}
	ref, isRef := x.(*model.Ref)
	if !isRef || ref.Array.Role != model.Parameter {
		return nil, constantVector(x)
	}
	if t.Form.Args[0].Name == "logits" {
		t := sharedPrior(ref.Array, len(ref.Array.Type.Axes)-1)
		return []*model.Array{ref.Array}, t != nil && !t.Ordered
	}
	for _, p := range ref.Array.Pieces {
		if p.Term == nil || p.Term.Dist == nil || p.Term.Dist.Name != "Dirichlet" || !constantVector(p.Term.Args[0]) ||
			len(model.Indices(p.Term.Args[0])) > 0 {
			return nil, false
		}
	}
	return []*model.Array{ref.Array}, len(ref.Array.Pieces) == 1
}

// evenOdds reports whether a probability p is distributed as 1 - p is; the weights are the parameter that it is.
func evenOdds(p model.Expr) (weights []*model.Array, ok bool) {
	if n, isNum := p.(*model.Num); isNum {
		return nil, n.Value == 0.5
	}
	ref, isRef := p.(*model.Ref)
	if !isRef || ref.Array.Role != model.Parameter || len(ref.Array.Pieces) != 1 || ref.Array.Pieces[0].Term == nil {
		return nil, false
	}
	t := ref.Array.Pieces[0].Term
	if t.Dist == nil || t.In != nil || len(t.Args) < 2 {
		return nil, false
	}
	a, isA := t.Args[0].(*model.Num)
	b, isB := t.Args[1].(*model.Num)
	if !isA || !isB {
		return nil, false
	}
	symmetric := t.Dist.Name == "Beta" && t.Form.Args[0].Name == "a" && a.Value == b.Value ||
		t.Dist.Name == "Uniform" && a.Value == 0 && b.Value == 1
	return []*model.Array{ref.Array}, symmetric
}

// oneMinus reports whether x is 1 - p, for a parameter p.
func oneMinus(x, p model.Expr) bool {
	minus, ok := x.(*model.Apply)
	if !ok || minus.Name != "-" || len(minus.Args) != 2 {
		return false
	}
	one, isNum := minus.Args[0].(*model.Num)
	return isNum && one.Value == 1 && model.SameForm(minus.Args[1], p)
}

// constantVector reports whether a vector has one number for all elements: fill(1, K), [2, 2].
func constantVector(x model.Expr) bool {
	switch x := x.(type) {
	case *model.Fill:
		return true
	case *model.List:
		for _, item := range x.Items {
			a, ok := item.(*model.Num)
			if b, _ := x.Items[0].(*model.Num); !ok || b == nil || a.Value != b.Value {
				return false
			}
		}
		return true
	}
	return false
}

// reads visits every read of z in the model: each must choose an element of a parameter. Given arrays, every read of
// them must be such a choice, or the weights of a prior of z.
func (m *mixture) reads(terms []*model.Term, arrays []*model.Array) bool {
	ok := true
	var seen []*model.Array
	var visit func(x model.Expr, prior bool)
	visit = func(x model.Expr, prior bool) {
		switch x := x.(type) {
		case *model.Subscript:
			if ref, isRef := x.X.(*model.Ref); isRef && (ref.Array == m.z || m.choice(ref, x) || prior &&
				slices.Contains(arrays, ref.Array)) {
				ok = ok && ref.Array != m.z
				return
			}
		case *model.Ref:
			a := x.Array
			ok = ok && a != m.z && (prior || !slices.Contains(arrays, a))
			if a.Role == model.Definition && !slices.Contains(seen, a) {
				seen = append(seen, a)
				for _, p := range a.Pieces {
					if p.Value != nil {
						visit(p.Value, false)
					}
				}
			}
		}
		_, isList := x.(*model.List)
		_, isApply := x.(*model.Apply)
		for _, y := range x.Children() {
			visit(y, prior && (isList || isApply)) // [theta, 1 - theta]
		}
	}
	for _, t := range terms {
		if t.Kind == model.Generate {
			continue
		}
		for _, x := range t.Exprs() {
			visit(x, t.Kind == model.LatentPrior && t.Array == m.z)
		}
	}
	return ok
}

// choice records a subscript by z alone: m[z[i]].
func (m *mixture) choice(ref *model.Ref, sub *model.Subscript) bool {
	at := -1
	for k, s := range sub.Subs {
		if s.At == nil || !slices.Contains(model.Arrays(s.At), m.z) {
			continue
		}
		x := withoutConstant(s.At) // m[z[i] + 1], where z counts from 0
		inner, isSub := x.(*model.Subscript)
		if isSub {
			_, isSub = inner.X.(*model.Ref)
		}
		if _, isRef := x.(*model.Ref); at >= 0 || !isSub && !isRef {
			return false
		}
		at = k
	}
	old, known := m.chosen[ref.Array]
	if at < 0 || ref.Array.Role != model.Parameter || known && old != at {
		return false
	}
	if !known {
		m.order = append(m.order, ref.Array)
	}
	m.chosen[ref.Array] = at
	return true
}

// withoutConstant is x of x + 1.
func withoutConstant(x model.Expr) model.Expr {
	if sum, ok := x.(*model.Apply); ok && (sum.Name == "+" || sum.Name == "-") && len(sum.Args) == 2 {
		if _, isNum := sum.Args[1].(*model.Num); isNum {
			return sum.Args[0]
		}
	}
	return x
}

// drawnAlike reports whether a parameter's elements along an axis have one prior and no order.
func drawnAlike(a *model.Array, axis int) bool {
	t := sharedPrior(a, axis)
	return t != nil && !t.Ordered && !t.ZeroSum
}

// sharedPrior is the prior that all of a parameter's elements along an axis share; nil where there is none.
func sharedPrior(a *model.Array, axis int) *model.Term {
	if len(a.Pieces) != 1 || axis >= len(a.Pieces[0].Slots) || a.Pieces[0].Term == nil {
		return nil
	}
	t, i := a.Pieces[0].Term, a.Pieces[0].Slots[axis].Index
	if i == nil || t.Dist == nil {
		return nil
	}
	for _, x := range t.Exprs() {
		if slices.Contains(model.Indices(x), i) {
			return nil
		}
	}
	return t
}
