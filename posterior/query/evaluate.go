// Package query evaluates questions at saved draws. It compiles a question with the model's compiler, and evaluates
// each draw in a lane of the compiled program.
package query

import (
	"context"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/lang/types"
	"ppl/runtime/device"
)

// A Question is a function of saved variables. Value adds its elements lo to hi-1 to a graph that has an Input for each
// variable in Reads. It also returns the condition, a node with one element, or an invalid node if there is none.
type Question interface {
	Reads() []types.Variable
	Variable() types.Variable
	Value(lo, hi int) (elements, condition autodiff.Node)
}

// A Source returns the draws of a saved variable. Each chain is one slice that contains all its draws in order.
type Source interface {
	Draws(name string) ([][]float64, error)
}

// A Result holds the values of elements at every draw.
type Result struct {
	Values [][][]float64 // by element, chain and draw
	Given  [][]float64   // by chain and draw: 1 if the condition holds, else 0; nil without a condition
}

// laneBytes limits the memory of all lanes of one call, in bytes.
const laneBytes = 256 << 20

// maxLanes is the maximum number of draws that one call evaluates.
const maxLanes = 1024

// Evaluate computes elements lo to hi-1 of a question at every draw.
func Evaluate(ctx context.Context, q Question, lo, hi int, src Source, dev infer.Device) (*Result, error) {
	inputs, err := read(q, src)
	if err != nil {
		return nil, err
	}
	elements, condition := q.Value(lo, hi)
	e := &evaluation{inputs: inputs, width: elements.Size(), given: condition.Valid()}
	out := elements
	if e.given {
		out = autodiff.Concat(0, elements, condition)
	}
	e.size = out.Size()
	if len(inputs) == 0 || out.Static() {
		return e.constant(out), nil
	}
	program, err := dev.Compile([]lower.Entry{{Name: "ask", Assign: []lower.Assign{{Name: answer, Value: out}}}})
	if err != nil {
		return nil, err
	}
	e.lanes = min(e.total(), maxLanes, max(8, laneBytes/8/e.laneSize()))
	e.exe, err = program.Load(device.Options{Lanes: e.lanes})
	if err != nil {
		return nil, err
	}
	defer e.exe.Close()
	return e.run(ctx)
}

// answer is the name of the lane buffer for the result. No variable can have this name.
const answer = "(answer)"

// An input is a saved variable with its draws.
type input struct {
	name   string
	size   int
	chains [][]float64
}

func read(q Question, src Source) (inputs []input, err error) {
	for _, v := range q.Reads() {
		xs, err := src.Draws(v.Name)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, input{v.Name, v.Size(), xs})
	}
	return inputs, nil
}

type evaluation struct {
	inputs      []input
	exe         device.Executable
	lanes       int
	width, size int // number of elements asked for, without and with the condition
	given       bool
}

// counts returns the number of draws of each chain.
func (e *evaluation) counts() []int {
	counts := make([]int, len(e.inputs[0].chains))
	for i, x := range e.inputs[0].chains {
		counts[i] = len(x) / max(1, e.inputs[0].size)
	}
	return counts
}

func (e *evaluation) total() (n int) {
	for _, c := range e.counts() {
		n += c
	}
	return n
}

func (e *evaluation) laneSize() int {
	n := e.size
	for _, in := range e.inputs {
		n += in.size
	}
	return n
}

// run evaluates all draws, e.lanes at a time.
func (e *evaluation) run(ctx context.Context) (*Result, error) {
	counts := e.counts()
	out := e.result(counts)
	values := make([]float64, e.size)
	type source struct{ chain, draw int }
	var block []source
	flush := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for lane, p := range block {
			for _, in := range e.inputs {
				e.exe.SetLane(in.name, lane, in.chains[p.chain][p.draw*in.size:(p.draw+1)*in.size])
			}
		}
		if _, err := e.exe.Run([]device.Call{{Entry: "ask", Times: 1}}, 0, nil); err != nil {
			return err
		}
		for lane, p := range block {
			e.exe.GetLane(answer, lane, values)
			e.keep(out, p.chain, p.draw, values)
		}
		block = block[:0]
		return nil
	}
	for chain, n := range counts {
		for draw := range n {
			block = append(block, source{chain, draw})
			if len(block) == e.lanes {
				if err := flush(); err != nil {
					return nil, err
				}
			}
		}
	}
	if len(block) == 0 {
		return out, nil
	}
	return out, flush()
}

func (e *evaluation) result(counts []int) *Result {
	r := &Result{Values: make([][][]float64, e.width)}
	for k := range r.Values {
		r.Values[k] = zeros(counts)
	}
	if e.given {
		r.Given = zeros(counts)
	}
	return r
}

func zeros(counts []int) [][]float64 {
	out := make([][]float64, len(counts))
	for i, n := range counts {
		out[i] = make([]float64, n)
	}
	return out
}

func (e *evaluation) keep(r *Result, chain, draw int, values []float64) {
	for k := range e.width {
		r.Values[k][chain][draw] = values[k]
	}
	if e.given {
		r.Given[chain][draw] = values[e.width]
	}
}

// constant returns the result of a question that has the same value at every draw.
func (e *evaluation) constant(n autodiff.Node) *Result {
	r := e.result([]int{1})
	e.keep(r, 0, 0, autodiff.Eval(nil, n)[0])
	return r
}

// all concatenates the chains.
func all(chains [][]float64) []float64 { return slices.Concat(chains...) }
