// Package pathfinder approximates a target by normals that are fitted on the way to its modes, one for each chain, and
// draws from their mixture by importance resampling (Zhang, Carpenter, Gelman, Vehtari, "Pathfinder: parallel
// quasi-Newton variational inference", JMLR 23, 2022). It uses some hundred gradients, whereas a sampler uses tens of
// thousands; for a model with one mode that is nearly normal this is enough.
//
//	report, err := pathfinder.Sampler(explore)(ctx, target, options, recorder)
//	report.ELBO      [-31.2 -31.3 -31.2 -40.7]   the fourth path ended in another mode
//	report.ParetoK   .12                         light tails of importance weights: the mixture is close to the target
//
// Weights are relative to the mixture of all normals, so that a mode reached by three paths does not count three times.
// As with every approximation, modes that no path has found are missing, so draws are compared with an exploration.
package pathfinder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// An Explore moves walkers from a target's own starting points to regions of high probability. most is the maximum
// number of gradients.
type Explore func(ctx context.Context, t infer.Target, o infer.Options, most int64) (adapt.Exploration, error)

const (
	pathDraws   = 5   // draws of each normal on a path, which choose the best
	newtonDraws = 16  // draws of each normal fitted by Newton steps
	blockDraws  = 250 // draws of each chain in a block
	candidates  = 4   // a block has candidates·blockDraws candidates from each normal

	mostExplored = 50_000 // maximum number of gradients of the exploration

	fitStream  = 0x9a7f0
	drawStream = 0x9a7f1 << 20 // plus the number of the block
)

// A run holds the state of one call of the sampler.
type run struct {
	*density
	options  infer.Options
	recorder infer.Recorder
	kept     infer.Statistics // statistics stored with each draw
	report   infer.Report
	state    state
	normals  []adapt.Density // densities of the fits that exist
	of       []int           // the chain to which each of normals belongs
}

// A checkpoint is the state of a run between two blocks of draws.
type checkpoint struct {
	State  state
	Report infer.Report
}

type state struct {
	Fits    []adapt.Fit // fit of each chain; its Mean is nil if no normal was fitted
	Weights []float64   // log p − log q of all candidates so far
	Bounds  [][]float64 // log p − log of the chain's own normal, for the candidates of each chain
}

// Sampler returns a sampler that fits a normal in each chain. Draws are compared with an exploration, unless explore is
// nil.
func Sampler(explore Explore) infer.Sampler {
	return func(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
		r := &run{options: o, recorder: rec}
		r.report.Sampler, r.report.Chains, r.report.Warmup, r.report.Thin = "pathfinder", o.Chains, o.Warmup, 1
		r.report.Temperatures, r.report.Weighted = []float64{1}, true
		err := infer.NeedAll(t, "pathfinder")
		if err == nil && t.Dim() > adapt.MaxDense {
			err = infer.Refusal{Cause: fmt.Errorf("pathfinder estimates the correlations of all parameters, and this "+
				"model has %d (at most %d are possible); take another sampler: --sampler advi", t.Dim(),
				adapt.MaxDense)}
		}
		if err != nil {
			return r.report, err
		}
		if r.density, err = openDensity(ctx, infer.InPrecision(t, o.Settings.Precision), o); err != nil {
			return r.report, err
		}
		var some [][][]float64
		if err = r.sample(); err == nil && explore != nil {
			some, _, err = r.block(0)
		}
		_ = r.exe.Close() // it may hold a copy of all rows
		if err == nil && explore != nil {
			err = r.lookElsewhere(ctx, t, explore, some)
		}
		return r.report, err
	}
}

func (r *run) sample() error {
	found, err := r.loadCheckpoint()
	if err == nil && !found {
		err = r.fit()
	}
	if err != nil {
		return err
	}
	for k := range r.state.Fits {
		if d, ok := r.state.Fits[k].Density(); ok {
			r.normals, r.of = append(r.normals, d), append(r.of, k)
		}
	}
	r.kept = infer.KeepStatistics("lp", "log_prior", "log_lik", "log_q", "diverging")
	if err := r.recorder.Begin(r.kept.Variables()); err != nil {
		return err
	}
	for r.report.Draws < r.options.Draws {
		if err := r.draw(); err != nil {
			return err
		}
		if err := r.saveIfDue(); err != nil {
			return err
		}
	}
	r.judge()
	return r.save()
}

