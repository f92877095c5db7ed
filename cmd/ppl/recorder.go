package main

import (
	"math/rand/v2"
	"time"

	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/draws"
	"ppl/lang/types"
)

// A recorder is a run's infer.Recorder: it draws what stands after generate, and streams draws to the run directory.
type recorder struct {
	program  *compiler.Program
	dir      string
	chains   int
	rows     bool // whether the log likelihood of each row is kept
	seed     uint64
	options  draws.Options
	progress func(infer.Progress)

	writer  *draws.Writer // nil before the first draw
	counts  []uint64      // draws of each chain so far
	values  []float64
	saved   int       // of values: how many are what the model saves, before the log densities
	flushed time.Time // when draws were last made readable
}

// saveEvery is how much of a run a kill may cost: draws are made readable at least so often, short of a chunk though
// they be.
const saveEvery = 2 * time.Second

// Begin makes the run directory.
func (r *recorder) Begin(stats []types.Variable) (err error) {
	priors, rows := r.program.LogDensities()
	if !r.rows {
		rows = nil
	}
	layout := draws.Layout{Chains: r.chains, Posterior: r.program.Saved(), SampleStats: stats,
		Observed: asObserved(r.program.Observed()), Constant: asObserved(r.program.Constants()),
		LogPrior: priors, LogLikelihood: rows, TopLevel: r.program.TopLevel()}
	r.saved = size(layout.Posterior)
	r.counts, r.flushed = make([]uint64, r.chains), time.Now()
	r.writer, err = draws.Create(r.dir, layout, r.options)
	return err
}

func asObserved(variables []types.Variable, values [][]float64) []draws.Observed {
	all := make([]draws.Observed, len(variables))
	for i, v := range variables {
		all[i] = draws.Observed{Variable: v, Values: values[i]}
	}
	return all
}

// Draw completes one draw and keeps it. What is generated has a random stream of its own for each draw, so that it does
// not depend on the order in which chains deliver.
func (r *recorder) Draw(chain int, values, stats []float64) error {
	r.values = append(r.values[:0], values...)
	stream := uint64(chain)<<40 | r.counts[chain]
	r.counts[chain]++
	r.program.Complete(rand.New(rand.NewPCG(r.seed, stream)), r.values[:r.saved])
	if err := r.writer.Append(chain, r.values, stats); err != nil {
		return err
	}
	if time.Since(r.flushed) < saveEvery {
		return nil
	}
	err := r.writer.Flush()
	r.flushed = time.Now()
	return err
}

// Progress tells the user.
func (r *recorder) Progress(p infer.Progress) { r.progress(p) }

// close ends the run on disk; there is nothing to end before the first draw.
func (r *recorder) close(report draws.SamplerReport, status draws.Status, cause error) error {
	if r.writer == nil {
		return nil
	}
	r.writer.Report(report)
	return r.writer.Close(status, cause)
}
