package translate_test

import (
	"math"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/stan"
	"ppl/lang/stan/translate"
)

// model translates a program, which must have no mistake.
func model(t *testing.T, text string, data stan.Data) *translate.Model {
	t.Helper()
	p, ds := stan.Parse(source.New("m.stan", text))
	if diag.HasErrors(ds) {
		t.Fatalf("%s\n%v", text, ds)
	}
	info, ds := stan.Check(p)
	if diag.HasErrors(ds) {
		t.Fatalf("%s\n%v", text, ds)
	}
	return translate.Program(p, info, translate.Options{Data: data})
}

// Each form of statement has the expected translation, which also compiles.
func TestForms(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"priors and bounds", `
data { int N; vector[N] y; }
parameters { real mu; real<lower=0> s; real<lower=0, upper=1> p; vector<lower=0>[3] t; }
model { mu ~ normal(0, 1); s ~ cauchy(0, 5); t ~ normal(mu, 1); y ~ normal(mu, s); }`, `
data N: int, y[N]
p ~ Flat in 0..1
t[1..3] ~ Flat in 0..inf
mu ~ Normal(0, 1)
s ~ Cauchy(0, 5) in 0..inf
factor[i in 1..3]: logpdf(Normal(mu, 1), t[i])
y[i in N] ~ Normal(mu, s)`},
		{"a loop over rows with local values", `
data { int N; int J; vector[N] y; array[N] int g; vector[N] x; }
parameters { vector[J] a; real b; }
model {
  for (n in 1:N) {
    real m = a[g[n]] + b * x[n];
    y[n] ~ normal(m, exp(m));
  }
}`, `
data N: int, J: int, y[N], g[N]: int, x[N]
a[J] ~ Flat
b ~ Flat
m[n in N] = a[g[n]] + b * x[n]
y[n in N] ~ Normal(m[n], exp(m[n]))`},
		{"a recurrence", `
data { int T; vector[T] y; }
parameters { real phi; }
transformed parameters { vector[T] h; h[1] = y[1]; for (t in 2:T) h[t] = phi * h[t - 1] + y[t - 1]; }
model { y[2:T] ~ normal(h[2:T], 1); }`, `
data T: int, y[T]
phi ~ Flat
generate h[1] = y[1]
generate h[t in 2..T] = phi * h[t-1] + y[t-1]
factor[i in 1..T-1]: logpdf(Normal(h[i+1], 1), y[i+1])`},
		{"a sum and a carried value", `
data { int N; vector[N] y; }
parameters { real a; }
model {
  real total = 0;
  real level = a;
  for (n in 1:N) {
    total += y[n] * a;
    level = 0.5 * level + y[n];
    y[n] ~ normal(level, 1);
  }
  target += total;
}`, `
data N: int, y[N]
a ~ Flat
level[n in N] = 0.5 * level_2[n-1] + y[n]
y[n in N] ~ Normal(level[n], 1)
level_2[0] = a
level_2[n in N] = level[n]
total = sum(n in N: y[n] * a)
factor total`},
		{"conditions", `
data { int N; array[N] int y; }
parameters { real<lower=0, upper=1> p; }
model {
  for (n in 1:N) {
    if (y[n] > 0) target += log(p); else if (y[n] < 0) target += log1m(p) + p;
  }
}`, `
data N: int, y[N]: int
p ~ Flat in 0..1
factor[n in N]: y[n] > 0 ? log(p) : 0
factor[n in N]: !(y[n] > 0) ? (y[n] < 0 ? log1m(p) : 0) : 0
factor[n in N]: !(y[n] > 0) ? (y[n] < 0 ? p : 0) : 0`},
		{"mixtures", `
data { int N; vector[N] y; int K; }
parameters { ordered[2] mu; real<lower=0, upper=1> w; simplex[K] s; vector[K] m; }
model {
  mu ~ normal(0, 2);
  s ~ dirichlet(rep_vector(2, K));
  for (n in 1:N) {
    vector[K] lp;
    target += log_mix(w, normal_lpdf(y[n] | mu[1], 1), normal_lpdf(y[n] | mu[2], 1));
    for (k in 1:K) lp[k] = log(s[k]) + normal_lpdf(y[n] | m[k], 1);
    target += log_sum_exp(lp);
  }
}`, `
data N: int, y[N], K: int
w ~ Flat in 0..1
m[K] ~ Flat
mu[i in 1..2] ~ Normal(0, 2) ordered
s[K] ~ Dirichlet(fill(2, K))
y[n in N] ~ Mixture(w, [Normal(mu[1], 1), Normal(mu[2], 1)])
lp[n in N, k in K] = log(s[k]) + logpdf(Normal(m[k], 1), y[n])
factor[n in N]: logsumexp(lp[n])`},
		{"functions and transformed data", `
functions {
  real double_lpdf(vector y, real m) { return normal_lpdf(y | 2 * m, 1); }
  vector twice(vector x) { vector[rows(x)] out; for (i in 1:rows(x)) out[i] = 2 * x[i]; return out; }
}
data { int N; vector[N] y; }
transformed data { vector[N] z = twice(y) - mean(y); }
parameters { real m; }
model { z ~ double(m); }`, `
data N: int, y[N]
out[i in N] = 2 * y[i]
z = out - mean(y)
m ~ Flat
factor sum(i in N: logpdf(Normal(2 * m, 1), z[i]))`},
		{"generated quantities", `
data { int N; vector[N] y; vector[N] x; }
parameters { real b; real<lower=0> s; }
model { y ~ normal(b * x, s); }
generated quantities {
  vector[N] log_lik;
  array[N] real y_rep;
  for (n in 1:N) {
    log_lik[n] = normal_lpdf(y[n] | b * x[n], s);
    y_rep[n] = normal_rng(b * x[n], s);
  }
}`, `
data N: int, y[N], x[N]
b ~ Flat
s ~ Flat in 0..inf
y[i in N] ~ Normal(b * x[i], s)
generate y_rep[n in N] ~ Normal(b * x[n], s)
generate log_lik[n in N] = logpdf(Normal(b * x[n], s), y[n])`},
		{"a differential equation", `
functions {
  vector decay(real t, vector y, real k) { vector[1] d; d[1] = -k * y[1] + t; return d; }
}
data { int N; array[N] real ts; vector[N] y; }
parameters { real<lower=0> k; }
transformed parameters { array[N] vector[1] u = ode_rk45(decay, [2.0]', 0, ts, k); }
model { y ~ normal(u[:, 1], 1); }`, `
data N: int, ts[N], y[N]
k ~ Flat in 0..inf
u_2'[1](t) = -k * u_2[1](t) + t
u_2[1](0) = 2.0
generate u[i in N, j in 1..1] = u_2[j](ts[i])
y[i in N] ~ Normal(u[i, 1], 1)`},
		{"the greatest of some values, and its place", `
data { int T; int K; array[T] int y; }
parameters { vector[K] a; }
model { y ~ poisson_log(a[1]); }
generated quantities {
  array[T] real best;
  for (t in 1:T) {
    best[t] = negative_infinity();
    for (k in 1:K) if (a[k] * y[t] > best[t]) best[t] = a[k] * y[t];
  }
}`, `
data T: int, K: int, y[T]: int
a[K] ~ Flat
y[i in T] ~ Poisson(log = a[1])
best_2[t in T, 0] = -inf
best_2[t in T, k in K] = a[k] * y[t] > best_2[t, k-1] ? a[k] * y[t] : best_2[t, k-1]
generate best[t in T] = best_2[t, K]`},
		{"scratch arrays of a loop, from a place that data give", `
data { int N; int T; array[N] int first; array[N, T] int y; vector[3] p0; }
parameters { array[3] simplex[3] A; array[3] simplex[4] B; }
model {
  array[3] real acc;
  array[T] vector[3] gam;
  for (i in 1:N) {
    for (k in 1:3) gam[first[i], k] = p0[k];
    for (t in (first[i] + 1):T) {
      for (k in 1:3) {
        for (j in 1:3) acc[j] = gam[t - 1, j] * A[j, k] * B[k, y[i, t]];
        gam[t, k] = sum(acc);
      }
    }
    target += log(sum(gam[T]));
  }
}`, `
data N: int, T: int, first[N]: int, y[N, T]: int, p0[1..3]
A[i in 1..3, 1..3] ~ Dirichlet(fill(1, 3))
B[i in 1..3, 1..4] ~ Dirichlet(fill(1, 4))
acc_2[i in N, t in T, k in 1..3, j in 1..3] = t >= first[i] + 1 ? gam_3[i, t-1, j] * A[j, k] * B[k, y[i, t]] : 0 / 0
gam_3[i in N, j in T, k in 1..3] = j >= first[i] + 1 ? sum(acc_2[i, j, k]) : j == first[i] ? p0[k] : 0 / 0
factor[i in N]: log(sum(gam_3[i, T]))`},
		{"sums with indices of the same name, and what data choose on the left side", `
data { int J; array[J] int last; }
parameters { vector<lower=0, upper=1>[J] phi; }
transformed parameters {
  matrix[J, J] pr;
  for (i in 1:J) {
    pr[i, last[i]] = phi[i];
    for (j in (last[i] + 1):J) pr[i, j] = prod(phi[i:(j - 1)]);
  }
}
model { target += sum(pr); }`, `
data J: int, last[J]: int
phi[J] ~ Flat in 0..1
generate pr[i in J, j in J] = j >= last[i] + 1 ? prod(k in 1..j-i: phi[i+k-1]) : j == last[i] ? phi[i] : 0 / 0
factor sum(pr)`},
		{"a loop from the end", `
data { int T; vector[T] y; }
parameters { real a; }
model {
  vector[T] b;
  b[T] = 1;
  for (s in 0:(T - 2)) {
    int t = T - s;
    b[t - 1] = a * b[t] + y[t];
  }
  target += b[1];
}`, `
data T: int, y[T]
a ~ Flat
b[i in T] = i <= T - 1 ? a * b[i+1] + y[i+1] : 1
factor b[1]`},
		{"comments", `// Heights of
// children.
data { int N; /* rows */ vector[N] y; }
parameters {
  real m; // in m, not -1
}
model {
  /* The mean
   * is flat. */
  // Rows are independent.
  for (n in 1:N) // each row
    y[n] ~ normal(m, 1);
}`, `
# Heights of
# children.
data N: int  # rows
data y[N]
m ~ Flat  # in m, not -1
# The mean
# is flat.
# Rows are independent.
y[n in N] ~ Normal(m, 1)  # each row`},
		{"a non-centred parameter", `
data { int J; vector[J] y; }
parameters { real mu; real<lower=0> tau; vector<offset=mu, multiplier=tau>[J] theta; }
model { theta ~ normal(mu, tau); y ~ normal(theta, 1); }`, `
data J: int, y[J]
mu ~ Flat
tau ~ Flat in 0..inf
theta[i in J] ~ Normal(mu, tau) noncentered
y[i in J] ~ Normal(theta[i], 1)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := model(t, c.text, nil)
			if len(m.Unsaid) > 0 {
				t.Errorf("not translated: %v", m.Unsaid)
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

// A statement that cannot be translated becomes a comment with its line and reason, and the rest is translated.
func TestUnsaid(t *testing.T) {
	m := model(t, `
data { int N; vector[N] y; }
parameters { real m; }
model {
  while (m > 0) { target += m; }
  y ~ normal(m, 1);
}`, nil)
	if len(m.Unsaid) != 1 || m.Unsaid[0].At.Line() != 5 || m.Equal() {
		t.Errorf("not translated: %v", m.Unsaid)
	}
	for _, want := range []string{"# not translated, line 5: the condition of this loop is not known",
		"y[i in N] ~ Normal(m, 1)"} {
		if !strings.Contains(m.Text, want) {
			t.Errorf("%q is not in\n%s", want, m.Text)
		}
	}
}

// Loops whose conditions data determine are unrolled; a loop that never ends is refused.
func TestDataDecide(t *testing.T) {
	text := `
data { int N; array[N] int kind; vector[N] y; }
parameters { vector[3] a; }
model {
  int n = 1;
  while (n <= N) {
    if (kind[n] == 1) y[n] ~ normal(a[1], 1);
    else y[n] ~ normal(a[2], 2);
    n += 1;
  }
}`
	data := stan.Data{"N": {Values: []float64{2}}, "kind": {Dims: []int{2}, Values: []float64{1, 2}},
		"y": {Dims: []int{2}, Values: []float64{0.5, 1}}}
	m := model(t, text, data)
	want := "y[1] ~ Normal(a[1], 1)\ny[2] ~ Normal(a[2], 2)\n"
	if len(m.Unsaid) > 0 || !strings.HasSuffix(m.Text, want) {
		t.Errorf("%v\n%s", m.Unsaid, m.Text)
	}
	endless := strings.Replace(text, "n += 1;", "", 1)
	if m := model(t, endless, data); len(m.Unsaid) != 1 || m.Unsaid[0].At.Line() != 6 {
		t.Errorf("not translated: %v", m.Unsaid)
	}
}

// If data are given, transformed data that cannot be translated are included with their values.
func TestComputedData(t *testing.T) {
	text := `
data { int N; array[N] int y; }
transformed data {
  array[sum(y)] int where;
  int twice = 2 * N;
  real ones;
  {
    int at = 1;
    for (n in 1:N) {
      if (y[n] == 1) {
        where[at] = n;
        at += 1;
      }
    }
  }
  ones = size(where);
}
parameters { vector[N] a; }
model { a ~ normal(0, 1); sum(a[where]) ~ normal(ones, twice); }`
	p, _ := stan.Parse(source.New("m.stan", text))
	info, _ := stan.Check(p)
	data := stan.Data{"N": {Values: []float64{3}}, "y": {Dims: []int{3}, Values: []float64{1, 0, 1}}}
	without := translate.Program(p, info, translate.Options{})
	if got := strings.Join(without.Uncomputed, " "); got != "ones where" || without.Equal() {
		t.Errorf("%q are not computed", got)
	}
	with := translate.Program(p, info, translate.Options{Data: data, Computed: stan.Data{
		"where": {Dims: []int{2}, Values: []float64{1, 3}}, "ones": {Values: []float64{math.Inf(-1)}}}})
	for _, line := range []string{"data where[1..2]: int = [1, 3]", "data ones = -inf", "2 * N"} {
		if !strings.Contains(with.Text, line) || !with.Equal() {
			t.Errorf("%q is not in\n%s\n%v", line, with.Text, with.Unsaid)
		}
	}
}

// Elements that come from lists, one by one, are read through tables of positions.
func TestGathered(t *testing.T) {
	m := model(t, `
data { int N; array[N] int at; vector[N] y; }
parameters { vector[N] a; }
model {
  vector[N] b;
  for (n in 1:N) b[at[n]] = a[n];
  y ~ normal(b, 1);
}`, stan.Data{"N": {Values: []float64{25}}, "at": {Dims: []int{25}, Values: reversed(25)}})
	for _, line := range []string{"data b_from_a[1..25]: int = [25, 24, 23", "b[i in N] = a[b_from_a[i]]"} {
		if !strings.Contains(m.Text, line) {
			t.Errorf("%q is not in\n%s", line, m.Text)
		}
	}
}

func reversed(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(n - i)
	}
	return out
}
