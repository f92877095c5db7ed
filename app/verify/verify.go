// Package verify compares the log density of a program of Stan, which is run as it is, with that of the model that was
// made of it:
//
//	m, err := evaluate.New(program, info, data)
//	r, err := verify.Densities(m, model, names)
//	fmt.Println(r.Finite, r.Difference)
//
// Both are known up to a constant, so that the differences at all points have to be one number.
package verify

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"ppl/compiler"
	"ppl/compiler/datasets/datafile"
	"ppl/lang/stan"
	"ppl/lang/stan/evaluate"
	"ppl/numbers"
)

// Points is the number of points that are compared; at most tries are made to find that many with a finite density.
const (
	Points = 20
	tries  = 200
)

// A Result is what a comparison found.
type Result struct {
	Finite     int     // points with a finite density
	Others     int     // points that the program rejects, or at which neither density is finite
	Difference float64 // the largest difference, less that at the first point, relative to the density
	solves     bool
}

// Agree reports whether the densities differ by no more than rounding, or than the errors of a solver with the
// tolerances of the program.
func (r Result) Agree() bool {
	if r.solves {
		return r.Difference <= 1e-2
	}
	return r.Difference <= 1e-9
}

// A Disagreement is a point at which one density is finite and the other is not.
type Disagreement struct {
	At         stan.Data
	Want, Have float64
	Err        error // why the model has none
}

func (d *Disagreement) Error() string {
	if d.Err != nil {
		return fmt.Sprintf("the log density of the program is %g, but the model has none: %v", d.Want, d.Err)
	}
	return fmt.Sprintf("the log density of the program is %g, that of the model %g", d.Want, d.Have)
}

// Densities compares both at points within the bounds of the parameters. names are those of parameters that the model
// calls otherwise. The points are the same in each call.
func Densities(m *evaluate.Machine, model *compiler.Program, names map[string]string) (Result, error) {
	c := comparison{Result: Result{solves: m.Solves()}}
	rnd := rand.New(rand.NewPCG(55, 1))
	for try := 0; try < tries && c.Finite < Points; try++ {
		at, err := m.Point(coordinates(rnd, try, c.solves))
		if err != nil {
			return c.Result, err
		}
		want, err := m.LogDensity(at)
		if errors.Is(err, evaluate.ErrRejected) {
			c.Others++
			continue
		} else if err != nil {
			return c.Result, err
		}
		have, err := modelDensity(model, at, names)
		if err := c.add(&Disagreement{at, want, have, err}); err != nil {
			return c.Result, err
		}
	}
	return c.Result, nil
}

// A comparison has the points so far.
type comparison struct {
	Result
	first, least float64 // the difference at the first point, and the least density of the model
}

// underflow is how far below all others a density is whose factors are 0 in double precision.
const underflow = 500

// add compares at one point. Where the program's density is 0 since a probability was too small for a double, the model
// may have kept its logarithm. The solver of the model may have given up.
func (c *comparison) add(p *Disagreement) error {
	have := p.Err == nil && isFinite(p.Have)
	switch {
	case !isFinite(p.Want) && !have,
		math.IsInf(p.Want, -1) && have && p.Have < c.least-underflow,
		c.solves && p.Err == nil && math.IsNaN(p.Have):
		c.Others++
		return nil
	case !isFinite(p.Want) || !have:
		return p
	case c.Finite == 0:
		c.first = p.Have - p.Want
	}
	c.Finite++
	c.least = math.Min(c.least, p.Have)
	c.Difference = math.Max(c.Difference, math.Abs(p.Have-p.Want-c.first)/math.Max(1, math.Abs(p.Want)))
	return nil
}

// coordinates returns the coordinates of one try: near 0, on the positive side, further out, very near 0. A solver may
// give up where they are far out.
func coordinates(rnd *rand.Rand, try int, solves bool) func() float64 {
	scale := []float64{0.5, 0.5, 1.5, 0.05}[try%4]
	if solves && try/4%2 == 0 {
		scale /= 5
	}
	return func() float64 {
		z := scale * rnd.NormFloat64()
		if try%4 == 1 {
			return math.Abs(z)
		}
		return z
	}
}

func modelDensity(model *compiler.Program, at stan.Data, names map[string]string) (float64, error) {
	values := map[string]*datafile.Array{}
	for name, a := range at {
		if other, ok := names[name]; ok {
			name = other
		}
		values[name] = &datafile.Array{Name: name, Shape: a.Dims, Values: numbers.Of(a.Values...)}
	}
	l, err := model.LogProb(values)
	if err != nil {
		return 0, err
	}
	return l.Prior + l.Likelihood, nil
}

// isFinite reports a density that is not infinite, undefined, or the result of an overflow on the way.
func isFinite(v float64) bool { return math.Abs(v) < 1e30 }
