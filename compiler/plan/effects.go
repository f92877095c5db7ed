package plan

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
	"ppl/lang/types"
)

// Effects returns the parameter arrays that a single statement draws and whose scale depends on parameters. Whether
// they are sampled better with centred or with noncentered coordinates depends on the data. Parameters that read their
// own past are omitted, because the data usually determine a series well.
func (p *Plan) Effects() (all []types.Effect) {
	for _, t := range p.layout.Data.Model.Terms {
		if isEffect(t) {
			all = append(all, effectOf(t))
		}
	}
	return all
}

func isEffect(t *model.Term) bool {
	if t.Kind != model.Prior || t.Dist == nil || !t.Dist.LocationScale || len(t.Array.Pieces) > 1 {
		return false
	}
	at := t.Dist.Location + 1
	return len(t.Plates) > 0 && at < len(t.Args) && !t.Args[at].Info().Static &&
		(t.Form.Args[at].Name == "sd" || t.Dist.Name != "Normal") && !readsItself(t)
}

func effectOf(t *model.Term) types.Effect {
	return types.Effect{Name: t.Array.Name, Scale: parameterName(t.Scale()), NonCentered: t.NonCentered}
}

// mostOfSeries is the length from which a series is not recentred: evaluating it at some hundred points would take
// seconds.
const mostOfSeries = 1 << 12

// mostToFactor is the largest size of a region of vectors, times their squared length, for which vectors are recentred;
// larger ones would take too long.
const mostToFactor = 1 << 20

// recentrable returns the regions whose coordinates depend on other parameters in a way that no linear change of
// coordinates removes, so that other coordinates may be better. These are effects and series whose scale is a
// parameter; vectors whose covariance depends on parameters; parameters whose location is a nonlinear function of
// others, such as a ~ Normal(x^2, 0.2); and parameters with bounds or a sum constraint that have a scale on the
// unconstrained line. If such an array is normal given the data, all of its pieces are included.
func (p *Plan) recentrable() (rs []*density.Region) {
	for _, r := range p.layout.Regions {
		if r.Size > 0 && (r.HasLine() || p.layout.Normal(r) || mayRecentre(r) && r.Term.Bends() || correlated(r)) {
			rs = append(rs, r)
		}
	}
	return rs
}

// correlated reports whether a region's elements are vectors that may be sampled relative to their mean and a factor of
// their covariance, such as the values of a Gaussian process.
func correlated(r *density.Region) bool {
	t := r.Term
	return t.Vector() && len(t.Reads) == 0 && r.Piece.Scanned() == nil &&
		slices.ContainsFunc(t.Args[1:], func(x model.Expr) bool { return !x.Info().Static }) &&
		r.Size*r.Last()*r.Last() <= mostToFactor && !model.Reached(t.Exprs()...)[t.Array]
}

func mayRecentre(r *density.Region) bool {
	t, series := r.Term, r.Piece.Scanned() != nil
	return t.Relative() && len(t.Reads) == 0 && r.Transform.Kind == types.RealLine &&
		(series && r.Size <= mostOfSeries || !series && !readsItself(t))
}

// blockOf describes a region that can be recentred, for samplers. If an array has several pieces, the name is the
// piece's text in the model.
func (p *Plan) blockOf(r *density.Region) types.EffectBlock {
	b := types.EffectBlock{First: r.Offset, Size: r.Size, Vector: r.Term.Vector()}
	b.Line = r.HasLine()
	if b.Line {
		b.Effect = types.Effect{Name: r.Term.Array.Name, NonCentered: r.Term.NonCentered}
	} else if b.Effect = effectOf(r.Term); !b.Vector {
		b.Series, b.Curved = r.Piece.Scanned() != nil, r.Term.Scale().Info().Static
		b.Normal, b.Straight = p.layout.Normal(r), !r.Term.Bends()
	}
	if len(r.Term.Array.Pieces) > 1 {
		b.Name = r.Piece.At.Text()
	}
	return b
}

// EffectBlocks lists the effects that can be recentred, with the positions of their coordinates.
func (p *Plan) EffectBlocks() (all []types.EffectBlock) {
	for _, r := range p.recentrable() {
		all = append(all, p.blockOf(r))
	}
	return all
}

// EffectValues concatenates, for each of EffectBlocks, the parts of types.EffectPoint at theta.
func (p *Plan) EffectValues(theta autodiff.Node) autodiff.Node {
	th := p.layout.Theta(theta)
	e := p.layout.Evaluator(theta.Graph(), marginalize.Over(th))
	var parts []autodiff.Node
	for _, r := range p.recentrable() {
		parts = append(parts, th.Effect(e, r)...)
	}
	return autodiff.Concat(0, parts...)
}

// Recentred returns the plan with the forms of effects given by c.
func (p *Plan) Recentred(c types.Centring) *Plan {
	out, by := *p, map[*model.Piece][]types.Form{}
	for _, r := range p.recentrable() {
		by[r.Piece] = c[p.blockOf(r).Name]
	}
	out.layout = p.layout.Recentred(by)
	return &out
}

func readsItself(t *model.Term) bool {
	for _, a := range model.Arrays(t.Exprs()...) {
		if a == t.Array {
			return true
		}
	}
	return false
}

// parameterName returns the name of the parameter if x is one or an element of one, or "".
func parameterName(x model.Expr) string {
	if sub, ok := x.(*model.Subscript); ok {
		x = sub.X
	}
	if ref, ok := x.(*model.Ref); ok && ref.Array.Role == model.Parameter {
		return ref.Array.Name
	}
	return ""
}

// Exchangeable returns the names of arrays whose elements can be permuted without changing the density.
func (p *Plan) Exchangeable() (names []string) {
	for _, a := range p.layout.Data.Model.Exchangeable {
		names = append(names, a.Name)
	}
	return names
}
