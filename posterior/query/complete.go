package query

import (
	"context"
	"math/rand/v2"

	"ppl/lang/types"
)

// A Completed question needs random numbers: at each draw, it draws the quantities asked about, given the parameters.
type Completed interface {
	// Saved returns the variables that make up a draw. Variables that the source lacks are computed.
	Saved() []types.Variable
	// Answer computes the missing values of a draw and returns the answer. condition is empty if the question has none;
	// otherwise it is 1 if the answer counts and 0 if not.
	Answer(r *rand.Rand, values []float64) (elements, condition []float64)
}

// Complete answers a question at every draw. It keeps the first n elements of each answer. stream returns the random
// number generator of a draw.
func Complete(ctx context.Context, q Completed, n int, src Source,
	stream func(chain, draw int) *rand.Rand) (*Result, error) {
	e, r := &evaluation{}, (*Result)(nil)
	var places []int // offset of each input in the values of a draw
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
