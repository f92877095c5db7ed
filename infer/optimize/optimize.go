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
	Method string // "lbfgs", "adam" or "sgd"
	Starts int    // points to begin at
	// Start is the k-th of them; further ones are for those where the target is not finite. nil: the target chooses
	Start      func(k int) []float64
	Iterations int     // of each start at most; 0: 2,000
	Rate       float64 // of adam and sgd at first; 0: chosen
	// rows of a minibatch for the gradients of adam and sgd; 0: all. The target is then an infer.Splittable
	Batch   int
	Seed    uint64
	Threads int // 0 means all cores
	Device  infer.Device
}

// Defaults are L-BFGS from four starts. The device is the caller's to choose.
func Defaults() Options { return Options{Method: "lbfgs", Starts: 4, Iterations: 2000} }

// A Result is the best point found.
type Result struct {
	Theta            []float64 // unconstrained
	Values           []float64 // Target.Values there
	SD               []float64 // of Values, by Laplace's approximation; nil without one
	LogPrior, LogLik float64
	Converged        bool
	Message          string // how the search ended, in words
	Ends             []End  // of all starts
	Gradients        int64
}

// An End is where a start led.
type End struct {
	Theta      []float64
	LogDensity float64
	Iterations int
}

// Maximize searches from several starts and refines the best result. If ctx is cancelled it returns ctx.Err(); any
// other error says that the device failed, that the target is finite nowhere, or for minibatches, why there are no
// rows. A search that does not converge is no error: the result says so.
func Maximize(ctx context.Context, t infer.Target, o Options) (Result, error) {
	p, err := open(ctx, t, o)
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
	// R [dim, dim], row-major and upper triangular, with R Rᵀ the covariance; nil where the density is not curved like
	// a peak, or too large to look at
	Root      []float64
	Converged bool
}

// Peaks searches from several starts and refines the end of each; errors are those of Maximize.
func Peaks(ctx context.Context, t infer.Target, o Options) ([]Peak, error) {
	p, err := open(ctx, t, o)
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
	starts, err := p.starts(o)
	if err != nil {
		return nil, err
	}
	switch o.Method {
	case "lbfgs":
		return p.lbfgs(starts, o)
	case "adam":
		return p.ascend(starts, o, func(dim int) Rule { return NewAdam(dim) })
	case "sgd":
		return p.ascend(starts, o, func(dim int) Rule { return NewMomentum(dim) })
	}
	panic("internal error: no method " + o.Method)
}

// Methods that can be named.
func Methods() []string { return []string{"lbfgs", "adam", "sgd"} }

// conclude refines the best end and says how good it is.
func (p *problem) conclude(ends []End) (Result, error) {
	best := ends[0]
	for _, e := range ends {
		if e.LogDensity > best.LogDensity || math.IsNaN(best.LogDensity) {
			best = e
		}
	}
	at, err := p.refine(best.Theta)
	if err != nil {
		return Result{}, err
	}
	r := Result{Theta: at.theta, Converged: at.converged, Message: at.words(best, p.options), Ends: ends}
	if r.SD, err = p.spread(at); err != nil {
		return Result{}, err
	}
	if r.Values, err = p.values(at.theta); err != nil {
		return Result{}, err
	}
	r.LogPrior, r.LogLik, r.Gradients = at.logPrior, at.logLik, p.gradients
	return r, nil
}

// words say how a search ended.
func (at peak) words(best End, o Options) string {
	switch {
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
