package minibatch_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/compiler/compilertest"
)

// TestSplitSumsToLikelihood checks, for every model with rows, that log ρ and whole + Σ terms equal those of the
// density at a random point, and so do their gradients; a batch in another order must give the same terms in that
// order. The tolerance is 1e-10 of the sum of absolute terms, because the order of summation differs.
func TestSplitSumsToLikelihood(t *testing.T) {
	t.Parallel()
	compilertest.EveryModel(t, func(t *testing.T, p *compiler.Program) {
		if n, err := p.Rows(); err != nil {
			t.Skip(err)
		} else if n > 40_000 {
			t.Skip(n, "rows")
		}
		if err := compilertest.SplitAgrees(p, rand.New(rand.NewPCG(1, 2))); err != nil {
			t.Error(err)
		}
	})
}

// sized maps a name to a model whose data have N rows, as text.
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

// TestBatchCostsNoMoreWithMoreRows checks that the program of a gradient over a batch of 10 is the same for 50 and for
// 5,000 rows, except for the data and values that are computed from them once.
func TestBatchCostsNoMoreWithMoreRows(t *testing.T) {
	t.Parallel()
	for name, c := range sized {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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

// A work counts the statements, points and memory of a call of a program.
type work struct{ statements, points, memory int }

func batchWork(t *testing.T, text, data string, m int) work {
	p := compilertest.LoadWith(t, text, data)
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
