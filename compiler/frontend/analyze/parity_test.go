package analyze

import (
	"math/rand/v2"
	"testing"
)

// Every vector of the basis satisfies the equations, and a basis of k vectors means 2^k solutions, which an enumeration
// of all assignments of bits confirms.
func TestSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	most := 0
	for range 2000 {
		n := 1 + r.IntN(9)
		var equations []parity
		for range r.IntN(8) {
			q := even()
			for range r.IntN(5) {
				q = q.plus(parity{r.IntN(n)})
			}
			equations = append(equations, q)
		}
		basis := solve(n, equations)
		for _, ones := range basis {
			word := 0
			for _, bit := range ones {
				word |= 1 << bit
			}
			if !satisfies(word, equations) {
				t.Fatalf("%v does not solve %v", ones, equations)
			}
		}
		count := 0
		for word := range 1 << n {
			if satisfies(word, equations) {
				count++
			}
		}
		if count != 1<<len(basis) {
			t.Fatalf("%d solutions of %v, and a basis of %d", count, equations, len(basis))
		}
		most = max(most, len(basis))
	}
	if most < 3 {
		t.Errorf("no basis has more than %d vectors, so the test is too easy", most)
	}
}

func satisfies(word int, equations []parity) bool {
	for _, q := range equations {
		sum := 0
		for _, bit := range q {
			sum += word >> bit & 1
		}
		if sum%2 != 0 {
			return false
		}
	}
	return true
}
