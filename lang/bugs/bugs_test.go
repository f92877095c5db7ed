package bugs_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/lang/bugs"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// TestForms compares the translation of each form of statement with the expected text, and compiles it.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		data             map[string]bugs.Shape
	}{
		{"precisions and links", `
model {
  for (i in 1:N) { y[i] ~ dbin(p[i], n[i]); logit(p[i]) <- a.0 + b * x[i] + u[g[i]] }
  for (j in 1:J) { u[j] ~ dnorm(0, tau) }   # effects
  a.0 ~ dnorm(0, 1.0E-6); b ~ dnorm(0, .01)
  tau ~ dgamma(1, 1.)
  sd.u <- pow(tau, -0.5)
}`, `
data N: int
data J: int
data y[N]: int
data n[N]: int
data x[N]
data g[N]: int
y[i in N] ~ Binomial(n[i], logits = logit_p[i])
logit_p[i in N] = a_0 + b * x[i] + u[g[i]]
generate p[i in N] = sigmoid(logit_p[i])
u[j in J] ~ Normal(0, precision = tau)
a_0 ~ Normal(0, precision = 1.0E-6)
b ~ Normal(0, precision = 0.01)
tau ~ Gamma(1, 1.0)
generate sd_u = tau^(-0.5)`, nil},
		{"a series, and an index that is moved", `
model {
  x[1] ~ dnorm(0, 1)
  for (t in 1:(T - 1)) { x[t + 1] ~ dnorm(phi * x[t], 1) }
  for (t in 1:T) { y[t] ~ dpois(exp(x[t])) }
  phi ~ dunif(-1, 1)
}`, `
data T: int
data y[T]: int
x[1] ~ Normal(0, precision = 1)
x[t in 2..T] ~ Normal(phi * x[t-1], precision = 1)
y[t in T] ~ Poisson(exp(x[t]))
phi ~ Uniform(-1, 1)`, nil},
		{"vectors and matrices, ranges, and signs of powers", `
model {
  for (i in 1:N) { Y[i, 1:M] ~ dmnorm(mu[], Omega[,]) }
  for (j in 1:M) { mu[j] ~ dnorm(-2^2, 1) }
  Omega[1:M, 1:M] ~ dwish(S[,], M)
  s <- sum(mu[2:M]) + inprod(mu[1:M], S[, 1])
}`, `
data N: int
data M: int
data Y[N, M]
data S[M, M]
Y[i in N, M] ~ MvNormal(mu, prec = Omega)
mu[j in M] ~ Normal(-2^2, precision = 1)
Omega[M, M] ~ Wishart(M, inverse(S))
generate s = sum([k in 2..M: mu[k]]) + mu @ S[_, 1]`,
			map[string]bugs.Shape{"N": {}, "M": {}, "Y": {Dims: []int{3, 2}}, "S": {Dims: []int{2, 2}}}},
		{"names that are words of ppl, and an index with the name of a variable", `
model { for (in in 1:in.from) { from[in] ~ dnorm(t, 1) }; for (t in 1:3) { x[t] <- t * pi }; t ~ dexp(1); pi <- t + 1 }`,
			`
data in_from: int
data from_2[in_from]
from_2[in_2 in in_from] ~ Normal(t, precision = 1)
generate x[t_index in 1..3] = t_index * pi_2
t ~ Exponential(1)
pi_2 = t + 1`, nil},
		{"what data decide: a missing response, and a discrete unknown", `
model {
  for (i in 1:N) { y[i] ~ dnorm(m[z[i]], 1) T(0,); z[i] ~ dcat(p[]) }
  for (k in 1:2) { m[k] ~ dnorm(0, 1) }
  p[1:2] ~ ddirch(a[])
}`, `
data N: int
data a[1..2]
data y[N] missing
y[i in N] ~ Normal(m[z[i]], precision = 1) in 0..inf
z[i in N] ~ Categorical(p)
m[k in 1..2] ~ Normal(0, precision = 1)
p[1..2] ~ Dirichlet(a)`,
			map[string]bugs.Shape{"N": {}, "y": {Dims: []int{4}, Missing: true}, "a": {Dims: []int{2}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, ds := bugs.Model(source.New("m.bug", c.text), c.data)
			if diag.HasErrors(ds) {
				t.Fatal(ds)
			}
			if want := strings.TrimPrefix(c.want, "\n") + "\n"; m.Text != want {
				t.Errorf("got\n%s\nwant\n%s", m.Text, want)
			}
			if _, ds := compiler.CheckText("m.ppl", m.Text); diag.HasErrors(ds) {
				t.Errorf("%s\n%v", m.Text, ds)
			}
		})
	}
}

func TestMistakes(t *testing.T) {
	data := map[string]bugs.Shape{"N": {}, "y": {Dims: []int{3}}}
	for _, c := range []struct{ text, want string }{
		{"model { y ~ dnrm(0, 1) }", "the distribution `dnrm` is not in ppl"},
		{"model { y ~ dnorm(0) }", "`dnorm` takes 2 arguments"},
		{"model { a <- interp.lin(1, b, c) }", "the function `interp.lin` is not in ppl"},
		{"model { a <- exp(1, 2) }", "`exp` takes 1 argument"},
		{"model { y ~ dnorm(0, 1)", "the model ends too early"},
		{"model { y ~ ~ }", "`~` is not expected here"},
		{"y ~ dnorm(0, 1)", "`y` is not expected here"},
		{"model { for (i in 1:N) { y[g[i]] ~ dnorm(0, 1) } }", "is not a loop index plus a number"},
		{"model { for (i in 1:N) { x ~ dnorm(0, 1) } }", "the index `i` of a loop does not occur on the left side"},
		{"model { for (i in 1:N) { y[i] ~ dnorm(0, 1) I(c[i], ) } }", "censoring of data by `I(,)`"},
		{"model { y <- 3 }", "`y` has a value in the model and in the data"},
		{"model { x ~ dnorm(z[k], 1) }", "the length of axis 1 of `z` is not known"},
		{"model { x <- 1e400 }", "`1e400` is too large"},
		{"model { f(x) <- 3 }", "`f` is not a link function"},
		{"model { x ~ dnorm(" + strings.Repeat("(", 300) + "0" + strings.Repeat(")", 300) + ", 1) }",
			"are nested more than"},
	} {
		_, ds := bugs.Model(source.New("m.bug", c.text), data)
		if len(ds) == 0 || !strings.Contains(ds[0].Message, c.want) {
			t.Errorf("%.60s: %v is not %q", c.text, ds, c.want)
		}
	}
}

// Models without data are translated to models that the checker accepts.
func TestModels(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.bug")
	if err != nil || len(paths) < 20 {
		t.Fatal("there are no models")
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, ds := bugs.Model(source.New(path, string(text)), nil)
		if !diag.HasErrors(ds) {
			_, ds = compiler.CheckText("m.ppl", m.Text)
		}
		if diag.HasErrors(ds) {
			t.Errorf("%s: %v\n%s", path, ds, m.Text)
		}
	}
}

// TestMutatedModels moves words of models. Each result is translated or refused with a position.
func TestMutatedModels(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.bug")
	if err != nil || len(paths) == 0 {
		t.Fatal("there are no models")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			words := strings.SplitAfter(string(text), " ")
			words[r.IntN(len(words))], words[r.IntN(len(words))] = words[r.IntN(len(words))], ""
			_, ds := bugs.Model(source.New(path, strings.Join(words, "")), nil)
			for _, d := range ds {
				if !d.Span.Valid() {
					t.Errorf("%s: %s has no place", path, d.Message)
				}
			}
		}
	}
}
