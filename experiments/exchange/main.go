// Exchange studies tests of replica swaps with energies estimated from minibatches. The replicas of a conjugate normal
// model move by exact draws, so that any error comes from the swaps.
//
//	go run ./experiments/exchange
//
// It writes experiments/exchange/RESULTS.md, batch.svg and skew.svg.
package main

import (
	"flag"
	"fmt"
	"log"
	"path/filepath"

	"gonum.org/v1/plot/plotter"

	"ppl/experiments/lab"
)

const home = "experiments/exchange"

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 100_000, "rounds of moves and swaps for each test")
	flag.Parse()
	if err := run(*rounds); err != nil {
		log.Fatal(err)
	}
}

func run(rounds int) error {
	text := fmt.Sprintf(preface, lab.Machine())
	path := filepath.Join(home, "RESULTS.md")
	if err := lab.Section(path, text, "The tests", fmt.Sprintf(aboutTests, compareTests(rounds))); err != nil {
		return err
	}
	table, err := compareBatches(rounds)
	if err != nil {
		return err
	}
	if err := lab.Section(path, text, "Size of the minibatch", fmt.Sprintf(aboutBatches, table)); err != nil {
		return err
	}
	if table, err = compareSkew(40 * rounds); err != nil {
		return err
	}
	return lab.Section(path, text, "Noise that is not normal", fmt.Sprintf(aboutSkew, table))
}

func compareTests(rounds int) string {
	t := lab.Table{Columns: []string{"test", "variance over the truth", "±", "swap rate, coldest pair", "rows a swap",
		"mean σ² of log ratio"}}
	for _, x := range tests() {
		r := newLadder(1).run(x, firstBatch, rounds)
		t.Add(x.name, fmt.Sprintf("%.3f", r.ratio), r.error, r.rate, int(r.rows), r.noise)
		log.Printf("%s: %.3f ± %.3f", x.name, r.ratio, r.error)
	}
	return t.String()
}

// compareBatches compares tests that use minibatches of a fixed size, for increasing sizes.
func compareBatches(rounds int) (string, error) {
	shown := []test{ignoring(), penaltyAsIs(), clamped()}
	t, lines := lab.Table{Columns: []string{"rows"}}, make([]lab.Line, len(shown))
	for _, x := range shown {
		t.Columns = append(t.Columns, x.name)
	}
	for _, batch := range []int{128, 256, 512, 1024, 2048, 4096} {
		cells := []any{batch}
		for i, x := range shown {
			r := newLadder(2).run(x, batch, rounds/2)
			cells = append(cells, fmt.Sprintf("%.3f ± %.3f", r.ratio, r.error))
			lines[i].Name = x.name
			lines[i].Points = append(lines[i].Points, plotter.XY{X: float64(batch), Y: r.ratio})
		}
		t.Add(cells...)
	}
	axes := lab.Axes{Title: "Swaps decided by one minibatch", X: "rows, of 10,000", Y: "variance over the truth",
		LogX: true}
	return t.String(), lab.Lines(filepath.Join(home, "batch.svg"), axes, lines...)
}

// compareSkew tabulates log E[accept | Δ = 1] − log E[accept | Δ = −1], which is 1 under detailed balance.
func compareSkew(draws int) (string, error) {
	shown := []test{ignoring(), penaltyAsIs(), compensated()}
	t := lab.Table{Columns: []string{"distribution of a row's difference", "σ²"}}
	for _, x := range shown {
		t.Columns = append(t.Columns, x.name)
	}
	var lines []lab.Line
	for _, s := range skews() {
		line := lab.Line{Name: s.name}
		for _, variance := range []float64{.25, .5, 1, 3, 7.4} {
			cells := []any{s.name, variance}
			for _, x := range shown {
				if variance > 1 && x.most <= 1 {
					cells = append(cells, "grows")
					continue
				}
				b := balance(x, s, variance, draws/firstBatch)
				cells = append(cells, fmt.Sprintf("%.3f", b))
				if x.name == penaltyAsIs().name {
					line.Points = append(line.Points, plotter.XY{X: variance, Y: b})
				}
			}
			t.Add(cells...)
		}
		lines = append(lines, line)
	}
	axes := lab.Axes{Title: "Penalty test under skewed noise", X: "σ²", Y: "log ratio of acceptance at Δ = ±1",
		LogX: true}
	return t.String(), lab.Lines(filepath.Join(home, "skew.svg"), axes, lines...)
}

const preface = `# Exchange under minibatch noise

The mean of 10,000 normal rows under a flat prior: its posterior is normal. Four replicas at temperatures 1.5ʲ; between swaps each moves by an autoregressive step that keeps its own
distribution exactly (correlation .9). Swaps, even and odd pairs in turn, are decided from differences of log likelihood over rows drawn without replacement.
This is a simulation of its own that shares nothing with the engine but the distribution of the compensation; the engine's swaps are held to the same posterior in
the tests of infer/renhd.

    go run ./experiments/exchange

%s
`

const aboutTests = `Batches of 256; tests with a bound on the variance of the log ratio add rows, 256 at a time, until it holds. The error is a Monte Carlo standard error.

%s
Taking an estimate for the truth accepts too much and widens the cold distribution. The penalty is exact for normal noise, however large, but accepts little then; with growth, tests
are right. Clamping, which takes what a batch says although it is noisier than the test allows for, is hardly better than ignoring the noise. Barker's test with
the paper's compensation needs five times less variance and so more rows; it accepts less than the penalty. Without the finite population correction the variance is said to be larger than it is, less noise is filled
in than the compensation counts on, and the cold distribution comes out too narrow.
`

const aboutBatches = `Without growth.

%s
![one minibatch](batch.svg)
`

const aboutSkew = `Log ratio of the mean acceptances at Δ = 1 and −1 (1 where detailed balance holds) when the estimate is a mean of 256 differences, whose distribution is skewed.

%s
![skew](skew.svg)

The penalty is exact for normal noise alone: at σ² = 7.4 a lognormal distribution of differences ruins it. This is why the engine lets estimates grow to σ² ≤ 1, and warns of skew.
`
