// Package warmup takes walkers from their starts to where draws can be kept, and leaves steps, metrics, coordinates and
// the ladder adapted. It works in windows: what walkers show in one makes the metric of the next.
//
//	w := warmup.New(run, swaps, known, rows)
//	last, agreed, err := w.Explore()               do all walkers agree on where the target is?
//	err = w.WarmUpAlone(last.MetricKnown())        they do: one walker for each chain continues
//	err = w.GrowLadder()                           they do not: all continue on a ladder of temperatures
package warmup
