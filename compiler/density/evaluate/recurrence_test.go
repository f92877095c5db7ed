package evaluate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/compilertest"
)

// TestRecurrences compares recurrences of one and of several arrays, forwards and backwards, with loops in Go.
func TestRecurrences(t *testing.T) {
	t.Parallel()
	y := []float64{0.3, -1.2, 0.4, 2, -0.1, 0.7}
	const data = "data y[T] = [0.3, -1.2, 0.4, 2, -0.1, 0.7]\n"
	normal := func(x, mu, sd float64) float64 {
		z := (x - mu) / sd
		return -z*z/2 - math.Log(sd) - math.Log(2*math.Pi)/2
	}
	around := func(mu []float64) (sum float64) {
		for i, v := range y {
			sum += normal(v, mu[i], 1)
		}
		return sum
	}
	n := len(y)
	for _, c := range []struct {
		name, text string
		want       func(a, b float64) float64
	}{
		{"moving average: pieces that begin at different times",
			"nu[1] = a\nerr[t in T] = y[t] - nu[t]\nnu[t in 2..T] = a + b * err[t-1]\ny[t in T] ~ Normal(nu[t], 1)\n",
			func(a, b float64) float64 {
				nu, err := make([]float64, n), 0.0
				for i := range y {
					nu[i] = a + b*err
					err = y[i] - nu[i]
				}
				return around(nu)
			}},
		{"two compartments that read each other's past, the second also two steps back",
			"u[1] = 1\nv[1..2] = fill(0.5, 2)\nu[t in 2..T] = u[t-1] - a * u[t-1] * v[t-1]\nv[t in 3..T] = v[t-1] + " +
				"a * u[t-1] * v[t-2] - b * v[t-1]\ny[t in T] ~ Normal(u[t] + v[t], 1)\n",
			func(a, b float64) float64 {
				u, v, sum := []float64{1}, []float64{0.5, 0.5}, make([]float64, n)
				for i := range y {
					if i > 0 {
						u = append(u, u[i-1]-a*u[i-1]*v[i-1])
					}
					if i > 1 {
						v = append(v, v[i-1]+a*u[i-1]*v[i-2]-b*v[i-1])
					}
					sum[i] = u[i] + v[i]
				}
				return around(sum)
			}},
		{"a walk over a table: its column is the state, its row the time or the next",
			"data d[T, 1..3]: int = [[1, 3, 2], [2, 1, 3], [3, 2, 1], [1, 2, 3], [2, 3, 1], [3, 1, 2]]\nz[1] = 2\n" +
				"z[t in 2..T] = d[t, round(z[t-1])]\nw[t in T..T] = 1\nw[t in 1..T-1] = d[t+1, round(w[t+1])]\n" +
				"y[t in T] ~ Normal(a * z[t] + b * w[t], 1)\n",
			func(a, b float64) float64 {
				d := [][]int{{1, 3, 2}, {2, 1, 3}, {3, 2, 1}, {1, 2, 3}, {2, 3, 1}, {3, 1, 2}}
				z, w, mu := make([]int, n), make([]int, n), make([]float64, n)
				z[0], w[n-1] = 2, 1
				for i := 1; i < n; i++ {
					z[i] = d[i][z[i-1]-1]
					w[n-1-i] = d[n-i][w[n-i]-1]
				}
				for i := range mu {
					mu[i] = a*float64(z[i]) + b*float64(w[i])
				}
				return around(mu)
			}},
		{"a tree: what is read is told by data",
			"data parent[T] = [0, 1, 1, 2, 4, 2]\ns[t in T] = y[t] / 4 + (t > 1 ? b * s[parent[t]] : a)\ny[t in T] ~ " +
				"Normal(s[t], 1)\n",
			func(a, b float64) float64 {
				parent, s := []int{0, 1, 1, 2, 4, 2}, make([]float64, n)
				for i := range s {
					s[i] = y[i]/4 + a
					if i > 0 {
						s[i] = y[i]/4 + b*s[parent[i]-1]
					}
				}
				return around(s)
			}},
		{"two parents and another axis",
			"data parent[T, I] = [[0, 0], [1, 1], [1, 2], [2, 3], [4, 1], [2, 5]], I = 2, J = 3\ns[1, j in " +
				"J] = a / j\n" +
				"s[t in 2..T, j in J] = b * mean(i in I: s[parent[t, i], j]) + j\ny[t in T] ~ Normal(sum(j in J: " +
				"s[t, j]), 1)\n",
			func(a, b float64) float64 {
				parent, s, mu := [][2]int{{}, {1, 1}, {1, 2}, {2, 3}, {4, 1}, {2, 5}}, make([][3]float64, n),
					make([]float64, n)
				for i := range s {
					for j := range 3 {
						s[i][j] = a / float64(j+1)
						if i > 0 {
							s[i][j] = b*(s[parent[i][0]-1][j]+s[parent[i][1]-1][j])/2 + float64(j+1)
						}
						mu[i] += s[i][j]
					}
				}
				return around(mu)
			}},
		{"backwards", "s[t in T..T] = a\ns[t in 1..T-1] = b * s[t+1] + y[t]\ny[t in T] ~ Normal(s[t], 1)\n",
			func(a, b float64) float64 {
				s := make([]float64, n)
				s[n-1] = a
				for i := n - 2; i >= 0; i-- {
					s[i] = b*s[i+1] + y[i]
				}
				return around(s)
			}},
		{"backwards, two arrays and two steps", "data K = 6\ns[t in K-1..K] = a\nr[t in K..K] = b\ns[t in 1..K-2] = " +
			"b * s[t+2] + r[t+1]\nr[t in 1..K-1] = a * s[t+1] + r[t+1] / 2\ny[t in T] ~ Normal(s[t] + r[t], 1)\n",
			func(a, b float64) float64 {
				s, r := make([]float64, n), make([]float64, n)
				s[n-1], s[n-2], r[n-1] = a, a, b
				for i := n - 2; i >= 0; i-- {
					if i < n-2 {
						s[i] = b*s[i+2] + r[i+1]
					}
					r[i] = a*s[i+1] + r[i+1]/2
				}
				for i := range s {
					s[i] += r[i]
				}
				return around(s)
			}},
		{"the whole future", "s[t in T..T] = a\ns[t in 1..T-1] = b * sum(j in t+1..T: s[j] / (j - t))\ny[t in T] ~ " +
			"Normal(s[t], 1)\n",
			func(a, b float64) float64 {
				s := make([]float64, n)
				s[n-1] = a
				for i := n - 2; i >= 0; i-- {
					for j := i + 1; j < n; j++ {
						s[i] += b * s[j] / float64(j-i)
					}
				}
				return around(s)
			}},
		{"the whole past of one array, read by another",
			"s[1] = a\nm[t in T] = sum(j in 1..t-1: s[j]) / t\ns[t in 2..T] = b * s[t-1] + m[t]\ny[t in T] ~ " +
				"Normal(s[t] + m[t], 1)\n",
			func(a, b float64) float64 {
				s, m := make([]float64, n), make([]float64, n)
				sum := 0.0
				for i := range y {
					m[i] = sum / float64(i+1)
					s[i] = a
					if i > 0 {
						s[i] = b*s[i-1] + m[i]
					}
					sum += s[i]
				}
				for i := range s {
					s[i] += m[i]
				}
				return around(s)
			}},
		{"pieces that go on from each other, the last written first",
			"s[t in 4..T] = b * s[t-1]\ns[t in 2..3] = s[t-1] + a\ns[1] = a\ny[t in T] ~ Normal(s[t], 1)\n",
			func(a, b float64) float64 {
				s := []float64{a}
				for i := 1; i < n; i++ {
					if i < 3 {
						s = append(s, s[i-1]+a)
					} else {
						s = append(s, b*s[i-1])
					}
				}
				return around(s)
			}},
		{"single elements that read the others",
			"s[1] = a\nr[1] = s[1] * b\ns[2] = r[1] + 1\nr[t in 2..T] = s[t] + b\ns[t in 3..T] = r[t-1] - " +
				"s[t-1]\ny[t in T] ~ Normal(s[t] * r[t], 1)\n",
			func(a, b float64) float64 {
				s, r := []float64{a, a*b + 1}, []float64{a * b, a*b + 1 + b}
				for i := 2; i < n; i++ {
					s = append(s, r[i-1]-s[i-1])
					r = append(r, s[i]+b)
				}
				for i := range s {
					s[i] *= r[i]
				}
				return around(s)
			}},
		{"vectors, and a plate", "A = [[a, 0.2], [0.1, b]]\nx[1] = [1, 2]\nx[t in 2..T] = A @ x[t-1]\ng[1, k in " +
			"1..2] = k\ng[t in 2..T, k in 1..2] = g[t-1, k] / 2 + x[t-1, k]\ny[t in T] ~ Normal(x[t, 1] + x[t, 2] + " +
			"sum(k in 1..2: g[t, k]), 1)\n",
			func(a, b float64) float64 {
				x, g, s := [2]float64{1, 2}, [2]float64{1, 2}, make([]float64, n)
				for i := range y {
					s[i] = x[0] + x[1] + g[0] + g[1]
					g = [2]float64{g[0]/2 + x[0], g[1]/2 + x[1]}
					x = [2]float64{a*x[0] + 0.2*x[1], 0.1*x[0] + b*x[1]}
				}
				return around(s)
			}},
		{"parts of another axis, of two and of one element",
			"x[t in 1..2, 1] = a * t\nx[t in 1..2, k in 2..3] = k - b\nx[t in 3..T, 1] = x[t-1, 3] / 2\n" +
				"x[t in 3..T, k in 2..3] = b * x[t-2, k-1] + a\ny[t in T] ~ Normal(x[t, 1] + x[t, 2] * x[t, 3], 1)\n",
			func(a, b float64) float64 {
				x, s := make([][3]float64, n), make([]float64, n)
				for i := range y {
					if i < 2 {
						x[i] = [3]float64{a * float64(i+1), 2 - b, 3 - b}
					} else {
						x[i] = [3]float64{x[i-1][2] / 2, b*x[i-2][0] + a, b*x[i-2][1] + a}
					}
					s[i] = x[i][0] + x[i][1]*x[i][2]
				}
				return around(s)
			}},
		{"parts of another axis, one of them known",
			"d[t in T] = y[t]^2\nx[1, 1] = a\nx[1, 2] = a\nx[t in 2..T, 2] = d[t]\nx[t in 2..T, 1] = b * x[t-1, 1] + " +
				"x[t-1, 2] * m[t-1]\n" +
				"m[1] = 1\nm[t in 2..T] = x[t-1, 2] - m[t-1] / 2\ny[t in T] ~ Normal(x[t, 1] + x[t, 2] + m[t], 1)\n",
			func(a, b float64) float64 {
				x, m, s := [2]float64{a, a}, 1.0, make([]float64, n)
				for i := range y {
					if i > 0 {
						x, m = [2]float64{b*x[0] + x[1]*m, y[i] * y[i]}, x[1]-m/2
					}
					s[i] = x[0] + x[1] + m
				}
				return around(s)
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := compilertest.Load(t, data+"a, b ~ Normal(0, 1)\n"+c.text)
			const a, b = 0.4, -0.7
			if got := compilertest.LikelihoodAt(t, p, map[string]float64{"a": a, "b": b}); !compilertest.Near(got,
				c.want(a, b), 1e-12) {
				t.Errorf("log likelihood %.14g, want %.14g", got, c.want(a, b))
			}
			gradientMatches(t, p, []float64{a, b}, c.want)
		})
	}
}

