// Package subsampling lets each step read some of the rows: it chooses how many, makes control variates of anchors,
// measures what noise is left in gradients, and estimates the energies of swaps from a share of the rows.
//
//	rows := subsampling.New(run, known)
//	err := rows.FirstAnchors(load)     climbs to the modes near the walkers, with all rows, if anchors pay
//	err = rows.ChooseBatch()           the rows of a step, by noise and arithmetic
//	err = rows.MeasureNoise()          step and friction of each rung from the noise of its gradients
//
// It follows the walkers through population.RowReader: before each call of the device it copies rows from files and the
// corrections of estimates, and before each trajectory it gives every lane the anchor nearest to it.
package subsampling
