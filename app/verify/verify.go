// Package verify compares the log density of a Stan program, evaluated directly, with that of the translated model:
//
//	m, err := evaluate.New(program, info, data)
//	r, err := verify.Densities(m, model, names)
//	fmt.Println(r.Finite, r.Difference)
//
// Both densities are known up to a constant, so their difference must be the same at all points.
package verify

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"ppl/compiler"
	"ppl/compiler/datasets/datafile/content"
	"ppl/lang/stan"
	"ppl/lang/stan/evaluate"
	"ppl/numbers"
)

// Points is the number of points to compare. At most tries points are tried to find that many with a finite density.
const (
	Points = 20
	tries  = 200
)

// A Result is the result of a comparison.
type Result struct {
	Finite     int     // number of points with a finite density
	Others     int     // number of points that the program rejects, or at which neither density is finite
	Difference float64 // largest change of the difference from that at the first point, relative to the density
	solves     bool
}

// Agree reports whether the difference is constant up to rounding, or up to the solver's tolerance if the program
// solves differential equations.
func (r Result) Agree() bool {
	if r.solves {
		return r.Difference <= 1e-2
	}
	return r.Difference <= 1e-9
}

// A Disagreement is a point at which only one of the densities is finite.
type Disagreement struct {
	At         stan.Data
	Want, Have float64
	Err        error // reason why the model has no density there
}

func (d *Disagreement) Error() string {
	if d.Err != nil {
		return fmt.Sprintf("the log density of the program is %g, but the model has none: %v", d.Want, d.Err)
	}
	return fmt.Sprintf("the log density of the program is %g, that of the model %g", d.Want, d.Have)
}

// Densities compares the two densities at points within the bounds of the parameters. names maps parameters of the
// program to their names in the model, if these differ. The points are the same in each call.
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

// A comparison accumulates the results of the points so far.
type comparison struct {
	Result
	first, least float64 // difference at the first point, and the smallest density of the model
}

// underflow is the amount by which the log density at a point must be below all others if a factor underflows in double
// precision.
const underflow = 500

// add adds a point. If a probability underflows to 0 in the program, the model may still have its logarithm; and the
// model's solver may fail. Such points are not compared.
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

// coordinates returns the coordinates of one try: near 0, positive, further out, or very near 0. Points are closer if a
// solver is used, since it may fail far out.
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
	values := map[string]*content.Array{}
	for name, a := range at {
		if other, ok := names[name]; ok {
			name = other
		}
		values[name] = &content.Array{Name: name, Shape: a.Dims, Values: numbers.Of(a.Values...)}
	}
	l, err := model.LogProb(values)
	if err != nil {
		return 0, err
	}
	return l.Prior + l.Likelihood, nil
}

// isFinite reports whether a density is finite. Huge values count as overflows.
func isFinite(v float64) bool { return math.Abs(v) < 1e30 }
