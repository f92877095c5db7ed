// Stepsize measures the bias of integration rules: the variance of draws of normal variables whose true variance is 1,
// against the step size, with exact and with noisy gradients.
//
//	go run ./experiments/stepsize
//
// It writes experiments/stepsize/RESULTS.md, exact.svg and noisy.svg.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"

	"ppl/experiments/lab"
)

const (
	home     = "experiments/stepsize"
	friction = 0.1
)

// A rule moves walkers. bias returns the theoretical variance for step h and gradient noise of variance v; nil if it is
// always 1.
type rule struct {
	name, settings string
	bias           func(h, v float64) float64
}

func rules() []rule {
	return []rule{
		{"BADODAB (renhd)", "--sampler renhd --set dynamics=nosehoover --set replicas=1", nil},
		{"SGNHT, Euler", "--sampler sgnht", func(h, v float64) float64 { return 1 - (friction+h*h*v/2)/2 }},
		{"RENHD as printed", "--sampler renhd-paper --set replicas=1", nil},
		{"SGHMC", "--sampler sghmc", func(h, v float64) float64 { return oscillator(friction, 2*friction+h*h*v, h) }},
		{"RELD", "--sampler reld --set replicas=1", func(h, v float64) float64 {
			return oscillator(.999+friction, 2*(.999+friction)+h*h*v, h)
		}},
		{"SGLD", "--sampler sgld", func(h, v float64) float64 { return (1 + h*h*v/4) / (1 - h*h/4) }},
	}
}

// oscillator returns the stationary variance of θ under p ← (1 − s)p − hθ + N(0, q), θ ← θ + hp. From Σ = AΣAᵀ + Q,
// with a = 1 − s: q(1 + a)/(s(2(1 + a) − h²)).
func oscillator(s, q, h float64) float64 {
	a := 1 - s
	return q * (1 + a) / (s * (2*(1+a) - h*h))
}

func main() {
	log.SetFlags(0)
	draws := flag.Int("draws", 150, "`N` draws of each of 16 variables in each of 16 chains")
	flag.Parse()
	if err := run(*draws); err != nil {
		log.Fatal(err)
	}
}

func run(draws int) error {
	bench, err := lab.Open()
	if err != nil {
		return err
	}
	defer bench.Close()
	text := fmt.Sprintf(preface, 16*draws, lab.Machine())
	for _, part := range []struct {
		name, file, words string
		noise             float64
	}{{"Exact gradients", "exact", aboutExact, 0}, {"Noisy gradients", "noisy", aboutNoisy, 4}} {
		table, lines, err := measureAll(bench, part.noise, draws)
		if err != nil {
			return err
		}
		axes := lab.Axes{Title: part.name, X: "step size", Y: "variance over the truth", LogX: true}
		if err := lab.Lines(filepath.Join(home, part.file+".svg"), axes, lines...); err != nil {
			return err
		}
		if err := lab.Section(filepath.Join(home, "RESULTS.md"), text, part.name,
			fmt.Sprintf(part.words, table, part.file)); err != nil {
			return err
		}
	}
	return nil
}

func stepSizes() []float64 { return []float64{.05, .1, .2, .4, .8} }

// measureAll returns a table of rules by step sizes, with theoretical values in parentheses, and a line for each rule.
func measureAll(bench *lab.Bench, noise float64, draws int) (string, []lab.Line, error) {
	t := lab.Table{Columns: []string{"rule"}}
	for _, h := range stepSizes() {
		t.Columns = append(t.Columns, fmt.Sprint(h))
	}
	var lines []lab.Line
	for _, r := range rules() {
		cells, line := []any{r.name}, lab.Line{Name: r.name}
		for _, h := range stepSizes() {
			v, err := measure(bench, r, h, noise, draws)
			if err != nil {
				return "", nil, err
			}
			cells, line.Points = append(cells, cell(r, v, h, noise)), append(line.Points, plotter.XY{X: h, Y: v})
			log.Printf("%s, step %v, noise %v: %.3f", r.name, h, noise, v)
		}
		t.Add(cells...)
		lines = append(lines, line)
	}
	return t.String(), lines, nil
}

func cell(r rule, v, h, noise float64) string {
	if math.IsInf(v, 1) {
		return "diverged"
	}
	if r.bias == nil {
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.3f (%.3f)", v, r.bias(h, noise))
}

// measure returns the mean square of all variables, which is their variance since the mean is 0. It is infinite if
// walkers diverged.
func measure(bench *lab.Bench, r rule, h, noise float64, draws int) (float64, error) {
	steps := int(math.Min(math.Max(math.Ceil(6/h), 10), 100))
	args := strings.Fields(r.settings + " --chains 16 --warmup 100 --set metric=identity")
	for name, value := range map[string]float64{"step_size": h, "steps": float64(steps), "noise": noise,
		"friction": friction} {
		args = append(args, "--set", name+"="+strconv.FormatFloat(value, 'g', -1, 64))
	}
	run, err := bench.Sample(filepath.Join(home, "normals.ppl"), 1, append(args, "--draws", strconv.Itoa(draws))...)
	if err != nil {
		return 0, err
	}
	chains, err := run.Draws("x")
	if err != nil {
		return 0, err
	}
	sum, n := 0.0, 0.0
	for _, c := range chains {
		for _, x := range c {
			sum, n = sum+x*x, n+1
		}
	}
	if v := sum / n; v < 100 {
		return v, run.Discard()
	}
	return math.Inf(1), run.Discard()
}

const preface = `# Bias against step size

Sixteen normal variables of variance 1, walkers without a ladder, friction c = .1, the step fixed in the target's own coordinates. The table is the mean square of the draws,
16 × %d of them: their standard error is about .006 where draws are independent. In brackets what theory says: exact for Langevin rules, which are
linear; for the Euler thermostat 1 − s/2 with s = c + h²V/2, to first order.

    go run ./experiments/stepsize

%s
`

const aboutExact = `%s
![exact gradients](%s.svg)

The symmetric splitting has no bias that can be seen at any of these steps. That of Euler's thermostat does not vanish with the step: it is c/2, and only a smaller friction makes it
smaller; at .8 it has no stationary state. Langevin rules are biased like h².
`

const aboutNoisy = `Noise of variance 4 in each component of the gradient.

%s
![noisy gradients](%s.svg)

A thermostat absorbs the noise as long as h²V is small compared with 1: the engine measures V and keeps h ≤ √(.2/V), .22 here, where its bias is 1 % at most; at .4 it
can, and at .8 it is large. Rules of fixed friction turn noise into temperature. Euler's thermostat pays with a bias of s/2, which grows with the noise, and diverges
sooner; RENHD as printed resets the thermostat with every trajectory, and so never gets to know the noise.
`
