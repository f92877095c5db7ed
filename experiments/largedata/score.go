package main

import (
	"math"
	"ppl/experiments/lab"
	"ppl/posterior/stats"
	"strings"
)

// A score compares draws with the posterior.
type score struct {
	mean  float64   // largest error of a mean, in standard deviations
	sds   []float64 // ratios of standard deviations to the true ones
	ess   float64   // minimum of bulk and tail ESS over all parameters
	error float64   // relative Monte Carlo standard error of the least certain sd
}

func rate(r *lab.Run, mode, sd []float64) (s score) {
	s.ess = math.Inf(1)
	for j, p := range r.Of("theta") {
		s.add(p.Summary, mode[j], sd[j])
	}
	return s
}

// add includes the summary of a parameter.
func (s *score) add(p stats.Summary, mode, sd float64) {
	s.sds = append(s.sds, p.SD/sd)
	s.mean, s.ess = math.Max(s.mean, math.Abs(p.Mean-mode)/sd), min(s.ess, p.ESSBulk, p.ESSTail)
	s.error = 1 / math.Sqrt(2*s.ess) // for the sd of a normal distribution
}

func average(xs []float64) (mean float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	return mean
}

// farthest returns the element of xs that is farthest from 1.
func farthest(xs []float64) float64 {
	worst := 1.0
	for _, x := range xs {
		if math.Abs(x-1) > math.Abs(worst-1) {
			worst = x
		}
	}
	return worst
}

// rowsRead returns the number of rows read for gradients, in millions, including warmup. Rows read for swaps are not
// counted.
func rowsRead(c contender, r *lab.Run) float64 {
	if strings.Contains(c.settings, "batch") {
		return float64(r.Gradients) * batch / 1e6
	}
	return float64(r.Gradients) * rows / 1e6
}

func swaps(r *lab.Run) any {
	if r.Exchange == nil {
		return ""
	}
	return average(r.Exchange.SwapRates)
}

// looked returns the share of rows used for swaps, from the sampler's notes.
func looked(r *lab.Run) string {
	for _, note := range r.Notes {
		if share, ok := strings.CutPrefix(note, "exchanges looked at "); ok {
			share, _, _ = strings.Cut(share, " ")
			return share + " of them"
		}
	}
	return ""
}

// langevin returns the exact ratio of SGLD's sd to the true one in whitened coordinates, for step h and gradient noise
// of variance v.
func langevin(h, v float64) float64 { return math.Sqrt((1 + h*h*v/4) / (1 - h*h/4)) }
