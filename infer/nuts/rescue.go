package nuts

import (
	"fmt"
	"slices"

	"ppl/infer/adapt"
)

// rescue sends chains that are lost, in some corner from where no trajectory leads out, to where the nearest other is,
// to learn their way from there. Warm-up need not be reversible.
func (r *run) rescue() error {
	lost := adapt.Lost(r.density, r.visited)
	if !slices.Contains(lost, true) {
		return nil
	}
	at, fellows := make([][]float64, len(r.chains)), []int{}
	for lane, c := range r.chains {
		if at[lane] = slices.Clone(position(c.state(), c.dim)); !lost[lane] {
			fellows = append(fellows, lane)
		}
	}
	for lane, c := range r.chains {
		if lost[lane] {
			to := adapt.Nearest(at, lane, fellows)
			at[lane], c.step = at[to], r.chains[to].step
			r.report.Notes = append(r.report.Notes,
				fmt.Sprintf("chain %d was lost in a place of negligible mass: it started again, in warm-up, where "+
					"chain %d was",
					lane+1, to+1))
		}
	}
	_, err := r.place(at)
	return err
}
