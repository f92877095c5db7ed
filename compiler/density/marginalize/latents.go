package marginalize

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// plateSets merges the plates of terms that read a latent with the latent's own: a union-find over indices.
type plateSets map[*model.Index]*model.Index

func (s plateSets) root(i *model.Index) *model.Index {
	for s[i] != nil {
		i = s[i]
	}
	return i
}

func (s plateSets) merge(i, j *model.Index) {
	if a, b := s.root(i), s.root(j); a != b {
		if a.ID < b.ID {
			a, b = b, a
		}
		s[a] = b
	}
}

// Latents is the source of discrete latents that are summed out: the value of each is an index over its support, and
// the sum over that index is taken last.
//
//	z[i in N] ~ Bernoulli(p)      z: 0..1 along an axis of its own
//	y[i in N] ~ Normal(m[z[i]], 1)    so log p(y | z) has the axes i and z
type Latents struct {
	evaluate.Source                               // source of everything except latents
	indices         map[*model.Array]*model.Index // maps a latent to the index over its values
	Values          map[*model.Index]Occurrence   // maps an index to the value of a latent that it represents
}

// Over returns a source of latents; other values come from `of`.
func Over(of evaluate.Source) *Latents {
	return &Latents{Source: of, indices: map[*model.Array]*model.Index{}, Values: map[*model.Index]Occurrence{}}
}

// Array returns a latent as an index over its support.
func (l *Latents) Array(e *evaluate.Evaluator, a *model.Array) (evaluate.Value, bool) {
	if a.Role != model.Latent {
		return l.Source.Array(e, a)
	}
	return e.IndexVar(l.Index(e, a)), true
}

// Expr returns the value of an element of a latent.
func (l *Latents) Expr(e *evaluate.Evaluator, x model.Expr) (evaluate.Value, bool) {
	if s, ok := x.(*model.Subscript); ok {
		if r, ok := s.X.(*model.Ref); ok && r.Array.Role == model.Latent {
			return l.element(e, r.Array, s), true
		}
	}
	return l.Source.Expr(e, x)
}

// Index returns a latent's value as an index over its support, which is the same for all rows.
func (l *Latents) Index(e *evaluate.Evaluator, a *model.Array) *model.Index {
	e = e.Whole()
	t := latentTerm(e, a)
	k, begun := l.indices[a]
	switch {
	case k != nil:
		return k
	case begun:
		e.Stop(e.Diags.Errorf(diag.NoFiniteSupport, t.At, "`%s` cannot be summed out: its support depends on "+
			"its own values", a.Name).Help("draw its first element in a separate statement, `%s[1] ~ …`; if series "+
			"begin at different times `first[i]`, give all elements up to there that distribution: `%s[i in I, "+
			"t in 2..T] ~ Categorical(t <= first[i] ? … : …)`", a.Name, a.Name))
	}
	l.indices[a] = nil
	first, n := valuesOf(e, t)
	set := &model.Set{Name: a.Name, Lo: &model.Num{Value: float64(first)},
		Hi: &model.Num{Value: float64(first + n - 1)}, Key: "values of " + a.Name}
	l.indices[a] = &model.Index{Name: a.Name, Set: set, ID: -1 - len(l.Values)}
	l.Values[l.indices[a]] = Occurrence{Latent: a}
	return l.indices[a]
}

// valuesOf returns the first value and the number of values of a latent according to one of its distributions.
func valuesOf(e *evaluate.Evaluator, t *model.Term) (first, n int) {
	first, n = supportValues(e, t)
	if t.Offset != nil {
		first += int(t.Offset.(*model.Num).Value)
	}
	if t.In == nil {
		return first, n
	}
	lo, hi := slices.Min(e.StaticValues(t.In.Lo)), slices.Max(e.StaticValues(t.In.Hi))
	lo, hi = math.Max(math.Ceil(lo), float64(first)), math.Min(math.Floor(hi), float64(first+n-1))
	if hi-lo >= unbounded {
		e.Stop(e.Diags.Errorf(diag.NoFiniteSupport, t.At, "`%s ~ %s(…) in …` cannot be summed out: it has too many "+
			"values", t.Array.Name, t.Dist.Name).Help("give narrower bounds, such as `in 0..200`"))
	}
	return int(lo), max(0, int(hi-lo)+1)
}

// unbounded represents the number of values of a distribution without an upper bound, before `in` truncates it.
const unbounded = 1 << 30

// supportValues returns the support of a distribution without truncation.
func supportValues(e *evaluate.Evaluator, t *model.Term) (first, n int) {
	if t.Dist.Enumerate == nil {
		if math.IsInf(t.Dist.Lo, -1) {
			return -unbounded, 2 * unbounded
		}
		return int(t.Dist.Lo), 2 * unbounded
	}
	args := make([]autodiff.Node, len(t.Args))
	for i, x := range t.Args {
		args[i] = e.Expr(x).Node
	}
	first, n, ok := t.Dist.Enumerate(args)
	if !ok {
		e.Stop(e.Diags.Errorf(diag.NoFiniteSupport, t.At, "`%s ~ %s(…)` cannot be summed out: its number of "+
			"values must depend on data only", t.Array.Name, t.Dist.Name))
	}
	return first, n
}

// sameSupport reports an error for a latent whose pieces have different supports.
func (l *Latents) sameSupport(e *evaluate.Evaluator, t *model.Term) {
	set := l.Index(e, t.Array).Set
	all := e.Box(set)
	if first, n := valuesOf(e, t); first != all.Lo || n != all.Size() {
		of := latentTerm(e, t.Array)
		e.Stop(e.Diags.Errorf(diag.NoFiniteSupport, t.At,
			"`%s` cannot be summed out: it takes the values %d..%d here, but %d..%d elsewhere",
			t.Array.Name, first, first+n-1, all.Lo, all.Hi).
			Related(of.At, "elsewhere"))
	}
}
