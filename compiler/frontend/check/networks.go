package check

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
)

// A network is a function whose body draws weights, most often by layers:
//
//	f(x[D]) = x -> dense(8) -> tanh -> dense(1) -> first
//
// Its weights are drawn once, at the first call, which gives the shapes: the body is elaborated with placeholders for
// the arguments, so that no prior can depend on one call. Every call, the first too, then inlines the body with the
// weights that are there. A family `f[g in G](x) = …` has weights with axis g first.
type network struct {
	fn     *function
	broken bool
	args   map[string]model.Expr // the arguments of the first call
	fixed  map[string]bool       // arguments that priors read: all calls must have the same
	drawn  map[string]*arrayInfo // what the network draws, by name
	layers map[layerUse]string   // names of layers
	names  map[string]int        // layers of one name
	given  []string              // arguments of layers that are distributions, such as f.dense1.weight
	plain  bool                  // some weights have the library's prior
}

// A layerUse is a use of a template in an instance, most often the network itself.
type layerUse struct {
	prefix string
	pipe   *ast.Pipe
}

// layerName numbers the layers of one template in one place, in the order of the text.
func (n *network) layerName(use layerUse, template string) (name string, known bool) {
	name, known = n.layers[use]
	if known {
		return name, true
	}
	base := use.prefix + "." + template
	n.names[base]++
	n.layers[use] = base + itoa(n.names[base])
	return n.layers[use], false
}

// An argument is a placeholder for an argument of a network while its weights are made.
type argument struct {
	model.Fact
	name string
}

func (*argument) Children() []model.Expr { return nil }

// placeholders replaces the arguments of the first call. Numbers and sizes stay, as copies that can be found again:
// sizes of weights may be made of them.
func (n *network) placeholders(inner *scope) {
	for _, e := range inner.order {
		if e.expr == nil {
			continue
		}
		switch x := e.expr.(type) {
		case *model.Num:
			copied := *x
			e.expr = &copied
		case *model.SizeOf:
			copied := *x
			e.expr = &copied
		case *model.SetSize:
			copied := *x
			e.expr = &copied
		default:
			e.expr = &argument{*x.Info(), e.name}
		}
		n.args[e.name] = e.expr
	}
}

// argumentIn is the name of a placeholder that expressions read, themselves or through definitions.
func (n *network) argumentIn(xs []model.Expr) (name string) {
	seen := map[*model.Array]bool{}
	var visit func(x model.Expr)
	visit = func(x model.Expr) {
		model.Walk(x, func(y model.Expr) {
			switch y := y.(type) {
			case *argument:
				name = y.name
			case *model.Ref:
				if !seen[y.Array] {
					seen[y.Array] = true
					for _, p := range y.Array.Pieces {
						visit(p.Value)
					}
				}
			default:
				for arg, z := range n.args {
					n.fixed[arg] = n.fixed[arg] || z == y
				}
			}
		})
	}
	for _, x := range xs {
		visit(x)
	}
	return name
}

// An instance is one use of a template: its draws become arrays named after the quantity that is drawn (`beta.lambda`),
// with the plates of the use before their own. A call of a network is an instance, too, and so is each of its layers;
// what they draw was made when the network was defined.
type instance struct {
	prefix string
	outer  []*model.Index
	net    *network     // the network whose call, or layer, this is
	read   []model.Expr // where a network's call reads what it draws; nil while the network is being defined
}

// again enters what was drawn when the network was defined, if it was.
func (i *instance) again(s *scope, h *ast.Head, bound []model.Expr) bool {
	id := h.Path[0]
	a := i.net.drawn[i.prefix+"."+id.Name]
	if a == nil || a.scope == s {
		return false
	}
	if s.names[id.Name] == nil {
		s.add(&entity{name: id.Name, at: id.Span(), array: a, outer: slices.Concat(i.read, bound), used: true})
	}
	return true
}
