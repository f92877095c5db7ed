package infer

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"ppl/lang/types"
)

// fewestWeights is the number of coordinates from which a model whose coordinates are mostly weights is treated as a
// network. Below it, the methods for all models are fast enough.
const fewestWeights = 1000

// NetworkBlocks returns the blocks of a target that is treated as a network, nil for all others: most of its
// coordinates are weights, and there are minibatches.
func NetworkBlocks(t Target, batch int) []types.Block {
	if batch == 0 || t.Dim() < fewestWeights {
		return nil
	}
	blocks, weights := BlocksOf(t), 0
	for _, b := range blocks {
		if b.Layer != "" {
			weights += b.Size
		}
	}
	if 2*weights < t.Dim() {
		return nil
	}
	return joined(blocks)
}

// joined merges consecutive blocks outside of networks into one, since they may be many and small.
func joined(blocks []types.Block) (out []types.Block) {
	for _, b := range blocks {
		if n := len(out); n > 0 && b.Layer == "" && out[n-1].Layer == "" {
			out[n-1].Size += b.Size
			out[n-1].Parameter = "other parameters"
			continue
		}
		out = append(out, b)
	}
	return out
}

// HeldOut returns the number of rows that an optimiser does not learn from if they decide when it stops: a tenth, at
// most 5,000.
func HeldOut(rows int) int { return min(max(rows/10, 1), 5000) }

// InitialWeights returns a function that draws an optimiser's starting point for a walker of a network: weights that
// multiply inputs of a layer by a scheme of WeightSchemes, biases and similar coordinates at the centre of the prior,
// and all other parameters from the prior.
func InitialWeights(t Target, blocks []types.Block, scheme string, seed uint64) func(walker int) []float64 {
	middle, draw := middleOfPrior(t, blocks, seed), schemes()[scheme]
	return func(walker int) []float64 {
		random := rand.New(rand.NewPCG(seed, 2<<32+uint64(walker)))
		x := t.Start(seed, walker)
		for k, b := range blocks {
			w := x[b.First : b.First+b.Size]
			switch {
			case b.Inputs > 0:
				draw(random, b, w)
			case b.Layer != "":
				for i := range w {
					w[i] = middle[k]
				}
			}
		}
		return x
	}
}

// He is the default scheme.
const He = "he"

// WeightSchemes returns the names of the ways in which weights can begin.
func WeightSchemes() []string { return slices.Sorted(maps.Keys(schemes())) }

// schemes draw the weights of a block, rows of Inputs numbers, so that numbers stay of one size from layer to layer:
//
//	he          N(0, 2/inputs), for units of which half are 0 (He, Zhang, Ren and Sun, ICCV 2015)
//	glorot      N(0, 2/(inputs + outputs)), for tanh and the like (Glorot and Bengio, AISTATS 2010)
//	orthogonal  rows of length 1 at right angles, as many at a time as there are inputs (Saxe, McClelland and Ganguli,
//	            ICLR 2014); of an LSTM's four gates each has a matrix of its own
func schemes() map[string]func(*rand.Rand, types.Block, []float64) {
	normal := func(variance func(b types.Block) float64) func(*rand.Rand, types.Block, []float64) {
		return func(random *rand.Rand, b types.Block, w []float64) {
			sd := math.Sqrt(variance(b))
			for i := range w {
				w[i] = random.NormFloat64() * sd
			}
		}
	}
	return map[string]func(*rand.Rand, types.Block, []float64){
		He:           normal(func(b types.Block) float64 { return 2 / float64(b.Inputs) }),
		"glorot":     normal(func(b types.Block) float64 { return 2 / float64(b.Inputs+b.Outputs) }),
		"orthogonal": orthogonal,
	}
}

// orthogonal draws matrices with orthogonal rows, by the method of Gram and Schmidt. A family stores the weights of
// its members one after the other; each member has its own matrices.
func orthogonal(random *rand.Rand, b types.Block, w []float64) {
	for member := range slices.Chunk(w, b.Inputs*b.Outputs) {
		for square := range slices.Chunk(member, b.Inputs*b.Inputs) {
			for first := 0; first < len(square); first += b.Inputs {
				rightAngled(random, square[:first], square[first:first+b.Inputs])
			}
		}
	}
}

// rightAngled draws a unit vector that is orthogonal to others. The projections are subtracted twice, since rounding
// errors matter if little of the row remains after the first time.
func rightAngled(random *rand.Rand, others, row []float64) {
	for i := range row {
		row[i] = random.NormFloat64()
	}
	for range 2 {
		for other := range slices.Chunk(others, len(row)) {
			floats.AddScaled(row, -floats.Dot(row, other), other)
		}
	}
	floats.Scale(1/floats.Norm(row, 2), row)
}

// middleOfPrior returns the mean of each block over some draws of the prior.
func middleOfPrior(t Target, blocks []types.Block, seed uint64) []float64 {
	const draws = 8
	mean := make([]float64, len(blocks))
	for k := range draws {
		x := t.Start(seed, 1<<20+k)
		for j, b := range blocks {
			for _, v := range x[b.First : b.First+b.Size] {
				mean[j] += v / float64(draws*b.Size)
			}
		}
	}
	return mean
}
