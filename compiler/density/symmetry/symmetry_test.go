package symmetry_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/compiler/compilertest"
	"ppl/infer/symmetry"
	"ppl/lang/types"
)

// said returns a program's symmetries as text: kind, names, number of sets.
func said(p *compiler.Program) string {
	kinds := [...]string{types.Labels: "labels", types.Signs: "signs", types.Rotations: "rotations"}
	var out []string
	for _, s := range p.Symmetries().Of {
		one := fmt.Sprintf("%s %s %d", kinds[s.Kind], strings.Join(s.Names, " "), len(s.Sets))
		if len(s.Flips) > 0 {
			one += " flips"
		}
		out = append(out, one)
	}
	return strings.Join(out, "; ")
}

const (
	fourRows  = "data y[N] = [1.0, -2.0, 0.5, 0.3]\n"
	twoByFour = "data y[N, M] = [[1.0, -2.0, 0.5, 0.3], [0.1, 0.2, -0.7, 2.0]]\n"
)

// TestFound compares the symmetries found for several models with those of their densities. For each symmetry, another
// model differs in one detail that breaks the symmetry, which must then not be found.
func TestFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ model, want string }{
		"mixture": {fourRows + "w ~ Dirichlet(fill(2, 3))\nm[k in 1..3] ~ Normal(0, 5)\n" +
			"s[k in 1..3] ~ HalfNormal(1)\nz[i in N] ~ Categorical(w)\ny[i in N] ~ Normal(m[z[i]], s[z[i]])",
			"labels w m s 3"},
		"topics": {"data word[N]: index(V) = [1, 2, 3, 2], doc[N]: index(M) = [1, 1, 2, 2], V = 3, M = 2\n" +
			"theta[m in M] ~ Dirichlet(fill(1, 2))\nphi[k in 1..2] ~ Dirichlet(fill(1, V))\n" +
			"z[n in N] ~ Categorical(theta[doc[n]])\nword[n in N] ~ Categorical(phi[z[n]])", "labels theta phi 2"},
		"other weights": {fourRows + "w ~ Dirichlet([2, 2, 1])\nm[k in 1..3] ~ Normal(0, 5)\n" +
			"z[i in N] ~ Categorical(w)\ny[i in N] ~ Normal(m[z[i]], 1)", ""},
		"another prior": {fourRows + "m[1] ~ Normal(0, 5)\nm[k in 2..3] ~ Normal(0, 4)\n" +
			"z[i in N] ~ Categorical([1/3, 1/3, 1/3])\ny[i in N] ~ Normal(m[z[i]], 1)", ""},
		"ordered": {fourRows + "m[k in 1..3] ~ Normal(0, 5) ordered\nz[i in N] ~ Categorical([1/3, 1/3, 1/3])\n" +
			"y[i in N] ~ Normal(m[z[i]], 1)", ""},
		"numbered": {fourRows + "m1, m2 ~ Normal(0, 5)\ns1, s2 ~ HalfNormal(1)\nw ~ Uniform(0, 1)\n" +
			"z[i in N] ~ Bernoulli(w)\ny[i in N] ~ Normal(z[i] == 1 ? m1 : m2, z[i] == 1 ? s1 : s2)",
			"labels m1, m2 s1, s2 w 2 flips"},
		"numbered, another weight": {fourRows + "m1, m2 ~ Normal(0, 5)\nw ~ Beta(2, 1)\n" +
			"z[i in N] ~ Bernoulli(w)\ny[i in N] ~ Normal(z[i] == 1 ? m1 : m2, 1)", ""},
		"factors": {twoByFour + "a[M, 1..2], f[N, 1..2] ~ Normal(0, 1)\n" +
			"y[i in N, j in M] ~ Normal(a[j, 1] * f[i, 1] + a[j, 2] * f[i, 2], 0.5)", "rotations a f 2"},
		"factors, summed out": {twoByFour + "a[M, k in 1..2] ~ Normal(0, 1)\ns[M] ~ HalfNormal(1)\n" +
			"C[i in M, j in M] = sum(k in 1..2: a[i, k] * a[j, k]) + (i == j ? s[i]^2 + 0.1 : 0)\n" +
			"y[i in N] ~ MvNormal(fill(0, M), cov = C)", "rotations a 2"},
		"factors with scales": {twoByFour + "v[k in 1..2] ~ HalfNormal(1)\na[M, k in 1..2] ~ Normal(0, v[k])\n" +
			"f[N, 1..2] ~ Normal(0, 1)\ny[i in N, j in M] ~ Normal(sum(k in 1..2: a[j, k] * f[i, k]), 0.5)",
			"signs a f 2; labels v a f 2"},
		"factors with heavy tails": {twoByFour + "a[M, 1..2], f[N, 1..2] ~ StudentT(3, 0, 1)\n" +
			"y[i in N, j in M] ~ Normal(a[j, 1] * f[i, 1] + a[j, 2] * f[i, 2], 0.5)", "signs a f 2; labels a f 2"},
		"factors with a mean": {twoByFour + "a[M, 1..2] ~ Normal(0.1, 1)\nf[N, 1..2] ~ Normal(0, 1)\n" +
			"y[i in N, j in M] ~ Normal(a[j, 1] * f[i, 1] + a[j, 2] * f[i, 2], 0.5)", "labels a f 2"},
		"items": {"data y[N, M] = [[1, 0, 1], [0, 0, 1]]\na[M], b[M], c[N] ~ Normal(0, 1)\n" +
			"y[i in N, j in M] ~ Bernoulli(logits = a[j] * (c[i] - b[j]))", "signs a b c 1"},
		"items, one fixed": {"data y[N, M] = [[1, 0, 1], [0, 0, 1]]\na[M], b[M], c[N] ~ Normal(0, 1)\n" +
			"y[i in N, j in M] ~ Bernoulli(logits = a[j] * (c[i] - b[j]) + (i == 1 && j == 1 ? a[1] : 0))", ""},
		"units of a network": {fourRows + "w[1..3], c[1..3], v[1..3] ~ Normal(0, 2)\n" +
			"y[i in N] ~ Normal(sum(k in 1..3: v[k] * tanh(w[k] * i + c[k])), 1)",
			"signs w c v 3; labels w c v 3"},
		"other units": {fourRows + "w[1..3], c[1..3], v[1..3] ~ Normal(0, 2)\n" +
			"y[i in N] ~ Normal(sum(k in 1..3: v[k] * exp(w[k] * i + c[k])), 1)", "labels w c v 3"},
		"marked noncentered": {fourRows + "v ~ HalfNormal(1)\nm[k in 1..2] ~ Normal(0, v) noncentered\n" +
			"z[i in N] ~ Categorical([0.5, 0.5])\ny[i in N] ~ Normal(m[z[i]], 1)", "labels m 2"},
		"a threshold far away": {fourRows + "m[k in 1..2] ~ Normal(0, 1)\n" +
			"y[i in N] ~ Normal(m[1] > 30 ? 1000 : m[1] + m[2], 1)", ""},
		"series": {fourRows + "h[1] ~ Normal(0, 1)\nh[t in 2..N] ~ Normal(h[t-1], 1)\ny[i in N] ~ Normal(h[i]^2, 1)",
			"signs h 1"},
	} {
		if got := said(compilertest.Load(t, c.model)); got != c.want {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
	}
}

