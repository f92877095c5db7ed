package marginalize_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// TestUnknownsInParts compares discrete unknowns in pieces along two axes, some of which depend on the past, with the
// sum over all their values.
func TestUnknownsInParts(t *testing.T) {
	t.Parallel()
	const head = "data y[M, T] = [[0.3, 1.2, -0.4], [0.9, 1.4, 0.2], [-0.2, 0.1, 1.3]]\nq ~ Beta(2, 2)\n"
	y := [3][3]float64{{0.3, 1.2, -0.4}, {0.9, 1.4, 0.2}, {-0.2, 0.1, 1.3}}
	for _, c := range []struct {
		name, text string
		law        func(q float64, z *[3][3]int, m, t int) float64 // P(z[m][t] = 1)
	}{
		{"no past", "z[1, 1] ~ Bernoulli(q)\nz[1, t in 2..T] ~ Bernoulli(0.2)\nz[m in 2..M, 1] ~ Bernoulli(0.1 * " +
			"m)\nz[m in 2..M, t in 2..T] ~ Bernoulli(q^m)\n" +
			"y[m in M, t in T] ~ Normal(z[m, t], 1)\n",
			func(q float64, _ *[3][3]int, m, t int) float64 {
				switch {
				case m == 0 && t == 0:
					return q
				case m == 0:
					return 0.2
				case t == 0:
					return 0.1 * float64(m+1)
				}
				return math.Pow(q, float64(m+1))
			}},
		{"chains that begin differently", "z[1, 1] ~ Bernoulli(q)\nz[m in 2..M, 1] ~ Bernoulli(0.1 * m)\nz[m in M, t " +
			"in 2..T] ~ Bernoulli(z[m, t-1] == 1 ? q : 0.3)\n" +
			"y[m in M, t in T] ~ Normal(z[m, t], 1)\n",
			func(q float64, z *[3][3]int, m, t int) float64 {
				switch {
				case m == 0 && t == 0:
					return q
				case t == 0:
					return 0.1 * float64(m+1)
				case z[m][t-1] == 1:
					return q
				}
				return 0.3
			}},
		{"chains that go on differently", "z[m in M, 1] ~ Bernoulli(0.1 * m)\nz[1, t in 2..T] ~ Bernoulli(z[1, t-1] " +
			"== 1 ? q : 0.3)\nz[m in 2..M, t in 2..T] ~ Bernoulli(z[m, t-1] == 1 ? 0.6 : q / m)\n" +
			"y[m in M, t in T] ~ Normal(z[m, t], 1)\n",
			func(q float64, z *[3][3]int, m, t int) float64 {
				switch {
				case t == 0:
					return 0.1 * float64(m+1)
				case m == 0 && z[m][t-1] == 1:
					return q
				case m == 0:
					return 0.3
				case z[m][t-1] == 1:
					return 0.6
				}
				return q / float64(m+1)
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			const q, draws = 0.35, 4000
			var total float64
			var ones [9]float64
			for code := range 1 << 9 {
				var z [3][3]int
				for k := range 9 {
					z[k/3][k%3] = code >> k & 1
				}
				p := 1.0
				for k := range 9 {
					m, s := k/3, k%3
					one := c.law(q, &z, m, s)
					p *= one*float64(z[m][s]) + (1-one)*float64(1-z[m][s])
					p *= math.Exp(compilertest.NormalLog(y[m][s], float64(z[m][s]), 1))
				}
				total += p
				for k := range 9 {
					ones[k] += p * float64(z[k/3][k%3])
				}
			}
			for k := range ones {
				ones[k] /= total
			}
			p := compilertest.Load(t,
				head+c.text+"generate p_z[m in M, t in T] = probability(z[m, t] == 1)\ngenerate d_z[m in M, "+
					"t in T] = z[m, t]\n")
			lp, err := p.LogProb(map[string]*content.Array{"q": {Values: numbers.Of(q)}})
			if err != nil {
				t.Fatal(err)
			}
			compilertest.CheckVector(t, "log likelihood", []float64{lp.Likelihood}, []float64{math.Log(total)}, 1e-12)
			average, last := compilertest.Completed(p, draws, rand.New(rand.NewPCG(3, 4)), q)
			compilertest.CheckVector(t, "probabilities", last["p_z"], ones[:], 1e-12)
			compilertest.CheckVector(t, "draws", average["d_z"], ones[:], 2.5/math.Sqrt(draws))
			if _, err := p.Rows(); err == nil {
				if err := compilertest.SplitAgrees(p, rand.New(rand.NewPCG(1, 2))); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
