package quantities

import (
	"runtime"
	"slices"

	"ppl/lang/types"
	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/runtime/sys/memory"
)

// UsualMemory is the default limit for the memory, in bytes, that draws under analysis occupy: half of the 256 MB that
// a command uses.
const UsualMemory = 128 << 20

// DrawCost is the memory that the analysis of a quantity needs per draw, in bytes, as measured: for the draw itself and
// for the workspace.
const DrawCost = 280

// heldCost is the memory of a draw that waits for analysis, in bytes, with the spare capacity of its slice.
const heldCost = 12

// A Quantity is an element of a variable: either all of its draws, [chain][draw], or a sample of them together with
// statistics of all draws that several passes collected.
type Quantity struct {
	Chains [][]float64
	Long   *stats.Long // nil if Chains holds all draws
}

// ESSMean returns the effective sample size for the mean, over all draws.
func (q Quantity) ESSMean(w *stats.Workspace) float64 {
	if q.Long != nil {
		return q.Long.ESSMean(w)
	}
	return w.ESSMean(q.Chains)
}

// Summary returns moments, quantiles and diagnostics of all draws.
func (q Quantity) Summary(w *stats.Workspace) stats.Summary {
	if q.Long != nil {
		return q.Long.Summarize(w)
	}
	return w.Summarize(q.Chains)
}

// A plan determines how draws are read within a limit of memory.
type plan struct {
	room    int // number of draws in the sample of a quantity; 0 if all draws fit
	group   int // number of quantities read together
	workers int // number of quantities analysed in parallel
}

// planFor returns the plan for a number of draws, over all chains, of each quantity, and limits of memory in bytes: for
// draws under analysis, and for those that wait for it.
func planFor(draws int, memory, waiting int64) plan {
	draws = max(1, draws)
	fits := int(memory / int64(draws) / DrawCost) // number of quantities that fit in memory
	if fits == 0 {
		room := int(memory / 2 / DrawCost)
		return plan{room, max(1, int(memory/4/int64(room*24))), 1}
	}
	p := plan{workers: min(runtime.GOMAXPROCS(0), max(1, fits/2))}
	p.group = max(1, int((waiting-int64(p.workers*draws)*DrawCost)/int64(draws*heldCost)))
	return p
}

// every returns the distance between the draws of a sample, or 1 if all draws are used.
func (p plan) every(chains, draws int) int {
	if p.room == 0 {
		return 1
	}
	return stats.NewLong(chains, draws, p.room).Every()
}

// A Reader reads the quantities of a run within a limit of memory.
type Reader struct {
	Run    *store.Run
	Memory int64 // limit for draws, in bytes; 0 for UsualMemory
}

func (r Reader) plan() plan {
	draws := r.Run.Layout.Chains * r.Run.Info.Draws
	if r.Memory > 0 {
		return planFor(draws, r.Memory, r.Memory)
	}
	return planFor(draws, UsualMemory, memory.ForPass(UsualMemory))
}

// Each calls look for each element of a variable, from several goroutines at a time, each with a separate workspace. If
// a quantity is a sample, its statistics include the given quantiles of all draws.
func (r Reader) Each(of store.Part, x types.Variable, quantiles []float64,
	look func(i int, q Quantity, w *stats.Workspace)) error {
	p := r.plan()
	for from := 0; from < x.Size(); from += p.group {
		to := min(from+p.group, x.Size())
		quantities, err := p.read(r.Run, of, x, from, to, quantiles)
		if err != nil {
			return err
		}
		stats.Together(p.workers, len(quantities), func(k int, w *stats.Workspace) { look(from+k, quantities[k], w) })
	}
	return nil
}

// read reads the elements from to to-1 of a variable, completely or as samples.
func (p plan) read(r *store.Run, of store.Part, x types.Variable, from, to int, quantiles []float64) ([]Quantity,
	error) {
	if p.room > 0 {
		return p.readSample(r, of, x, from, to, quantiles)
	}
	return readAll(r, of, x, from, to)
}

// mostChunks is the number of chunks of a chain for whose draws memory is allocated at once.
const mostChunks = 64

// readAll reads all draws of these elements.
func readAll(r *store.Run, of store.Part, x types.Variable, from, to int) ([]Quantity, error) {
	all := make([]Quantity, to-from)
	for k := range all {
		all[k].Chains = make([][]float64, r.Layout.Chains)
	}
	size := x.Size()
	err := r.Each(of, x.Name, func(chain, _ int, draws []float64) {
		// Memory for all draws, unless damaged metadata claim very many more than a chunk has.
		room := min(r.Info.Draws, mostChunks*(len(draws)/size))
		for k := range all {
			xs := all[k].Chains[chain]
			if xs == nil {
				xs = make([]float64, 0, room)
			}
			for at := from + k; at < len(draws); at += size {
				xs = append(xs, draws[at])
			}
			all[k].Chains[chain] = xs
		}
	})
	return all, err
}

// readSample reads samples of these elements, and collects statistics of all their draws in several passes.
func (p plan) readSample(r *store.Run, of store.Part, x types.Variable, from, to int,
	quantiles []float64) ([]Quantity, error) {
	all := make([]Quantity, to-from)
	for k := range all {
		all[k].Long = stats.NewLong(r.Layout.Chains, r.Info.Draws, p.room, quantiles...)
	}
	size := x.Size()
	for slices.ContainsFunc(all, func(q Quantity) bool { return q.Long.More() }) {
		err := r.Each(of, x.Name, func(chain, first int, draws []float64) {
			for k, q := range all {
				for d := range len(draws) / size {
					q.Long.Add(chain, first+d, draws[d*size+from+k])
				}
			}
		})
		if err != nil {
			return nil, err
		}
		for _, q := range all {
			q.Long.EndPass()
		}
	}
	for k := range all {
		all[k].Chains = all[k].Long.Thinned()
	}
	return all, nil
}

// Stat reads a sampler statistic, by [chain][draw], for the same draws that samples of quantities hold.
func (reader Reader) Stat(name string) (chains [][]float64, err error) {
	r := reader.Run
	chains = make([][]float64, r.Layout.Chains)
	every := reader.plan().every(r.Layout.Chains, r.Info.Draws)
	err = r.Each(store.SamplerStats, name, func(chain, first int, draws []float64) {
		for d, x := range draws {
			if (first+d)%every == 0 {
				chains[chain] = append(chains[chain], x)
			}
		}
	})
	return chains, err
}
