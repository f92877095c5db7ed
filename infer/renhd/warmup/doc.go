// Package warmup moves walkers from their starting points to the bulk of the target, and adapts steps, metrics,
// coordinates and the ladder. It works in windows: the positions seen in one window give the metric of the next.
//
//	w := warmup.New(run, swaps, known, rows)
//	last, agreed, err := w.Explore()             do all walkers agree on where the target is?
//	err = w.WarmUpAlone(last.MetricKnown())      if they do, one walker for each chain continues
//	err = w.GrowLadder()                         if not, all continue on a ladder of temperatures
package warmup
