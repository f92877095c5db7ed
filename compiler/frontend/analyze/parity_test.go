package analyze

import (
	"math/rand/v2"
	"testing"
)

// Every solution satisfies the equations, and there are as many as all assignments of bits say: 2 to their number.
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
		t.Errorf("at most %d solutions in a basis: the test tries too little", most)
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
