package host

import (
	"slices"

	"ppl/autodiff/special"
	"ppl/compiler/backend/ir"
)

// A pair is an inner op and an outer op that takes the inner result as left argument, as right argument, or as both.
type pair struct {
	inner, outer ir.Op
	as           side
}

type side uint8

const (
	left side = iota
	right
	twice
)

// fused has the loops of pairs. Their arguments are those of the inner op, then the other argument of the outer op. A
// loop writes float64(…) around the inner result if a compiler could otherwise contract the two operations into one
// with a single rounding: results would then differ between processors.
var fused = map[pair]opLoop{
	{ir.Add, ir.Add, left}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return x + y + z })
	}},
	{ir.Add, ir.Sub, left}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return x + y - z })
	}},
	{ir.Add, ir.Sub, right}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return z - (x + y) })
	}},
	{ir.Add, ir.Mul, left}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return (x + y) * z })
	}},

	{ir.Sub, ir.Add, left}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return x - y + z })
	}},
	{ir.Sub, ir.Sub, left}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return x - y - z })
	}},
	{ir.Sub, ir.Sub, right}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return z - (x - y) })
	}},
	{ir.Sub, ir.Mul, left}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return (x - y) * z })
	}},
	{ir.Sub, ir.Mul, twice}: {binary: func(d, a, b []float64) {
		zip2(d, a, b, func(x, y float64) float64 { return (x - y) * (x - y) })
	}},

	{ir.Mul, ir.Add, left}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return float64(x*y) + z })
	}},
	{ir.Mul, ir.Sub, left}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return float64(x*y) - z })
	}},
	{ir.Mul, ir.Sub, right}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return z - float64(x*y) })
	}},
	{ir.Mul, ir.Mul, left}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return x * y * z })
	}},
	{ir.Mul, ir.Neg, left}: {binary: func(d, a, b []float64) {
		zip2(d, a, b, func(x, y float64) float64 { return -(x * y) })
	}},
	{ir.Mul, total, left}: {binary: dotLoop},

	{ir.MulZero, ir.Add, left}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return float64(special.MulZero(x, y)) + z })
	}},
	{ir.MulZero, ir.Sub, left}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return float64(special.MulZero(x, y)) - z })
	}},
	{ir.MulZero, ir.Mul, left}: {ternary: func(d, a, b, c []float64) {
		zip3(d, a, b, c, func(x, y, z float64) float64 { return special.MulZero(x, y) * z })
	}},
}

// fuse merges a step with the step that computes one of its arguments, if no other step reads that argument and there
// is a loop for the pair.
func (k *kernelCode) fuse() {
	uses, makers, gone := k.uses(), make([]*plannedStep, len(k.regs)), map[*plannedStep]bool{}
	for _, p := range k.planned {
		for at, a := range p.args {
			if q := makers[a]; q != nil && k.isOnlyUse(q, p, uses[a]) && p.fuseWith(q, side(at)) {
				gone[q] = true
				break
			}
		}
		if p.dst >= 0 && !k.regs[p.dst].alias {
			makers[p.dst] = p
		}
	}
	k.planned = slices.DeleteFunc(k.planned, func(p *plannedStep) bool { return gone[p] })
}

// isOnlyUse reports whether p runs as often as q, and only p reads q's result.
func (k *kernelCode) isOnlyUse(q, p *plannedStep, uses int) bool {
	asks := 0
	for _, a := range p.args {
		if a == q.dst {
			asks++
		}
	}
	return asks == uses && q.dataOnly == p.dataOnly && q.invariant == p.invariant
}

// fuseWith makes p the pair of q and p, and reports whether that pair has a loop.
func (p *plannedStep) fuseWith(q *plannedStep, at side) bool {
	switch {
	case len(p.args) == 2 && p.args[0] == p.args[1]:
		at = twice
	case p.op == ir.Add || p.op == ir.Mul:
		at = left
	}
	loop, ok := fused[pair{q.op, p.op, at}]
	if ok {
		others := slices.DeleteFunc(p.args, func(a int) bool { return a == q.dst })
		p.op, p.loop, p.args = ir.Const, loop, slices.Concat(q.args, others)
	}
	return ok
}

// uses counts the steps and outputs that read each register.
func (k *kernelCode) uses() []int {
	n := make([]int, len(k.regs))
	for _, p := range k.planned {
		for _, a := range p.args {
			n[a]++
		}
	}
	for _, o := range k.outs {
		for _, a := range o.reads() {
			n[a]++
		}
	}
	return n
}