// TestImagesHaveTheSameDensity checks, in every model with symmetries, that random images of a point have the same log
// prior and log likelihood.
func TestImagesHaveTheSameDensity(t *testing.T) {
	t.Parallel()
	compilertest.EveryModel(t, sameDensity)
	with := 0
	for _, path := range compilertest.Models(t, "experiments/multimodal/gold/targets") {
		p, ds := compiler.Load(compiler.Request{Path: path})
		if p == nil {
			t.Fatal(path, ds)
		}
		sameDensity(t, p)
		with += min(1, len(p.Symmetries().Of))
	}
	if with < 15 {
		t.Errorf("%d targets have symmetries", with)
	}
}

func sameDensity(t *testing.T, p *compiler.Program) {
	const tolerance = 1e-9
	group := symmetry.New(p.Symmetries())
	if group == nil {
		return
	}
	random := rand.New(rand.NewPCG(1, 2))
	for walker := range 5 {
		x := p.Start(3, walker)
		prior, likelihood, _ := compilertest.Density(p, x)
		image := group.Random(x, random)
		there, thereLikelihood, _ := compilertest.Density(p, image)
		if !same(prior, there, tolerance) || !same(likelihood, thereLikelihood, tolerance) {
			t.Errorf("%s: log prior %g and %g, log likelihood %g and %g", group, prior, there, likelihood,
				thereLikelihood)
		}
	}
}

func same(a, b, tolerance float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || compilertest.Near(a, b, tolerance)
}
