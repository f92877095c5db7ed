package evaluate_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/datafile/content"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/stan"
	"ppl/lang/stan/evaluate"
)

func machine(t *testing.T, text string, data stan.Data) (*evaluate.Machine, error) {
	t.Helper()
	p, ds := stan.Parse(source.New("m.stan", text))
	if diag.HasErrors(ds) {
		t.Fatalf("%s\n%v", text, ds)
	}
	info, ds := stan.Check(p)
	if diag.HasErrors(ds) {
		t.Fatalf("%s\n%v", text, ds)
	}
	return evaluate.New(p, info, data)
}

func number(v float64) stan.Array { return stan.Array{Values: []float64{v}} }

// Statements and expressions have values that were computed by hand. x is 2.
func TestStatements(t *testing.T) {
	for _, c := range []struct {
		name, functions, model string
		want                   float64
	}{
		{"whole numbers", "", "target += 7 / 2 + 7 % 4 - -7 / 2 + 7.0 / 2;", 3 + 3 + 3 + 3.5},
		{"a loop that is left", "", `
for (i in 1:10) { if (i == 2) continue; if (i > 4) break; target += i * x; }`, 2 * (1 + 3 + 4)},
		{"while", "", "int n = 0; while (1) { n += 1; if (n >= 5) break; } target += n;", 5},
		{"indices", "", `
matrix[2, 3] m = [[1, 2, 3], [4, 5, 6]];
array[2] int at = {3, 1};
m[1, 2:3] = [7, 8];
target += m[1, at] * [1, 10]' + sum(m[, 2]) + m'[3, 2] + m[2][1];`, 8 + 10 + 12 + 6 + 4},
		{"arrays of vectors", "", `
array[2] vector[2] v;
v[1] = [1, 2]';
v[2] = 2 * v[1];
for (w in v) target += dot_product(w, [1, 1]);
v[2, 1] += 5;
target += v[2][1];`, 3 + 6 + 7},
		{"functions", `
int fac(int n) { return n <= 1 ? 1 : n * fac(n - 1); }
real f_lpdf(real y, real a) { return -a * y; }
void add_lp(real y) { target += y; }`, "target += fac(5); x ~ f(3); add_lp(x);", 120 - 6 + 2},
		{"what is not evaluated", "", `
int n = 0; if (n != 0 && 1 / n > 0) target += 1; if (1 || 1 / n) target += 2;`, 2},
		{"copies", "", "vector[2] a = [1, 2]'; vector[2] b = a; b[1] = 9; target += a[1];", 1},
		{"matrices", "", `
matrix[2, 2] s = [[4, 2], [2, 3]];
target += determinant(s) + sum(s \ [4, 2]') + trace(s * inverse(s)) + cholesky_decompose(s)[1, 1];`, 8 + 1 + 2 + 2},
		{"all paths of a Markov chain", "", `
matrix[2, 3] omega = [[-1, x, 0.5], [0.3, -2, 1]];
matrix[2, 2] gamma = [[0.7, 0.3], [0.4, 0.6]];
vector[2] rho = [0.2, 0.8]';
real sum_of_paths = 0;
for (i in 1:2) for (j in 1:2) for (k in 1:2)
  sum_of_paths += rho[i] * gamma[i, j] * gamma[j, k] * exp(omega[i, 1] + omega[j, 2] + omega[k, 3]);
target += hmm_marginal(omega, gamma, rho) - log(sum_of_paths);`, 0},
		{"a dynamic linear model as one normal", "", `
matrix[2, 2] y = [[1, -0.5], [x, 0.3]];
matrix[1, 2] F = [[1, 0.5]];
vector[2] V = [0.4, 0.7]';
real g = 0.8; real w = 0.3; real c0 = 2; real c1 = g * g * c0 + w; real c2 = g * g * c1 + w;
matrix[4, 4] S = rep_matrix(0, 4, 4);
vector[4] m;
for (t in 1:2) for (i in 1:2) {
  m[2 * (t - 1) + i] = F[1, i] * 1.5 * g ^ t;
  for (s in 1:2) for (j in 1:2)
    S[2 * (t - 1) + i, 2 * (s - 1) + j] = F[1, i] * F[1, j] * (t == s ? (t == 1 ? c1 : c2) : g * c1)
      + (t == s && i == j ? V[i] : 0);
}
y ~ gaussian_dlm_obs(F, [[g]], V, [[w]], [1.5]', [[c0]]);
y ~ gaussian_dlm_obs(F, [[g]], diag_matrix(V), [[w]], [1.5]', [[c0]]);
target += -2 * multi_normal_lpdf(to_vector(y) | m, S);`, 0},
		{"a lower triangle", "", "target += symmetrize_from_lower_tri([[1, 9], [x, 4]])[1, 2];", 2},
		{"normal", "", "x ~ normal(1, 2);", -0.125 - math.Log(2) - math.Log(2*math.Pi)/2},
		{"truncation", "", "x ~ exponential(1) T[1, ];", -2 + 1},
		{"counts", "", "array[2] int n = {3, 0}; n ~ poisson(x);", 3*math.Log(2) - 4 - math.Log(6)},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := machine(t, "functions {"+c.functions+"} parameters { real x; } model {"+c.model+"}", nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.LogDensity(stan.Data{"x": number(2)})
			if err != nil || math.Abs(got-c.want) > 1e-12 {
				t.Errorf("got %v, want %v; %v", got, c.want, err)
			}
		})
	}
}

