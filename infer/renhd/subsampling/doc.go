// Package subsampling lets each step read only some of the rows. It chooses how many, makes control variates from
// anchors, measures the remaining noise of gradients, and estimates the energies of swaps from a part of the rows.
//
//	rows := subsampling.New(run, known)
//	err := rows.FirstAnchors(load)   climbs to modes near the walkers; keeps them as anchors if they help
//	err = rows.ChooseBatch()         number of rows of a step, from noise and arithmetic
//	err = rows.MeasureNoise()        step and friction of each rung, from the noise of its gradients
//
// It is attached to walkers as a population.RowReader: before each call of the device it copies rows from files and the
// corrections of estimates, and before each trajectory it assigns to every lane the nearest anchor.
package subsampling
