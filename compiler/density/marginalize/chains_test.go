package marginalize_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/frontend/model"
	"ppl/numbers"
)

// A chainCase is a model whose discrete unknowns are few enough to be enumerated. It has one parameter, q. For each
// unknown z it saves p_z (the probability of the value 1), best_z (its joint mode) and d_z (its elements in a draw);
// with stat it also saves a joint function of a draw of several unknowns.
type chainCase struct {
	name, text string
	unknowns   []unknown
	weight     func(q float64, z [][]int) float64 // joint density of the unknowns and the data
	stat       func(z [][]int) float64
}

// An unknown has n elements with values first … first+k−1.
type unknown struct {
	name        string
	n, first, k int
}

func bernoulli(p float64, v int) float64 {
	if v == 1 {
		return p
	}
	return 1 - p
}

func normal(y, mean, sd float64) float64 {
	d := (y - mean) / sd
	return math.Exp(-d*d/2) / (sd * math.Sqrt(2*math.Pi))
}

func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var chainData = []float64{0.3, 1.7, 0.9, 2.4, -0.5}

const chainY = "data y[T] = [0.3, 1.7, 0.9, 2.4, -0.5]\nq ~ Beta(2, 2)\n"

// simplex3 returns element v of a simplex of three, computed by softmax as in the models below.
func simplex3(s float64, v int) float64 {
	total := 0.0
	for k := range 3 {
		total += math.Exp(s * float64(k))
	}
	return math.Exp(s*float64(v)) / total
}

