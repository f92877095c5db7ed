package examples_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/infer/renhd"
	"ppl/posterior/stats"
)

// TestMinibatchesOfWeightsAndRowSets uses rows with weights, and a model with two sets of rows, the larger of which is
// divided into minibatches. Means and standard deviations of the posteriors, which are normal, agree with the formulas
// to four standard errors of 800 effective draws. Ignoring the weights would make the first posterior wider by √2.
func TestMinibatchesOfWeightsAndRowSets(t *testing.T) {
	const n, m = 4000, 3000
	r := rand.New(rand.NewPCG(1, 2))
	var data strings.Builder
	data.WriteString("y,w\n")
	weights, sum, weighted := 0.0, 0.0, 0.0
	for i := range n {
		y, w := 1+r.NormFloat64(), float64(1+i%3)
		fmt.Fprintf(&data, "%v,%v\n", y, w)
		weights, sum, weighted = weights+w, sum+y, weighted+w*y
	}
	var others strings.Builder
	others.WriteString("z\n")
	sumOthers := 0.0
	for range m {
		z := 1 + 2*r.NormFloat64()
		fmt.Fprintf(&others, "%v\n", z)
		sumOthers += z
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rows, more := compiler.DataArg{Path: write("rows.csv", data.String())}, compiler.DataArg{Path: write("more.csv",
		others.String())}
	for _, c := range []struct {
		model               string
		data                []compiler.DataArg
		precision, weighted float64
		noted               bool
	}{
		{"data y[N], w[N]\nmu ~ Normal(0, 10)\ny[i in N] ~ Density(-0.5 * w[i] * (y[i] - mu)^2)\n",
			[]compiler.DataArg{rows}, weights + 0.01, weighted, false},
		{"data y[N]\ndata z[M]\nmu ~ Normal(0, 10)\ny[i in N] ~ Normal(mu, 1)\nz[j in M] ~ Normal(mu, 2)\n",
			[]compiler.DataArg{rows, more}, n + m/4. + 0.01, sum + sumOthers/4, true},
	} {
		p := load(t, write("model.ppl", c.model+"infer renhd(batch = 64)\n"), c.data...)
		o := defaults(4)
		o.Draws, o.Warmup = 300, 200
		draws, report := sampleBy(t, renhd.Sample, p, o)
		s, sd := stats.Summarize(draws["mu"]), 1/math.Sqrt(c.precision)
		if math.Abs(s.Mean-c.weighted/c.precision) > 4*sd/math.Sqrt(800) ||
			math.Abs(s.SD/sd-1) > 4/math.Sqrt(2*800) {
			t.Errorf("%s: mean %v, sd %v; want %v, %v", c.model, s.Mean, s.SD, c.weighted/c.precision, sd)
		}
		noted := strings.Contains(strings.Join(report.Notes, " "), "are computed in full at each step")
		if report.Batch != 64 || noted != c.noted {
			t.Errorf("%s: batches of %d: %v", c.model, report.Batch, report.Notes)
		}
	}
}
