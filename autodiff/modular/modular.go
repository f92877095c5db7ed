// Package modular tests whether two expressions are equal by the rules of arithmetic. It evaluates a graph modulo a
// prime, where nothing is rounded, and replaces exp, lgamma and other functions by arbitrary ones with the same
// symmetries. If two expressions have the same value at random inputs, they are equal, except with a probability of
// about 10⁻¹⁵ (Schwartz 1980, Journal of the ACM 27, 701; with functions: Gonnet 1984, STOC, 334).
//
//	r := modular.NewRoutine(logDensity)
//	here, _ := r.Eval(map[string][]modular.Residue{"theta": theta})
//	there, _ := r.Eval(map[string][]modular.Residue{"theta": exchanged(theta)})
//	here[0][0] == there[0][0]   // for random theta: the exchange leaves the density unchanged
//
// Different values do not prove that expressions differ: the package uses only those identities of functions that its
// tables contain.
package modular

import (
	"errors"
	"slices"

	"ppl/autodiff"
)

// A Routine is a set of graph nodes prepared for repeated evaluation.
type Routine struct {
	nodes  []autodiff.Node            // all nodes on which the results depend, arguments first
	place  map[autodiff.Node]int      // maps a node to its index in nodes
	known  [][]float64                // by node: the value if it depends on no input, else nil
	fixed  [][]Residue                // the values in known, as residues
	moves  [][]int32                  // by node: sources of the elements of an op that moves elements, else nil
	steps  map[autodiff.Node]*Routine // maps a Scan to its step
	result []autodiff.Node
}

// NewRoutine prepares nodes of one graph.
func NewRoutine(nodes ...autodiff.Node) *Routine {
	r := &Routine{place: map[autodiff.Node]int{}, steps: map[autodiff.Node]*Routine{}, result: nodes}
	seen := map[autodiff.Node]bool{}
	var visit func(n autodiff.Node)
	visit = func(n autodiff.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, a := range n.Args() {
			visit(a)
		}
		r.nodes = append(r.nodes, n)
	}
	for _, n := range nodes {
		visit(n)
	}
	for k, n := range r.nodes {
		r.place[n] = k
		if n.Op().Kind == autodiff.OpScan {
			r.steps[n] = NewRoutine(n.Op().Body.Next)
		}
		r.known, r.fixed, r.moves = append(r.known, r.static(n)), append(r.fixed, nil), append(r.moves, nil)
		if r.known[k] != nil {
			r.fixed[k] = each(r.known[k], Of)
		} else {
			r.moves[k] = r.sources(n)
		}
	}
	return r
}

// static returns the value of a node that depends on no input, or nil for other nodes.
func (r *Routine) static(n autodiff.Node) []float64 {
	if !n.Static() {
		return nil
	}
	args := make([][]float64, len(n.Args()))
	for i, a := range n.Args() {
		args[i] = r.known[r.place[a]]
	}
	return n.Compute(args...)
}

// errNoise is returned for graphs with noise, whose values are not functions of their inputs.
var errNoise = errors.New("modular: the graph has noise")

// Eval computes the nodes, row-major, from the residues of each input.
func (r *Routine) Eval(inputs map[string][]Residue) ([][]Residue, error) {
	values := slices.Clone(r.fixed)
	for k, n := range r.nodes {
		if values[k] != nil {
			continue
		}
		var err error
		if values[k], err = r.compute(n, values, inputs); err != nil {
			return nil, err
		}
	}
	out := make([][]Residue, len(r.result))
	for i, n := range r.result {
		out[i] = values[r.place[n]]
	}
	return out, nil
}

func (r *Routine) compute(n autodiff.Node, values [][]Residue, inputs map[string][]Residue) ([]Residue, error) {
	kind := n.Op().Kind
	switch kind {
	case autodiff.OpInput:
		return inputs[n.Op().Name], nil
	case autodiff.OpNoise, autodiff.OpAddressed, autodiff.OpShuffle:
		return nil, errNoise
	}
	args := make([][]Residue, len(n.Args()))
	for i, a := range n.Args() {
		args[i] = values[r.place[a]]
	}
	if from := r.moves[r.place[n]]; from != nil {
		return moved(from, args), nil
	}
	if f := unary[kind]; f != nil {
		return each(args[0], f), nil
	}
	if f := binary[kind]; f != nil {
		return both(args[0], args[1], f), nil
	}
	switch kind {
	case autodiff.OpPow:
		return both(args[0], args[1], r.power(n)), nil
	case autodiff.OpSelect:
		return r.choose(n, args), nil
	case autodiff.OpReshape:
		return args[0], nil
	case autodiff.OpSum:
		return folded(n, args[0], Residue.Plus), nil
	case autodiff.OpLogSumExp:
		return each(folded(n, each(args[0], unary[autodiff.OpExp]), Residue.Plus), unary[autodiff.OpLog]), nil
	case autodiff.OpMax, autodiff.OpMin: // residues have no order, so the maximum is an arbitrary function of the sum
		hashed := each(args[0], func(x Residue) Residue { return hash(uint64(kind), x) })
		return each(folded(n, hashed, Residue.Plus), func(x Residue) Residue { return hash(uint64(kind), x) }), nil
	case autodiff.OpCumSum:
		out := slices.Clone(args[0])
		autodiff.Cumulate(n, out, Residue.Plus)
		return out, nil
	case autodiff.OpMatMul:
		return matMul(n, args[0], args[1]), nil
	case autodiff.OpTriSolve:
		return triSolve(n, args[0], args[1]), nil
	case autodiff.OpCholesky:
		return cholesky(n, args[0]), nil
	case autodiff.OpScan:
		return r.scan(n, args)
	}
	return arbitrary(n, args), nil
}

