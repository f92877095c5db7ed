package simulate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/compiler"
	"ppl/compiler/compilertest"
)

const fieldRows, fieldColumns = 3, 4

// weightsOfField returns the weight of the noise of each element in each element of f[r, c] = 0.6·f[r-1, c] + 0.5·f[r,
// c-1] + noise.
//
//	f[r, c] = 0.6·f[r-1, c] + 0.5·f[r, c-1] + noise
func weightsOfField() (weights [][]float64) {
	const n = fieldRows * fieldColumns
	weights = make([][]float64, n)
	for i := range weights {
		weights[i] = make([]float64, n)
		weights[i][i] = 1
		for k := range n {
			if i >= fieldColumns {
				weights[i][k] += .6 * weights[i-fieldColumns][k]
			}
			if i%fieldColumns > 0 {
				weights[i][k] += .5 * weights[i-1][k]
			}
		}
	}
	return weights
}

// farFromField returns the largest distance, in standard errors, of second moments of draws from those of the field.
func farFromField(draws [][]float64) (far float64) {
	w, n := weightsOfField(), float64(len(draws))
	at := func(i, j int) (s float64) {
		for k := range w[i] {
			s += w[i][k] * w[j][k]
		}
		return s
	}
	for i := range w {
		for j := range w {
			moment := 0.0
			for _, x := range draws {
				moment += x[i] * x[j] / n
			}
			se := math.Sqrt((at(i, i)*at(j, j) + at(i, j)*at(i, j)) / n) // standard error of a product of normals
			far = math.Max(far, math.Abs(moment-at(i, j))/se)
		}
	}
	return far
}

func drawsOf(p *compiler.Program, name string, n int) (draws [][]float64) {
	r := rand.New(rand.NewPCG(7, 7))
	for range n {
		values := make([]float64, compilertest.Size(p))
		p.Complete(r, values)
		draws = append(draws, slices.Clone(compilertest.ByName(p, values)[name]))
	}
	return draws
}

// TestFields checks that a field that reads above and to the left has the covariances of its recursion: with generate,
// with a definition between its elements, starting at the opposite corner, and drawn from the prior.
func TestFields(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	const n, head = 20000, "R = 3\nC = 4\ndata y = 1\na ~ Normal(0, 1)\ny ~ Normal(a, 1)\n"
	generated := map[string]string{
		"pieces": "generate f[1, 1] ~ Normal(0, 1)\ngenerate f[1, c in 2..C] ~ Normal(0.5 * f[1, c-1], 1)\n" +
			"generate f[r in 2..R, 1] ~ Normal(0.6 * f[r-1, 1], 1)\n" +
			"generate f[r in 2..R, c in 2..C] ~ Normal(0.6 * f[r-1, c] + 0.5 * f[r, c-1], 1)\n",
		"conditions": "generate f[r in 1..R, c in 1..C] ~ Normal((r > 1 ? 0.6 * f[r-1, c] : 0) + " +
			"(c > 1 ? 0.5 * f[r, c-1] : 0), 1)\n",
		"definition": "generate m[r in 1..R, c in 1..C] = (r > 1 ? 0.6 * f[r-1, c] : 0) + (c > 1 ? 0.5 * f[r, c-1] : " +
			"0)\ngenerate f[r in 1..R, c in 1..C] ~ Normal(m[r, c], 1)\n",
		"last corner": "generate g[r in 1..R, c in 1..C] ~ Normal((r < R ? 0.6 * g[r+1, c] : 0) + " +
			"(c < C ? 0.5 * g[r, c+1] : 0), 1)\ngenerate f[r in 1..R, c in 1..C] = g[R+1-r, C+1-c]\n",
	}
	for name, text := range generated {
		if far := farFromField(drawsOf(compilertest.Load(t, head+text), "f", n)); far > 5 {
			t.Errorf("%s: a second moment is %.1f standard errors off", name, far)
		}
	}
	prior := compilertest.Predictive(t,
		"R = 3\nC = 4\ndata y[R, C] = [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]\nf[r in 1..R, c in 1..C] ~ "+
			"Normal((r > 1 ? 0.6 * f[r-1, c] : 0) + (c > 1 ? 0.5 * f[r, c-1] : 0), 1)\n"+
			"y[r in R, c in C] ~ Normal(f[r, c], 1)\n", compiler.FromPrior)
	if far := farFromField(drawsOf(prior, "f", n)); far > 5 {
		t.Errorf("from the prior a second moment is %.1f standard errors off", far)
	}
	// planted fault: a field that reads only to the left
	planted := compilertest.Load(t, head+"generate f[r in 1..R, c in 1..C] ~ Normal(c > 1 ? 0.5 * f[r, c-1] : 0, 1)\n")
	if far := farFromField(drawsOf(planted, "f", n)); far < 20 {
		t.Errorf("without what is above, second moments are only %.1f standard errors off", far)
	}
}

// TestDrawnFromElementsThatDataChoose checks that data may determine the element from which another is drawn, in any
// order: x[3], then x[2] from it, then x[1] from that.
func TestDrawnFromElementsThatDataChoose(t *testing.T) {
	t.Parallel()
	const n = 20000
	p := compilertest.Predictive(t, "data parent[N] = [2, 3, 0], y[N] = [1, 2, 3]\nx[3] ~ Normal(0, 1)\n"+
		"x[i in 1..2] ~ Normal(x[parent[i]], 1)\ny[i in N] ~ Normal(x[i], 1)\n", compiler.FromPrior)
	_, sd := moments(p, n)
	for i, want := range []float64{math.Sqrt(3), math.Sqrt2, 1} {
		if got := sd["x"][i]; math.Abs(got/want-1) > 5/math.Sqrt(2*n) {
			t.Errorf("x[%d] has standard deviation %v, want %v", i+1, got, want)
		}
	}
}