// gradientMatches compares the gradient of the log likelihood with central differences, whose error is h², here about
// 1e-9.
func gradientMatches(t *testing.T, p *compiler.Program, at []float64, f func(a, b float64) float64) {
	t.Helper()
	g := autodiff.New()
	theta := g.Input("theta", p.Dim())
	_, lik := p.Density(theta)
	got := autodiff.Eval(map[string][]float64{"theta": at}, autodiff.Grad(lik, theta)[0])[0]
	const h = 1e-5
	want := []float64{(f(at[0]+h, at[1]) - f(at[0]-h, at[1])) / (2 * h),
		(f(at[0], at[1]+h) - f(at[0], at[1]-h)) / (2 * h)}
	for k := range want {
		if !compilertest.Near(got[k], want[k], 1e-6) {
			t.Errorf("gradient %v, want %v", got, want)
		}
	}
}

// TestNoncenteredThroughDefinitions checks that a noncentered series has the same values and density whether its
// distribution reads the past directly or through a definition.
func TestNoncenteredThroughDefinitions(t *testing.T) {
	t.Parallel()
	const head = "data y[T] = [0.3, -1.2, 0.4, 2]\nphi ~ Uniform(-1, 1)\nh[1] ~ Normal(0, 1)\ny[t in T] ~ " +
		"Normal(h[t], 1)\n"
	direct := compilertest.Load(t, head+"h[t in 2..T] ~ Normal(phi * h[t-1], 0.5) noncentered\n")
	through := compilertest.Load(t, head+"m[t in 2..T] = phi * h[t-1]\nh[t in 2..T] ~ Normal(m[t], 0.5) noncentered\n")
	at := map[string][]float64{"theta": {0.3, 0.1, -0.4, 1.2, 0.6}}
	var got [2][][]float64
	for i, p := range []*compiler.Program{direct, through} {
		theta := autodiff.New().Input("theta", p.Dim())
		prior, lik := p.Density(theta)
		got[i] = autodiff.Eval(at, prior, lik, p.Values(theta), autodiff.Grad(autodiff.Add(prior, lik), theta)[0])
		if start := p.Start(1, 0); len(start) != 5 {
			t.Errorf("begins at %v", start)
		}
	}
	for k := range got[0] {
		for i := range got[0][k] {
			if !compilertest.Near(got[0][k][i], got[1][k][i], 1e-13) {
				t.Errorf("output %d: %v and %v", k, got[0][k], got[1][k])
			}
		}
	}
	phi, h := got[0][2][0], got[0][2][1]
	for k, z := range []float64{-0.4, 1.2, 0.6} { // h[t] = phi h[t-1] + 0.5 z[t]
		h = phi*h + 0.5*z
		if !compilertest.Near(got[0][2][2+k], h, 1e-13) {
			t.Errorf("h[%d] = %g, want %g", k+2, got[0][2][2+k], h)
		}
	}
}

