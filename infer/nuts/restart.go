package nuts

import (
	"fmt"
	"slices"

	"ppl/infer/adapt"
)

// restartStuck moves chains that are stuck in a region of negligible mass to the position of the nearest other chain,
// from which they continue to adapt. Warm-up need not be reversible.
func (r *run) restartStuck() error {
	stuck := adapt.InNegligibleMass(r.state.Seen.Density, r.state.Seen.Visited)
	if !slices.Contains(stuck, true) {
		return nil
	}
	at, others := make([][]float64, len(r.chains)), []int{}
	for lane, c := range r.chains {
		at[lane] = slices.Clone(position(c.state(), c.dim))
		if !stuck[lane] {
			others = append(others, lane)
		}
	}
	for lane, c := range r.chains {
		if stuck[lane] {
			to := adapt.Nearest(at, lane, others)
			at[lane], c.step = at[to], r.chains[to].step
			r.report.Notes = append(r.report.Notes,
				fmt.Sprintf("during warm-up, chain %d was stuck in a region of negligible mass; it was restarted at "+
					"the position of chain %d", lane+1, to+1))
		}
	}
	_, err := r.place(at)
	return err
}
