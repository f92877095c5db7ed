package check

import (
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/typing"
	"ppl/lang/ast"
	"ppl/lang/diag"
)

// A layer is a template behind an arrow: `x -> dense(8)` draws an instance of it with first argument x, which belongs
// to the network whose body the arrow stands in. It is named by the template and by order, `f.dense1`, or
// `f.a.dense1` in what defines `a`. Where an index is bound around it, as in
//
//	h[k in 1..depth] = h[k-1] -> Block(s)
//
// its weights have that axis too.

// layer elaborates x -> F(args) for a template F.
func (c *checker) layer(s *scope, e *ast.Pipe, f *function, call *ast.Call) model.Expr {
	in, path, within := s.enclosing()
	switch {
	case in == nil || in.net == nil:
		c.Errorf(diag.WeightsPerRow, e.To.Span(), "`%s` draws weights, which belong to a function", e.Span().Text()).
			Help("put it in a function: `f(x) = x -> %s`, and call `f(%s)`", e.To.Span().Text(), e.X.Span().Text())
		return typing.Poison(e)
	case f.busy:
		c.Errorf(diag.UsesItself, e.To.Span(), "template `%s` uses itself", f.name).Related(f.at, "the template")
		return typing.Poison(e)
	case f.draw.Block == nil:
		c.NotYet(e.To.Span(), "`"+f.name+"`, a distribution, as a layer").
			Help("a layer is a template with a block: `%s ~ { … return … }`", f.head.Span().Text())
		return typing.Poison(e)
	}
	inner := newScope(f.scope)
	if !c.bindParams(s, inner, f, call) { // before this layer has its name: layers on its left are numbered first
		return typing.Poison(e)
	}
	name, known := in.net.layerName(layerUse{prefix: in.prefix + path, pipe: e}, f.name)
	inner.inst = &instance{prefix: name, net: in.net,
		outer: slices.Concat(in.outer, within), read: slices.Concat(in.read, indexVars(within, e))}
	f.busy = true
	defer func() { f.busy = false }()
	c.collect(f.draw.Block.Stmts, inner)
	if known && !c.sameShapes(inner, f.draw.Block, e) {
		return typing.Poison(e)
	}
	c.elaborate(inner)
	x := c.expr(inner, f.draw.Block.Return)
	if !known && !typing.IsPoison(x) {
		c.describe(inner.inst, x)
	}
	return x
}

// sameShapes refuses a call in which a layer would have weights of another shape.
func (c *checker) sameShapes(inner *scope, b *ast.Block, e *ast.Pipe) bool {
	inst := inner.inst
	for _, st := range b.Stmts {
		w, ok := st.(*ast.Draw)
		if !ok {
			continue
		}
		for _, h := range w.Heads {
			a := inst.net.drawn[inst.prefix+"."+h.Path[0].Name]
			if a == nil {
				continue
			}
			slots, _, _ := c.slots(newScope(inner), h, 0)
			for k, slot := range slots {
				axis := a.Type.Axes[len(a.outer)+k]
				if slot.Index == nil || slot.Set().Same(axis) || len(a.draws) > 1 {
					continue
				}
				c.Errorf(diag.WeightsSize, e.Span(), "layer `%s` has weights for %s, but here its input gives %s",
					inst.prefix, axis.SizeText(), slot.Set().SizeText()).Related(inst.net.fn.at, "the first call gave "+
					"the sizes").
					Help("for networks of other sizes define functions of their own")
				return false
			}
		}
	}
	return true
}

// describe notes a layer for `ppl check`.
func (c *checker) describe(inst *instance, x model.Expr) {
	note := model.Layer{Name: inst.prefix, Out: x.Info().Type.Axes}
	for _, name := range sortedKeys(inst.net.drawn) {
		if i := strings.LastIndex(name, "."); name[:i] == inst.prefix {
			w := inst.net.drawn[name]
			note.Weights, note.Family = append(note.Weights, w.Array), len(w.outer)
		}
	}
	c.Model.Layers = append(c.Model.Layers, note)
}

// missingLayers are layers that other programs have: why not here, and what to write instead.
func missingLayers() map[string][2]string {
	return map[string][2]string{
		"batch_norm": {"not offered: with it the log density of a row depends on the other rows of its batch, so " +
			"minibatches have no likelihood in common", "`layer_norm`, `group_norm` and `filter_norm` normalise " +
			"each row by itself"},
	}
}

// refuseLayer reports a layer that there is not.
func (c *checker) refuseLayer(n *ast.Name) bool {
	why, ok := missingLayers()[n.Name]
	if ok {
		c.Errorf(diag.Undefined, n.Span(), "`%s`: %s", n.Name, why[0]).Help("%s", why[1])
	}
	return ok
}
