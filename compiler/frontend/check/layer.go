package check

import (
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
)

// A layer is a template after an arrow: `x -> dense(8)` draws an instance of it with first argument x. The instance
// belongs to the network whose body contains the arrow. Its name is that of the network, the template and a number,
// such as `f.dense1`; in the definition of `a` it is `f.a.dense1`. If the arrow is in the scope of an index, as in
//
//	h[k in 1..depth] = h[k-1] -> Block(s)
//
// the weights have an axis for this index too.

func (c *checker) layer(s *scope.Scope, e *ast.Pipe, f *scope.Function, call *ast.Call) model.Expr {
	in, path, within := s.Enclosing()
	switch {
	case in == nil || in.Net == nil:
		c.Errorf(diag.WeightsPerRow, e.To.Span(), "`%s` draws weights, so it must be in the body of a function",
			e.Span().Text()).
			Help("define a function, `f(x) = x -> %s`, and call `f(%s)`", e.To.Span().Text(), e.X.Span().Text())
		return typing.Poison(e)
	case f.Busy:
		c.Errorf(diag.UsesItself, e.To.Span(), "template `%s` uses itself", f.Name).Related(f.At, "the template")
		return typing.Poison(e)
	case f.Draw.Block == nil:
		c.NotYet(e.To.Span(), "`"+f.Name+"`, a distribution, as a layer").
			Help("a layer is a template with a block: `%s ~ { … return … }`", f.Head.Span().Text())
		return typing.Poison(e)
	}
	inner := scope.New(f.Scope)
	if !c.bindParams(s, inner, f, call) { // before this layer gets its name: layers to its left have lower numbers
		return typing.Poison(e)
	}
	name, known := in.Net.LayerName(scope.LayerUse{Prefix: in.Prefix + path, Pipe: e}, f.Name)
	inner.Inst = &scope.Instance{Prefix: name, Net: in.Net,
		Outer: slices.Concat(in.Outer, within), Read: slices.Concat(in.Read, indexVars(within, e))}
	f.Busy = true
	defer func() { f.Busy = false }()
	c.collect(f.Draw.Block.Stmts, inner)
	if known && !c.sameShapes(inner, f.Draw.Block, e) {
		return typing.Poison(e)
	}
	c.elaborate(inner)
	x := c.expr(inner, f.Draw.Block.Return)
	if !known && !typing.IsPoison(x) {
		c.describe(inner.Inst, x)
	}
	return x
}

// sameShapes reports an error and returns false if weights of a layer have another shape than in the first call of the
// network.
func (c *checker) sameShapes(inner *scope.Scope, b *ast.Block, e *ast.Pipe) bool {
	inst := inner.Inst
	for _, st := range b.Stmts {
		w, ok := st.(*ast.Draw)
		if !ok {
			continue
		}
		for _, h := range w.Heads {
			a := inst.Net.Drawn[inst.Prefix+"."+h.Path[0].Name]
			if a == nil {
				continue
			}
			slots, _, _ := c.slots(scope.New(inner), h, 0)
			for k, slot := range slots {
				axis := a.Type.Axes[len(a.Outer)+k]
				if slot.Index == nil || slot.Set().Same(axis) || len(a.Draws) > 1 {
					continue
				}
				c.Errorf(diag.WeightsSize, e.Span(), "layer `%s` has weights for %s, but here its input gives %s",
					inst.Prefix, axis.SizeText(), slot.Set().SizeText()).Related(inst.Net.Fn.At, "the first call gave "+
					"the sizes").
					Help("define a separate function for each size of the input")
				return false
			}
		}
	}
	return true
}

// describe records a layer for `ppl check`.
func (c *checker) describe(inst *scope.Instance, x model.Expr) {
	note := model.Layer{Name: inst.Prefix, Out: x.Info().Type.Axes}
	for _, name := range sortedKeys(inst.Net.Drawn) {
		if i := strings.LastIndex(name, "."); name[:i] == inst.Prefix {
			w := inst.Net.Drawn[name]
			note.Weights, note.Family = append(note.Weights, w.Array), len(w.Outer)
		}
	}
	c.Model.Layers = append(c.Model.Layers, note)
}

// missingLayers maps layers of other programs to the reason why ppl does not offer them, and what to write instead.
func missingLayers() map[string][2]string {
	return map[string][2]string{
		"batch_norm": {"not offered: with it the log density of a row depends on the other rows of its batch, so " +
			"minibatches have no likelihood in common", "`layer_norm`, `group_norm` and `filter_norm` normalise " +
			"each row by itself"},
	}
}

// refuseLayer reports an error and returns true for the name of a missing layer.
func (c *checker) refuseLayer(n *ast.Name) bool {
	why, ok := missingLayers()[n.Name]
	if ok {
		c.Errorf(diag.Undefined, n.Span(), "`%s`: %s", n.Name, why[0]).Help("%s", why[1])
	}
	return ok
}
