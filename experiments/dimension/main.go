// Dimension measures how the number of replicas that a ladder needs grows with the number of dimensions.
//
//	go run ./experiments/dimension
//
// It writes experiments/dimension/RESULTS.md, barrier.svg and rate.svg.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"

	"ppl/experiments/lab"
)

const (
	home    = "experiments/dimension"
	hottest = 16
)

func main() {
	log.SetFlags(0)
	draws := flag.Int("draws", 500, "draws of each of two chains")
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
	text := fmt.Sprintf(preface, lab.Machine())
	path := filepath.Join(home, "RESULTS.md")
	table, normal, err := ladders(bench, "normal", []int{2, 5, 10, 20, 50, 100, 200}, draws, func(d int) string {
		return "--set path=energy --set replicas=" + strconv.Itoa(rungs(barrier(d)))
	})
	if err != nil {
		return err
	}
	if err := lab.Section(path, text, "A normal distribution",
		fmt.Sprintf(aboutNormal, table, slope(normal))); err != nil {
		return err
	}
	table, two, err := ladders(bench, "two", []int{2, 5, 10, 20, 50, 100}, draws, func(int) string { return "" })
	if err != nil {
		return err
	}
	if err := lab.Section(path, text, "Two modes", fmt.Sprintf(aboutTwo, table, slope(two))); err != nil {
		return err
	}
	if err := figure(normal, two); err != nil {
		return err
	}
	table, err = fixed()
	if err != nil {
		return err
	}
	return lab.Section(path, text, "A fixed ratio", fmt.Sprintf(aboutFixed, table))
}

// barrier returns the barrier Λ of the energy path from temperature 1 to the hottest for a normal distribution. The
// potential at inverse temperature β is Gamma(d/2)/β, so that Λ = ½ ∫ E|U − U'| dβ = ½ E|G − G'| log T, with E|G − G'|
// = 2 Γ(k + ½)/(√π Γ(k)), k = d/2.
func barrier(d int) float64 {
	k := float64(d) / 2
	a, _ := math.Lgamma(k + 0.5)
	b, _ := math.Lgamma(k)
	return math.Log(hottest) * math.Exp(a-b) / math.Sqrt(math.Pi)
}

// rungs returns the number of rungs for which half of all swaps are accepted (Syed et al. 2021): one rejection in two
// for each of 2Λ gaps.
func rungs(barrier float64) int { return int(math.Ceil(2*barrier)) + 1 }

// rate returns the acceptance rate of Metropolis swaps between two temperatures of a normal distribution: 2 P(U > U') =
// 2 I(1/(1 + ratio); k, k), where U is the colder potential and k = d/2.
func rate(d, ratio float64) float64 { return 2 * mathext.RegIncBeta(d/2, d/2, 1/(1+ratio)) }

// ladders samples a model in several dimensions. It returns a table and the points (dimension, barrier).
func ladders(bench *lab.Bench, model string, dims []int, draws int, settings func(d int) string) (string,
	plotter.XYs, error) {
	t := lab.Table{Columns: []string{"d", "rungs", "hottest", "swap rates", "Λ", "round trips per 1000 " +
		"iterations of a chain"}}
	if model == "normal" {
		t.Columns = append(t.Columns, "Λ of this ladder in theory", "of infinitely many rungs")
	}
	var points plotter.XYs
	for _, d := range dims {
		data, err := bench.File("d.json", fmt.Sprintf(`{"D": %d}`, d))
		if err != nil {
			return "", nil, err
		}
		args := strings.Fields("--chains 2 --warmup 500 --data " + data + " --draws " + strconv.Itoa(draws) + " " +
			settings(d))
		r, err := bench.Sample(filepath.Join(home, model+".ppl"), 1, args...)
		if err != nil {
			return "", nil, err
		}
		x := r.Exchange
		if x == nil {
			return "", nil, fmt.Errorf("%s in %d dimensions: no ladder", model, d)
		}
		n := len(x.Temperatures)
		cells := []any{d, n, x.Temperatures[n-1], fmt.Sprintf("%.2f to %.2f", least(x.SwapRates),
			-least(negative(x.SwapRates))), x.Barrier,
			1000 * float64(x.RoundTrips) / float64(2*draws*r.Thin)}
		if model == "normal" {
			cells = append(cells, float64(n-1)*(1-rate(float64(d), math.Pow(hottest, 1/float64(n-1)))), barrier(d))
		}
		t.Add(cells...)
		points = append(points, plotter.XY{X: float64(d), Y: x.Barrier})
		log.Printf("%s, %d dimensions: %d rungs, Λ %.2f", model, d, n, x.Barrier)
		if err := r.Discard(); err != nil {
			return "", nil, err
		}
	}
	return t.String(), points, nil
}

