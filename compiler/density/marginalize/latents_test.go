package marginalize_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"ppl/compiler/compilertest"
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

// TestLatentsAfterInference compares the latents of an occupancy model, one nested in the other, with formulas: the
// exact marginals with the posterior, joint draws with the marginals, and the joint mode.
func TestLatentsAfterInference(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, nested)
	const omega, psi, q = 0.6, 0.5, 0.3
	// Site 2 was never seen: with a = P(no detection | available) each of its two places adds psi (1-q)^4 + 1 - psi.
	place := psi*math.Pow(1-q, 4) + 1 - psi
	pw := omega * place * place / (omega*place*place + 1 - omega)
	occupied := psi * math.Pow(1-q, 4) / place
	wantW := []float64{1, pw, 1}
	wantZ := []float64{occupied, 1, pw * occupied, pw * occupied, 1, 1}

	const n = 4000
	sums, last := compilertest.Completed(p, n, rand.New(rand.NewPCG(1, 2)), omega, psi, q)
	compilertest.CheckVector(t, "probability(w)", last["p_w"], wantW, 1e-12)
	compilertest.CheckVector(t, "probability(z)", last["p_z"], wantZ, 1e-12)
	compilertest.CheckVector(t, "mode(w)", last["best_w"], []float64{1, 0, 1}, 0)
	compilertest.CheckVector(t, "mode(z)", last["best_z"], []float64{0, 1, 0, 0, 1, 1}, 0)
	// Standard errors of n draws are below ½/√n for frequencies, below 3/√n for sums of up to six of them, and below
	// 6/√n for 10 w + noise.
	se := 1 / math.Sqrt(n)
	compilertest.CheckVector(t, "sum(w)", sums["available"], []float64{2 + pw}, 5*se/2)
	compilertest.CheckVector(t, "sum(z[i])", sums["sites"], []float64{1 + occupied, 2 * pw * occupied, 2}, 5*se)
	compilertest.CheckVector(t, "draws that read w", sums["again"], []float64{10, 10 * pw, 10}, 5*6*se)
}

const chained = `
data u[T] = [0.3, 1.2, 0.1, 2.5], n[T] = [0, 2, 1, 3]
a, b ~ Beta(1, 1)
w ~ Bernoulli(0.3)
z[1] ~ Bernoulli(0.5)
z[t in 2..T] ~ Bernoulli(z[t-1] == 1 ? a : b)
u[t in T] ~ Normal(2 * z[t], w == 1 ? 2 : 1)
x[t in T] ~ Bernoulli(z[t] == 1 ? 0.8 : 0.1)
n[t in T] ~ Poisson(0.5 + 2 * x[t])
generate drawn[t in T] = z[t]
generate p_z[t in T] = probability(z[t] == 1)
generate p_w = probability(w == 1)
generate p_x[t in T] = probability(x[t] == 1)
generate best = mode(z)
generate best_x = mode(x)
generate same = sum(t in 2..T: z[t] == z[t-1])
generate both = sum(t in T: z[t] * x[t])
`

// TestChainAfterInference compares a chain with a latent outside it (w) and one inside (x) with the enumeration of all
// 2⁹ assignments: marginals, joint draws and the joint mode.
func TestChainAfterInference(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, chained)
	const a, b = 0.7, 0.2
	var pz, px [4]float64
	var pw, total, same, both, best float64
	var bestZ, bestX []float64
	u, n := [4]float64{0.3, 1.2, 0.1, 2.5}, [4]float64{0, 2, 1, 3}
	bern := func(p float64, k int) float64 {
		if k == 1 {
			return p
		}
		return 1 - p
	}
	for code := range 1 << 9 {
		w := code & 1
		q := bern(0.3, w)
		var z, x [4]int
		for i := range 4 {
			z[i], x[i] = code>>(1+i)&1, code>>(5+i)&1
			switch {
			case i == 0:
				q *= 0.5
			case z[i-1] == 1:
				q *= bern(a, z[i])
			default:
				q *= bern(b, z[i])
			}
			sd := float64(1 + w)
			d := (u[i] - 2*float64(z[i])) / sd
			q *= math.Exp(-d*d/2) / sd
			rate := 0.5 + 2*float64(x[i])
			q *= bern([2]float64{0.1, 0.8}[z[i]], x[i]) * math.Pow(rate, n[i]) * math.Exp(-rate)
		}
		total += q
		pw += q * float64(w)
		if q > best {
			best, bestZ, bestX = q, nil, nil
			for i := range 4 {
				bestZ, bestX = append(bestZ, float64(z[i])), append(bestX, float64(x[i]))
			}
		}
		for i := range 4 {
			pz[i] += q * float64(z[i])
			px[i] += q * float64(x[i])
			both += q * float64(z[i]*x[i])
			if i > 0 && z[i] == z[i-1] {
				same += q
			}
		}
	}
	for i := range 4 {
		pz[i] /= total
		px[i] /= total
	}
	const draws = 4000
	sums, last := compilertest.Completed(p, draws, rand.New(rand.NewPCG(3, 4)), a, b)
	compilertest.CheckVector(t, "probability(z)", last["p_z"], pz[:], 1e-12)
	compilertest.CheckVector(t, "probability(x)", last["p_x"], px[:], 1e-12)
	compilertest.CheckVector(t, "probability(w)", last["p_w"], []float64{pw / total}, 1e-12)
	compilertest.CheckVector(t, "mode(z)", last["best"], bestZ, 0)
	compilertest.CheckVector(t, "mode(x)", last["best_x"], bestX, 0)
	se := 0.5 / math.Sqrt(draws) // upper bound for a frequency
	compilertest.CheckVector(t, "draws of z", sums["drawn"], pz[:], 5*se)
	compilertest.CheckVector(t, "equal neighbours", sums["same"], []float64{same / total}, 5*3*se)
	compilertest.CheckVector(t, "z and x together", sums["both"], []float64{both / total}, 5*4*se)
}