// TestAncestralSampling checks that series drawn after inference are drawn step by step: the residuals from the mean of
// each step's distribution are standard normal and uncorrelated with those of the step before, within five standard
// errors. Planted fault: the same statistics with the past set to 0 exceed this bound.
func TestAncestralSampling(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, `data y[T] = [1, 2, 3, 4, 5, 6], last = 6
mu ~ Normal(0, 1)
y ~ Normal(mu, 1)
generate v[1] = 2
generate x[1] ~ Normal(3, 1)
generate v[t in 2..T] = 0.5 + 0.1 * x[t-1]^2 + 0.2 * v[t-1]
generate x[t in 2..T] ~ Normal(0.9 * x[t-1], sqrt(v[t]))
generate b[k in 1..2, t in T..T] ~ Normal(k, 1)
generate b[k in 1..2, t in 1..T-1] ~ Normal(b[k, t+1], 0.1)
`)
	const draws = 1500
	var of = map[string]int{}
	size := 0
	for _, v := range p.Saved() {
		of[v.Name], size = size, size+v.Size()
	}
	r := rand.New(rand.NewPCG(7, 7))
	var forward, backward, wrong []float64
	for range draws {
		values := make([]float64, size)
		p.Complete(r, values)
		v, x, b := values[of["v"]:][:6], values[of["x"]:][:6], values[of["b"]:][:12]
		for i := 1; i < 6; i++ {
			if want := 0.5 + 0.1*x[i-1]*x[i-1] + 0.2*v[i-1]; !compilertest.Near(v[i], want, 1e-12) {
				t.Fatalf("v[%d] = %g, want %g", i+1, v[i], want)
			}
			forward = append(forward, (x[i]-0.9*x[i-1])/math.Sqrt(v[i]))
			wrong = append(wrong, x[i]/math.Sqrt(v[i]))
		}
		for k := range 2 {
			for i := range 5 {
				backward = append(backward, (b[6*k+i]-b[6*k+i+1])/0.1)
			}
		}
	}
	for name, z := range map[string][]float64{"forward": forward, "backward": backward} {
		if s := unlikeNormal(z); s > 5 {
			t.Errorf("%s: %.1f standard errors from standard normal", name, s)
		}
	}
	if s := unlikeNormal(wrong); s < 10 {
		t.Errorf("the fault is only %.1f standard errors off", s)
	}
}

