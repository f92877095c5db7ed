package query

import (
	"context"
	"math/rand/v2"

	"ppl/lang/types"
)

// A Completed question is answered draw by draw, with random numbers: what it asks about is drawn given the parameters.
type Completed interface {
	// Saved are the variables that a draw consists of; those that the source does not have are computed.
	Saved() []types.Variable
	// Answer completes the values of a draw; condition is empty, or 1 if the answer counts.
	Answer(r *rand.Rand, values []float64) (elements, condition []float64)
}

// Complete answers a question at every draw, up to n elements of it. stream gives the random numbers of a draw.
func Complete(ctx context.Context, q Completed, n int, src Source,
	stream func(chain, draw int) *rand.Rand) (*Result, error) {
	e, r := &evaluation{}, (*Result)(nil)
	var places []int // of inputs among the values of a draw
	at := 0
	for _, v := range q.Saved() {
		if xs, err := src.Draws(v.Name); err == nil {
			e.inputs, places = append(e.inputs, input{v.Name, v.Size(), xs}), append(places, at)
		}
		at += v.Size()
	}
	counts := e.counts()
	for chain, draws := range counts {
		for draw := range draws {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			values := make([]float64, at)
			for i, in := range e.inputs {
				copy(values[places[i]:], in.chains[chain][draw*in.size:(draw+1)*in.size])
			}
			elements, condition := q.Answer(stream(chain, draw), values)
			if r == nil {
				e.width, e.given = n, len(condition) > 0
				r = e.result(counts)
			}
			e.keep(r, chain, draw, append(elements[:n:n], condition...))
		}
	}
	return r, nil
}
