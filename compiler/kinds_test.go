package compiler_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/compilertest"
	"ppl/compiler/frontend/model"
)

// kindModels maps each kind of expression to a model. If possible, the expression depends on a parameter.
func kindModels() map[string]string {
	const ode = "a ~ Normal(0, 1)\nu(0) = 1\nu'(t) = t - exp(a) * u(t)\ny[n in N] ~ Normal(u(x[n]), 1)"
	const latent = "a ~ Normal(0, 1)\nz[n in N] ~ Bernoulli(0.3)\ny[n in N] ~ Normal(z[n] + a, 1)\n"
	mean := func(e string) string { return "a ~ Normal(0, 1)\ny[n in N] ~ Normal(" + e + ", 1)" }
	return map[string]string{
		"Num":         mean("2"),
		"IndexVar":    mean("a + n"),
		"SizeOf":      mean("a / N"),
		"SetSize":     "f(v[M]) = M\n" + mean("a + f(x)"),
		"Ref":         mean("a"),
		"Apply":       mean("exp(a)"),
		"Cond":        mean("x[n] > 1 ? a : -a"),
		"Subscript":   mean("a * x[n]"),
		"Reduce":      mean("sum(k in 1..2: a * k)"),
		"Build":       mean("sum([k in 1..2: a * k])"),
		"List":        mean("sum([a, 2 * a])"),
		"Concat":      mean("sum(concat([a], [1]))"),
		"MatMul":      mean("[a, 1] @ [1, 2]"),
		"Fill":        mean("sum(fill(a, 2))"),
		"Random":      mean("sum(dropout([a, 2 * a], 0.2))"),
		"Vector":      mean("sum(softmax([a, 1]))"),
		"Label":       "data g[N]: index(J) from \"GROUPS\"\n" + mean("g[n] == \"west\" ? a : -a"),
		"LogProb":     mean("logpdf(Normal(a, 1), x[n])"),
		"StateAt":     ode,
		"StateNow":    ode,
		"TimeNow":     ode,
		"Probability": latent + "generate p[n in N] = probability(z[n] == 1)",
		"Mode":        latent + "generate m = mode(z)",
	}
}

// expressionKinds returns the names of the expression types of package model: the structs that embed Fact.
func expressionKinds(t *testing.T) (kinds []string) {
	t.Helper()
	paths, err := filepath.Glob("frontend/model/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatal("package model cannot be read", err)
	}
	inspect := func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				if id, ok := f.Type.(*ast.Ident); ok && len(f.Names) == 0 && id.Name == "Fact" {
					kinds = append(kinds, spec.Name.Name)
				}
			}
		}
		return false
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, inspect)
	}
	slices.Sort(kinds)
	return kinds
}

// kindsIn returns the set of the kinds of all expressions of a model.
func kindsIn(m *model.Model) map[string]bool {
	found := map[string]bool{}
	visit := func(xs ...model.Expr) {
		for _, x := range xs {
			model.Walk(x, func(y model.Expr) { found[reflect.TypeOf(y).Elem().Name()] = true })
		}
	}
	for _, a := range m.Arrays {
		visit(a.Exprs()...)
	}
	for _, t := range m.Terms {
		visit(append(t.Exprs(), t.Value)...)
	}
	return found
}

// TestEveryKindOfExpressionGoesThroughEveryStage compiles a model for each kind of expression and evaluates everything
// that its programs offer: analyses, the density and its gradient, terms by row, starting points, saved and generated
// values, and replicates of the data. A new kind fails until kindModels has it, and then in each stage that has no case
// for it.
func TestEveryKindOfExpressionGoesThroughEveryStage(t *testing.T) {
	t.Parallel()
	models := kindModels()
	if known := slices.Sorted(maps.Keys(models)); !slices.Equal(known, expressionKinds(t)) {
		t.Fatalf("package model has the expressions %v, kindModels has %v", expressionKinds(t), known)
	}
	for kind, text := range models {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			groups := filepath.Join(t.TempDir(), "groups.csv")
			if err := os.WriteFile(groups, []byte("g\neast\nwest\neast\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(text, "GROUPS", groups, 1)
			data := "data y[N] = [0.5, 1.5, 2.5]\ndata x[N] = [1, 2, 3]\n"
			everyStage(t, kind, data+text)
			t.Run("of data", func(t *testing.T) { // the same expression, depending only on data
				const other = "a = x[2]\nb ~ Normal(0, 1)\nx[n in N] ~ Normal(b, 1)"
				fixed := strings.Replace(text, "a ~ Normal(0, 1)", other, 1)
				everyStage(t, kind, data+fixed)
			})
		})
	}
}

// everyStage compiles a model that must contain an expression of the kind, and evaluates everything that its programs
// offer.
func everyStage(t *testing.T, kind, text string) {
	t.Helper()
	p := compilertest.Load(t, text)
	if !kindsIn(p.Model())[kind] {
		t.Fatalf("the model has no %s", kind)
	}
	evaluateAll(t, p)
	evaluateAll(t, compilertest.Predictive(t, text, compiler.FromPosterior))
	evaluateAll(t, compilertest.Predictive(t, text, compiler.FromPrior))
}

func evaluateAll(t *testing.T, p *compiler.Program) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, compilertest.Size(p))
	if p.Dim() > 0 {
		theta := p.Start(1, 1)
		x := autodiff.New().Input("theta", p.Dim())
		values = autodiff.Eval(map[string][]float64{"theta": theta}, p.Values(x))[0]
		if n, err := p.Rows(); err == nil && n > 0 {
			if err := compilertest.SplitAgrees(p, r); err != nil {
				t.Error(err)
			}
		}
		compilertest.Likelihood(p, theta)
	}
	p.Complete(r, values)
	for i, v := range values {
		if !compilertest.Finite(v) {
			t.Errorf("value %d is %g", i, v)
		}
	}
}
