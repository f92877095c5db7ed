package verify_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/app/verify"
	"ppl/compiler"
	"ppl/compiler/datasets/datafile"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/stan"
	"ppl/lang/stan/evaluate"
	"ppl/lang/stan/translate"
)

// collection is the directory of Stan programs with data; it may not exist.
const collection = "../../../shared/stan"

// slow lists programs that take seconds, and unsuited those whose data Stan rejects, too.
const (
	slow = ` Dynocc Dynocc2 Nmix0 Nmix1 Nmix2 agerecruitment binmix cervix2 cjs_add cjs_cov_raneff cjs_group
		cjs_ind_raneff cjs_t_t cjs_temp_corr dogs fire inhalers ipm ipm_hoopoe ipm_pred ipm_prod js_ms js_super_indran
		mr_ss ms multilevel_poisson_17.5 normal_multi tempemi `
	unsuited = ` radon_vary_intercept_b separation electric_tr `
)

// A sample of programs with data has the density of their translations. PPL_SLOW tests all of them.
func TestCollection(t *testing.T) {
	seen, all := 0, os.Getenv("PPL_SLOW") != ""
	err := filepath.WalkDir(collection, func(path string, _ fs.DirEntry, err error) error {
		program, ok := strings.CutSuffix(path, ".data.json")
		name := filepath.Base(program)
		if err != nil || !ok || listed(unsuited, name) || listed(slow, name) && !all {
			return err
		}
		if seen++; seen%4 == 0 || all {
			t.Run(strings.TrimPrefix(program, collection), func(t *testing.T) {
				text, err := os.ReadFile(program + ".stan")
				if err != nil {
					t.Skip(err)
				}
				agree(t, string(text), path)
			})
		}
		return nil
	})
	if err != nil {
		t.Skipf("there is no collection of programs: %v", err)
	}
}

func listed(names, name string) bool { return slices.Contains(strings.Fields(names), name) }

func agree(t *testing.T, text, data string) {
	t.Helper()
	switch r, err := compared(t, text, data, nil); {
	case err != nil:
		t.Error(err)
	case !r.Agree():
		t.Errorf("the densities differ by %g", r.Difference)
	case r.Finite == 0:
		t.Logf("no finite density at %d points", r.Others)
	}
}

// These programs have no data, and functions whose values have axes.
func TestPrograms(t *testing.T) {
	for name, text := range map[string]string{
		"covariances": `
transformed data { array[3] vector[2] x = {[1, 2]', [0, 1]', [3, 1]'}; array[2] vector[2] z = {[1, 1]', [2, 2]'}; }
parameters { real<lower=0> s; real<lower=0> l; vector<lower=0>[2] r; vector[3] f; }
model {
  f ~ multi_normal(rep_vector(0, 3), add_diag(gp_exp_quad_cov(x, s, r) + gp_matern32_cov(x, s, l), 0.1));
  f ~ multi_normal(rep_vector(0, 3), add_diag(gp_matern52_cov(x, s, l) + gp_exponential_cov(x, s, l), 0.1));
  target += sum(gp_exp_quad_cov(x, z, s, l)) + sum(gp_exp_quad_cov({1.0, 2.0}, {1.5}, s, l));
}`,
		"matrices": `
parameters { matrix[2, 3] m; cov_matrix[2] s; vector[3] v; }
model {
  target += quad_form_sym(s, m[, 1]) + sum(m * v) + sum(columns_dot_product(m, m)) + trace(m * m');
  target += log_determinant(s) + sum(to_vector(m) .* [1, 2, 3, 4, 5, 6]') + m[2, 1:2] * [1, 10]';
  to_vector(m) ~ normal(0, 1);
  v[{3, 1}] ~ student_t(4, m[1, 2:3], 2);
  append_row(v, m[1, ]') ~ double_exponential(0, 1);
}`,
		"elements from two lists": `
transformed data {
  array[20] int seen;
  array[10] int lost;
  for (i in 1:20) seen[i] = i + (i > 10 ? 5 : 0);
  for (i in 1:10) lost[i] = i > 5 ? 21 - i : 31 - i;
}
parameters { vector[10] m; vector[20] s; }
model {
  vector[32] z = rep_vector(0.5, 32);
  z[seen] = s;
  z[lost] = m;
  z ~ normal(linspaced_vector(32, -1, 1), 2);
}`,
		"filters": `
functions { real part_lpmf(array[] int y, int first, int last, real a) { return poisson_log_lupmf(y | a); } }
transformed data { array[4] int n = {1, 0, 3, 2}; matrix[2, 5] y = [[1, 2, 0, -1, 0.5], [0.3, 1, 1, 0, -2]]; }
parameters {
  vector[2] mu; simplex[2] rho; array[2] simplex[2] change; vector<lower=0>[2] v; cov_matrix[2] w; matrix[2, 2] g;
}
model {
  matrix[2, 5] omega;
  for (k in 1:2) for (t in 1:5) omega[k, t] = normal_lpdf(y[1, t] | mu[k], 1);
  target += hmm_marginal(omega, [change[1]', change[2]'], rho);
  y ~ gaussian_dlm_obs(add_diag(g, 1), g, v, w, mu, diag_matrix(v));
  y ~ gaussian_dlm_obs(g, identity_matrix(2), w, w, mu, w);
  to_vector(g) ~ normal(0, 0.3);
  target += log(symmetrize_from_lower_tri(w)[1, 2] ^ 2 + 1);
  target += reduce_sum(part_lupmf, n, 1, mu[1]);
}`,
	} {
		t.Run(name, func(t *testing.T) { agree(t, text, "") })
	}
}

