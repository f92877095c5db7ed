package scope

import (
	"slices"
	"strconv"

	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
)

// A Network is a function whose body draws weights, most often by layers:
//
//	f(x[D]) = x -> dense(8) -> tanh -> dense(1) -> first
//
// Its weights are drawn once, at the first call, which gives the shapes: the body is elaborated with placeholders for
// the arguments, so that no prior can depend on one call. Every call, the first too, then inlines the body with the
// weights that are there. A family `f[g in G](x) = …` has weights with axis g first.
type Network struct {
	Fn     *Function
	Broken bool
	Args   map[string]model.Expr // the arguments of the first call
	Fixed  map[string]bool       // arguments that priors read: all calls must have the same
	Drawn  map[string]*Array     // what the network draws, by name
	Layers map[LayerUse]string   // names of layers
	Names  map[string]int        // layers of one name
	Given  []string              // arguments of layers that are distributions, such as f.dense1.weight
	Plain  bool                  // some weights have the library's prior
}

// A LayerUse is a use of a template in an instance, most often the network itself.
type LayerUse struct {
	Prefix string
	Pipe   *ast.Pipe
}

// LayerName numbers the layers of one template in one place, in the order of the text.
func (n *Network) LayerName(use LayerUse, template string) (name string, known bool) {
	name, known = n.Layers[use]
	if known {
		return name, true
	}
	base := use.Prefix + "." + template
	n.Names[base]++
	n.Layers[use] = base + strconv.Itoa(n.Names[base])
	return n.Layers[use], false
}

// An argument is a placeholder for an argument of a network while its weights are made.
type argument struct {
	model.Fact
	name string
}

func (*argument) Children() []model.Expr { return nil }

// Placeholders replaces the arguments of the first call. Numbers and sizes stay, as copies that can be found again:
// sizes of weights may be made of them.
func (n *Network) Placeholders(inner *Scope) {
	for _, e := range inner.Order {
		if e.Expr == nil {
			continue
		}
		switch x := e.Expr.(type) {
		case *model.Num:
			copied := *x
			e.Expr = &copied
		case *model.SizeOf:
			copied := *x
			e.Expr = &copied
		case *model.SetSize:
			copied := *x
			e.Expr = &copied
		default:
			e.Expr = &argument{*x.Info(), e.Name}
		}
		n.Args[e.Name] = e.Expr
	}
}

// ArgumentIn returns the name of a placeholder that expressions read, themselves or through definitions.
func (n *Network) ArgumentIn(xs []model.Expr) (name string) {
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
				for arg, z := range n.Args {
					n.Fixed[arg] = n.Fixed[arg] || z == y
				}
			}
		})
	}
	for _, x := range xs {
		visit(x)
	}
	return name
}

// An Instance is one use of a template: its draws become arrays named after the quantity that is drawn (`beta.lambda`),
// with the plates of the use before their own. A call of a network is an instance, too, and so is each of its layers;
// what they draw was made when the network was defined.
type Instance struct {
	Prefix string
	Outer  []*model.Index
	Net    *Network     // the network whose call, or layer, this is
	Read   []model.Expr // where a network's call reads what it draws; nil while the network is being defined
}

// EnterDrawn enters what was drawn when the network was defined, if it was.
func (i *Instance) EnterDrawn(s *Scope, h *ast.Head, bound []model.Expr) bool {
	id := h.Path[0]
	a := i.Net.Drawn[i.Prefix+"."+id.Name]
	if a == nil || a.Scope == s {
		return false
	}
	if s.Names[id.Name] == nil {
		s.Add(&Entity{Name: id.Name, At: id.Span(), Array: a, Outer: slices.Concat(i.Read, bound), Used: true})
	}
	return true
}
