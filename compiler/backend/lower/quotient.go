package lower

import (
	"math"

	"ppl/autodiff"
)

// recordUses records facts about a node as a user of others, which the rewriting of those nodes needs.
func (vs *values) recordUses(n autodiff.Node) {
	vs.recordShort(n)
	vs.noteQuotients(n)
}

func (vs *values) noteQuotients(n autodiff.Node) {
	switch n.Op().Kind {
	case autodiff.OpDiv:
		vs.divided[narrowest(n.Args()[1])]++
	case autodiff.OpFloor, autodiff.OpCeil, autodiff.OpRound, autodiff.OpMod, autodiff.OpEq, autodiff.OpLt,
		autodiff.OpLe:
		for _, a := range n.Args() {
			vs.exact[narrowest(a)] = true
		}
	case autodiff.OpScan:
		for _, inner := range n.Op().Body.Next.Graph().Nodes() {
			vs.noteQuotients(inner)
		}
	}
}

// softmax recognises exp(x − log Σ exp x), the gradient of a LogSumExp, and computes it as exp(x − m)/Σ exp(x − m),
// which shares its exponentials with the sum. It returns nil for other nodes. The sum is at least 1, or 0 if all x are
// −∞.
func (vs *values) softmax(n autodiff.Node) *value {
	if n.Args()[0].Op().Kind != autodiff.OpSub {
		return nil
	}
	x, most := n.Args()[0].Args()[0], narrowest(n.Args()[0].Args()[1])
	if most.Op().Kind != autodiff.OpMaximum {
		return nil
	}
	sum := narrowest(most.Args()[0])
	if lowest, ok := most.Args()[1].IsConst(); !ok || lowest != -math.MaxFloat64 ||
		sum.Op().Kind != autodiff.OpLogSumExp || sum.Args()[0] != x {
		return nil
	}
	_, weights, total := vs.exponentials(vs.of(x), sum.Op().Axes)
	inverse := vs.apply(autodiff.OpDiv, vs.constant(1, nil), vs.apply(autodiff.OpMaximum, total, vs.constant(1, nil)))
	return vs.apply(autodiff.OpMul, weights, vs.broadcast(inverse, n.Shape(), kept(len(n.Shape()), sum.Op().Axes)))
}

// narrowest returns the node that a broadcast repeats.
func narrowest(n autodiff.Node) autodiff.Node {
	for n.Op().Kind == autodiff.OpBroadcast || n.Op().Kind == autodiff.OpReshape {
		n = n.Args()[0]
	}
	return n
}

// quotient computes x/d as x·(1/d) if 1/d is needed less often than x/d or is needed anyway: if d is data, is the same
// along an axis, or divides several quotients. A division takes as long as about a dozen multiplications. The result
// may have one more rounding error, so quotients that must be exact remain divisions. It returns nil for these and if
// nothing is gained.
func (vs *values) quotient(n autodiff.Node, args []*value) *value {
	if n.Static() || vs.exact[n] {
		return nil
	}
	x, d := args[0], args[1]
	repeats := d.static || len(variesAlong(d)) < len(variesAlong(x)) || vs.divided[narrowest(n.Args()[1])] > 1
	if x.kind == autodiff.OpConst || !repeats {
		return nil
	}
	inverse := vs.narrow(autodiff.OpDiv, n.Shape(), []*value{vs.constant(1, nil), d})
	if d.kind == autodiff.OpConst {
		inverse = vs.constant(1/d.op.Value, n.Shape())
	}
	return vs.narrow(autodiff.OpMul, n.Shape(), []*value{x, inverse})
}
