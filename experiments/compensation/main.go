// Compensation studies the variable that Barker's test adds to a noisy energy difference: its density, the distance of
// its sum with the noise from the logistic variable that the test needs, and the cost of a draw.
//
//	go run ./experiments/compensation
//
// It writes experiments/compensation/RESULTS.md, density.svg and error.svg.
package main

import (
	"fmt"
	"log"
	"math"
	"path/filepath"

	"gonum.org/v1/plot/plotter"

	"ppl/experiments/lab"
	"ppl/infer/compensation"
)

const home = "experiments/compensation"

// A series is an approximation with its name and parameters.
type series struct {
	name   string
	lambda float64
	terms  int
}

func allSeries() []series {
	return []series{{"no correction", math.Inf(1), 1}, {"λ = 10, 3 terms (the paper)", 10, 3},
		{"λ = ∞, 3 terms", math.Inf(1), 3},
		{"λ = ∞, 5 terms", math.Inf(1), 5}, {"λ = ∞, 8 terms (ppl)", math.Inf(1), 8}}
}

func (s series) distribution(variance float64) compensation.Distribution {
	return compensation.New(variance, s.lambda, s.terms)
}

// isDistribution reports whether the density is nonnegative, up to rounding. The tolerance is relative to the logistic
// density, which has the same tails.
func isDistribution(dist compensation.Distribution) bool {
	logistic := compensation.New(0, math.Inf(1), 1)
	for z := -15.0; z <= 0; z += 0.01 {
		if dist.Density(z) < -1e-9*logistic.Density(z) {
			return false
		}
	}
	return true
}

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	table, err := errors()
	if err != nil {
		return err
	}
	if err := densities(); err != nil {
		return err
	}
	text := fmt.Sprintf(preface, lab.Machine())
	if err := lab.Section(filepath.Join(home, "RESULTS.md"), text, "Error",
		fmt.Sprintf(aboutErrors, table)); err != nil {
		return err
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), text, "Cost of a draw", fmt.Sprintf(aboutDraws, prices()))
}

// errors returns a table of the sup-norm error by variance, and plots it.
func errors() (string, error) {
	t := lab.Table{Columns: []string{"σ²"}}
	var lines []lab.Line
	for _, s := range allSeries() {
		t.Columns = append(t.Columns, s.name)
		line := lab.Line{Name: s.name}
		for v := 0.05; v <= 1.5; v *= 1.15 {
			if dist := s.distribution(v); isDistribution(dist) {
				line.Points = append(line.Points, plotter.XY{X: v, Y: dist.Error(v)})
			}
		}
		lines = append(lines, line)
	}
	for _, v := range []float64{.1, .2, .5, 1, 1.5} {
		cells := []any{v}
		for _, s := range allSeries() {
			if dist := s.distribution(v); isDistribution(dist) {
				cells = append(cells, dist.Error(v))
			} else {
				cells = append(cells, "no density")
			}
		}
		t.Add(cells...)
	}
	return t.String(), lab.Lines(filepath.Join(home, "error.svg"),
		lab.Axes{Title: "Largest error of the CDF, noise added", X: "σ²", Y: "error", LogX: true, LogY: true}, lines...)
}

// densities plots the distributions for σ² = .2 (the paper's) and 1 (ppl's), with the logistic distribution.
func densities() error {
	curve := func(name string, dist compensation.Distribution) lab.Line {
		l := lab.Line{Name: name}
		for z := -6.0; z <= 6; z += 0.2 {
			l.Points = append(l.Points, plotter.XY{X: z, Y: dist.Density(z)})
		}
		return l
	}
	return lab.Lines(filepath.Join(home, "density.svg"), lab.Axes{Title: "Compensation", X: "z", Y: "density"},
		curve("logistic", compensation.New(0, math.Inf(1), 1)), curve("σ² = .2, the paper's",
			compensation.New(0.2, 10, 3)),
		curve("σ² = 1, ppl's", compensation.New(1, math.Inf(1), 8)))
}

const preface = `# The compensation variable

Barker's test accepts where Δ + L > 0, L logistic. Of Δ there is an estimate with normal noise of variance σ²; so L has to be noise + Z, and Z is what remains to
be drawn. No exact distribution of Z exists for any σ² > 0: a series approximates it (Luo et al. 2020, equation 15). Its CDF is a polynomial in the logistic function.

    go run ./experiments/compensation

%s
`

const aboutErrors = `Sup-norm distance between the CDF of noise + Z and the logistic function, by quadrature.

%s
![error](error.svg)

![density](density.svg)

The paper's kernel (λ = 10) has an error floor near 10⁻³, whatever σ² and however many terms; without it (λ = ∞) five terms are a thousand times nearer at its own σ² = .2, and
eight reach at σ² = 1 what the paper's three do not at .2, so that the noise may be five times as large. "More terms give any precision", as the paper has it, is not
so: the series diverges, and past a number of terms that falls with σ² the "density" is negative.
`

const aboutDraws = `Draws of the paper's Z (σ² = .2, λ = 10, three terms); a draw of a chain counts as the fraction of an independent draw that its effective sample size gives.
Wall-clock time of one thread, medians of five, in turn.

%s
The paper claims that its draws are 20 times faster than those of earlier work. X
simpler chains; and rejection from the logistic distribution and a table, as Seita et al. (2017) had it, are faster still. Quantiles need one uniform number for each
draw, which makes them a pure function of seed and place, and half a microsecond is negligible compared with the energies that a swap compares.
`
