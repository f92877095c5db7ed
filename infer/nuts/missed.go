package nuts

import (
	"context"
	"fmt"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/posterior/store"
)

// Chains that agree may all be in one of several modes, and their draws do not show the others. So warm-up ends with a
// search for modes that no chain was in, if run.search is set. NUTS cannot move to such modes; the report names them.

// A Search finds modes of a target that chains have not visited. visited has some hundred positions of each chain. If
// climbs from other points suggest that important regions have no peak, the search also explores the target with
// walkers; most is the maximum number of gradients for this.
type Search func(ctx context.Context, t infer.Target, o infer.Options, visited [][][]float64, most int64) (
	adapt.SearchResult, error)

// visitedOfChain is the maximum number of positions of each chain that a search uses. If a chain has visited fewer than
// leastVisitedOfChain positions, there is no search.
const (
	visitedOfChain      = 200
	leastVisitedOfChain = 50
)

// searchModes searches for modes, given the chains' positions in the last window.
func (r *run) searchModes() error {
	visited := r.thinned()
	if visited == nil || r.search == nil {
		return nil
	}
	at := make([][]float64, len(r.chains))
	for lane, c := range r.chains {
		at[lane] = position(c.state(), c.dim)
	}
	r.close() // it may hold a copy of all rows
	found, err := r.search(r.ctx, r.named, r.options, visited, r.report.Gradients)
	if err != nil {
		return err
	}
	r.state.Missed, r.state.Visits = found.Missed, make([]int, len(found.Missed))
	r.report.Elsewhere = found.Elsewhere
	r.report.Gradients += found.Gradients
	return r.reload(at)
}

// thinned returns some positions that chains have visited, in the model's coordinates. It returns nil if there are too
// few.
func (r *run) thinned() (visited [][][]float64) {
	for _, xs := range r.state.Seen.Visited {
		if len(xs) < leastVisitedOfChain || len(xs[0]) < r.target.Dim() {
			return nil
		}
		stride := (len(xs) + visitedOfChain - 1) / visitedOfChain
		var some [][]float64
		for i := stride - 1; i < len(xs); i += stride {
			some = append(some, xs[i])
		}
		visited = append(visited, some)
	}
	for _, xs := range visited {
		for i := range xs {
			xs[i] = r.asTheModel(xs[i])
		}
	}
	return visited
}

// mostLacking is the share of the target that draws may lack without a warning. A lack of this size biases the mean of
// an indicator of the missing part by .07 of its standard deviation. It is below store.MaxLacking, above which there is
// a second attempt.
const mostLacking = 0.005

// visitedShare is the minimum ratio of a mode's share of the draws to its share of the target. It is small, since the
// share of the target may be wrong by some factors.
const visitedShare = 0.1

// countVisits counts a draw in the missed modes that contain it.
func (r *run) countVisits(c *chain) {
	if len(r.state.Missed) == 0 {
		return
	}
	x := r.asTheModel(position(c.state(), c.dim))
	r.state.Looked++
	for k := range r.state.Missed {
		if r.state.Missed[k].Holds(x) {
			r.state.Visits[k]++
		}
	}
}

// reportMissed warns if draws lack a notable share of the target.
func (r *run) reportMissed() {
	p := &r.report
	p.Lacking, p.LackingAt = 0, nil
	for k, m := range r.state.Missed {
		if float64(r.state.Visits[k]) <= visitedShare*m.Share*float64(r.state.Looked) {
			p.Lacking, p.LackingAt = p.Lacking+store.Number(m.Share), append(p.LackingAt, m.At)
		}
	}
	if p.Lacking <= mostLacking {
		p.LackingAt = nil
		return
	}
	p.Warnings = append(p.Warnings, store.Warning{
		Fact: fmt.Sprintf("The draws lack about %.2g %% of the posterior.", 100*p.Lacking),
		Reason: "A search found modes that have this share of the posterior, by their height and curvature, and " +
			"hardly any draw is in these modes. Trajectories of nuts do not reach them.",
		Advice: []store.Advice{{Do: store.Choose, On: "sampler", To: "renhd",
			Text: "Take a sampler with a ladder of temperatures: --sampler renhd."}}})
}
