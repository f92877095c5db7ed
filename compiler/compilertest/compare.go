package compilertest

import (
	"math"
	"testing"
)

// Near reports whether two numbers differ by at most tol · (1 + |want|).
func Near(got, want, tol float64) bool { return math.Abs(got-want) <= tol*(1+math.Abs(want)) }

// Within reports whether two numbers differ by at most tol. Equal infinities and two NaN do not differ.
func Within(a, b, tol float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= tol
}

// Finite reports whether a number is neither infinite nor NaN.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// AllNear reports whether two vectors are Near each other, element by element.
func AllNear(got, want []float64, tol float64) bool {
	for k := range want {
		if !Near(got[k], want[k], tol) {
			return false
		}
	}
	return len(got) == len(want)
}

// CheckVector fails the test if an element differs from the wanted one by more than tol.
func CheckVector(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s has %d elements, want %d", what, len(got), len(want))
		return
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			t.Errorf("%s: element %d is %v, want %v ± %v", what, i+1, got[i], want[i], tol)
		}
	}
}
