package compiler

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/ir"
	"ppl/compiler/lower"
)

// everyModel runs f on every example, every model of testdata/rows and every posterior of testdata/stan.
func everyModel(t *testing.T, f func(t *testing.T, p *Program)) {
	t.Helper()
	for _, path := range modelsIn(t, "../examples", "testdata/rows") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p, ds := Load(path, nil)
			if p == nil {
				t.Fatal(ds)
			}
			f(t, p)
		})
	}
	stanCases(t, func(t *testing.T, c stanCase) { f(t, c.program) })
}

func modelsIn(t *testing.T, dirs ...string) (paths []string) {
	t.Helper()
	for _, dir := range dirs {
		found, err := filepath.Glob(dir + "/*.ppl")
		if err != nil || len(found) == 0 {
			t.Fatal("no models in", dir, err)
		}
		paths = append(paths, found...)
	}
	return paths
}

// rowsAtATime bounds what a test evaluates.
const rowsAtATime = 600

// TestSplitSumsToLikelihood: for every model with rows, log ρ and whole + Σ terms are those of the density, at a random
// point, and so are their gradients; a batch in another order gives the same terms in that order. Relative 1e-10 of the
// sum of absolute terms: the sums are taken in other orders.
func TestSplitSumsToLikelihood(t *testing.T) {
	everyModel(t, func(t *testing.T, p *Program) {
		if n, err := p.Rows(); err != nil {
			t.Skip(err)
		} else if n > 40_000 {
			t.Skip(n, "rows")
		}
		if err := splitAgrees(p, rand.New(rand.NewPCG(1, 2))); err != nil {
			t.Error(err)
		}
	})
}

// splitAgrees compares Split over all rows with Density.
func splitAgrees(p *Program, r *rand.Rand) error {
	theta, want, wantGrad := somewhere(p, r)
	prior, got, scale := 0.0, 0.0, 1.0
	gotGrad := make([]float64, p.Dim())
	n, _ := p.Rows()
	order := r.Perm(n)
	var split splitter
	for from := 0; from < n; from += rowsAtATime {
		m := min(rowsAtATime, n-from)
		if split.size != m {
			split = newSplitter(p, m)
		}
		s := split.at(theta, order[from:from+m])
		prior = s.prior
		if from == 0 {
			got += s.whole
			add(gotGrad, s.wholeGrad)
		}
		for _, v := range s.terms {
			got += v
			scale += math.Abs(v)
		}
		add(gotGrad, s.termsGrad)
	}
	if wantPrior := want[0]; !close(prior, wantPrior, 1e-10*(1+math.Abs(wantPrior))) {
		return fmt.Errorf("log ρ is %v, want %v", prior, wantPrior)
	}
	if !close(got, want[1], 1e-10*scale) {
		return fmt.Errorf("log ℓ is %v, want %v", got, want[1])
	}
	top := 1.0
	for _, g := range wantGrad {
		top = max(top, math.Abs(g))
	}
	for i, g := range wantGrad {
		if !close(gotGrad[i], g, 1e-8*max(top, scale)) {
			return fmt.Errorf("∂log ℓ/∂θ[%d] is %v, want %v", i, gotGrad[i], g)
		}
	}
	return nil
}

// somewhere is a point near a start where the density is finite, with log ρ, log ℓ and the gradient of log ℓ there.
func somewhere(p *Program, r *rand.Rand) (theta, values, grad []float64) {
	for walker := range 20 {
		theta = p.Start(1, walker)
		for i := range theta {
			theta[i] = math.Ldexp(theta[i], -walker) + 0.1*r.NormFloat64() // nearer and nearer to 0
		}
		values, grad = likelihood(p, theta)
		if !math.IsNaN(values[0]+values[1]) && !math.IsInf(values[0]+values[1], 0) {
			return theta, values, grad
		}
	}
	return theta, values, grad
}

func add(to, x []float64) {
	for i, v := range x {
		to[i] += v
	}
}

// close holds for equal infinities and NaN too.
func close(a, b, tol float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= tol
}

// likelihood is log ρ and log ℓ, and the gradient of log ℓ.
func likelihood(p *Program, theta []float64) (values, grad []float64) {
	x := autodiff.New().Input("theta", p.Dim())
	prior, lik := p.Density(x)
	out := autodiff.Eval(map[string][]float64{"theta": theta}, prior, lik, autodiff.Grad(lik, x)[0])
	return []float64{out[0][0], out[1][0]}, out[2]
}

// A splitter evaluates batches of one size.
type splitter struct {
	size  int
	nodes []autodiff.Node
}

type splitAt struct {
	prior, whole                float64
	terms, wholeGrad, termsGrad []float64
}

func newSplitter(p *Program, m int) splitter {
	g := autodiff.New()
	x, rows := g.Input("theta", p.Dim()), g.Input("rows", m)
	prior, whole, terms := p.Split(x, rows)
	return splitter{m, []autodiff.Node{prior, whole, terms, autodiff.Grad(whole, x)[0],
		autodiff.Grad(autodiff.SumAll(terms), x)[0]}}
}

func (s splitter) at(theta []float64, rows []int) splitAt {
	numbers := make([]float64, len(rows))
	for i, r := range rows {
		numbers[i] = float64(r)
	}
	v := autodiff.Eval(map[string][]float64{"theta": theta, "rows": numbers}, s.nodes...)
	return splitAt{v[0][0], v[1][0], v[2], v[3], v[4]}
}