// fit climbs once for each chain, from its own starting point, and improves the fitted normals by Newton steps.
func (r *run) fit() error {
	paths, err := r.climb()
	if err != nil {
		return err
	}
	noise := r.fitNoise(newtonDraws)
	r.state.Fits, r.state.Bounds = make([]adapt.Fit, len(paths)), make([][]float64, len(paths))
	fitted := false
	for k, p := range paths {
		best := p.Fit
		if best.Mean == nil {
			continue
		}
		for n := adapt.NewNewton(best.At); !n.Done; {
			fit, err := n.Step(noise, r.evaluate)
			if err != nil {
				return err
			}
			if fit.Bound > best.Bound {
				best = fit
			}
		}
		r.state.Fits[k], fitted = best, true
		r.showProgress(infer.WarmingUp, k+1, len(paths))
	}
	r.report.Gradients = r.gradients
	if !fitted {
		return infer.Refusal{Cause: errors.New("no normal could be fitted on any path to a mode; take another " +
			"sampler: --sampler renhd")}
	}
	return nil
}

// climb follows the paths of all chains to their ends.
func (r *run) climb() (paths []adapt.Path, err error) {
	starts, err := r.starts()
	if err != nil {
		return nil, err
	}
	noise := r.fitNoise(pathDraws)
	for _, x := range starts {
		paths = append(paths, adapt.NewPath(x, noise, nil))
	}
	for climbed := true; climbed && err == nil; {
		climbed, err = adapt.ClimbTogether(paths, r.evaluate)
	}
	return paths, err
}

// fitNoise returns the standard normal numbers of the draws that compare normals.
func (r *run) fitNoise(draws int) [][]float64 {
	return adapt.StandardNormal(draws, r.dim, rand.New(rand.NewPCG(r.options.Seed, fitStream)))
}

// starts returns a starting point of finite density for each chain.
func (r *run) starts() (at [][]float64, err error) {
	start := infer.Starts(r.target, r.options.Seed)
	err = infer.Disperse(r.options.Chains, start, func(now [][]float64) (bad []int, err error) {
		at = now
		heights, _, err := r.evaluate(now)
		for k, h := range heights {
			if math.IsNaN(h) || math.IsInf(h, 0) {
				bad = append(bad, k)
			}
		}
		return bad, err
	})
	return at, err
}

// draw adds the next block of draws, or the missing part of it.
func (r *run) draw() error {
	block := r.report.Draws / blockDraws
	positions, all, err := r.block(block)
	if err != nil {
		return err
	}
	first := r.report.Draws % blockDraws
	end := min(blockDraws, first+r.options.Draws-r.report.Draws)
	if first == 0 {
		r.state.Weights = append(r.state.Weights, all.weights...)
		for k, b := range all.bounds {
			r.state.Bounds[k] = append(r.state.Bounds[k], b...)
		}
	}
	for chain, at := range positions {
		if err := r.record(chain, at[first:end]); err != nil {
			return err
		}
	}
	r.report.Draws += end - first
	r.showProgress(infer.Sampling, r.report.Draws, r.options.Draws)
	return nil
}

// block returns the positions of a block of draws, by chain. They are chosen from candidates of all normals, with
// probabilities proportional to their smoothed weights. The result depends only on the seed, the normals and the number
// of the block.
func (r *run) block(number int) (positions [][][]float64, all pool, err error) {
	random := rand.New(rand.NewPCG(r.options.Seed, drawStream+uint64(number)))
	if all, err = r.candidates(random); err != nil {
		return nil, all, err
	}
	smoothed, _ := stats.PSIS(all.weights, 1)
	chains := r.options.Chains
	positions = make([][][]float64, chains)
	for i, k := range resample(smoothed, chains*blockDraws, random) {
		positions[i%chains] = append(positions[i%chains], all.at[k])
	}
	return positions, all, nil
}

// A pool holds candidates for draws.
type pool struct {
	at      [][]float64
	weights []float64   // log p − log q, with q the mixture
	bounds  [][]float64 // log p − log of the chain's own normal, for the candidates of each chain
}

