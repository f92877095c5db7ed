// Package population has the walkers of a run: how they are placed on the lanes of a device, what each rung of the
// ladder owns, and how they move in the present phase of the run.
//
//	config, first, err := population.NewConfig(target, options, population.SwapRules{})
//	p := population.New(ctx, first.OnPath(dynamics.Plain))
//	err = p.Load([]float64{1}, 4)        4 walkers for each chain, all at temperature 1
//	bad, err := p.Place(ctx, positions)  the lanes where the density is not finite
//	err = p.Trajectory(ctx, 10)          of every walker, in steps of its rung
//	density, slopes, err := p.Evaluate(points, true)
//
// A Config is what was asked for, and is never changed. A Phase is how walkers move for a part of the run (rule, path,
// coordinates, form of the metric, rows of a step); each choice of warm-up makes a new Phase from the one before. What
// checkpoints keep of a population is Kept, and the buffers of the lanes.
package population
