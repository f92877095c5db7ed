package plot

import (
	"fmt"

	"ppl/posterior/store"
)

// A part selects some draws of a run. The note states which draws the figure shows; it is empty if it shows all.
type part func(r *store.Run) (some *store.Run, note string)

// mostDraws is the maximum number of draws (of all chains) in a figure; consecutive keeps at least 1000 of each chain.
// mostNumbers is the maximum number of values read for a figure of replicates, of which at least 1000 are kept.
const (
	mostDraws   = 1 << 17
	mostNumbers = 1 << 22
	mostPoints  = 1 << 14 // maximum number of draws in each panel of pairs
)

func allDraws(r *store.Run) (*store.Run, string) { return r, "" }

// spread returns a run with evenly spaced draws, at most mostDraws.
func spread(r *store.Run) (*store.Run, string) { return within(r, mostDraws) }

// sparse returns a run with fewer draws, for figures that draw a mark for each.
func sparse(r *store.Run) (*store.Run, string) { return within(r, mostPoints) }

// spreadReplicates returns a run with evenly spaced draws, such that all their replicates have at most mostNumbers
// values if possible.
func spreadReplicates(r *store.Run) (*store.Run, string) {
	width := 0
	for _, v := range r.Layout.Predictive {
		width += v.Size()
	}
	return within(r, min(mostDraws, max(1000, mostNumbers/max(1, width))))
}

func within(r *store.Run, most int) (*store.Run, string) {
	some, every := r.Within(most)
	if every == 1 {
		return r, ""
	}
	return some, fmt.Sprintf("One of every %d draws of each chain is shown.", every)
}

// consecutive returns a run with the first draws of each chain, for figures that depend on successive draws.
func consecutive(r *store.Run) (*store.Run, string) {
	most := max(1000, mostDraws/max(1, r.Layout.Chains))
	if r.Info.Draws <= most {
		return r, ""
	}
	return r.First(most), fmt.Sprintf("The first %d draws of each chain are shown.", most)
}
