package compiler

import (
	"os"
	"path/filepath"
	"testing"

	"ppl/lang/diag"
)

// Where a branch, && or a ragged range counts, subscripts must be in range; elsewhere they may be anything.
func TestGuardedSubscripts(t *testing.T) {
	const head = `
data y[1..3] = [10, 20, 30], g[1..3] = [1, 2, 4], n[1..3] = [1, 2, 3]
m[1..3] ~ Normal(0, 1)
`
	for _, c := range []struct {
		mean string
		ok   bool
	}{
		{"t > 1 ? y[t-1] : m[1]", true},
		{"t > 0 ? y[t-1] : m[1]", false},
		{"t <= 1 ? m[1] : y[t-1]", true},
		{"t < 1 ? m[1] : y[t-1]", false},
		{"g[t] < 4 ? m[g[t]] : 0", true},
		{"g[t] > 0 ? m[g[t]] : 0", false},
		{"t > 1 && y[t-1] > 10 ? m[1] : 0", true},
		{"t > 0 && y[t-1] > 10 ? m[1] : 0", false},
		{"t == 1 || y[t-1] > 10 ? m[1] : 0", true},
		{"t == 2 || y[t-1] > 10 ? m[1] : 0", false},
		{"m[1] > 0 && t > 0 ? m[t-1] : 0", true}, // only known while sampling: clamped
		{"sum(j in 1..n[t]: m[j])", true},
		{"sum(j in 1..n[t]: m[j+1])", false},
		{"sum(j in 1..n[t]-1: m[j+1])", true},
		{"sum(j in 1..n[t]: t + j > 2 ? m[j-1] : 0)", false},
		{"sum(j in 1..n[t]: j > 1 ? m[j-1] : 0)", true},
	} {
		path := filepath.Join(t.TempDir(), "model.ppl")
		if err := os.WriteFile(path, []byte(head+"y[t in 1..3] ~ Normal("+c.mean+", 1)\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p, ds := Load(path, nil)
		if c.ok != (p != nil) || !c.ok && !hasCode(ds, "E45") {
			t.Errorf("mean %s: compiled %v, want %v; %v", c.mean, p != nil, c.ok, ds)
		}
	}
}

func hasCode(ds []diag.Diagnostic, code string) bool {
	for _, d := range ds {
		if d.Code == code {
			return true
		}
	}
	return false
}