// TestAncestralSamplingOfParts checks that a step reads the draws of earlier steps of the same series: in vectors, in
// parts of another axis, at one element, and in the bounds of `in`.
func TestAncestralSamplingOfParts(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, `data y[N] = [1, 2], T = 5
mu ~ Normal(0, 1)
y ~ Normal(mu, 1)
generate u[1] ~ Uniform(0, 1)
generate u[2] ~ Uniform(u[1], u[1] + 1)
generate u[t in 3..T] ~ Uniform(u[t-1], u[t-1] + u[t-2])
generate w[t in 1..2, 1] ~ Normal(1, 1)
generate w[t in 1..2, k in 2..3] ~ Normal(k, 1)
generate w[t in 3..T, 1] ~ Normal(w[t-1, 3], 1e-3)
generate w[t in 3..T, k in 2..3] ~ Normal(w[t-2, k-1] + u[t], 1e-3)
C = [[1e-6, 0], [0, 1e-6]]
swap = [[0, 1], [1, 0]]
generate v[1, 1..2] ~ MvNormal([1, 2], C)
generate v[t in 2..T, 1..2] ~ MvNormal(swap @ v[t-1] + [0, w[t, 2]], C)
generate c[1] ~ Normal(0, 1)
generate c[t in 2..T] ~ Normal(c[t-1], 1) in 0..2
`)
	of, size := map[string]int{}, 0
	for _, v := range p.Saved() {
		of[v.Name], size = size, size+v.Size()
	}
	r := rand.New(rand.NewPCG(3, 4))
	const near = 0.006 // six standard deviations
	for range 200 {
		values := make([]float64, size)
		p.Complete(r, values)
		u, w, v, c := values[of["u"]:], values[of["w"]:], values[of["v"]:], values[of["c"]:]
		for i := 1; i < 5; i++ {
			if top := 1.0; i > 1 {
				top = u[i-2]
				if u[i] > u[i-1]+top {
					t.Fatalf("u %v", u[:5])
				}
			}
			if u[i] < u[i-1] || c[i] < 0 || c[i] > 2 {
				t.Fatalf("u %v, c %v", u[:5], c[:5])
			}
			if math.Abs(v[2*i]-v[2*i-1]) > near || math.Abs(v[2*i+1]-v[2*i-2]-w[3*i+1]) > near {
				t.Fatalf("v %v, w %v", v[:10], w[:15])
			}
			if i < 2 {
				continue
			}
			if math.Abs(w[3*i]-w[3*i-1]) > near || math.Abs(w[3*i+1]-w[3*i-6]-u[i]) > near ||
				math.Abs(w[3*i+2]-w[3*i-5]-u[i]) > near {
				t.Fatalf("w %v, u %v", w[:15], u[:5])
			}
		}
	}
}

