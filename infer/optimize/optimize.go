// Package optimize finds modes: points of greatest density (maximum a posteriori, or penalised maximum likelihood),
// from several starts, by L-BFGS (Liu and Nocedal 1989, implemented by gonum), Adam (Kingma and Ba 2015) or gradient
// ascent with momentum (Polyak 1964). It also computes Laplace's normal approximation at the mode.
//
// A mode depends on the coordinates. The density of the target decides: with the log-Jacobian of the constraining
// transform the mode is that of the unconstrained coordinates, without it that of the parameters on their own scale.
package optimize

import (
	"context"
	"fmt"
	"math"

	"ppl/infer"
)

// Options are the options of a search. On the same device, the same options give the same result.
type Options struct {
	Method string // one of Methods
	Starts int    // number of starting points
	// Start returns the k-th starting point. k ≥ Starts gives further candidates, which are used if the target is not
	// finite. If Start is nil, the target chooses the points.
	Start      func(k int) []float64
	Weights    string  // scheme for the initial weights of a network, one of infer.WeightSchemes
	Iterations int     // maximum number of iterations for each start; 0: 2,000
	Rate       float64 // initial rate of first-order methods; 0: chosen
	Decay      float64 // weight decay of adamw: a step multiplies each coordinate by 1 − rate·Decay
	// Batch is the number of rows of a minibatch for the gradients of first-order methods; 0: all. Minibatches need an
	// infer.Splittable.
	Batch int
	// StopAfter is the number of epochs without better predictions of held-out rows after which a start is stopped; 0:
	// no rows are held out. It needs minibatches.
	StopAfter int
	Seed      uint64
	Threads   int // 0: all cores
	Device    infer.Device
	// Checkpoints and Progress are for first-order methods. Both may be nil.
	Checkpoints infer.Checkpoints
	Progress    func(infer.Progress)
}

// Defaults returns the options for L-BFGS from four starts. The caller must set the device.
func Defaults() Options {
	return Options{Method: "lbfgs", Starts: 4, Weights: infer.He, Iterations: 2000, Decay: 0.01}
}

// biased reports whether the search does not aim at a mode: it stops early, uses weight decay, or has random
// operations.
func (p *problem) biased() bool {
	return p.options.StopAfter > 0 || p.options.Method == "adamw" || p.random != ""
}

// A Result is the best point found.
type Result struct {
	Theta            []float64 // unconstrained coordinates
	Values           []float64 // Target.Values at Theta
	SD               []float64 // standard deviations of Values by Laplace's approximation; nil without it
	LogPrior, LogLik float64
	Converged        bool
	Biased           bool   // whether the search did not aim at a mode
	Message          string // a sentence on how the search ended
	Ends             []End  // results of all starts
	Gradients        int64
}

// An End is the result of one start.
type End struct {
	Theta      []float64
	LogDensity float64
	Iterations int
	HeldOut    float64 // with early stopping: mean log ℓ of a held-out row
	BestAt     int     // with early stopping: number of iterations up to Theta
}

// Maximize searches from several starts and refines the best result. If ctx is cancelled it returns ctx.Err(). Any
// other error means that the device failed, that the target is not finite at any candidate for a starting point, or,
// with minibatches, that log ℓ is not a sum over rows. A search that does not converge is not an error: Result.Message
// describes it.
func Maximize(ctx context.Context, t infer.Target, o Options) (Result, error) {
	p, err := open(ctx, t, t, o)
	if err != nil {
		return Result{}, err
	}
	defer p.close()
	ends, err := p.search(o)
	if err != nil {
		return Result{}, err
	}
	return p.conclude(ends)
}

// A Peak is the refined result of one start, with Laplace's approximation.
type Peak struct {
	Theta     []float64
	Deviation []float64 // standard deviation of each coordinate given the others; nil if Root is nil
	// Root is R [dim, dim], row-major and upper triangular, with covariance R Rᵀ. It is nil if the density does not
	// have the curvature of a peak, or more than MostCurvature dimensions.
	Root      []float64
	Converged bool
}

