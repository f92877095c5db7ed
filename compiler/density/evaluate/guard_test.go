package evaluate_test

import (
	"fmt"
	"slices"
	"testing"

	"ppl/compiler/compilertest"
)

// TestGuardedSubscripts checks that subscripts must be in range at indices at which a branch, && or a ragged range uses
// them, and only there.
func TestGuardedSubscripts(t *testing.T) {
	t.Parallel()
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
		{"m[1] > 0 && t > 0 ? m[t-1] : 0", true}, // t is known only during sampling: clamped
		{"sum(j in 1..n[t]: m[j])", true},
		{"sum(j in 1..n[t]: m[j+1])", false},
		{"sum(j in 1..n[t]-1: m[j+1])", true},
		{"sum(j in 1..n[t]: t + j > 2 ? m[j-1] : 0)", false},
		{"sum(j in 1..n[t]: j > 1 ? m[j-1] : 0)", true},
	} {
		codes := compilertest.ErrorCodes(t, head+"y[t in 1..3] ~ Normal("+c.mean+", 1)\n")
		if c.ok != (len(codes) == 0) || !c.ok && !slices.Contains(codes, "E45") {
			t.Errorf("mean %s: refused with %v, may compile: %v", c.mean, codes, c.ok)
		}
	}
}

// TestGuardsOfNestedCalls checks that conditions of nested function calls are examined separately. All their indices
// together have 10¹⁶ combinations, which would not fit in memory.
func TestGuardsOfNestedCalls(t *testing.T) {
	t.Parallel()
	const model = `
shifted(x[N]) = [i in 1..N + 1: i > %d ? x[i-1] : 0]
data y = 1
a ~ Normal(0, 1)
x[n in 1..10000] = n
y ~ Normal(a * sum(shifted(shifted(shifted(shifted(x))))), 1)
`
	if codes := compilertest.ErrorCodes(t, fmt.Sprintf(model, 1)); len(codes) > 0 {
		t.Errorf("refused with %v", codes)
	}
	if codes := compilertest.ErrorCodes(t, fmt.Sprintf(model, 0)); !slices.Contains(codes, "E45") {
		t.Errorf("a subscript out of range is not refused: %v", codes)
	}
}
