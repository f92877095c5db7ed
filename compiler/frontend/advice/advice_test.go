package advice_test

import (
	"strings"
	"testing"

	"ppl/compiler/frontend/check"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// The help of each mistake contains the advice that fixes it.
func TestAdvice(t *testing.T) {
	const data = "data y[N], x[N], g[N]: index(J)\ns ~ HalfNormal(1)\n"
	for _, c := range []struct{ text, advice string }{
		{"sigma ~ HalfNormal(1)\ny[i in N] ~ Normal(x[i], sgima)", "did you mean `sigma`?"},
		{"y[i in N] ~ Normal(x[i] * b, s)", "`b ~ Normal(0, 1)`"},
		{"y[i in N] ~ Normal(x[i] * z[g[i]], tau)", "`tau ~ HalfNormal(1)`"},
		{"y[i in N] ~ Normal(x, s)", "write `x[i]`"},
		{"a[J] ~ Normal(0, 1)\ny ~ Normal(a, s)", "`a[g]`"},
		{"y[i in N] ~ Normal(np.exp(x[i]), s)", "`exp(x)`"},
		{"log(q) ~ Normal(0, 1)\ny[i in N] ~ Normal(x[i] + q, s)", "`q ~ LogNormal(0, 1)`"},
	} {
		file, ds := parse.File(source.New("m.ppl", data+c.text))
		if len(ds) > 0 {
			t.Fatal(ds)
		}
		_, ds = check.File(file, nil)
		var all []string
		for _, d := range ds {
			all = append(all, d.Help)
		}
		if said := strings.Join(all, "\n"); !strings.Contains(said, c.advice) {
			t.Errorf("%s\nadvice: %s\nwant %s", c.text, said, c.advice)
		}
	}
}