// Peaks searches from several starts and refines the result of each. Errors are those of Maximize.
func Peaks(ctx context.Context, t infer.Target, o Options) ([]Peak, error) {
	p, err := open(ctx, t, t, o)
	if err != nil {
		return nil, err
	}
	defer p.close()
	ends, err := p.search(o)
	if err != nil {
		return nil, err
	}
	var out []Peak
	for _, e := range ends {
		at, err := p.refine(e.Theta)
		if err != nil {
			return nil, err
		}
		peak := Peak{Theta: at.theta, Converged: at.converged}
		if at.curved() {
			peak.Root = at.root.RawMatrix().Data
			for i := range p.dim {
				peak.Deviation = append(peak.Deviation, 1/math.Sqrt(at.curvature.At(i, i)))
			}
		}
		out = append(out, peak)
	}
	return out, nil
}

// search climbs from every start.
func (p *problem) search(o Options) ([]End, error) {
	if methodNamed(o.Method).step != nil {
		return p.ascend()
	}
	starts, err := p.starts(o)
	if err != nil {
		return nil, err
	}
	return p.lbfgs(starts, o)
}

// bestOf returns the result that predicts held-out rows best or, without such rows, the one of greatest density.
func bestOf(ends []End, o Options) End {
	best := ends[0]
	for _, e := range ends {
		if o.StopAfter > 0 && e.HeldOut > best.HeldOut || o.StopAfter == 0 && e.LogDensity > best.LogDensity ||
			math.IsNaN(best.LogDensity) {
			best = e
		}
	}
	return best
}

// conclude returns the best result, with a message that describes it. The point is refined, unless the search is
// biased.
func (p *problem) conclude(ends []End) (Result, error) {
	best := bestOf(ends, p.options)
	r := Result{Ends: ends, Biased: p.biased()}
	at, err := p.concluded(best)
	if err != nil {
		return Result{}, err
	}
	r.Theta, r.Converged, r.Message = at.theta, at.converged, p.outcome(at, best)
	if r.SD, err = p.spread(at); err != nil {
		return Result{}, err
	}
	if r.Values, err = p.values(at.theta); err != nil {
		return Result{}, err
	}
	r.LogPrior, r.LogLik, r.Gradients = at.logPrior, at.logLik, p.gradients
	return r, nil
}

func (p *problem) concluded(best End) (peak, error) {
	if !p.biased() {
		return p.refine(best.Theta)
	}
	here, err := p.evaluate([][]float64{best.Theta})
	if err != nil {
		return peak{}, err
	}
	return peak{point: here[0], theta: best.Theta, decrement: math.Inf(1)}, nil
}

// outcome returns a sentence on how a search ended.
func (p *problem) outcome(at peak, best End) string {
	o := p.options
	switch {
	case o.StopAfter > 0:
		return fmt.Sprintf("stopped early: of %d steps, step %d predicts the held-out rows best; their mean log "+
			"likelihood is %.4g", best.Iterations, best.BestAt, best.HeldOut)
	case p.random != "":
		return fmt.Sprintf("%d steps; %s keeps the point away from the mode", best.Iterations, p.random)
	case p.biased():
		return fmt.Sprintf("%d steps; the decay of %v keeps the point away from the mode", best.Iterations, o.Decay)
	case at.converged && at.decrement < math.Inf(1):
		return fmt.Sprintf("converged: by its curvature the log density is within %.1g of its maximum here",
			math.Max(at.decrement, 1e-16))
	case at.converged:
		return "converged: the gradient vanishes (there are too many parameters to compute the curvature)"
	case !at.curved() && len(at.theta) <= MostCurvature:
		return "not a maximum: the log density does not fall in every direction from here. It is flat, a saddle, " +
			"greatest at the edge of a support, or rises " +
			"without end, such as if a scale and its effects go to 0; sample the model instead, or give it priors " +
			"that exclude this region"
	case best.Iterations >= o.Iterations:
		return fmt.Sprintf("not converged after %d iterations: allow more with --iterations", o.Iterations)
	case math.IsInf(at.decrement, 1):
		return fmt.Sprintf("not converged: the largest component of the gradient is %.2g, not 0; try other "+
			"starts (--seed), or sample the model", largest(at.gradient))
	}
	return fmt.Sprintf("not converged: by its curvature the log density can still rise by %.2g; try other "+
		"starts (--seed), or sample the model", at.decrement)
}
