package translate_test

import (
	"strings"
	"testing"

	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/stan"
	"ppl/lang/stan/translate"
)

// A program with tuples has the same translation as the program with a variable for each element.
func TestTuples(t *testing.T) {
	for _, c := range []struct{ name, tuples, byHand string }{
		{"parameters and a density with a tuple",
			`functions { real foo_lpdf(vector y, tuple(real, real) p) { return normal_lpdf(y | p.1, p.2); } }
			data { int N; vector[N] y; }
			parameters { tuple(real, real<lower=0>) p; }
			model { y ~ foo(p); p.1 ~ normal(0, 10); p.2 ~ exponential(1); }`,
			`functions { real foo_lpdf(vector y, real a, real b) { return normal_lpdf(y | a, b); } }
			data { int N; vector[N] y; }
			parameters { real p_1; real<lower=0> p_2; }
			model { y ~ foo(p_1, p_2); p_1 ~ normal(0, 10); p_2 ~ exponential(1); }`},
		{"a function that returns a tuple, which is built by elements, and unpacking",
			`functions {
			  tuple(real, vector) f(vector y, tuple(int, real) o) {
			    tuple(real, vector[o.1]) out;
			    out.1 = mean(y) * o.2;
			    for (i in 1:o.1) out.2[i] = y[i] * o.2;
			    return out;
			  }
			}
			data { int N; vector[N] y; }
			transformed data { tuple(int, real) opt = (2, 0.5); tuple(real, vector[2]) s = f(y, opt); real a; vector[2] b;
			  (a, b) = f(y, (1 + 1, 3.0)); }
			parameters { real x; }
			model { x ~ normal(s.1 + a, 1 + abs(s.2[2] * b[1])); }`,
			`data { int N; vector[N] y; }
			transformed data {
			  real out_1 = mean(y) * 0.5; vector[2] s_2; real out_1_2 = mean(y) * 3.0; vector[2] b;
			  for (i in 1:2) s_2[i] = y[i] * 0.5;
			  for (i in 1:2) b[i] = y[i] * 3.0;
			}
			parameters { real x; }
			model { x ~ normal(out_1 + out_1_2, 1 + abs(s_2[2] * b[1])); }`},
		{"tuples of tuples, and a name that is taken",
			`data { int N; vector[N] y; real t_1; }
			parameters { tuple(real, tuple(real<lower=0>, vector[2])) t; }
			model {
			  tuple(real, real) u;
			  u = (t.1, t.2.1);
			  y ~ normal(u.1 + t_1, u.2);
			  t.2.2 ~ normal(u.1, 1); t.2.1 ~ exponential(1); t.1 ~ std_normal();
			  { tuple(real, real) v = u; v.2 = 3; target += v.2 * v.1; }
			}`,
			`data { int N; vector[N] y; real t_1; }
			parameters { real t_1_; real<lower=0> t_2_1; vector[2] t_2_2; }
			model {
			  y ~ normal(t_1_ + t_1, t_2_1);
			  t_2_2 ~ normal(t_1_, 1); t_2_1 ~ exponential(1); t_1_ ~ std_normal();
			  target += 3 * t_1_;
			}`},
		{"arrays of tuples: elements, slices, loops over them, as arguments and as wholes",
			`functions { real total(array[] tuple(real, vector) x) {
			  real s = 0; for (k in 1:size(x)) s += x[k].1 * sum(x[k].2); return s; } }
			data { int N; vector[N] y; }
			transformed data {
			  array[3] tuple(real, vector[2]) many, copy; real loops = 0;
			  for (i in 1:3) many[i] = (i, y[1:2] * i);
			  copy = many;
			  for (m in copy) loops += m.1 + m.2[2];
			}
			parameters { real x; }
			model { x ~ normal(total(copy) + total(many[2:3]), 1 + abs(loops)); }`,
			`functions { real total(array[] real a, array[] vector b) {
			  real s = 0; for (k in 1:size(a)) s += a[k] * sum(b[k]); return s; } }
			data { int N; vector[N] y; }
			transformed data {
			  array[3] real many_1; array[3] vector[2] many_2; array[3] real copy_1; array[3] vector[2] copy_2;
			  real loops = 0;
			  for (i in 1:3) { many_1[i] = i; many_2[i] = y[1:2] * i; }
			  copy_1 = many_1;
			  copy_2 = many_2;
			  for (m_at in 1:3) loops += copy_1[m_at] + copy_2[m_at][2];
			}
			parameters { real x; }
			model { x ~ normal(total(copy_1, copy_2) + total(many_1[2:3], many_2[2:3]), 1 + abs(loops)); }`},
		{"data decide which of two tuples it is",
			`data { int N; vector[N] y; }
			parameters { tuple(real, real) a, b; }
			model { tuple(real, real) c = N > 2 ? a : b; y ~ normal(c.1, 2); (a, b).1.2 ~ normal(c.2, 1); }`,
			`data { int N; vector[N] y; }
			parameters { real a_1; real a_2; real b_1; real b_2; }
			model { y ~ normal(a_1, 2); a_2 ~ normal(a_2, 1); }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, want := splitAndTranslated(t, c.tuples), splitAndTranslated(t, c.byHand)
			if !got.Equal() || !want.Equal() {
				t.Fatalf("not translated: %v %v", got.Unsaid, want.Unsaid)
			}
			if got.Text == want.Text {
				return
			}
			t.Errorf("got\n%s\nwant\n%s", got.Text, want.Text)
		})
	}
}

func splitAndTranslated(t *testing.T, text string) *translate.Model {
	t.Helper()
	p, ds := stan.Parse(source.New("m.stan", text))
	info, more := stan.Check(p)
	if ds = append(ds, more...); diag.HasErrors(ds) {
		t.Fatal(ds)
	}
	if info, ds = stan.SplitTuples(p, info); diag.HasErrors(ds) {
		t.Fatal(ds)
	}
	return translate.Program(p, info, translate.Options{Data: stan.Data{"N": {Values: []float64{3}},
		"y": {Dims: []int{3}, Values: []float64{1, 2, 4}}, "t_1": {Values: []float64{.5}}}})
}

// A tuple that cannot be split is reported at its position.
func TestTuplesThatCannotBeSplit(t *testing.T) {
	p, ds := stan.Parse(source.New("m.stan", `functions { array[] tuple(real, real) f() { return {(1, 2), (3, 4)}; } }
		model { for (x in f()) target += x.1; }`))
	info, more := stan.Check(p)
	if ds = append(ds, more...); diag.HasErrors(ds) {
		t.Fatal(ds)
	}
	if _, ds = stan.SplitTuples(p, info); !diag.HasErrors(ds) || !strings.Contains(ds[0].Message, "tuple") {
		t.Errorf("got %v", ds)
	}
}
