package compiler_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/lang/ast"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// TestOrderOfStatementsAndRowsChangesNothing writes each example to another directory with its statements in another
// order. If observations are independent and no parameter belongs to a row, the rows of its tables are permuted, too.
// The log density at parameter values given by name must not change.
func TestOrderOfStatementsAndRowsChangesNothing(t *testing.T) {
	t.Parallel()
	rowsToo := 0
	for _, path := range compilertest.Models(t, "examples") {
		p, _ := compiler.Load(compiler.Request{Path: path})
		if p == nil {
			t.Errorf("%s does not load", path)
			continue
		}
		theta := p.Start(3, 0)
		at := parametersAt(p, theta)
		want, err := p.LogProb(at)
		if err != nil {
			continue // discrete unknowns have no values
		}
		rows := plainRows(p, filepath.Base(path))
		if rows {
			rowsToo++
		}
		for seed := range uint64(2) {
			q, ds := compiler.Load(compiler.Request{Path: rearranged(t, path, seed, rows)})
			if q == nil {
				t.Errorf("%s: rearranged, it does not load: %v", path, ds)
				break
			}
			got, err := q.LogProb(at)
			if err != nil || !nearly(got.Likelihood, want.Likelihood) || !nearly(got.Prior, want.Prior) {
				t.Errorf("%s: rearranged (rows too: %v), the density is %+v, %v; want %+v", path, rows, got, err, want)
			}
		}
	}
	if rowsToo < 8 {
		t.Errorf("rows of %d examples were rearranged", rowsToo)
	}
}

func nearly(a, b float64) bool { return math.Abs(a-b) <= 1e-8*(1+math.Abs(b)) }

// parametersAt returns the values of the parameters at a point, by name.
func parametersAt(p *compiler.Program, theta []float64) map[string]*content.Array {
	all, at := valuesAt(p, theta), map[string]*content.Array{}
	for _, name := range p.Parameters() {
		at[name] = all[name]
	}
	return at
}

// inOrder maps examples whose rows must not be permuted to the reason: the order has a meaning, or rows have separate
// unknowns.
var inOrder = map[string]string{
	"curve.ppl": "each row has a value of the process", "exam.ppl": "each row is a person with an ability",
	"health.ppl": "missing entries are unknowns of their rows", "influenza.ppl": "rows are days",
	"lynx.ppl": "rows are years",
}

// plainRows reports whether observations are independent by row, and no parameter has an axis of the rows.
func plainRows(p *compiler.Program, name string) bool {
	n, err := p.Rows()
	if err != nil || inOrder[name] != "" {
		return false
	}
	for _, v := range p.Saved() {
		if slices.Contains(v.Shape, n) {
			return false
		}
	}
	return true
}

// rearranged writes a model and the tables next to it in another order, and returns the path of the model.
func rearranged(t *testing.T, path string, seed uint64, rows bool) string {
	t.Helper()
	r, dir := rand.New(rand.NewPCG(seed, 7)), t.TempDir()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, _ := parse.File(source.New(path, string(text)))
	var statements []string
	for _, st := range file.Stmts {
		statements = append(statements, textOf(st))
	}
	r.Shuffle(len(statements), func(i, j int) { statements[i], statements[j] = statements[j], statements[i] })
	tables, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	for _, name := range tables {
		content, err := os.ReadFile(name)
		if err != nil || filepath.Ext(name) == ".ppl" && name == path {
			continue
		}
		if lines := strings.SplitAfter(string(content), "\n"); rows && filepath.Ext(name) == ".csv" {
			if lines[len(lines)-1] == "" {
				lines = lines[:len(lines)-1]
			}
			r.Shuffle(len(lines)-1, func(i, j int) { lines[i+1], lines[j+1] = lines[j+1], lines[i+1] })
			content = []byte(strings.Join(lines, ""))
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(out, []byte(strings.Join(statements, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

// textOf returns a statement as it is written.
func textOf(st ast.Stmt) string { return st.Span().Text() }