// unlikeNormal returns the largest distance, in standard errors, of the mean, the mean square and the lag-1 product of
// z from 0, 1 and 0.
func unlikeNormal(z []float64) float64 {
	n := float64(len(z))
	var mean, square, lag float64
	for i, v := range z {
		mean, square = mean+v/n, square+v*v/n
		if i > 0 {
			lag += v * z[i-1] / n
		}
	}
	return max(math.Abs(mean), math.Abs(square-1)/math.Sqrt2, math.Abs(lag)) * math.Sqrt(n)
}

// TestNoncenteredVectorSeries checks the values of a noncentered series of vectors against its coordinates: x[1] = L
// z[1] and x[t] = a x[t-1] + L z[t], where L is the factor of the covariance.
func TestNoncenteredVectorSeries(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, `data y[T] = [0.3, -1.2, 0.4], C[1..2, 1..2] = [[1, 0.5], [0.5, 2]]
a ~ Normal(0, 1)
x[1, 1..2] ~ MvNormal([0, 1], C) noncentered
x[t in 2..T, 1..2] ~ MvNormal(a * x[t-1], C) noncentered
y[t in T] ~ Normal(x[t, 1] + x[t, 2], 1)
`)
	theta := []float64{0.7, 0.3, -1, 0.5, 2, -0.4, 0.9}
	in := autodiff.New().Input("theta", len(theta))
	prior, _ := p.Density(in)
	out := autodiff.Eval(map[string][]float64{"theta": theta}, p.Values(in), prior)
	want, last, density := []float64{0.7}, [2]float64{0, 1}, 0.0
	for k := 0; k < 3; k++ {
		z := theta[1+2*k:]
		if k > 0 {
			last = [2]float64{0.7 * last[0], 0.7 * last[1]}
		}
		last = [2]float64{last[0] + z[0], last[1] + 0.5*z[0] + math.Sqrt(1.75)*z[1]}
		want = append(want, last[0], last[1])
	}
	for _, z := range theta {
		density -= z*z/2 + math.Log(2*math.Pi)/2
	}
	for i, w := range want {
		if !compilertest.Within(out[0][i], w, 1e-12) {
			t.Errorf("value %d is %v, want %v", i, out[0][i], w)
		}
	}
	if !compilertest.Within(out[1][0], density, 1e-12) {
		t.Errorf("log density of the coordinates is %v, want %v", out[1][0], density)
	}
}