var chainCases = []chainCase{
	{"order two", chainY + `
K = 3
z[1] ~ Categorical([0.2, 0.5, 0.3])
z[2] ~ Categorical([0.6, 0.1, 0.3])
z[t in 3..T] ~ Categorical(softmax([k in K: (k - 1) * (q * z[t-1] - 0.4 * z[t-2])]))
y[t in T] ~ Normal(z[t] - 1, 1)
generate p_z[t in T] = probability(z[t] == 1)
generate best_z = mode(z)
generate d_z = z
generate stat = sum(t in 3..T: z[t] == z[t-2])
`, []unknown{{"z", 5, 1, 3}}, func(q float64, z [][]int) float64 {
		p := 1.0
		for t, v := range z[0] {
			switch t {
			case 0:
				p *= [3]float64{0.2, 0.5, 0.3}[v-1]
			case 1:
				p *= [3]float64{0.6, 0.1, 0.3}[v-1]
			default:
				p *= simplex3(q*float64(z[0][t-1])-0.4*float64(z[0][t-2]), v-1)
			}
			p *= normal(chainData[t], float64(v)-1, 1)
		}
		return p
	}, func(z [][]int) (n float64) {
		for t := 2; t < 5; t++ {
			n += is(z[0][t] == z[0][t-2])
		}
		return n
	}},
	{"lags one and three, guarded, and an observation of differences", chainY + `
z[t in 1..3] ~ Bernoulli(0.45)
z[t in 4..T] ~ Bernoulli(z[t-3] == 1 ? q : 0.3)
y[t in T] ~ Normal(t > 1 ? 2 * z[t] - z[t-1] : 0.5, 1)
generate p_z[t in T] = probability(z[t] == 1)
generate best_z = mode(z)
generate d_z = z
generate stat = z[1] * z[4] + z[2] * z[5]
`, []unknown{{"z", 5, 0, 2}}, func(q float64, z [][]int) float64 {
		p := 1.0
		for t, v := range z[0] {
			law := 0.45
			if t > 2 {
				law = 0.3
				if z[0][t-3] == 1 {
					law = q
				}
			}
			mean := 0.5
			if t > 0 {
				mean = 2*float64(v) - float64(z[0][t-1])
			}
			p *= bernoulli(law, v) * normal(chainData[t], mean, 1)
		}
		return p
	}, func(z [][]int) float64 { return float64(z[0][0]*z[0][3] + z[0][1]*z[0][4]) }},
	{"two chains in one term", chainY + `
a[1] ~ Bernoulli(0.4)
a[t in 2..T] ~ Bernoulli(a[t-1] == 1 ? q : 0.2)
b[1] ~ Categorical([0.3, 0.3, 0.4])
b[t in 2..T] ~ Categorical(softmax([k in 3: (k - 1) * q * b[t-1] / 3]))
y[t in T] ~ Normal(2 * a[t] - b[t], 1.5)
generate p_a[t in T] = probability(a[t] == 1)
generate p_b[t in T] = probability(b[t] == 1)
generate best_a = mode(a)
generate best_b = mode(b)
generate d_a = a
generate d_b = b
generate stat = sum(t in 2..T: a[t] * (b[t-1] == 3))
`, []unknown{{"a", 5, 0, 2}, {"b", 5, 1, 3}}, func(q float64, z [][]int) float64 {
		p := 1.0
		for t, a := range z[0] {
			b := z[1][t]
			if t == 0 {
				p *= bernoulli(0.4, a) * [3]float64{0.3, 0.3, 0.4}[b-1]
			} else {
				p *= bernoulli([2]float64{0.2, q}[z[0][t-1]], a) * simplex3(q*float64(z[1][t-1])/3, b-1)
			}
			p *= normal(chainData[t], 2*float64(a)-float64(b), 1.5)
		}
		return p
	}, func(z [][]int) (n float64) {
		for t := 1; t < 5; t++ {
			n += float64(z[0][t]) * is(z[1][t-1] == 3)
		}
		return n
	}},
	{"coupled chains, one of which begins later", chainY + `
a[1] ~ Bernoulli(0.4)
a[2] ~ Bernoulli(a[1] == 1 ? q : 0.2)
a[t in 3..T] ~ Bernoulli(0.1 + 0.4 * a[t-1] + 0.4 * q * b[t-1])
b[2] ~ Bernoulli(0.7)
b[t in 3..T] ~ Bernoulli(a[t] == b[t-1] ? q : 0.3)
y[t in T] ~ Normal(a[t] + 0.1, 1)
y[t in 2..T] ~ Density(logpdf(Normal(b[t] + a[t-1], 2), y[t]))
generate p_a[t in T] = probability(a[t] == 1)
generate p_b[t in 2..T] = probability(b[t] == 1)
generate best_a = mode(a)
generate best_b = mode(b)
generate d_a = a
generate d_b = b
generate stat = sum(t in 2..T: a[t] * b[t])
`, []unknown{{"a", 5, 0, 2}, {"b", 4, 0, 2}}, func(q float64, z [][]int) float64 {
		p := 1.0
		for t, a := range z[0] {
			switch {
			case t == 0:
				p *= bernoulli(0.4, a)
			case t == 1:
				p *= bernoulli([2]float64{0.2, q}[z[0][0]], a)
			default:
				p *= bernoulli(0.1+0.4*float64(z[0][t-1])+0.4*q*float64(z[1][t-2]), a)
			}
			p *= normal(chainData[t], float64(a)+0.1, 1)
			if t == 0 {
				continue
			}
			b, law := z[1][t-1], 0.7
			if t > 1 {
				law = 0.3
				if a == z[1][t-2] {
					law = q
				}
			}
			p *= bernoulli(law, b) * normal(chainData[t], float64(b+z[0][t-1]), 2)
		}
		return p
	}, func(z [][]int) (n float64) {
		for t := 1; t < 5; t++ {
			n += float64(z[0][t] * z[1][t-1])
		}
		return n
	}},
	{"chains that meet through another unknown, and a plate around", `
data y[S, T] = [[0.3, 1.7, 0.9], [2.4, -0.5, 1.1]]
q ~ Beta(2, 2)
w[s in S] ~ Bernoulli(q)
a[s in S, 1] ~ Bernoulli(0.4)
a[s in S, t in 2..T] ~ Bernoulli(a[s, t-1] == 1 ? 0.8 : 0.2 + 0.3 * w[s])
b[s in S, 1] ~ Bernoulli(0.5)
b[s in S, t in 2..T] ~ Bernoulli(b[s, t-1] == 1 ? q : 0.1)
x[s in S, t in 2..T] ~ Bernoulli(0.1 + 0.5 * a[s, t-1] + 0.3 * q * a[s, t])
y[s in S, t in 2..T] ~ Normal(2 * x[s, t] - b[s, t], 1)
y[s in S, 1] ~ Normal(a[s, 1], 1)
generate p_w[s in S] = probability(w[s] == 1)
generate p_a[s in S, t in T] = probability(a[s, t] == 1)
generate p_b[s in S, t in T] = probability(b[s, t] == 1)
generate p_x[s in S, t in 2..T] = probability(x[s, t] == 1)
generate best_w = mode(w)
generate best_a = mode(a)
generate best_b = mode(b)
generate best_x = mode(x)
generate d_w = w
generate d_a = a
generate d_b = b
generate d_x = x
generate stat = sum(s in S: w[s] * sum(t in 2..T: x[s, t] * a[s, t-1] * b[s, t]))
`, []unknown{{"w", 2, 0, 2}, {"a", 6, 0, 2}, {"b", 6, 0, 2}, {"x", 4, 0, 2}}, func(q float64, z [][]int) float64 {
		y, p := [6]float64{0.3, 1.7, 0.9, 2.4, -0.5, 1.1}, 1.0
		for s := range 2 {
			w, a, b, x := z[0][s], z[1][3*s:3*s+3], z[2][3*s:3*s+3], z[3][2*s:2*s+2]
			p *= bernoulli(q, w) * bernoulli(0.4, a[0]) * bernoulli(0.5, b[0]) * normal(y[3*s], float64(a[0]), 1)
			for t := 1; t < 3; t++ {
				p *= bernoulli([2]float64{0.2 + 0.3*float64(w), 0.8}[a[t-1]], a[t]) *
					bernoulli([2]float64{0.1, q}[b[t-1]], b[t])
				p *= bernoulli(0.1+0.5*float64(a[t-1])+0.3*q*float64(a[t]), x[t-1])
				p *= normal(y[3*s+t], float64(2*x[t-1]-b[t]), 1)
			}
		}
		return p
	}, func(z [][]int) (n float64) {
		for s := range 2 {
			for t := 1; t < 3; t++ {
				n += float64(z[0][s] * z[3][2*s+t-1] * z[1][3*s+t-1] * z[2][3*s+t])
			}
		}
		return n
	}},
	{"values from 0 and cut, in a chain and on their own", chainY + `
g[k in 0..3] = exp(0.3 * k)
z[1] ~ Categorical([k in 0..3: g[k] / sum(g)]) in 1..2
z[t in 2..T] ~ Categorical([k in 0..3: (k == z[t-1] ? q : (1 - q) / 3)]) in 1..2
w[t in T] ~ Categorical([k in 0..3: [0.1, 0.2, 0.3, 0.4][k+1]]) in 0..2
y[t in T] ~ Normal(z[t] - w[t], 1)
generate p_z[t in T] = probability(z[t] == 1)
generate p_w[t in T] = probability(w[t] == 1)
generate best_z = mode(z)
generate best_w = mode(w)
generate d_z = z
generate d_w = w
generate stat = sum(t in 2..T: z[t] * w[t-1])
`, []unknown{{"z", 5, 1, 2}, {"w", 5, 0, 3}}, func(q float64, z [][]int) float64 {
		p := 1.0
		for t, v := range z[0] {
			law, cut := math.Exp(0.3*float64(v)), math.Exp(0.3)+math.Exp(0.6)
			if t > 0 {
				law, cut = (1-q)/3, q+(1-q)/3
				if v == z[0][t-1] {
					law = q
				}
			}
			w := z[1][t]
			p *= law / cut * float64(w+1) / 6 * normal(chainData[t], float64(v-w), 1)
		}
		return p
	}, func(z [][]int) (n float64) {
		for t := 1; t < 5; t++ {
			n += float64(z[0][t] * z[1][t-1])
		}
		return n
	}},
	{"a chain that is observed in part", chainY + `
data z[T] missing -1 = [-1, 1, -1, -1, 0]
z[1] ~ Bernoulli(0.3)
z[t in 2..T] ~ Bernoulli(z[t-1] == 1 ? q : 0.2)
y[t in T] ~ Normal(2 * z[t], 1)
generate p_z[t in T] = probability(z[t] == 1)
generate best_z = mode(z)
generate d_z = z
generate stat = z[1] * z[2] + z[3] * z[4]
`, []unknown{{"z", 5, 0, 2}}, func(q float64, z [][]int) float64 {
		if z[0][1] != 1 || z[0][4] != 0 {
			return 0
		}
		p := 1.0
		for t, v := range z[0] {
			law := 0.3
			if t > 0 {
				law = [2]float64{0.2, q}[z[0][t-1]]
			}
			p *= bernoulli(law, v) * normal(chainData[t], 2*float64(v), 1)
		}
		return p
	}, func(z [][]int) float64 { return float64(z[0][0]*z[0][1] + z[0][2]*z[0][3]) }},
	{"no law of the past, but observations of two, one ahead; single elements", chainY + `
z[t in T] ~ Bernoulli(q)
y[t in 1..T-1] ~ Normal(z[t+1] - 2 * z[t], 1)
y[5] ~ Normal(z[5] + z[4], 1)
generate p_z[t in T] = probability(z[t] == 1)
generate best_z = mode(z)
generate d_z = z
generate stat = sum(t in 2..T: z[t] * z[t-1])
`, []unknown{{"z", 5, 0, 2}}, func(q float64, z [][]int) float64 {
		p := 1.0
		for t, v := range z[0] {
			p *= bernoulli(q, v)
			if t < 4 {
				p *= normal(chainData[t], float64(z[0][t+1]-2*v), 1)
			} else {
				p *= normal(chainData[t], float64(v+z[0][t-1]), 1)
			}
		}
		return p
	}, func(z [][]int) (n float64) {
		for t := 1; t < 5; t++ {
			n += float64(z[0][t] * z[0][t-1])
		}
		return n
	}},
}

