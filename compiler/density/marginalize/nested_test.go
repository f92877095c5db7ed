package marginalize_test

import (
	"math"
	"testing"

	"ppl/compiler/compilertest"
)

// TestNestedLatentsThatDataChoose checks a discrete unknown of each school that two statements read at the schools of
// pupils: the distribution of an unknown of each pupil, and the outcomes of pupils. It must be summed once. The density
// is compared with the sum over all 2⁵ values.
func TestNestedLatentsThatDataChoose(t *testing.T) {
	t.Parallel()
	const u, v = 0.3, 0.8
	school, y := []int{0, 0, 1}, []float64{0.2, 2.5, -0.4}
	total, planted := 0.0, 0.0
	for code := range 32 {
		k, c := [2]int{code & 1, code >> 1 & 1}, [3]int{code >> 2 & 1, code >> 3 & 1, code >> 4 & 1}
		p := bernoulli(u, k[0]) * bernoulli(u, k[1])
		for j, s := range school {
			q := 0.2
			if k[s] == 1 {
				q = v
			}
			p *= bernoulli(q, c[j]) * normal(y[j], 2*float64(c[j])+float64(k[s]), 1)
		}
		total += p
		planted += p * bernoulli(u, k[0])
	}
	_, got, _ := compilertest.Density(compilertest.Load(t, `
data school[P]: index(S) = [1, 1, 2], S = 2, y[P] = [0.2, 2.5, -0.4]
u, v ~ Beta(1, 1)
k[s in S] ~ Bernoulli(u)
c[j in P] ~ Bernoulli(k[school[j]] == 1 ? v : 0.2)
y[j in P] ~ Normal(2 * c[j] + k[school[j]], 1)
`), []float64{math.Log(u / (1 - u)), math.Log(v / (1 - v))})
	if math.Abs(got-math.Log(total)) > 1e-12 {
		t.Errorf("log likelihood %v, want %v", got, math.Log(total))
	}
	if math.Abs(got-math.Log(planted)) < 0.1 {
		t.Error("a prior that is counted twice would not be seen")
	}
}

// TestNestedLatentsAtDifferentElements checks that two different elements of a latent that occur together with one
// element of another are an error.
func TestNestedLatentsAtDifferentElements(t *testing.T) {
	t.Parallel()
	codes := compilertest.ErrorCodes(t, `
data school[P]: index(S) = [1, 1, 2], other[P]: index(S) = [2, 2, 1], S = 2, y[P] = [0.2, 2.5, -0.4]
k[s in S] ~ Bernoulli(0.3)
c[j in P] ~ Bernoulli(k[school[j]] == 1 ? 0.8 : 0.2)
y[j in P] ~ Normal(2 * c[j] + k[other[j]], 1)
`)
	if len(codes) != 1 || codes[0] != "E71" {
		t.Errorf("refused with %v, want E71", codes)
	}
}
