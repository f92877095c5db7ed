// Package firstorder has steps of optimisers that use only gradients, as graph arithmetic, so that a device makes them
// without the host:
//
//	at, slope := g.Input("theta", n), g.Input("gradient", n)
//	m := firstorder.Memory{Means: g.Input("means", n), Powers: g.Input("powers", n), Steps: g.Input("steps")}
//	to, next := firstorder.Adam(at, slope, m, g.Const(.01), 0)
//	entry.Assign = ... // theta = to, means = next.Means, powers = next.Powers, steps = next.Steps
//
// Steps go uphill. Memory begins with zeros. Adam is from Kingma and Ba, Adam: a method for stochastic optimization
// (ICLR 2015).
package firstorder

import (
	"math"

	"ppl/autodiff"
)

// A Memory is what a method keeps of the gradients before a step.
type Memory struct {
	Means, Powers autodiff.Node // of each coordinate: running means of its gradient, and of its square
	Steps         autodiff.Node // number of steps so far
}

// A Step moves points along their gradient, which may be noisy. decay is the weight decay for methods that have one.
type Step func(at, slope autodiff.Node, m Memory, rate autodiff.Node, decay float64) (to autodiff.Node, next Memory)

// Constants of Adam, with the values of its paper.
const (
	keepMean   = 0.9
	keepPower  = 0.999
	leastScale = 1e-8
)

// Adam divides each coordinate's step by the root of the running mean of its squared gradient.
func Adam(at, slope autodiff.Node, m Memory, rate autodiff.Node, _ float64) (to autodiff.Node, next Memory) {
	g := at.Graph()
	n := autodiff.Add(m.Steps, g.Const(1))
	next = Memory{average(m.Means, slope, keepMean), average(m.Powers, autodiff.Mul(slope, slope), keepPower), n}
	root := autodiff.Sqrt(autodiff.Div(next.Powers, totalWeight(n, keepPower)))
	scale := autodiff.Add(root, g.Const(leastScale))
	rate = autodiff.Div(rate, totalWeight(n, keepMean))
	return autodiff.Add(at, autodiff.Mul(rate, autodiff.Div(next.Means, scale))), next
}

// AdamW multiplies the point by 1 − rate·decay and makes a step of Adam (Loshchilov and Hutter, ICLR 2019). The decay
// does not enter the running means.
func AdamW(at, slope autodiff.Node, m Memory, rate autodiff.Node, decay float64) (to autodiff.Node, next Memory) {
	g := at.Graph()
	keep := autodiff.Sub(g.Const(1), autodiff.Mul(rate, g.Const(decay)))
	return Adam(autodiff.Mul(keep, at), slope, m, rate, decay)
}

// Momentum makes the step v ← .9 v + slope, at ← at + rate·v (Polyak 1964). Means holds v, Powers is not used.
func Momentum(at, slope autodiff.Node, m Memory, rate autodiff.Node, _ float64) (to autodiff.Node, next Memory) {
	g := at.Graph()
	v := autodiff.Add(autodiff.Mul(g.Const(0.9), m.Means), slope)
	return autodiff.Add(at, autodiff.Mul(rate, v)), Memory{v, m.Powers, autodiff.Add(m.Steps, g.Const(1))}
}

// Cosine returns the rate at iteration k of n, from full at 0 along half a cosine down to 0 at n (Loshchilov and
// Hutter, ICLR 2017).
func Cosine(full, k autodiff.Node, n int) autodiff.Node {
	g := full.Graph()
	share := autodiff.Add(g.Const(1), autodiff.Cos(autodiff.Mul(k, g.Const(math.Pi/float64(n)))))
	return autodiff.Mul(full, autodiff.Mul(g.Const(0.5), share))
}

// average returns keep·old + (1 − keep)·x.
func average(old, x autodiff.Node, keep float64) autodiff.Node {
	g := old.Graph()
	return autodiff.Add(autodiff.Mul(g.Const(keep), old), autodiff.Mul(g.Const(1-keep), x))
}

// totalWeight returns 1 − keepⁿ, the total weight of the n observed values in a moving average that started at 0.
func totalWeight(n autodiff.Node, keep float64) autodiff.Node {
	return autodiff.Neg(autodiff.Expm1(autodiff.Mul(n, n.Graph().Const(math.Log(keep)))))
}