// candidates returns draws of all normals, the same number of each.
func (r *run) candidates(random *rand.Rand) (all pool, err error) {
	all.bounds = make([][]float64, len(r.state.Fits))
	const each = candidates * blockDraws
	for _, k := range r.of {
		all.at = append(all.at, r.state.Fits[k].Draws(adapt.StandardNormal(each, r.dim, random))...)
	}
	heights, err := r.heights(all.at)
	if err != nil {
		return all, err
	}
	for i, x := range all.at {
		k := i / each
		weight := heights[i] - r.logMixture(x)
		if math.IsNaN(weight) {
			weight = math.Inf(-1)
		}
		all.weights = append(all.weights, weight)
		all.bounds[r.of[k]] = append(all.bounds[r.of[k]], heights[i]-r.normals[k].Log(x))
	}
	return all, nil
}

// logMixture returns the log density of the mixture of all normals at a point.
func (r *run) logMixture(x []float64) float64 {
	logs := make([]float64, len(r.normals))
	for k := range r.normals {
		logs[k] = r.normals[k].Log(x)
	}
	return floats.LogSumExp(logs) - math.Log(float64(len(logs)))
}

// resample chooses n indices with probabilities proportional to the exponentials of log weights, each as often as its
// expectation rounded up or down (systematic resampling), in random order.
func resample(logWeights []float64, n int, random *rand.Rand) []int {
	total := floats.LogSumExp(logWeights)
	out := make([]int, 0, n)
	sum, next := 0.0, random.Float64()
	for i, w := range logWeights {
		for sum += math.Exp(w-total) * float64(n); next < sum && len(out) < n; next++ {
			out = append(out, i)
		}
	}
	for len(out) < n { // rounding errors may leave draws missing
		out = append(out, out[len(out)-1])
	}
	random.Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// record passes draws of a chain to the recorder.
func (r *run) record(chain int, at [][]float64) error {
	return r.each(at, func(i int, logPrior, logLik float64, values []float64) error {
		return r.recorder.Draw(chain, values, r.kept.Append(nil, infer.DrawStats{LogPrior: logPrior, LogLik: logLik,
			LogQ: r.logMixture(at[i])}))
	})
}

// judge reports the evidence lower bound of each normal, and k̂ of the weights. The bounds do not measure the quality
// of the draws, since weights correct for the differences between normals. k̂ shows whether the weights are reliable.
func (r *run) judge() {
	p, all := &r.report, r.state.Weights
	p.ELBO = nil
	for _, b := range r.state.Bounds {
		if b == nil {
			b = []float64{math.Inf(-1)}
		}
		p.ELBO = append(p.ELBO, stat.Mean(b, nil))
	}
	p.ParetoK = store.Number(stats.ParetoK(all))
}

// lookElsewhere explores the target and compares the draws with the exploration.
func (r *run) lookElsewhere(ctx context.Context, t infer.Target, explore Explore, draws [][][]float64) error {
	seen, err := explore(ctx, t, r.options, mostExplored)
	if err != nil {
		return err
	}
	r.report.Gradients += seen.Gradients
	r.report.Elsewhere = seen.Against(draws)
	return nil
}

func (r *run) showProgress(p infer.Phase, done, total int) {
	r.recorder.Progress(infer.Progress{Phase: p, Done: done, Total: total})
}

// loadCheckpoint restores the latest checkpoint, and reports whether there is one.
func (r *run) loadCheckpoint() (found bool, err error) {
	var c checkpoint
	if found, err = infer.LoadCheckpoint(r.options.Checkpoints, &c); found && err == nil {
		r.state, r.report = c.State, c.Report
	}
	return found, err
}

// saveIfDue saves a checkpoint if it is time, or if the run is about to be interrupted.
func (r *run) saveIfDue() error {
	if !infer.CheckpointIsDue(r.ctx, r.options.Checkpoints, func() int { return 2 * len(r.state.Weights) }) {
		return nil
	}
	return r.save()
}

// save saves a checkpoint.
func (r *run) save() error {
	return infer.SaveCheckpoint(r.options.Checkpoints, checkpoint{r.state, r.report})
}