// sized are models with N rows, by the text of their data.
var sized = map[string]struct {
	text string
	data func(n int) string
}{
	"logistic regression": {"data X[N, D], y[N]\na ~ Normal(0, 1)\nb[D] ~ Normal(0, 1)\ny ~ Bernoulli(logits = " +
		"a + X @ b)\n",
		func(n int) string {
			return fmt.Sprintf(`{"X": %s, "y": %s}`, table(n, func(int) string { return "[0.5, 1, 2]" }), table(n, bit))
		}},
	"autoregression": {"data y[T], K = 3\na, s ~ HalfNormal(1)\nb[K] ~ Normal(0, 1)\ny[t in K+1..T] ~ Normal(a + " +
		"sum(k in K: b[k] * y[t-k]), s)\n",
		func(n int) string { return fmt.Sprintf(`{"y": %s}`, table(n, bit)) }},
	"mixture with a definition by row": {"data x[N], y[N]\nw[K] ~ Dirichlet(fill(1, K))\nK = 3\nm[k in K] ~ " +
		"Normal(0, 1)\nmu[i in N, k in K] = m[k] + x[i] * w[k]\n" +
		"z[i in N] ~ Categorical(w)\ny[i in N] ~ Normal(mu[i, z[i]], 1)\n",
		func(n int) string { return fmt.Sprintf(`{"x": %s, "y": %s}`, table(n, bit), table(n, bit)) }},
	"panel": {"data y[N, T]\na ~ Normal(0, 1)\nh[i in N, 1] = a\nh[i in N, t in 2..T] = a * h[i, t-1] + y[i, " +
		"t-1]\ny[i in N, t in T] ~ Normal(h[i, t], 1)\n",
		func(n int) string {
			return fmt.Sprintf(`{"y": %s}`, table(n, func(int) string { return "[0.5, 1, 2, 1]" }))
		}},
	"groups": {"data g[N]: index(5), x[N], y[N]\nm ~ Normal(0, 1)\na[j in 5] ~ Normal(m, 1)\ny ~ Normal(a[g] + (x - " +
		"mean(x)), 1)\n",
		func(n int) string {
			return fmt.Sprintf(`{"g": %s, "x": %s, "y": %s}`,
				table(n, func(i int) string { return fmt.Sprint(i%5 + 1) }), table(n, bit), table(n, bit))
		}},
}

func bit(i int) string { return fmt.Sprint(i % 2) }

func table(n int, row func(i int) string) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = row(i)
	}
	return "[" + strings.Join(rows, ", ") + "]"
}

// TestBatchCostsNoMoreWithMoreRows: the program of a gradient over a batch of 10 is the same for 50 and for 5,000 rows,
// but for the data and what is computed from them once.
func TestBatchCostsNoMoreWithMoreRows(t *testing.T) {
	for name, c := range sized {
		t.Run(name, func(t *testing.T) {
			few, many := batchWork(t, c.text, c.data(50), 10), batchWork(t, c.text, c.data(5000), 10)
			if few != many {
				t.Errorf("50 rows: %+v; 5,000 rows: %+v", few, many)
			}
			if twice := batchWork(t, c.text, c.data(50), 20); twice.points < many.points+10 {
				t.Errorf("a batch of 20 costs %+v, hardly more than one of 10, %+v: the count sees little", twice, many)
			}
		})
	}
}

// work counts what a program does in a call.
type work struct{ statements, points, memory int }

func batchWork(t *testing.T, text, data string, m int) work {
	p := sizedProgram(t, text, data)
	g := autodiff.New()
	theta := g.Input("theta", p.Dim())
	_, whole, terms := p.Split(theta, g.Shuffle(must(p.Rows()), g.Const(0), autodiff.Add(g.Input("start"), g.Iota(m))))
	return workOf(t, autodiff.Grad(autodiff.Add(whole, autodiff.SumAll(terms)), theta)[0])
}

func must(n int, err error) int {
	if err != nil {
		panic(err)
	}
	return n
}

func sizedProgram(t *testing.T, text, data string) *Program {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"model.ppl": text, "data.json": data} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, ds := Load(filepath.Join(dir, "model.ppl"), []DataArg{{Path: filepath.Join(dir, "data.json")}})
	if p == nil {
		t.Fatal(ds)
	}
	return p
}

func workOf(t *testing.T, gradient autodiff.Node) (w work) {
	t.Helper()
	p,
		err := lower.Program([]lower.Entry{{Name: "gradient",
		Assign: []lower.Assign{{Name: "gradient", Value: gradient}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range p.Buffers {
		if b.Space != ir.Shared {
			w.memory += b.Size
		}
	}
	w.count(p.Entries[0].Body, 1)
	return w
}

func (w *work) count(body []ir.Stmt, times int) {
	for _, s := range body {
		w.statements++
		switch s := s.(type) {
		case *ir.Kernel:
			w.points += times * s.Points()
		case *ir.MatMul:
			w.points += times * s.Batch * s.M * s.K * s.N
		case *ir.CumSum:
			w.points += times * s.Outer * s.N * s.Inner
		case *ir.Loop:
			w.count(s.Body, times*s.N)
		}
	}
}
