// Package optimize finds modes: the point where a target's density is greatest (maximum a posteriori, or penalised
// maximum likelihood), from several starts, by L-BFGS (Liu and Nocedal 1989, as gonum has it), Adam (Kingma and Ba
// 2015) or gradient ascent with momentum (Polyak 1964), and how sharp the mode is: Laplace's normal approximation.
//
// A mode depends on the coordinates. Whoever gives the target decides: with the log-Jacobian of the constraining
// transform in its density the mode is that of the unconstrained coordinates, without it that of the parameters on
// their own scale.
package optimize

import (
	"context"
	"fmt"
	"math"

	"ppl/infer"
)

// Options of a search. The same options on the same device give the same result.
type Options struct {
	Method string // one of Methods
	Starts int    // points to begin at
	// Start is the k-th of them; further ones are for those where the target is not finite. nil: the target chooses
	Start      func(k int) []float64
	Weights    string  // of a network: how they begin, one of infer.WeightSchemes
	Iterations int     // of each start at most; 0: 2,000
	Rate       float64 // of methods of first order, at first; 0: chosen
	Decay      float64 // of adamw: the share of each coordinate, times the rate, that a step takes away
	// rows of a minibatch for the gradients of methods of first order; 0: all. The target is then an infer.Splittable
	Batch int
	// after how many epochs without better predictions of rows that are held out a start is given up; 0: there are no
	// such rows. It needs minibatches
	StopAfter int
	Seed      uint64
	Threads   int // 0 means all cores
	Device    infer.Device
	// of methods of first order; both may be nil
	Checkpoints infer.Checkpoints
	Progress    func(infer.Progress)
}

// Defaults returns L-BFGS from four starts. The device is the caller's to choose.
func Defaults() Options {
	return Options{Method: "lbfgs", Starts: 4, Weights: infer.He, Iterations: 2000, Decay: 0.01}
}

// biased reports whether the search is to end elsewhere than at a mode.
func (p *problem) biased() bool {
	return p.options.StopAfter > 0 || p.options.Method == "adamw" || p.random != ""
}

// A Result is the best point found.
type Result struct {
	Theta            []float64 // unconstrained
	Values           []float64 // Target.Values there
	SD               []float64 // of Values, by Laplace's approximation; nil without one
	LogPrior, LogLik float64
	Converged        bool
	Biased           bool   // it was not to end at a mode
	Message          string // how the search ended, in words
	Ends             []End  // of all starts
	Gradients        int64
}

// An End is where a start led.
type End struct {
	Theta      []float64
	LogDensity float64
	Iterations int
	HeldOut    float64 // of early stopping: mean log ℓ of a row held out
	BestAt     int     // of early stopping: after how many iterations
}

// Maximize searches from several starts and refines the best result. If ctx is cancelled it returns ctx.Err(); any
// other error says that the device failed, that the target is finite nowhere, or for minibatches, why there are no
// rows. A search that does not converge is not an error: the result says so.
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

// A Peak is where a start led, after refinement, with Laplace's approximation there.
type Peak struct {
	Theta     []float64
	Deviation []float64 // of each coordinate given the others; nil as Root is
	// R [dim, dim], row-major and upper triangular, with R Rᵀ the covariance; nil if the density is not curved like
	// a peak, or too large to look at
	Root      []float64
	Converged bool
}

// Peaks searches from several starts and refines the end of each; errors are those of Maximize.
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
	if m := methodNamed(o.Method); m.step != nil {
		return p.ascend(m)
	}
	starts, err := p.starts(o)
	if err != nil {
		return nil, err
	}
	return p.lbfgs(starts, o)
}

// bestOf returns the end that predicts rows held out best, or if there are none the one of greatest density.
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

// conclude reports how good the best end is, and refines it if it is to be a mode.
func (p *problem) conclude(ends []End) (Result, error) {
	best := bestOf(ends, p.options)
	r := Result{Ends: ends, Biased: p.biased()}
	at, err := p.concluded(best)
	if err != nil {
		return Result{}, err
	}
	r.Theta, r.Converged, r.Message = at.theta, at.converged, p.words(at, best)
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

// words say how a search ended.
func (p *problem) words(at peak, best End) string {
	o := p.options
	switch {
	case o.StopAfter > 0:
		return fmt.Sprintf("stopped early: of %d steps, those up to %d predict the rows held out best; their mean log "+
			"likelihood is %.4g", best.Iterations, best.BestAt, best.HeldOut)
	case p.random != "":
		return fmt.Sprintf("%d steps; %s keeps the point from the mode", best.Iterations, p.random)
	case p.biased():
		return fmt.Sprintf("%d steps; the decay of %v keeps the point from the mode", best.Iterations, o.Decay)
	case at.converged && at.decrement < math.Inf(1):
		return fmt.Sprintf("converged: by its curvature the log density is within %.1g of its maximum here",
			math.Max(at.decrement, 1e-16))
	case at.converged:
		return "converged: the gradient vanishes (there are too many parameters to look at the curvature)"
	case !at.curved() && len(at.theta) <= MostCurvature:
		return "not a maximum: the log density does not fall in every direction from here. It is flat, a saddle, " +
			"greatest at the edge of a support, or rises " +
			"without end, as where a scale goes to 0 and takes its effects with it; sample the model instead, or " +
			"give it priors that keep it from there"
	case best.Iterations >= o.Iterations:
		return fmt.Sprintf("not converged after %d iterations: allow more with --iterations", o.Iterations)
	}
	return fmt.Sprintf("not converged: by its curvature the log density can still rise by %.2g", at.decrement)
}
