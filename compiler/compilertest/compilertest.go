// Package compilertest has helpers for tests of the compiler's stages: it compiles a model written in a test, evaluates
// its density, and compares numbers. A test is in the package of the stage that it tests, and uses this stage through
// package compiler, as a user does:
//
//	p := compilertest.Load(t, "data y = 1\nm ~ Normal(0, 1)\ny ~ Normal(m, 2)\n")
//	prior, likelihood, gradient := compilertest.Density(p, []float64{0.3})
//	if !compilertest.Near(prior, -0.963938533204673, 1e-14) {
//		t.Error(prior, likelihood, gradient)
//	}
package compilertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/lang/diag"
)

// Load compiles a model that contains its data. If there are errors, the test fails with the diagnostics.
func Load(t *testing.T, text string) *compiler.Program {
	t.Helper()
	return loaded(t)(compiler.Load(compiler.Request{Path: write(t, "model.ppl", text)}))
}

// LoadWith is Load with data, as JSON.
func LoadWith(t *testing.T, text, data string) *compiler.Program {
	t.Helper()
	return loaded(t)(compiler.Load(compiler.Request{Path: write(t, "model.ppl", text),
		Data: []compiler.DataArg{{Path: write(t, "data.json", data)}}}))
}

// Predictive compiles a model that draws its data.
func Predictive(t *testing.T, text string, from compiler.Basis) *compiler.Program {
	t.Helper()
	return loaded(t)(compiler.Load(compiler.Request{Path: write(t, "model.ppl", text), Predict: from}))
}

// write writes a file into a new temporary folder.
func write(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// loaded returns a function that returns a program, or fails the test if there is none.
func loaded(t *testing.T) func(*compiler.Program, []diag.Diagnostic) *compiler.Program {
	return func(p *compiler.Program, ds []diag.Diagnostic) *compiler.Program {
		t.Helper()
		if p == nil {
			t.Fatalf("the model does not compile:\n%s", rendered(ds))
		}
		return p
	}
}

func rendered(ds []diag.Diagnostic) string {
	var b strings.Builder
	diag.Render(&b, ds, false)
	return b.String()
}

// Messages returns the diagnostics of loading a model, as a user sees them.
func Messages(t *testing.T, text string) string {
	t.Helper()
	_, ds := compiler.Load(compiler.Request{Path: write(t, "model.ppl", text)})
	return rendered(ds)
}

// ErrorCodes returns the codes of the errors of a model, or none if it compiles.
func ErrorCodes(t *testing.T, text string) (codes []string) {
	t.Helper()
	p, ds := compiler.Load(compiler.Request{Path: write(t, "model.ppl", text)})
	for _, d := range ds {
		if d.Severity == diag.Error {
			codes = append(codes, string(d.Code))
		}
	}
	if (p == nil) != (len(codes) > 0) {
		t.Errorf("compiled: %v, with the errors %v", p != nil, codes)
	}
	return codes
}
