package flow

import (
	"math"
	"slices"

	"ppl/infer"
	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/runtime/device"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// statistics returns the statistics stored with each draw; log_q is the log density of the approximation. diverging is
// always false, but plots need it.
func statistics() infer.Statistics {
	return infer.KeepStatistics("lp", "log_prior", "log_lik", "log_q", "diverging")
}

// draw takes independent draws from each chain's approximation, and computes their importance weights. The lane and the
// noise step of a draw depend only on its index, so the draw does not depend on the number of draws.
func (r *fit) draw() error {
	r.kept = statistics()
	if err := r.recorder.Begin(r.kept.Variables()); err != nil {
		return err
	}
	volume := r.volumes()
	for r.report.Draws < r.options.Draws {
		step := r.state.Clock + 2*uint64(r.report.Draws/samples)
		for i, entry := range []string{"draw", "values"} {
			if err := r.call(entry, step+uint64(i)); err != nil {
				return err
			}
		}
		first := r.report.Draws % samples
		end := min(samples, first+r.options.Draws-r.report.Draws)
		for chain := range r.state.Phi {
			for lane := first; lane < end; lane++ {
				w, err := r.keep(chain, chain*samples+lane, volume[chain])
				if err != nil {
					return err
				}
				r.state.Weights[chain] = append(r.state.Weights[chain], w)
			}
		}
		r.report.Draws += end - first
		r.recorder.Progress(infer.Progress{Phase: infer.Sampling, Done: r.report.Draws, Total: r.options.Draws})
		if err := r.saveIfDue(); err != nil {
			return err
		}
	}
	if err := r.saveLast(); err != nil {
		return err
	}
	r.judge(r.state.Weights)
	return nil
}

// volumes returns log |det root| plus the constant of the standard normal, by chain.
func (r *fit) volumes() []float64 {
	out := make([]float64, len(r.state.Phi))
	buffer := make([]float64, r.exe.Size(root))
	for chain := range out {
		r.exe.GetLane(root, chain*samples, buffer)
		out[chain] = float64(r.dim) / 2 * math.Log(2*math.Pi)
		for i := range r.dim { // the root is triangular, or a vector with its diagonal
			at := i
			if r.dense() {
				at = i*r.dim + i
			}
			out[chain] += math.Log(math.Abs(buffer[at]))
		}
	}
	return out
}

// keep passes a lane's draw to the recorder and returns its log weight, log p − log q.
func (r *fit) keep(chain, lane int, volume float64) (weight float64, err error) {
	var d [3]float64
	r.exe.GetLane(density, lane, d[:])
	saved := make([]float64, r.exe.Size(values))
	device.CollectLanes(r.exe, values, []int{lane}, [][]float64{saved})
	logQ := d[2] - volume
	weight = d[0] + d[1] - logQ
	if math.IsNaN(weight) {
		weight = math.Inf(-1)
	}
	return weight, r.recorder.Draw(chain, saved, r.kept.Append(nil, infer.DrawStats{LogPrior: d[0],
		LogLik: d[1], LogQ: logQ}))
}

// judge measures the quality of the fits from the weights of all chains together. The mean weight estimates the
// target's total mass, so its log estimates the log evidence. The difference from the mean bound estimates the
// Kullback-Leibler divergence from the target. It is too small if the weights miss some of the mass.
func (r *fit) judge(weights [][]float64) {
	p := &r.report
	for _, w := range weights {
		p.ELBO = append(p.ELBO, stat.Mean(w, nil))
	}
	all := slices.Concat(weights...)
	p.ParetoK = store.Number(stats.ParetoK(all))
	p.EvidenceGap = store.Number(floats.LogSumExp(all) - math.Log(float64(len(all))) - stat.Mean(all, nil))
}
