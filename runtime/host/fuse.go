package host

import (
	"slices"

	"ppl/compiler/ir"
	"ppl/runtime/special"
)

// total is an op beside those of the IR: the sum over points, lane by lane.
const total = ir.Op(ir.Ops)

// A pair is an op and another that takes its result: as its left argument, its right one, or both.
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

// fused has the loops of pairs; they take the inner op's arguments, then the outer's other one. A conversion rounds the
// inner result where a compiler might contract the two.
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

// fuse lets a step compute an argument that nobody else asks for, where the pair has a loop.
func (k *kernelCode) fuse() {
	uses, makers, gone := k.uses(), make([]*placed, len(k.regs)), map[*placed]bool{}
	for _, p := range k.places {
		for at, a := range p.args {
			if q := makers[a]; q != nil && k.alone(q, p, uses[a]) && p.absorb(q, side(at)) {
				gone[q] = true
				break
			}
		}
		if p.dst >= 0 && !k.regs[p.dst].alias {
			makers[p.dst] = p
		}
	}
	k.places = slices.DeleteFunc(k.places, func(p *placed) bool { return gone[p] })
}

// alone reports whether p runs as often as q, and alone asks for its result.
func (k *kernelCode) alone(q, p *placed, uses int) bool {
	asks := 0
	for _, a := range p.args {
		if a == q.dst {
			asks++
		}
	}
	return asks == uses && q.still == p.still && q.invariant == p.invariant
}

// absorb makes p the pair of q and p, if there is one.
func (p *placed) absorb(q *placed, at side) bool {
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
	for _, p := range k.places {
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
