package optimize

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// lbfgs climbs from one start after the other. A climb also ends if a line search finds no higher point. In most cases
// the density is then not precise enough for more progress; refine checks whether the end is a maximum.
func (p *problem) lbfgs(starts [][]float64, o Options) (ends []End, err error) {
	for _, start := range starts {
		f := &climb{problem: p}
		result, err := optimize.Minimize(optimize.Problem{Func: f.value, Grad: f.slope, Status: f.status}, start,
			f.settings(o), &optimize.LBFGS{})
		if f.err != nil {
			return nil, f.err
		}
		if result == nil {
			return nil, err
		}
		ends = append(ends, End{Theta: result.X, LogDensity: -result.F, Iterations: result.MajorIterations})
	}
	return ends, nil
}

// A climb presents a problem to gonum: −log density, and the gradient at the same point without a second evaluation.
type climb struct {
	*problem
	at   []float64
	here point
	err  error
}

func (f *climb) settings(o Options) *optimize.Settings {
	return &optimize.Settings{MajorIterations: o.Iterations, Converger: &optimize.FunctionConverge{Absolute: 1e-9,
		Relative: 1e-12, Iterations: 20}}
}

func (f *climb) look(x []float64) point {
	if f.err == nil && (f.at == nil || !floats.Equal(x, f.at)) {
		f.at = append(f.at[:0], x...)
		var found []point
		found, f.err = f.evaluate([][]float64{f.at})
		if f.err == nil {
			f.here = found[0]
		}
	}
	return f.here
}

func (f *climb) value(x []float64) float64 { return -f.look(x).total() }

// slope sets the gradient to 0 if it is not finite: gonum requests it only at points from which it will continue, and
// it cannot continue from such a point.
func (f *climb) slope(to, x []float64) {
	g := f.look(x).gradient
	for i := range to {
		to[i] = -g[i]
		if math.IsNaN(to[i]) || math.IsInf(to[i], 0) {
			to[i] = 0
		}
	}
}

func (f *climb) status() (optimize.Status, error) {
	if f.err != nil {
		return optimize.Failure, f.err
	}
	return optimize.NotTerminated, nil
}
