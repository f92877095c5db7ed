package scope

import (
	"slices"
	"strconv"

	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
)

// A Network is a function whose body draws weights, usually in layers:
//
//	f(x[D]) = x -> dense(8) -> tanh -> dense(1) -> first
//
// Its weights are drawn once. At the first call, whose arguments determine the shapes of the weights, the body is
// elaborated with placeholders for the arguments, so that no prior can depend on the arguments of one call. Every call,
// including the first, then inlines the body with these weights. In a family `f[g in G](x) = …` the first axis of the
// weights is G.
type Network struct {
	Fn     *Function
	Broken bool
	Args   map[string]model.Expr // arguments of the first call
	Fixed  map[string]bool       // arguments that priors or sizes of weights read: they must be equal in all calls
	Drawn  map[string]*Array     // arrays that the network draws, by name
	Layers map[LayerUse]string   // names of layers
	Names  map[string]int        // number of layers with the same base name
	Given  []string              // arguments of layers that are distributions, such as f.dense1.weight
	Plain  bool                  // whether some weights have the library's prior
}

// A LayerUse identifies a use of a template by its arrow and by the prefix of the instance that contains it.
type LayerUse struct {
	Prefix string
	Pipe   *ast.Pipe
}

// LayerName returns the name of a layer, and whether it was known before. Layers of one template in one instance are
// numbered in order of first use.
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

// An argument is a placeholder for an argument of a network while its weights are created.
type argument struct {
	model.Fact
	name string
}

func (*argument) Children() []model.Expr { return nil }

// Placeholders replaces the arguments of the first call by placeholders. Numbers and sizes remain, because sizes of
// weights may depend on them, but they are copied so that ArgumentIn can identify them.
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

// ArgumentIn returns the name of a placeholder that expressions read, directly or through definitions, or "". It also
// records in Fixed which of the arguments that are numbers and sizes they read.
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

// An Instance is one use of a template. Its draws become arrays named after the drawn quantity (`beta.lambda`), whose
// first axes are the plates of the use. A call of a network, and each layer in it, is an instance too; it uses the
// arrays that were created at the first call.
type Instance struct {
	Prefix string
	Outer  []*model.Index
	Net    *Network     // the network that is called, or to which this layer belongs
	Read   []model.Expr // indices at which a call reads its weights; nil while the network is being defined
}

// EnterDrawn adds the array for the draw h, if it was created at the first call of the network, to scope s. It returns
// false if there is no such array.
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
