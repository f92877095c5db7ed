package plan

import (
	"ppl/compiler/model"
	"ppl/lang/types"
)

// Effects are the parameters of several elements whose scale is another parameter: those that `noncentered` may help or
// harm. Parameters that read their own past are left out, since data along a series leave little unknown of it.
func (p *Plan) Effects() (all []types.Effect) {
	for _, t := range p.layout.Data.Model.Terms {
		if t.Kind != model.Prior || t.Dist == nil || !t.Dist.LocationScale || len(t.Array.Pieces) > 1 {
			continue
		}
		at := t.Dist.Location + 1
		if len(t.Plates) == 0 || at >= len(t.Args) || t.Args[at].Info().Static ||
			t.Form.Args[at].Name != "sd" && t.Dist.Name == "Normal" || readsItself(t) {
			continue
		}
		all = append(all,
			types.Effect{Name: t.Array.Name, Scale: parameterName(t.Args[at]), NonCentered: t.NonCentered})
	}
	return all
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