func least(xs []float64) float64 {
	out := math.Inf(1)
	for _, x := range xs {
		out = math.Min(out, x)
	}
	return out
}

func negative(xs []float64) (out []float64) {
	for _, x := range xs {
		out = append(out, -x)
	}
	return out
}

// slope returns the slope of log y by log x, for at least ten dimensions.
func slope(points plotter.XYs) float64 {
	var x, y []float64
	for _, p := range points {
		if p.X >= 10 {
			x, y = append(x, math.Log(p.X)), append(y, math.Log(p.Y))
		}
	}
	_, b := stat.LinearRegression(x, y, nil, false)
	return b
}

func figure(normal, two plotter.XYs) error {
	var theory plotter.XYs
	for _, p := range normal {
		theory = append(theory, plotter.XY{X: p.X, Y: barrier(int(p.X))})
	}
	axes := lab.Axes{Title: "Barrier against dimension", X: "dimensions", Y: "Λ", LogX: true, LogY: true}
	return lab.Lines(filepath.Join(home, "barrier.svg"), axes, lab.Line{Name: "normal distribution", Points: normal},
		lab.Line{Name: "normal distribution, theory", Points: theory}, lab.Line{Name: "two modes", Points: two})
}

// fixed tabulates and plots the acceptance rate of ladders with a fixed ratio.
func fixed() (string, error) {
	t := lab.Table{Columns: []string{"d", "rate at τ = 1.5", "rate at τ = 1.2", "τ for a rate of .3"}}
	lines := []lab.Line{{Name: "τ = 1.5"}, {Name: "τ = 1.2"}}
	for _, d := range []float64{2, 10, 100, 1000, 89_290} {
		t.Add(int(d), rate(d, 1.5), rate(d, 1.2), fmt.Sprintf("%.4f", ratioFor(d, 0.3)))
	}
	for d := 1.0; d < 1000; d *= 1.5 {
		for i, ratio := range []float64{1.5, 1.2} {
			lines[i].Points = append(lines[i].Points, plotter.XY{X: d, Y: rate(d, ratio)})
		}
	}
	axes := lab.Axes{Title: "Swap rate at a fixed ratio, normal distribution", X: "dimensions", Y: "rate", LogX: true}
	return t.String(), lab.Lines(filepath.Join(home, "rate.svg"), axes, lines...)
}

// ratioFor solves rate(d, ratio) = goal by bisection.
func ratioFor(d, goal float64) float64 {
	lo, hi := 1.0, 1e6
	for range 100 {
		if mid := math.Sqrt(lo * hi); rate(d, mid) > goal {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

const preface = `# Replicas against dimension

The paper says that the number of replicas grows like √d. What decides it is the barrier Λ, the sum of rejections along a ladder of many rungs (Syed et al. 2021): about 2Λ + 1 rungs are
right. The engine spaces the rungs; Λ is as measured in sampling.

    go run ./experiments/dimension

%s

![barrier](barrier.svg)
`

const aboutNormal = `Energy path from temperature 1 to 16, rungs from theory's Λ, in closed form: log T · Γ(d/2 + ½)/(√π Γ(d/2)), or log T · √(d/2π) for large d. A
ladder of finitely many rungs rejects a little less, in closed form, too.

%s
The slope of log Λ by log d, from ten dimensions on, is %.2f; √d has .5.
`

const aboutTwo = `Two modes 10 standard deviations apart, in any number of dimensions; the engine decides that a ladder is needed, how hot, and how many rungs.

%s
The slope of log Λ by log d, from ten dimensions on, is %.2f. Temperature heats every dimension, though one alone has the
barrier: Λ is that of a normal distribution with as many dimensions, and where the engine finds that walkers do not forget and goes hotter, the ladder is longer.
`

const aboutFixed = `What a ladder with a fixed ratio τ accepts on a normal distribution, in closed form: 2 I(1/(1 + τ); d/2, d/2), with Metropolis' test. Barker's accepts less.

%s
![rate](rate.svg)

89,290 is the number of weights of the paper's recurrent network. Rates of 30 to 40 %% with τ = 1.2, as it reports, cannot be those of replicas in equilibrium with a potential that is
anything like a normal distribution's: that takes τ as in the last column, and some thousand rungs to reach temperature 16.
`