// assignments calls visit with every assignment of the unknowns.
func assignments(of []unknown, visit func(z [][]int)) {
	z := make([][]int, len(of))
	var fill func(u, i int)
	fill = func(u, i int) {
		if u == len(of) {
			visit(z)
			return
		}
		if i == of[u].n {
			fill(u+1, 0)
			return
		}
		for k := range of[u].k {
			z[u][i] = of[u].first + k
			fill(u, i+1)
		}
	}
	for u := range of {
		z[u] = make([]int, of[u].n)
	}
	fill(0, 0)
}

// TestChainsByEnumeration compares chains of higher order, chains that share a term and chains that read each other
// with the enumeration of all assignments: the density, its gradient (by differences of the enumeration), marginals,
// the joint mode and joint draws.
func TestChainsByEnumeration(t *testing.T) {
	t.Parallel()
	for _, c := range chainCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t)
		})
	}
}

func (c chainCase) test(t *testing.T) {
	const q, h, draws = 0.6, 1e-5, 1500
	ones, means, best := make([][]float64, len(c.unknowns)), make([][]float64, len(c.unknowns)),
		make([][]float64, len(c.unknowns))
	for u, of := range c.unknowns {
		ones[u], means[u], best[u] = make([]float64, of.n), make([]float64, of.n), make([]float64, of.n)
	}
	var total, up, down, top, stat, statSquare float64
	assignments(c.unknowns, func(z [][]int) {
		p := c.weight(q, z)
		total, up, down = total+p, up+c.weight(q+h, z), down+c.weight(q-h, z)
		s := c.stat(z)
		stat, statSquare = stat+p*s, statSquare+p*s*s
		for u := range z {
			for i, v := range z[u] {
				ones[u][i] += p * is(v == 1)
				means[u][i] += p * float64(v)
				if p > top {
					best[u][i] = float64(v)
				}
			}
		}
		top = max(top, p)
	})
	p := compilertest.Load(t, c.text)
	lp, err := p.LogProb(map[string]*content.Array{"q": {Name: "q", Values: numbers.Of(q)}})
	if err != nil {
		t.Fatal(err)
	}
	compilertest.CheckVector(t, "log likelihood", []float64{lp.Likelihood}, []float64{math.Log(total)}, 1e-11)
	priorSlope := 1/q - 1/(1-q) // of Beta(2, 2)
	compilertest.CheckVector(t, "gradient", lp.Gradient["q"],
		[]float64{(math.Log(up)-math.Log(down))/(2*h) + priorSlope}, 1e-7)
	average, last := compilertest.Completed(p, draws, rand.New(rand.NewPCG(7, 8)), q)
	for u, of := range c.unknowns {
		for i := range ones[u] {
			ones[u][i] /= total
			means[u][i] /= total
		}
		compilertest.CheckVector(t, "probability("+of.name+")", last["p_"+of.name], ones[u], 1e-11)
		compilertest.CheckVector(t, "mode("+of.name+")", last["best_"+of.name], best[u], 0)
		compilertest.CheckVector(t, "draws of "+of.name, average["d_"+of.name], means[u],
			5*float64(of.k-1)/2/math.Sqrt(draws))
	}
	stat, statSquare = stat/total, statSquare/total
	compilertest.CheckVector(t, "joint draws", average["stat"], []float64{stat},
		5*math.Sqrt((statSquare-stat*stat)/draws))
}