// The types of the two operands decide whether a division truncates: to_vector(a)[1] / 2 does not, although the
// elements of a are integers.
func TestTypesOfNumbers(t *testing.T) {
	for _, expression := range []string{"to_vector(a)[1] / to_vector(b)[1]", "(to_vector(a) ./ to_vector(b))[1]",
		"half(a[1], b[1])", "halfInt(a[1], b[1])", "asVector(a)[1] / 2", "[7, 3][1] / 2", "{7, 3.0}[1] / 2",
		"{7, 3}[1] / 2", "rep_vector(7, 3)[1] / 2", "rep_array(7, 3)[1] / 2", "(y > 0 ? 7 : 2.0) / 2",
		"(a[1] > 3 ? 7 : 2) / 2", "sum(a) / 4", "sum(to_vector(a)) / 4", "max(a) / 2", "max(to_vector(a)) / 2",
		"v[1] / 2", "r[1] / 2", "s / 2", "q / 2", "m[1, 1] / 2", "m[1][1] / 2", "z[1] / 2", "square(7) / 2",
		"abs(a[1]) / 2", "a[1] % b[1] / 2", "a[1] %/% b[1]", "1 / 2 * y", "append_row(7, to_vector(b))[1] / 2",
		"reverse(a)[2] / 2", "linspaced_int_array(3, 1, 7)[3] / 2", "linspaced_vector(3, 1, 7)[3] / 2",
		"to_int(7.0) / 2", "total(a) / 4", "(m * v)[1] / 4", "size(a) / 4", "floor(7) / 2", "normal_lpdf(y | 0, 7 / 2)",
		"normal_lpdf(y | 0, to_vector(a) / 2)", "exp(a[1] / b[1])"} {
		t.Run(expression, func(t *testing.T) {
			agree(t, `
functions {
  real half(real p, real q) { return p / q; }
  int halfInt(int p, int q) { return p / q; }
  vector asVector(array[] int p) { return to_vector(p); }
  real total(array[] int p) { real s = 0; for (e in p) s += e; return s; }
}
transformed data {
  array[2] int a = {7, 3};
  array[2] int b = {2, 2};
  vector[2] v = to_vector(a);
  array[2] real r = a;
  real s = a[1];
  int q = a[1];
  matrix[2, 2] m = [[7, 3], [1, 2]];
  vector[2] z;
  for (i in 1:2) z[i] = a[i];
}
parameters { real y; }
model {
  y ~ normal(0, 1);
  target += (`+expression+`) * exp(y);
}`, "")
		})
	}
}

