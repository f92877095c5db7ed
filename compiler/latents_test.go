package compiler

import (
	"math"
	"math/rand/v2"
	"testing"
)

const nested = `
data seen[S, J] = [[0, 2], [0, 0], [1, 3]]
Omega, psi, q ~ Beta(2, 2)
w[i in S] ~ Bernoulli(Omega)
z[i in S, j in J] ~ Bernoulli(w[i] * psi)
seen[i in S, j in J] ~ Binomial(4, z[i, j] * q)
generate available = sum(w)
generate sites[i in S] = sum(z[i])
generate p_w[i in S] = probability(w[i] == 1)
generate p_z[i in S, j in J] = probability(z[i, j] == 1)
generate best_w = mode(w)
generate best_z = mode(z)
generate again[i in S] ~ Normal(10 * w[i], 1)
`

// Latents of an occupancy model with one nested in the other: their exact marginals against the posterior worked out by hand,
// joint draws against the marginals, the joint mode.
func TestLatentsAfterInference(t *testing.T) {
	p := load(t, nested)
	const omega, psi, q = 0.6, 0.5, 0.3
	// Site 2 was never seen: with a = P(no detection | available) each of its two places adds psi (1-q)^4 + 1 - psi.
	place := psi*math.Pow(1-q, 4) + 1 - psi
	pw := omega * place * place / (omega*place*place + 1 - omega)
	occupied := psi * math.Pow(1-q, 4) / place
	wantW := []float64{1, pw, 1}
	wantZ := []float64{occupied, 1, pw * occupied, pw * occupied, 1, 1}

	const n = 4000
	r := rand.New(rand.NewPCG(1, 2))
	sums := map[string][]float64{}
	var last map[string][]float64
	for range n {
		values := make([]float64, total(p))
		copy(values, []float64{omega, psi, q})
		p.Complete(r, values)
		last = apart(p, values)
		for name, v := range last {
			if sums[name] == nil {
				sums[name] = make([]float64, len(v))
			}
			for i, x := range v {
				sums[name][i] += x / n
			}
		}
	}
	closeTo(t, "probability(w)", last["p_w"], wantW, 1e-12)
	closeTo(t, "probability(z)", last["p_z"], wantZ, 1e-12)
	closeTo(t, "mode(w)", last["best_w"], []float64{1, 0, 1}, 0)
	closeTo(t, "mode(z)", last["best_z"], []float64{0, 1, 0, 0, 1, 1}, 0)
	// Frequencies of n draws have standard errors below ½/√n; sums of up to six of them below 3/√n; 10 w + noise below 6/√n.
	se := 1 / math.Sqrt(n)
	closeTo(t, "sum(w)", sums["available"], []float64{2 + pw}, 5*se/2)
	closeTo(t, "sum(z[i])", sums["sites"], []float64{1 + occupied, 2 * pw * occupied, 2}, 5*se)
	closeTo(t, "draws that read w", sums["again"], []float64{10, 10 * pw, 10}, 5*6*se)
}

func total(p *Program) (n int) {
	for _, v := range p.Saved() {
		n += v.Size()
	}
	return n
}

func apart(p *Program, values []float64) map[string][]float64 {
	out := map[string][]float64{}
	at := 0
	for _, v := range p.Saved() {
		out[v.Name] = values[at : at+v.Size()]
		at += v.Size()
	}
	return out
}

func closeTo(t *testing.T, what string, got, want []float64, tol float64) {
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
