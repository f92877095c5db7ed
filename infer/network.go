package infer

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"ppl/lang/types"
)

// fewestWeights is the least number of coordinates of a model that is treated as a network. Below it, the methods for
// other models are fast enough.
const fewestWeights = 1000

// NetworkBlocks returns the blocks of a target that is treated as a network: it uses minibatches and most of its
// coordinates are weights. It returns nil for all other targets.
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

// joined merges consecutive blocks that are not in a network into one, since they may be many and small.
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

// HeldOut returns the number of rows that an optimiser does not train on but uses to decide when to stop: a tenth of
// all rows, at least 1 and at most 5,000.
func HeldOut(rows int) int { return min(max(rows/10, 1), 5000) }

// InitialWeights returns a function that draws an optimiser's starting point for a walker of a network. Weights that
// multiply inputs of a layer are drawn by the scheme, one of WeightSchemes. Other coordinates of layers, such as
// biases, start at the mean of the target's starting points in their block. All other parameters start at t.Start.
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

// He is the name of the default scheme.
const He = "he"

// WeightSchemes returns the names of the schemes for initial weights.
func WeightSchemes() []string { return slices.Sorted(maps.Keys(schemes())) }

// schemes returns functions that draw the weights of a block, as rows of Inputs numbers. Each scheme keeps the size of
// activations about the same from layer to layer:
//
//	he          N(0, 2/inputs), for units of which half are 0 (He, Zhang, Ren and Sun, ICCV 2015)
//	glorot      N(0, 2/(inputs + outputs)), for tanh and the like (Glorot and Bengio, AISTATS 2010)
//	orthogonal  orthonormal rows, in groups of as many rows as there are inputs (Saxe, McClelland and Ganguli,
//	            ICLR 2014); each gate of an LSTM has a separate matrix
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

// orthogonal draws matrices with orthonormal rows, by Gram-Schmidt. A family stores the weights of its members one
// after the other; each member has separate matrices.
func orthogonal(random *rand.Rand, b types.Block, w []float64) {
	for member := range slices.Chunk(w, b.Inputs*b.Outputs) {
		for square := range slices.Chunk(member, b.Inputs*b.Inputs) {
			for first := 0; first < len(square); first += b.Inputs {
				orthogonalRow(random, square[:first], square[first:first+b.Inputs])
			}
		}
	}
}

// orthogonalRow sets row to a random unit vector that is orthogonal to the rows of others. It subtracts the projections
// twice: if the first subtraction leaves a small vector, rounding errors are large relative to it.
func orthogonalRow(random *rand.Rand, others, row []float64) {
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

// middleOfPrior returns for each block the mean of its coordinates over a few starting points of the target.
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
