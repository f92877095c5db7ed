package minibatch_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/nuts"
	"ppl/infer/renhd"
	"ppl/lang/types"
	"ppl/posterior/stats"
	"ppl/runtime/host"
)

// A kept stores draws by chain.
type kept struct{ values [][][]float64 }

func (k *kept) Begin([]types.Variable) error { return nil }

func (k *kept) Draw(chain int, values, _ []float64) error {
	for len(k.values) <= chain {
		k.values = append(k.values, nil)
	}
	k.values[chain] = append(k.values[chain], slices.Clone(values))
	return nil
}

func (k *kept) Progress(infer.Progress) {}

// writeTable writes a model and its data: normal numbers with mean 1, sorted by size.
func writeTable(t *testing.T, rows int, model string) (path string, y []float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	for range rows {
		y = append(y, 1+r.NormFloat64())
	}
	slices.Sort(y)
	var text strings.Builder
	text.WriteString("y\n")
	for _, v := range y {
		fmt.Fprintln(&text, v)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"y.csv": text.String(), "m.ppl": model} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "m.ppl"), y
}

// fromFile loads a model whose data remain in their file.
func fromFile(t *testing.T, path string) *compiler.Program {
	t.Helper()
	p, ds := compiler.Load(compiler.Request{Path: path, Cache: &compiler.RowCache{Dir: filepath.Join(t.TempDir(),
		"rows")}})
	if p == nil || p.Streams() == 0 {
		t.Fatal("not in a file", ds)
	}
	return p
}

func sampled(t *testing.T, target infer.Target, o infer.Options) [][][]float64 {
	t.Helper()
	rec := new(kept)
	if _, err := renhd.Sample(context.Background(), target, o, rec); err != nil {
		t.Fatal(err)
	}
	return rec.values
}

func batches(draws, warmup int) infer.Options {
	o := infer.Defaults()
	o.Device, o.Seed, o.Draws, o.Warmup = infer.Lowered(host.Device{}), 3, draws, warmup
	o.Settings.Batch = 64
	return o
}

// TestStreamedDraws checks that a run with data in a file has the same first draws as with all data in memory, up to
// rounding errors that grow, because the order of summation differs. Rows are read in order, because a row reads the
// row before; one chunk has all rows. Planted fault: other rows must give other draws.
func TestStreamedDraws(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	path, _ := writeTable(t, 1000, `data y[N] from "y.csv"
a ~ Normal(0, 1)
b ~ Normal(0, 1)
y[i in 2..N] ~ Normal(a + b * (y[i-1] - 1), 1)`)
	memory, _ := compiler.Load(compiler.Request{Path: path})
	o := batches(5, 20)
	o.Chains, o.Settings.Replicas, o.Settings.Ratio, o.Settings.ExchangeBatch = 2, 2, 2, 1000
	want := sampled(t, memory, o)
	off := func(target infer.Target) (most float64) {
		for c, chain := range sampled(t, target, o) {
			for j, x := range chain[0] {
				most = max(most, math.Abs(x-want[c][0][j]))
			}
		}
		return most
	}
	if d := off(fromFile(t, path)); d > 1e-5 {
		t.Errorf("first draws are off by %.3g", d)
	}
	if d := off(biased{fromFile(t, path)}); d < 1e-3 {
		t.Errorf("with the same rows over and over first draws are off by %.3g only", d)
	}
}

// biased is a target whose batches always have the same rows.
type biased struct{ *compiler.Program }

func (b biased) ReadRows(k int, rows, dst []float64) error {
	first := make([]float64, len(rows))
	for i := range first {
		first[i] = float64(i)
	}
	return b.Program.ReadRows(k, first, dst)
}

// TestStreamedPosterior compares draws with the posterior of a normal mean, N(Σy/(n+1), 1/(n+1)), from minibatches of a
// file whose data are sorted: the mean within 5 standard errors, the standard deviation within 15 %. A target that
// always reads the same rows must fail.
func TestStreamedPosterior(t *testing.T) {
	t.Parallel()
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	path, y := writeTable(t, 20_000, `data y[N] from "y.csv"
mu ~ Normal(0, 1)
y[i in N] ~ Normal(mu, 1)`)
	sum := 0.0
	for _, v := range y {
		sum += v
	}
	n := float64(len(y))
	mean, sd := sum/(n+1), 1/math.Sqrt(n+1)
	p := fromFile(t, path)
	off := func(target infer.Target) (errors, ratio float64) {
		chains := make([][]float64, 0, 4)
		for _, c := range sampled(t, target, batches(400, 300)) {
			var mu []float64
			for _, d := range c {
				mu = append(mu, d[0])
			}
			chains = append(chains, mu)
		}
		all := slices.Concat(chains...)
		m, v := stat.MeanVariance(all, nil)
		return math.Abs(m-mean) / stats.MCSEMean(chains), math.Sqrt(v) / sd
	}
	if errors, ratio := off(p); errors > 5 || math.Abs(ratio-1) > 0.15 {
		t.Errorf("mean is off by %.1f standard errors, sd %.3f of the truth", errors, ratio)
	}
	if errors, ratio := off(biased{p}); errors < 5 && math.Abs(ratio-1) < 0.15 {
		t.Errorf("the same rows over and over pass: %.1f, %.3f", errors, ratio)
	}
}

// TestStreamedRefusals checks the errors for models that need all data at once.
func TestStreamedRefusals(t *testing.T) {
	t.Parallel()
	path, _ := writeTable(t, 100, `data y[N] from "y.csv"
mu ~ Normal(0, 1)
y[i in N] ~ Normal(mu, 1)`)
	p, o := fromFile(t, path), batches(10, 10)
	for name, sample := range map[string]infer.Sampler{"nuts": nuts.Sample, "renhd": renhd.Sample} {
		o.Settings.Batch = 0
		if _, err := sample(context.Background(), p, o, new(kept)); err == nil ||
			!strings.Contains(err.Error(), "--sampler renhd --set batch=256") {
			t.Errorf("%s: %v", name, err)
		}
	}
	path, _ = writeTable(t, 100, `data y[N] from "y.csv"
s ~ HalfNormal(1)
y ~ MvNormal(0, [i in N, j in N: i == j ? 1 + s : s])`)
	if q, ds := compiler.Load(compiler.Request{Path: path,
		Cache: &compiler.RowCache{Dir: t.TempDir()}}); q != nil || len(ds) == 0 ||
		ds[len(ds)-1].Code != "E82" || !strings.Contains(ds[len(ds)-1].Message, "too much for memory") {
		t.Errorf("an event over all rows: %v", ds)
	}
}
