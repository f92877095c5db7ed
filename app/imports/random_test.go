package imports_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/app/imports"
	"ppl/app/notes"
)

// Random Stan programs have the same density as their translations. They nest loops that assign numbers, elements and
// whole arrays, at the loop's own index, at indices from data, and at neighbours. PPL_SLOW runs more of them.
func TestRandomPrograms(t *testing.T) {
	count, refused := 30, 0
	if os.Getenv("PPL_SLOW") != "" {
		count = 1000
	}
	for seed := range count {
		text := newProgram(uint64(seed)).text()
		path := filepath.Join(t.TempDir(), "m.stan")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := imports.ReadStan(path, notes.None{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		m, _, err := p.Translate(nil)
		if err != nil {
			t.Fatal(err)
		}
		if !m.Equal() {
			refused++
			continue
		}
		if err := p.Verify(m, nil, notes.None{}); err != nil {
			t.Errorf("seed %d: %v\n%s\n%s", seed, err, text, m.Text)
		}
	}
	if refused*20 > count {
		t.Errorf("%d of %d are not translated", refused, count)
	}
}

// A program is a random Stan program. It has the vectors v, x and b and the array r of n elements, the matrix m of n
// rows and k columns, the numbers a, s and t, and the index arrays g and h, of which h is a permutation.
type program struct {
	*rand.Rand
	n, k  int
	loops int
}

func newProgram(seed uint64) *program {
	r := rand.New(rand.NewPCG(seed, 17))
	return &program{Rand: r, n: 3 + r.IntN(3), k: 2 + r.IntN(2)}
}

func (p *program) one(of ...string) string { return of[p.IntN(len(of))] }

// index returns a random index of a vector.
func (p *program) index(loops []string) string {
	if len(loops) == 0 || p.IntN(8) == 0 {
		return fmt.Sprint(1 + p.IntN(3))
	}
	i := p.one(loops...)
	return p.one(i, i, i, "g["+i+"]", "h["+i+"]", "max(1, "+i+" - 1)", "min(N, "+i+" + 1)", "N + 1 - "+i)
}

func (p *program) column() string { return fmt.Sprint(1 + p.IntN(p.k)) }

func (p *program) atom(loops []string) string {
	return p.one("x["+p.index(loops)+"]", "b["+p.index(loops)+"]", "v["+p.index(loops)+"]", "r["+p.index(loops)+"]",
		"m["+p.index(loops)+", "+p.column()+"]", "g["+p.index(loops)+"]", "a", "s", "t", "3", "0.7", "-1.3")
}

func (p *program) expr(loops []string, depth int) string {
	if depth == 0 || p.IntN(4) == 0 {
		return p.atom(loops)
	}
	x, y := p.expr(loops, depth-1), p.expr(loops, depth-1)
	return p.one("("+x+" + "+y+")", "("+x+" - "+y+")", x+" * "+y, x+" / 3", "tanh("+x+")", "f("+x+", "+y+")",
		"("+x+" > "+y+" ? "+x+" : "+y+")", "dot_product(v, x)", "exp(-square("+x+"))")
}

// small returns an expression with values between -.3 and .3.
func (p *program) small(loops []string) string { return "0.3 * tanh(" + p.expr(loops, 2) + ")" }

func (p *program) statement(loops []string, depth int) string {
	at, e := p.index(loops), p.small(loops)
	switch c := p.IntN(20); {
	case c < 5 && depth > 0:
		p.loops++
		i := fmt.Sprintf("i%d", p.loops)
		return fmt.Sprintf("for (%s in %s) {\n%s}\n", i, p.one("1:N", "1:N", "2:N", "1:N - 1", "1:K"),
			p.statements(append(loops[:len(loops):len(loops)], i), depth-1, 1+p.IntN(2)))
	case c < 7:
		return fmt.Sprintf("if (%s > %s) {\n%s}%s\n", p.expr(loops, 1), p.expr(loops, 1), p.statements(loops, 0, 1),
			p.one("", " else {\n"+p.statements(loops, 0, 1)+"}"))
	case c == 7:
		return "{ real q = " + p.expr(loops, 2) + "; s = s * 0.5 + tanh(q); target += 0.1 * q; }\n"
	case c == 8:
		return p.one("v = 0.5 * v + x;", "v = tanh(v + b);", "v[2:3] = x[1:2] * s;", "r = to_array_1d(v);",
			"v[h] = 0.5 * x;", "x ~ normal(v, exp(tanh(s)));", "b[1] ~ normal(tanh(s), 1);") + "\n"
	case c == 9:
		return "m[" + at + "] = " + p.one("m[1] * 0.5", "to_row_vector(v[1:K])", "rep_row_vector(s, K)") + ";\n"
	}
	return p.one("s = ", "s += ", "t = 0.5 * t + ", "v["+at+"] = ", "v["+at+"] += ", "r["+at+"] = ", "target += ",
		"m["+at+", "+p.column()+"] = ", "m["+at+", "+p.column()+"] += ") + e + ";\n"
}

func (p *program) statements(loops []string, depth, count int) string {
	var b strings.Builder
	for range count {
		b.WriteString(p.statement(loops, depth))
	}
	return b.String()
}

func (p *program) text() string {
	chosen, permuted, numbers := make([]string, p.n), make([]string, p.n), make([]string, p.n)
	for i, j := range p.Perm(p.n) {
		chosen[i], permuted[i] = fmt.Sprint(1+p.IntN(3)), fmt.Sprint(1+j)
		numbers[i] = fmt.Sprintf("%.2f", 2*p.Float64()-1)
	}
	return fmt.Sprintf(`
functions { real f(real p, real q) { real w = tanh(p * q); if (w > 0) return w / 2; return w - q * 0.1; } }
transformed data {
  int N = %d;
  int K = %d;
  array[N] int g = {%s};
  array[N] int h = {%s};
  vector[N] x = [%s]';
}
parameters { real a; vector[N] b; }
model {
  real s = 0.3;
  real t = a;
  vector[N] v = b * 0.5;
  matrix[N, K] m = rep_matrix(0.2, N, K);
  array[N] real r = rep_array(0.1, N);
  a ~ normal(0, 1);
  b ~ normal(0, 1);
%s  target += s + t + sum(tanh(v)) + sum(m * rep_vector(0.1, K)) + sum(tanh(to_vector(r)));
}
`, p.n, p.k, strings.Join(chosen, ", "), strings.Join(permuted, ", "), strings.Join(numbers, ", "),
		p.statements(nil, 2, 3+p.IntN(4)))
}
