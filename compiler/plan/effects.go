package plan

import (
	"ppl/autodiff"
	"ppl/compiler/density"
	"ppl/compiler/marginalize"
	"ppl/compiler/model"
	"ppl/lang/types"
)

// Effects are the parameters of several elements whose scale is another parameter: those that `noncentered` may help or
// harm. Parameters that read their own past are left out, since data along a series leave little unknown of it.
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
	at := t.Dist.Location + 1
	return types.Effect{Name: t.Array.Name, Scale: parameterName(t.Args[at]), NonCentered: t.NonCentered}
}

// recentrable are the regions of effects whose elements have a coordinate each, on the whole line.
func (p *Plan) recentrable() (rs []*density.Region) {
	for _, r := range p.layout.Regions {
		t := r.Term
		if isEffect(t) && t.Dist.Event == 0 && t.In == nil && !t.Ordered && !t.ZeroSum && len(t.Reads) == 0 &&
			r.Piece.Recurrence == nil && r.Transform.Kind == types.RealLine {
			rs = append(rs, r)
		}
	}
	return rs
}

// EffectBlocks lists the effects that can be recentred, with the places of their coordinates.
func (p *Plan) EffectBlocks() (all []types.EffectBlock) {
	for _, r := range p.recentrable() {
		all = append(all, types.EffectBlock{Effect: effectOf(r.Term), First: r.Offset, Size: r.Size})
	}
	return all
}

// EffectValues lays end to end, for each of EffectBlocks, the values of its elements, their locations and their scales
// at theta.
func (p *Plan) EffectValues(theta autodiff.Node) autodiff.Node {
	th := p.layout.Theta(theta)
	e := p.layout.Evaluator(theta.Graph(), marginalize.Over(th))
	var parts []autodiff.Node
	for _, r := range p.recentrable() {
		loc, scale := th.LocationScale(e, r)
		parts = append(parts, autodiff.Reshape(e.Array(r.Term.Array).Node, r.Size), loc, scale)
	}
	return autodiff.Concat(0, parts...)
}

// Recentred is the plan in which elements of effects are centred, or not, as c says.
func (p *Plan) Recentred(c types.Centring) *Plan {
	out := *p
	out.layout = p.layout.Recentred(c)
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

// parameterName is the parameter that an expression is, or is an element of.
func parameterName(x model.Expr) string {
	if sub, ok := x.(*model.Subscript); ok {
		x = sub.X
	}
	if ref, ok := x.(*model.Ref); ok && ref.Array.Role == model.Parameter {
		return ref.Array.Name
	}
	return ""
}

// Exchangeable are the arrays whose elements can change places without changing the density.
func (p *Plan) Exchangeable() (names []string) {
	for _, a := range p.layout.Data.Model.Exchangeable {
		names = append(names, a.Name)
	}
	return names
}
