package report

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ppl/posterior/stats"
)

// blockSize is how many elements are picked out of the draws at once: those of one cache line, several times over.
const blockSize = 64

// eachElement calls look for some elements of a variable of a size, from as many goroutines as there are cores: with
// the position k in elements, the element's draws as [chain][draw], and a workspace that belongs to the goroutine.
// Draws are overwritten after the call. chains hold whole draws, one after another: [chain][draw·size + element].
func eachElement(chains [][]float64, size int, elements []int,
	look func(k int, draws [][]float64, w *stats.Workspace)) {
	var wait sync.WaitGroup
	var next atomic.Int64
	blocks := (len(elements) + blockSize - 1) / blockSize
	for range min(blocks, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			var w stats.Workspace
			b := newBlock(chains, size)
			for {
				from := int(next.Add(blockSize)) - blockSize
				if from >= len(elements) {
					return
				}
				some := elements[from:min(from+blockSize, len(elements))]
				b.pick(chains, size, some)
				for k := range some {
					look(from+k, b[k], &w)
				}
			}
		})
	}
	wait.Wait()
}

// A block has the draws of some elements: [element][chain][draw].
type block [][][]float64

func newBlock(chains [][]float64, size int) block {
	b := make(block, blockSize)
	for k := range b {
		for _, xs := range chains {
			b[k] = append(b[k], make([]float64, len(xs)/max(size, 1)))
		}
	}
	return b
}

func (b block) pick(chains [][]float64, size int, elements []int) {
	for c, xs := range chains {
		for d := range len(xs) / size {
			row := xs[d*size : (d+1)*size]
			for k, i := range elements {
				b[k][c][d] = row[i]
			}
		}
	}
}

// allElements are the numbers of a variable's elements.
func allElements(size int) []int {
	out := make([]int, size)
	for i := range out {
		out[i] = i
	}
	return out
}

// byElement has the draws of each element, chain after chain.
func byElement(chains [][]float64, size int) [][]float64 {
	out := make([][]float64, size)
	eachElement(chains, size, allElements(size), func(i int, draws [][]float64, _ *stats.Workspace) {
		out[i] = slices.Concat(draws...)
	})
	return out
}
