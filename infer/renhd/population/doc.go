// Package population holds the walkers of a run: how they are placed on the lanes of a device, the parameters of each
// rung of the ladder, and how walkers move in the current phase of the run.
//
//	config, first, err := population.NewConfig(target, options, population.SwapRules{})
//	p := population.New(ctx, first.OnPath(dynamics.Plain))
//	err = p.Load([]float64{1}, 4)                          4 walkers for each chain, all at temperature 1
//	bad, err := p.Place(ctx, positions)                    the lanes at which the density is not finite
//	err = p.Trajectory(ctx, 10)                            of every walker, 10 steps of its rung's step size
//	density, slopes, err := p.Evaluate(points, true)
//
// A Config holds the request, and never changes. A Phase defines how walkers move during a part of the run (rule, path,
// coordinates, form of the metric, rows of a step); each choice of warm-up makes a new Phase from the previous one.
// Checkpoints store the Kept of a population, and the buffers of the lanes.
package population
