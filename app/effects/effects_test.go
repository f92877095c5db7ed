package effects_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/app"
	"ppl/app/analysis"
	"ppl/app/effects"
	"ppl/app/notes"
	"ppl/compiler"
)

const table = `y,x,f,g,n
3.1,0.4,a,p,3
2.2,0.1,b,p,1
2.9,0.7,a,q,4
3.8,1.2,b,q,2
4.0,1.1,a,r,6
2.7,0.3,b,r,0
3.3,0.9,a,p,5
2.1,0.2,b,q,1
`

const model = `data y[N], x[N], f[N]: index(F), g[N]: index(G), n[N] from "t.csv"
a, b ~ Normal(0, 5)
c[k in F] ~ Normal(0, 2)
s ~ Exponential(1)
r[j in G] ~ Normal(0, s)
sigma ~ Exponential(1)
y[i in N] ~ Normal(a + b * (x[i] - mean(x)) + c[f[i]] + r[g[i]], sigma)
n[i in N] ~ Poisson(exp(a + c[f[i]]))
`

// sampled samples a few draws of a model into a directory.
func sampled(t *testing.T, model string) *analysis.Run {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "m.ppl")
	for name, text := range map[string]string{path: model, filepath.Join(dir, "t.csv"): table} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	request := app.NewRequest(path)
	request.Seed, request.Draws, request.Warmup, request.Dir = 1, 50, 100, filepath.Join(dir, "m.run")
	if _, err := app.Sample(context.Background(), request, notes.None{}); err != nil {
		t.Fatal(err)
	}
	run, err := analysis.Open(request.Dir, notes.None{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// averaged returns the mean over all draws of a function of parameters.
func averaged(t *testing.T, run *analysis.Run, of func(value func(name string, k int) float64) float64) float64 {
	t.Helper()
	sum, count, known := 0.0, 0, map[string][][]float64{}
	for chain := range run.Stored.Layout.Chains {
		for draw := range run.Stored.Info.Draws {
			sum += of(func(name string, k int) float64 {
				values, ok := known[name]
				if !ok {
					var err error
					if values, err = run.Stored.Draws(name); err != nil {
						t.Fatal(err)
					}
					known[name] = values
				}
				return values[chain][draw*len(values[chain])/run.Stored.Info.Draws+k]
			})
			count++
		}
	}
	return sum / float64(count)
}

// TestEffects compares effects with the formulas of the model at each draw.
func TestEffects(t *testing.T) {
	run := sampled(t, model)
	mean := (0.4 + 0.1 + 0.7 + 1.2 + 1.1 + 0.3 + 0.9 + 0.2) / 8
	for _, c := range []struct {
		question effects.Question
		place    int
		want     func(v func(string, int) float64) float64
		contrast func(v func(string, int) float64) float64
	}{
		{question: effects.Question{Terms: []string{"x"}, Outcome: "y"}, place: 2,
			want: func(v func(string, int) float64) float64 { return v("a", 0) + v("b", 0)*(0.3-mean) + v("c", 0) }},
		{question: effects.Question{Terms: []string{"x"}, Outcome: "y", At: map[string]string{"g": "q", "f": "b"}},
			want: func(v func(string, int) float64) float64 {
				return v("a", 0) + v("b", 0)*(0.1-mean) + v("c", 1) + v("r", 1)
			}},
		{question: effects.Question{Terms: []string{"f", "g"}, Outcome: "y"}, place: 3,
			want:     func(v func(string, int) float64) float64 { return v("a", 0) + v("c", 1) + v("r", 1) },
			contrast: func(v func(string, int) float64) float64 { return v("c", 1) - v("c", 0) }},
		{question: effects.Question{Terms: []string{"f"}, Outcome: "n"}, place: 1,
			want: func(v func(string, int) float64) float64 { return math.Exp(v("a", 0) + v("c", 1)) },
			contrast: func(v func(string, int) float64) float64 {
				return math.Exp(v("a", 0)+v("c", 1)) - math.Exp(v("a", 0)+v("c", 0))
			}},
	} {
		c.question.Groups = compiler.GroupsAtMean
		e, err := effects.Of(context.Background(), run, c.question)
		if err != nil {
			t.Fatalf("%v: %v", c.question, err)
		}
		if got, want := e.Estimates[c.place].Mean, averaged(t, run, c.want); !(math.Abs(got-want) < 1e-9) {
			t.Errorf("%v: the expected outcome at place %d is %v, want %v", c.question, c.place, got, want)
		}
		if c.contrast == nil {
			continue
		}
		got, want := e.Contrasts[len(e.Contrasts)-1].Mean, averaged(t, run, c.contrast)
		if !(math.Abs(got-want) < 1e-9) {
			t.Errorf("%v: the last contrast is %v, want %v", c.question, got, want)
		}
	}
}

// TestCategories checks that the probabilities of an outcome's categories sum to 1 and agree with the model.
func TestCategories(t *testing.T) {
	run := sampled(t, `data x[N], f[N]: index(F) from "t.csv"
a, b ~ Normal(0, 2)
f[i in N] ~ Categorical(logits = [0, a + b * x[i]])
`)
	e, err := effects.Of(context.Background(), run, effects.Question{Terms: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	n := len(e.Terms[0].Values)
	if len(e.Terms) != 2 || len(e.Places) != 2*n || e.Places[n].Values[1].Label != "b" {
		t.Fatalf("places %v of %v", e.Places, e.Terms)
	}
	for k := range n {
		x := e.Places[k].Values[0].Number
		want := averaged(t, run, func(v func(string, int) float64) float64 {
			return 1 / (1 + math.Exp(-v("a", 0)-v("b", 0)*x))
		})
		if got := e.Estimates[n+k].Mean; !(math.Abs(got-want) < 1e-9) ||
			!(math.Abs(got+e.Estimates[k].Mean-1) < 1e-9) {
			t.Errorf("at x = %v the probabilities are %v and %v, want %v for b", x, e.Estimates[k].Mean, got, want)
		}
	}
}

// TestColumns checks that the columns of an outcome become the last term, although new data do not contain them.
func TestColumns(t *testing.T) {
	run := sampled(t, `data both[N, Outcomes], x[N], f[N]: index(F) from "t.csv" columns "y", "n"
a, b ~ Normal(0, 2)
r[Outcomes, Outcomes] ~ LKJ(1)
both[i in N] ~ MvNormal([a + x[i], b * x[i]], sd = [1, 2], corr = r)
`)
	e, err := effects.Of(context.Background(), run, effects.Question{Terms: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	n := len(e.Terms[0].Values)
	if len(e.Terms) != 2 || len(e.Places) != 2*n || e.Places[n].Values[1].Label != "n" || e.Shares {
		t.Fatalf("places %v of %v", e.Places, e.Terms)
	}
	for k := range n {
		x := e.Places[k].Values[0].Number
		wantY := averaged(t, run, func(v func(string, int) float64) float64 { return v("a", 0) + x })
		wantN := averaged(t, run, func(v func(string, int) float64) float64 { return v("b", 0) * x })
		if y, n := e.Estimates[k].Mean, e.Estimates[n+k].Mean; !(math.Abs(y-wantY) < 1e-9) ||
			!(math.Abs(n-wantN) < 1e-9) {
			t.Errorf("at x = %v y is %v and n is %v, want %v and %v", x, y, n, wantY, wantN)
		}
	}
}

// TestIntervals checks that new data need not contain arrays that only describe how outcomes were recorded, and may
// lack some labels with which a definition compares.
func TestIntervals(t *testing.T) {
	run := sampled(t, `data y[N], n[N], f[N]: index(F), x[N] from "t.csv"
a, b ~ Normal(0, 2)
lower[i in N] = f[i] == "b" ? -inf : y[i]
upper[i in N] = y[i] + 1
lower[i in N] ~ Normal(a + b * x[i], 1) upto upper[i]
`)
	e, err := effects.Of(context.Background(), run, effects.Question{Terms: []string{"x"}}) // f is its first element
	if err != nil {
		t.Fatal(err)
	}
	x := e.Places[0].Values[0].Number
	want := averaged(t, run, func(v func(string, int) float64) float64 { return v("a", 0) + v("b", 0)*x })
	if !(math.Abs(e.Estimates[0].Mean-want) < 1e-9) {
		t.Errorf("at x = %v %v is expected, want %v", x, e.Estimates[0].Mean, want)
	}
	alone := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(alone, fmt.Appendf(nil, `{"x": [%v]}`, x), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := run.PredictInMemory(context.Background(), analysis.NewData{Data: []string{alone}, Expected: true})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, chain := range p.Values[0] {
		for _, v := range chain {
			sum += v / float64(len(p.Values[0])*len(chain))
		}
	}
	if !(math.Abs(sum-want) < 1e-9) {
		t.Errorf("of x alone %v is expected, want %v", sum, want)
	}
}

// TestMistakes checks the messages for questions that cannot be answered.
func TestMistakes(t *testing.T) {
	run := sampled(t, model)
	for _, c := range []struct {
		question effects.Question
		want     string
	}{
		{effects.Question{Terms: []string{"x"}}, "observes y and n; choose one with --of"},
		{effects.Question{Terms: []string{"xx"}, Outcome: "y"}, "did you mean x?"},
		{effects.Question{Terms: []string{"x"}, Outcome: "z"}, "does not observe \"z\""},
		{effects.Question{Terms: []string{"x", "x"}, Outcome: "y"}, "is named twice"},
		{effects.Question{Terms: []string{"x"}, Outcome: "y", At: map[string]string{"f": "d"}},
			"f has no element \"d\""},
		{effects.Question{Terms: []string{"f"}, Outcome: "y", At: map[string]string{"x": "low"}}, "x must be a number"},
	} {
		if _, err := effects.Of(context.Background(), run, c.question); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v\nwant %s", c.question, err, c.want)
		}
	}
}
