package infer

import (
	"math"
	"math/rand/v2"

	"ppl/lang/types"
)

// fewestWeights is the number of coordinates from which a model whose coordinates are mostly weights is treated as a
// network. Below it, what suits any model costs little.
const fewestWeights = 1000

// NetworkBlocks are the blocks of a target that is treated as a network, nil for all others: most of its coordinates
// are weights, and there are minibatches.
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

// joined makes one block of those that follow one another outside of networks, which may be many and small.
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

// HeldOut is how many of the rows an optimiser does not learn from where they say when it is to stop: a tenth, 5,000 at
// most.
func HeldOut(rows int) int { return min(max(rows/10, 1), 5000) }

// InitialWeights are points for an optimiser of a network to begin at, by walker: He's initialisation (He, Zhang, Ren
// and Sun, ICCV 2015) for what multiplies a layer's input, N(0, 2/inputs), which neither saturates units nor lets them
// die; the middle of the prior for biases and the like; and a draw of the prior for all other parameters.
func InitialWeights(t Target, blocks []types.Block, seed uint64) func(walker int) []float64 {
	middle := middleOfPrior(t, blocks, seed)
	return func(walker int) []float64 {
		random := rand.New(rand.NewPCG(seed, 2<<32+uint64(walker)))
		x := t.Start(seed, walker)
		for k, b := range blocks {
			for i := range b.Size {
				switch {
				case b.Inputs > 0:
					x[b.First+i] = random.NormFloat64() * math.Sqrt(2/float64(b.Inputs))
				case b.Layer != "":
					x[b.First+i] = middle[k]
				}
			}
		}
		return x
	}
}

// middleOfPrior is the mean of each block over some draws of the prior.
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