const gathered = `
data site[N]: index(S) = [1, 1, 2, 3, 3], y[N] = [1, 0, 0, 0, 1], S = 3
psi ~ Beta(2, 2)
z[s in S] ~ Bernoulli(psi)
w[n in N] ~ Bernoulli(0.4)
y[n in N] ~ Bernoulli(z[site[n]] * (w[n] == 1 ? 0.3 : 0.9))
generate p_z[s in S] = probability(z[s] == 1)
generate p_w[n in N] = probability(w[n] == 1)
generate best_w = mode(w)
generate both[n in N] = z[site[n]] * w[n]
`

// TestGatherAfterInference compares latents that are read at elements chosen by data, and on which other latents
// depend, with the enumeration of all 2⁸ assignments.
func TestGatherAfterInference(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, gathered)
	const psi = 0.6
	site, y := [5]int{0, 0, 1, 2, 2}, [5]int{1, 0, 0, 0, 1}
	var pz [3]float64
	var pw, both, bestW [5]float64
	total, best := 0.0, 0.0
	for code := range 1 << 8 {
		q := 1.0
		for s := range 3 {
			q *= [2]float64{1 - psi, psi}[code>>s&1]
		}
		for n := range 5 {
			w := code >> (3 + n) & 1
			rate := float64(code>>site[n]&1) * [2]float64{0.9, 0.3}[w]
			q *= [2]float64{0.6, 0.4}[w] * [2]float64{1 - rate, rate}[y[n]]
		}
		total += q
		for s := range 3 {
			pz[s] += q * float64(code>>s&1)
		}
		for n := range 5 {
			pw[n] += q * float64(code>>(3+n)&1)
			both[n] += q * float64(code>>(3+n)&1*(code>>site[n]&1))
			if q > best {
				bestW[n] = float64(code >> (3 + n) & 1)
			}
		}
		best = max(best, q)
	}
	for s := range pz {
		pz[s] /= total
	}
	for n := range pw {
		pw[n] /= total
		both[n] /= total
	}
	const draws = 4000
	means, last := compilertest.Completed(p, draws, rand.New(rand.NewPCG(5, 6)), psi)
	compilertest.CheckVector(t, "probability(z)", last["p_z"], pz[:], 1e-12)
	compilertest.CheckVector(t, "probability(w)", last["p_w"], pw[:], 1e-12)
	compilertest.CheckVector(t, "mode(w)", last["best_w"], bestW[:], 0)
	compilertest.CheckVector(t, "z and w together", means["both"], both[:], 5*0.5/math.Sqrt(draws))
}

// TestManyScalarLatents checks that many latents without an index are summed out one by one, in a time that does not
// grow with the cube of their number.
func TestManyScalarLatents(t *testing.T) {
	t.Parallel()
	const n = 300
	text := "data y[" + strconv.Itoa(n) + "] = [" + strings.Repeat("0.5, ", n-1) + "0.5]\nm1, m2 ~ Normal(0, 5)\n"
	for i := 1; i <= n; i++ {
		text += fmt.Sprintf("z%d ~ Bernoulli(0.25)\ny[%d] ~ Normal(z%d == 1 ? m1 : m2, 1)\n", i, i, i)
	}
	p := compilertest.Load(t, text)
	got := compilertest.LikelihoodAt(t, p, map[string]float64{"m1": 1, "m2": -1})
	near, far := math.Exp(compilertest.NormalLog(0.5, 1, 1)), math.Exp(compilertest.NormalLog(0.5, -1, 1))
	want := n * math.Log(0.25*near+0.75*far)
	if !compilertest.Near(got, want, 1e-12) {
		t.Errorf("log likelihood %v, want %v", got, want)
	}
}
