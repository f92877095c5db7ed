// Multimodal samples targets with known mode weights at default settings. It measures the error of the weights,
// effective draws per gradient and per second, and whether a wrong run has a warning.
//
//	go run ./experiments/multimodal [-seeds 10] [-samplers renhd,nuts]
//
// It writes experiments/multimodal/RESULTS.md. The models are in its directory models. In each, the mean of `share`,
// the probability of every mode at a draw, is the weight of the mode.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	"ppl/experiments/lab"
)

const home = "experiments/multimodal"

// A target is a model with the true weights of its modes.
type target struct {
	model, words string
	weights      []float64
}

func targets() []target {
	return []target{
		{"geo0", "five modes in the plane", []float64{.30, .10, .25, .15, .20}},
		{"geo1", "five modes of different widths", []float64{.30, .10, .25, .15, .20}},
		{"geo2", "five modes further apart", []float64{.05, .40, .10, .25, .20}},
		{"two10", "two modes at 10 sd in 10 dimensions, 1:2", []float64{1. / 3, 2. / 3}},
		{"two50", "two modes at 10 sd in 50 dimensions, 1:2", []float64{1. / 3, 2. / 3}},
		{"grid", "25 modes on a grid at 10 sd", equal(25)},
		{"forty", "40 modes at random", nil},
		{"banana", "a banana with two branches, 1:2", []float64{1. / 3, 2. / 3}},
		{"labels", "three components without labels", []float64{1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3,
			1. / 3, 1. / 3}},
	}
}

func equal(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 / float64(n)
	}
	return w
}

// A score compares one run with the true weights.
type score struct {
	off       float64 // largest error of a weight
	errors    float64 // largest error of a weight in Monte Carlo standard errors
	ess       float64 // smallest effective sample size of a share
	gradients float64
	seconds   float64
	flagged   bool // a warning concerns the weights
}

func main() {
	log.SetFlags(0)
	seeds := flag.Int("seeds", 10, "seeds 1 to `N`")
	samplers := flag.String("samplers", "renhd,nuts", "samplers to compare")
	flag.Parse()
	if err := run(*seeds, strings.Split(*samplers, ",")); err != nil {
		log.Fatal(err)
	}
}

func run(seeds int, samplers []string) error {
	bench, err := lab.Open()
	if err != nil {
		return err
	}
	defer bench.Close()
	table := lab.Table{Columns: []string{"target", "sampler", "weight error (median)", "(worst)", "ESS",
		"ESS per 1000 gradients", "ESS per second",
		"seconds", "wrong", "wrong and silent"}}
	for _, t := range targets() {
		if t.weights == nil {
			if t.weights, err = readWeights(filepath.Join(home, "models", t.model+".ppl")); err != nil {
				return err
			}
		}
		for _, sampler := range samplers {
			var scores []score
			for seed := 1; seed <= seeds; seed++ {
				s, err := measure(bench, t, sampler, seed)
				if err != nil {
					return err
				}
				scores = append(scores, s)
			}
			add(&table, t, sampler, scores)
			log.Printf("%s by %s done", t.model, sampler)
		}
	}
	return os.WriteFile(filepath.Join(home, "RESULTS.md"),
		[]byte(fmt.Sprintf(text, seeds, seeds, strings.Join(samplers, ","), lab.Machine(), table.String())), 0o666)
}

const text = `# Multimodal targets

Default settings, seeds 1 to %d. Weight error is the largest over the modes; ESS that of the worst mode's share, which counts moves between modes and not
within them. A run is wrong when a weight is off by more than five Monte Carlo standard errors and .02, or more than .1; it is silent when no warning says so.

    go run ./experiments/multimodal -seeds %d -samplers %s

%s; wall-clock times are those of the whole sampling, compiled code cached. Other systems on these targets:
make bench-peers, whose table is in bench/RESULTS.md.

%s`

func measure(bench *lab.Bench, t target, sampler string, seed int) (score, error) {
	r, err := bench.Sample(filepath.Join(home, "models", t.model+".ppl"), seed, "--sampler", sampler)
	if err != nil {
		return score{}, err
	}
	s := score{ess: math.Inf(1), gradients: float64(r.Gradients), seconds: r.Seconds}
	for k, p := range r.Of("share") {
		off := math.Abs(p.Mean - t.weights[k])
		s.off, s.errors = max(s.off, off), max(s.errors, off/p.MCSEMean)
		s.ess = min(s.ess, p.ESSBulk)
	}
	for _, w := range r.Warnings {
		words := w.String()
		s.flagged = s.flagged || strings.Contains(words, "weights of the modes") || strings.Contains(words, "R-hat") ||
			strings.Contains(words, "round trip")
	}
	return s, r.Discard()
}

func (s score) wrong() bool { return s.off > .1 || s.off > .02 && s.errors > 5 }

func add(table *lab.Table, t target, sampler string, scores []score) {
	var off, ess, rate, speed, seconds []float64
	worst, wrong, silent := 0.0, 0, 0
	for _, s := range scores {
		off, ess, seconds = append(off, s.off), append(ess, s.ess), append(seconds, s.seconds)
		rate, speed = append(rate, 1000*s.ess/s.gradients), append(speed, s.ess/s.seconds)
		worst = max(worst, s.off)
		if s.wrong() {
			wrong++
			if !s.flagged {
				silent++
			}
		}
	}
	n := len(scores)
	table.Add(t.words, sampler, lab.Median(off), worst, lab.Median(ess), lab.Median(rate), lab.Median(speed),
		lab.Median(seconds),
		fmt.Sprintf("%d of %d", wrong, n), silent)
}

// readWeights reads the list after `weight[K] = ` in a model.
func readWeights(path string) ([]float64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, list, ok := strings.Cut(string(text), "weight[K] = [")
	if !ok {
		return nil, fmt.Errorf("%s declares no weights", path)
	}
	list, _, _ = strings.Cut(list, "]")
	var weights []float64
	for _, word := range strings.Split(list, ",") {
		var w float64
		if _, err := fmt.Sscan(strings.TrimSpace(word), &w); err != nil {
			return nil, fmt.Errorf("%s: weight %q: %w", path, word, err)
		}
		weights = append(weights, w)
	}
	return weights, nil
}
