package renhd

import (
	"context"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/population"
	"ppl/lang/types"
)

// Missed searches for modes that hold a share of the target but were not visited by the chains of another sampler.
// visited has some hundred positions of each chain. If the target does not support the search, nothing is found. If
// climbs end at several peaks, or on ridges behind barriers, important regions may have no peak. Then the target is
// explored, and the chains are compared with the exploration; most is the maximum number of gradients for this.
func Missed(ctx context.Context, t infer.Target, o infer.Options, visited [][][]float64, most int64) (
	found adapt.SearchResult, err error) {
	o.Checkpoints, o.Settings = nil, infer.Settings{Precision: o.Settings.Precision}
	_, s, err := population.NewConfig(t, o, population.SwapRules{})
	if err != nil || !s.FindsPeaks() || s.Blocks != nil {
		return found, err
	}
	r := newRun(ctx, s.OnPath(dynamics.Plain), ladder.Exchange{Test: ladder.Penalty()}, discardRecorder{})
	several, err := r.searchBesides(visited, &found)
	r.Close()
	if err != nil || !several {
		return found, err
	}
	seen, err := Explore(ctx, t, o, most)
	found.Gradients += seen.Gradients
	if err == nil && !seen.Cut {
		found.Elsewhere = seen.Against(r.imagesAtRandom(visited))
	}
	return found, err
}

// searchBesides runs the search, and reports whether climbs ended at several peaks, or on ridges behind barriers.
func (r *run) searchBesides(visited [][][]float64, found *adapt.SearchResult) (several bool, err error) {
	if err := r.Load([]float64{1}, r.Phase.ExplorersOfChain()); err != nil {
		return false, err
	}
	seen, err := r.lookAt(visited)
	if err != nil {
		return false, err
	}
	search := r.modes.NewSearch(func() *population.Visits { return seen }, true)
	if _, err := r.modes.Search(search); err != nil {
		return false, err
	}
	if found.Missed, err = r.missed(); err != nil {
		return false, err
	}
	several = search.Peaks() > 1
	if !several {
		several, err = search.Ridges()
	}
	found.Gradients = r.Walkers.Gradients
	return several, err
}

// imagesAtRandom returns a random image of each position, as draws are, if the target has symmetries.
func (r *run) imagesAtRandom(visited [][][]float64) [][][]float64 {
	if r.Phase.Images == nil {
		return visited
	}
	out := make([][][]float64, len(visited))
	for chain, xs := range visited {
		for i, x := range xs {
			out[chain] = append(out[chain], r.RandomImage(x, chain*len(xs)+i))
		}
	}
	return out
}

// lookAt treats positions of chains as those of walkers in a window, and estimates the metric from them.
func (r *run) lookAt(visited [][][]float64) (*population.Visits, error) {
	seen, points, err := r.VisitsOf(r.warm.ImagesOfChains(visited))
	if err == nil {
		r.Rungs[0].Metric = r.Rungs[0].Metric.Estimate(points)
	}
	return seen, err
}

// missed returns the modes found by the search, without the first, in which the chains are. Masses are estimated by
// importance sampling.
func (r *run) missed() (missed []adapt.MissedMode, err error) {
	if len(r.modes.Modes()) == 0 {
		return nil, nil
	}
	modes := r.modes.Modes()[:1]
	for _, m := range r.modes.Modes()[1:] {
		mass, ok, err := r.modes.MassOfTails(&m)
		if err != nil {
			return nil, err
		}
		m.Mass = mass
		if ok {
			modes = append(modes, m)
		}
	}
	shares := modesearch.ModeShares(modes)
	seen := adapt.MassOf{Share: shares[0], Normal: modes[0].Normal}
	for k, share := range shares[1:] {
		m := modes[k+1]
		missed = append(missed, adapt.MissedMode{At: m.At, Share: share, Normal: m.Normal, Seen: seen})
	}
	return missed, nil
}

// discardRecorder is a recorder that drops everything.
type discardRecorder struct{}

func (discardRecorder) Begin([]types.Variable) error         { return nil }
func (discardRecorder) Draw(int, []float64, []float64) error { return nil }
func (discardRecorder) Progress(infer.Progress)              {}