// TestChainTables checks that the largest table that `ppl check` reports is the largest that the compiler needs: `infer
// sumout(limit = …)` accepts it, and rejects it if the limit is smaller by 1.
func TestChainTables(t *testing.T) {
	t.Parallel()
	for _, c := range chainCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "model.ppl")
			compiles := func(limit int) (*model.Model, bool) {
				if err := os.WriteFile(path, []byte(fmt.Sprintf("%sinfer sumout(limit = %d)\n", c.text, limit)),
					0o600); err != nil {
					t.Fatal(err)
				}
				m, _ := compiler.Check(path)
				p, ds := compiler.Load(compiler.Request{Path: path})
				return m, p != nil && len(ds) == 0
			}
			m, _ := compiles(1 << 16)
			largest := 0
			for _, n := range m.Latents {
				entries := 1
				for _, k := range strings.Split(n.Table, " × ") {
					values, err := strconv.Atoi(k)
					if err != nil {
						t.Fatalf("%s: %s", n.Text(), err)
					}
					entries *= values
				}
				largest = max(largest, entries)
			}
			_, enough := compiles(largest)
			if _, less := compiles(largest - 1); !enough || less {
				t.Errorf("with a limit of %d entries: compiles is %v; with one less: %v", largest, enough, less)
			}
		})
	}
}