// indices returns the indices of a Gather if they are known, else nil.
func (r *Routine) indices(n autodiff.Node) (at [][]float64) {
	for _, a := range n.Args()[1:] {
		if r.known[r.place[a]] == nil {
			return nil
		}
		at = append(at, r.known[r.place[a]])
	}
	return at
}

// power returns the function for x^y. It multiplies if the exponent is a small integer constant.
func (r *Routine) power(n autodiff.Node) func(x, y Residue) Residue {
	if exponent, ok := n.Args()[1].IsConst(); ok && exponent == float64(uint8(exponent)) {
		return func(x, _ Residue) Residue { return x.power(uint64(exponent)) }
	}
	return func(x, y Residue) Residue { return hash(uint64(autodiff.OpPow), x, y) }
}

// choose selects by a known condition. For an unknown condition c, which is 0 or 1, it returns c·a + (1 − c)·b.
func (r *Routine) choose(n autodiff.Node, args [][]Residue) []Residue {
	known, out := r.known[r.place[n.Args()[0]]], make([]Residue, len(args[0]))
	for i, c := range args[0] {
		switch {
		case known == nil:
			out[i] = c.Times(args[1][i]).Plus(Residue(1).Minus(c).Times(args[2][i]))
		case known[i] != 0:
			out[i] = args[1][i]
		default:
			out[i] = args[2][i]
		}
	}
	return out
}

// sources maps each element of an op that moves elements to the position, from 1, among the elements of its arguments.
// 0 means that the op fills in a zero. It is nil for an op that computes.
func (r *Routine) sources(n autodiff.Node) []int32 {
	args, at := n.Args(), [][]float64(nil)
	switch n.Op().Kind {
	case autodiff.OpBroadcast, autodiff.OpPermute, autodiff.OpSlice, autodiff.OpPad, autodiff.OpConcat:
	case autodiff.OpGather:
		at = r.indices(n)
		if at == nil {
			return nil
		}
		args = args[:1]
	default:
		return nil
	}
	next, numbers := 1.0, [][]float64(nil)
	for _, a := range args {
		own := make([]float64, a.Size())
		for i := range own {
			own[i] = next
			next++
		}
		numbers = append(numbers, own)
	}
	from := n.Compute(append(numbers, at...)...)
	out := make([]int32, len(from))
	for i, number := range from {
		out[i] = int32(number)
	}
	return out
}

// moved returns the elements of the arguments at the given positions.
func moved(from []int32, args [][]Residue) []Residue {
	all := args[0]
	if len(args) > 1 {
		all = slices.Concat(args...)
	}
	out := make([]Residue, len(from))
	for i, place := range from {
		if place > 0 {
			out[i] = all[place-1]
		}
	}
	return out
}

// folded reduces elements with f over the axes of an op.
func folded(n autodiff.Node, x []Residue, f func(x, y Residue) Residue) []Residue {
	out := make([]Residue, n.Size())
	for i, to := range autodiff.Reduced(n) {
		out[to] = f(out[to], x[i])
	}
	return out
}

// scan evaluates a recurrence; its step was prepared once.
func (r *Routine) scan(n autodiff.Node, args [][]Residue) (out []Residue, err error) {
	step, body, inputs := r.steps[n], n.Op().Body, map[string][]Residue{}
	for k, s := range body.Shared {
		inputs[s.Op().Name] = args[1+len(body.Xs)+k]
	}
	out = make([]Residue, n.Size())
	autodiff.Recur(n, args, out, func(carry []Residue, xs [][]Residue, next []Residue) {
		inputs[body.Carry.Op().Name] = carry
		for k, x := range body.Xs {
			inputs[x.Op().Name] = xs[k]
		}
		after, failed := step.Eval(inputs)
		if failed != nil {
			err = failed
			return
		}
		copy(next, after[0])
	})
	return out, err
}

// arbitrary returns an arbitrary function of all arguments.
func arbitrary(n autodiff.Node, args [][]Residue) []Residue {
	h := hash(uint64(n.Op().Kind))
	for _, arg := range args {
		h = hash(uint64(h), arg...)
	}
	out := make([]Residue, n.Size())
	for i := range out {
		out[i] = hash(uint64(h), Residue(i))
	}
	return out
}

func each[T any](xs []T, f func(T) Residue) []Residue {
	out := make([]Residue, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return out
}

func both(xs, ys []Residue, f func(x, y Residue) Residue) []Residue {
	out := make([]Residue, len(xs))
	for i, x := range xs {
		out[i] = f(x, ys[i])
	}
	return out
}
