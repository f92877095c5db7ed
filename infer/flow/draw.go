package flow

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"ppl/infer"
	"ppl/infer/draws"
	"ppl/infer/stats"
)

// statistics are what is kept beside each draw, in order: log_q is the log density of the approximation.
func statistics() []draws.Variable {
	return []draws.Variable{{Name: "lp"}, {Name: "log_prior"}, {Name: "log_likelihood"}, {Name: "log_q"}}
}

// draw takes independent draws of each chain's approximation, and weighs them against the target.
func (r *fit) draw() error {
	if err := r.recorder.Begin(statistics()); err != nil {
		return err
	}
	weights := make([][]float64, len(r.phi))
	volume := r.volumes()
	for r.report.Draws < r.options.Draws {
		if err := r.call("draw"); err != nil {
			return err
		}
		if err := r.call("values"); err != nil {
			return err
		}
		n := min(samples, r.options.Draws-r.report.Draws)
		for chain := range r.phi {
			for lane := range r.lanes(chain) {
				if lane-chain*samples >= n {
					break
				}
				w, err := r.keep(chain, lane, volume[chain])
				if err != nil {
					return err
				}
				weights[chain] = append(weights[chain], w)
			}
		}
		r.report.Draws += n
		r.recorder.Progress(infer.Progress{Phase: infer.Sampling, Done: r.report.Draws, Total: r.options.Draws})
	}
	r.judge(weights)
	return nil
}

// volumes are log |det root| and the constant of the standard normal, by chain.
func (r *fit) volumes() []float64 {
	out := make([]float64, len(r.phi))
	buffer := make([]float64, r.exe.Size(root))
	for chain := range out {
		r.exe.GetLane(root, chain*samples, buffer)
		out[chain] = float64(r.dim) / 2 * math.Log(2*math.Pi)
		for i := range r.dim { // the root is triangular, or its diagonal
			at := i
			if r.dense() {
				at = i*r.dim + i
			}
			out[chain] += math.Log(math.Abs(buffer[at]))
		}
	}
	return out
}

// keep hands a lane's draw to the recorder and gives its log weight, log p − log q.
func (r *fit) keep(chain, lane int, volume float64) (weight float64, err error) {
	var d [3]float64
	r.exe.GetLane(density, lane, d[:])
	saved := make([]float64, r.exe.Size(values))
	r.exe.GetLane(values, lane, saved)
	logQ := d[2] - volume
	weight = d[0] + d[1] - logQ
	if math.IsNaN(weight) {
		weight = math.Inf(-1)
	}
	return weight, r.recorder.Draw(chain, saved, []float64{d[0] + d[1], d[0], d[1], logQ})
}

// What passes for a good fit: k̂ up to which estimates by weights can be used (Vehtari et al. 2024, for some thousands of weights), and
// Kullback-Leibler divergence from the target: 0.2 lets a mean be off by 0.6 sd, or a deviation by 40 %.
const (
	usable    = 0.7
	divergent = 0.2
)

// judge says in the report how good the fits are. Weights of all chains belong together: the target's mass is the mean of each. The log of the
// mean weight estimates the evidence, so that what the bound lacks to it is the divergence, or less, where the weights miss some mass.
func (r *fit) judge(weights [][]float64) {
	p := &r.report
	for _, w := range weights {
		p.ELBO = append(p.ELBO, stat.Mean(w, nil))
		p.ParetoK = append(p.ParetoK, stats.ParetoK(w))
	}
	all := slices.Concat(weights...)
	bound, k := stat.Mean(all, nil), stats.ParetoK(all)
	lacks := floats.LogSumExp(all) - math.Log(float64(len(all))) - bound
	p.Notes = append(p.Notes, fmt.Sprintf("these are draws of an approximation: evidence lower bound %.4g, at least %.2g below the evidence; "+
		"Pareto k̂ of the importance weights %.2f (below 0.5 is good)", bound, lacks, k))
	if k > usable || lacks > divergent || math.IsNaN(lacks+k) {
		p.Warnings = append(p.Warnings, fmt.Sprintf("The approximation misses some of the posterior, its tails at least (Pareto k̂ %.2f, of at most %v; lower bound %.2g "+
			"below the evidence, of at most %v): means may be off, and standard deviations are most often too small. Sample instead (--sampler renhd or "+
			"nuts), or take a richer family (fullrank, flow).", k, usable, lacks, divergent))
	}
	if low, best := slices.Min(p.ELBO), slices.Max(p.ELBO); best-low > 1 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("The fits of the chains are not equally good (evidence lower bounds from %.4g to %.4g): some ended in "+
			"another mode, or are not done. Take --sampler renhd to have modes with their weights, or train longer (--warmup).", low, best))
	}
}
