// Package modular tests whether two expressions are the same by the rules of arithmetic: it evaluates a graph modulo a
// prime if there is no rounding, and takes for exp, lgamma and other functions arbitrary ones that have their
// symmetries. Expressions that have the same value at random inputs are the same, but with a probability of some 10⁻¹⁵
// (Schwartz 1980, Journal of the ACM 27, 701; with functions: Gonnet 1984, STOC, 334).
//
//	r := modular.NewRoutine(logDensity)
//	here, _ := r.Eval(map[string][]modular.Residue{"theta": theta})
//	there, _ := r.Eval(map[string][]modular.Residue{"theta": exchanged(theta)})
//	here[0][0] == there[0][0]   // for random theta: exchanging leaves the density as it is
//
// That they are not the same is not a proof: of functions only the identities in the table unary are known.
package modular

import (
	"errors"
	"slices"

	"ppl/autodiff"
)

// A Routine is nodes of a graph prepared to be evaluated many times.
type Routine struct {
	nodes  []autodiff.Node            // what the results depend on, arguments first
	place  map[autodiff.Node]int      // among nodes
	known  [][]float64                // by node: the value where it depends on no input, else nil
	fixed  [][]Residue                // the same as residues
	moves  [][]int32                  // by node: of an op that moves elements, where its own come from, else nil
	steps  map[autodiff.Node]*Routine // of recurrences
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

// static returns the value of a node that depends on no input, else nil.
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

// errNoise is returned for graphs that are not functions of their inputs.
var errNoise = errors.New("modular: the graph has noise")

// Eval computes the nodes, row-major, from residues for each input.
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
	case autodiff.OpMax, autodiff.OpMin: // of any order: a function of a sum
		hashed := each(args[0], func(x Residue) Residue { return hash(uint64(kind), x) })
		return each(folded(n, hashed, Residue.Plus), func(x Residue) Residue { return hash(uint64(kind), x) }), nil
	case autodiff.OpCumSum:
		return autodiff.Cumulated(n, args[0], Residue.Plus), nil
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

// indices returns the indices of a Gather, where they are known.
func (r *Routine) indices(n autodiff.Node) (at [][]float64) {
	for _, a := range n.Args()[1:] {
		if r.known[r.place[a]] == nil {
			return nil
		}
		at = append(at, r.known[r.place[a]])
	}
	return at
}

// power multiplies where the exponent is a small whole number.
func (r *Routine) power(n autodiff.Node) func(x, y Residue) Residue {
	if exponent, ok := n.Args()[1].IsConst(); ok && exponent == float64(uint8(exponent)) {
		return func(x, _ Residue) Residue { return x.power(uint64(exponent)) }
	}
	return func(x, y Residue) Residue { return hash(uint64(autodiff.OpPow), x, y) }
}

// choose is by a known condition, else linear in it: conditions are 0 or 1.
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

// sources returns the places of the elements that an op moves, among those of its arguments, from 1; 0 is a zero that
// it fills in. They are nil for an op that computes.
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

// moved has the elements of some arguments in the order of their places.
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

// folded combines elements over the axes of an op.
func folded(n autodiff.Node, x []Residue, f func(x, y Residue) Residue) []Residue {
	out := make([]Residue, n.Size())
	for i, to := range autodiff.Reduced(n) {
		out[to] = f(out[to], x[i])
	}
	return out
}

// scan runs a recurrence, whose step is prepared once.
func (r *Routine) scan(n autodiff.Node, args [][]Residue) (out []Residue, err error) {
	step := r.steps[n]
	out = autodiff.Recur(n, args, func(inputs map[string][]Residue) []Residue {
		next, failed := step.Eval(inputs)
		if failed != nil {
			err = failed
			return nil
		}
		return next[0]
	})
	return out, err
}

// arbitrary returns a function of all arguments of which nothing is known.
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