// A loop adds to elements that data select.
func TestSumsByGroup(t *testing.T) {
	for name, body := range map[string]string{
		"a vector":           `for (n in 1:6) s[g[n]] += exp(b[g[n]] * x[n]);`,
		"as a difference":    `for (n in 1:6) s[g[n]] = s[g[n]] - b[g[n]] * x[n];`,
		"a condition":        `for (n in 1:6) { if (x[n] > 0) s[g[n]] += b[1] * x[n]; }`,
		"of a parameter":     `for (n in 1:6) { if (b[1] > x[n]) s[g[n]] += b[2] * x[n]; else s[g[n]] += 1; }`,
		"twice":              `for (n in 1:6) { s[g[n]] += b[1] * x[n]; s[h[n]] += b[2]; }`,
		"a matrix":           `for (n in 1:6) for (k in 1:2) m[g[n], k] += b[k] * x[n];`,
		"columns first":      `for (k in 1:2) for (n in 1:6) m[g[n], k] = b[k] * x[n] + m[g[n], k];`,
		"two indices":        `for (n in 1:6) m[g[n], h[n]] += b[g[n]] * x[n];`,
		"the last counts":    `for (n in 1:6) s[g[n]] = b[1] * x[n];`,
		"products":           `for (n in 1:6) s[g[n]] *= 1 + exp(b[1] * x[n]);`,
		"whole and elements": `for (i in 1:3) { s = tanh(s + b); s[i] = b[i] * x[i]; }`,
		"whole, if":          `for (i in 1:3) { if (b[i] > 0) s = 2 * b; s[i] = x[i]; }`,
		"an earlier turn":    `s[2] += b[1]; for (i in 1:3) s[i] += b[i] * s[2];`,
		"reads what it adds": `for (n in 1:6) { s[g[n]] += b[1]; s[1] += s[g[n]] * x[n]; }`,
		"a local sum": `for (n in 1:6) { real e = b[g[n]]; s[g[n]] += e; m[h[n], 1] -= e * x[n]; }
for (n in 1:6) s[h[n]] += s[g[n]] * 0.1;`,
	} {
		t.Run(name, func(t *testing.T) {
			agree(t, `
transformed data {
  array[6] int g = {1, 3, 2, 1, 1, 3};
  array[6] int h = {2, 2, 1, 1, 2, 1};
  vector[6] x = [0.5, -1, 2, 0.3, -0.7, 1]';
}
parameters { vector[3] b; }
model {
  vector[3] s = [1, 2, 3]';
  matrix[3, 2] m = rep_matrix(0.5, 3, 2);
  b ~ normal(0, 1);
  `+body+`
  target += dot_product(s, [1, 2, 3]') + sum(m * [1, 3]');
}`, "")
		})
	}
}

// Densities that differ are detected: by a scale, by a sign, or because the model's density is 0 at a point where that
// of the program is not.
func TestOtherModels(t *testing.T) {
	program := `
parameters { real<lower=0> s; real m; ordered[2] c; }
model { m ~ normal(1, s); s ~ exponential(2); c ~ normal(0, 1); }`
	agree(t, program, "")
	for _, change := range [][2]string{{"Normal(1, s)", "Normal(1, 2 * s)"}, {"Normal(1, s)", "Normal(-1, s)"},
		{"Exponential(2)", "Exponential(3)"}, {"~ Normal(1, s)", "~ Uniform(0, s)"}} {
		r, err := compared(t, program, "", func(text string) string {
			if !strings.Contains(text, change[0]) {
				t.Fatalf("%q is not in\n%s", change[0], text)
			}
			return strings.Replace(text, change[0], change[1], 1)
		})
		var d *verify.Disagreement
		if r.Agree() && !errors.As(err, &d) {
			t.Errorf("%s was not found: %+v, %v", change[1], r, err)
		}
	}
}

// compared translates and evaluates a program, and compares the densities.
func compared(t *testing.T, text, path string, changed func(string) string) (verify.Result, error) {
	t.Helper()
	p, ds := stan.Parse(source.New("m.stan", text))
	if diag.HasErrors(ds) {
		t.Fatal(ds)
	}
	info, ds := stan.Check(p)
	if diag.HasErrors(ds) {
		t.Fatal(ds)
	}
	data, args := readData(t, path)
	m, err := evaluate.New(p, info, data)
	if err != nil {
		return verify.Result{}, err
	}
	made := translate.Program(p, info, translate.Options{Data: data})
	if !made.Equal() {
		t.Fatal(made.Unsaid)
	}
	for name, other := range made.Renamed {
		args = append(args, compiler.DataArg{Name: other, Path: path, Key: name})
	}
	if changed != nil {
		made.Text = changed(made.Text)
	}
	model, ds := compiler.Load(compiler.Request{Path: "m.ppl", Text: made.Text, Data: args})
	if diag.HasErrors(ds) {
		t.Fatalf("%v\n%s", ds, made.Text)
	}
	return verify.Densities(m, model, made.Parameters)
}

func readData(t *testing.T, path string) (stan.Data, []compiler.DataArg) {
	t.Helper()
	if path == "" {
		return stan.Data{}, nil
	}
	file, err := datafile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	out := stan.Data{}
	for _, a := range file.Columns() {
		v := make([]float64, a.Values.Len())
		for i := range v {
			v[i] = a.Values.At(i)
		}
		out[a.Name] = stan.Array{Dims: a.Shape, Values: v}
	}
	return out, []compiler.DataArg{{Path: path}}
}