// Statements that cannot be run give an error with their line.
func TestFailures(t *testing.T) {
	for _, c := range []struct{ model, want string }{
		{"vector[2] a = [1, 2]';\ntarget += a[3];", "line 2: the index 3 is out of range for an axis of length 2"},
		{"vector[2] a;\na = [1, 2, 3]';", "a value with the axes [3] is assigned to a variable with the axes [2]"},
		{"\ntarget += 1 / size({1}[2:1]);", "line 2: an integer is divided by 0"},
		{"\nwhile (1) { }", "may never end"},
	} {
		m, err := machine(t, "parameters { real x; } model {"+c.model+"}", nil)
		if err == nil {
			_, err = m.LogDensity(stan.Data{"x": number(0)})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v is not %q", err, c.want)
		}
	}
	if _, err := machine(t, "data { int N; vector[N] y; }", stan.Data{"N": number(2)}); err == nil ||
		!strings.Contains(err.Error(), "the data lack `y`") {
		t.Error(err)
	}
	m, err := machine(t, `
parameters { real x; }
transformed parameters { real<lower=0> y = x; }
model { }`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.LogDensity(stan.Data{"x": number(-1)}); !errors.Is(err, evaluate.ErrRejected) {
		t.Error(err)
	}
}

// Points lie within the bounds of the declarations.
func TestPoints(t *testing.T) {
	m, err := machine(t, `
parameters {
  real<lower=1, upper=2> a; real<upper=a> b; simplex[3] p; ordered[3] o; unit_vector[2] u; corr_matrix[3] r;
  cholesky_factor_corr[3] l; cov_matrix[2] s; vector<lower=b>[2] v; positive_ordered[2] q; sum_to_zero_vector[3] z;
}
model {
  if (a < 1 || a > 2 || b > a || fabs(sum(p) - 1) > 1e-12 || o[1] >= o[2] || o[2] >= o[3] || q[1] <= 0 || q[1] >= q[2])
    target += 1;
  if (fabs(dot_self(u) - 1) > 1e-12 || min(v) < b || fabs(sum(z)) > 1e-12 || l[1, 2] != 0) target += 2;
  if (max(fabs(to_vector(diagonal(l * l') - 1))) > 1e-12 || r[1, 2] != r[2, 1] || r[3, 3] != 1) target += 4;
  target += 0 * log_determinant_spd(s) + 0 * sum(cholesky_decompose(r));
}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		at, err := m.Point(rand.New(rand.NewPCG(1, 1)).NormFloat64)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := m.LogDensity(at); v != 0 || err != nil {
			t.Fatalf("%v is not within bounds: %g, %v", at, v, err)
		}
	}
}

// The log density is that of Stan up to a constant, for programs for which PyStan has computed it
// (experiments/stan/oracle.py).
func TestStanAgrees(t *testing.T) {
	const shared, values = "../../../../shared", "../../../experiments/stan/values"
	for program, data := range map[string]string{"eight_schools_noncentered": "eight_schools", "garch11": "garch",
		"low_dim_gauss_mix": "low_dim_gauss_mix", "hmm_example": "hmm_example", "arK": "arK"} {
		text, err := os.ReadFile(filepath.Join(shared, "stan/posteriordb", program+".stan"))
		if err != nil {
			t.Skipf("there is no collection of programs: %v", err)
		}
		m, err := machine(t, string(text), readData(t, filepath.Join(shared, "posteriordb/data", data+".json")))
		if err != nil {
			t.Fatal(err)
		}
		points, err := os.ReadFile(filepath.Join(values, program+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var all []struct {
			At    json.RawMessage
			Plain float64
		}
		if err := json.Unmarshal(points, &all); err != nil {
			t.Fatal(err)
		}
		first := 0.0
		for i, p := range all {
			at, err := datafile.Parse("at.json", p.At)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.LogDensity(arrays(at.Columns()))
			if i == 0 {
				first = got - p.Plain
			}
			if err != nil || math.Abs(got-p.Plain-first) > 1e-9*math.Max(1, math.Abs(p.Plain)) {
				t.Errorf("%s: %g and %g, less %g; %v", program, got, p.Plain, first, err)
			}
		}
	}
}

func readData(t *testing.T, path string) stan.Data {
	t.Helper()
	file, err := datafile.Read(path)
	if err != nil {
		t.Skipf("there are no data: %v", err)
	}
	return arrays(file.Columns())
}

func arrays(columns []*content.Array) stan.Data {
	out := stan.Data{}
	for _, a := range columns {
		v := make([]float64, a.Values.Len())
		for i := range v {
			v[i] = a.Values.At(i)
		}
		out[a.Name] = stan.Array{Dims: a.Shape, Values: v}
	}
	return out
}
