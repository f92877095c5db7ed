package nuts

import (
	"math"
)

// A tree is a segment of a trajectory, in the order in which it was built: 2ᵏ points for some k, or a complete
// trajectory. Momenta are whitened, p ~ N(0, I), so that velocities are momenta.
type tree struct {
	begin, end []float64 // momenta at its ends
	sum        []float64 // sum of the momenta of all its points
	weight     float64   // log Σ e^(H₀ − H)
	sample     []float64 // State of one of its points, drawn with probability ∝ e^−H
	energy     float64   // H of the sample
}

func newTree(dim int) *tree {
	return &tree{begin: make([]float64, dim), end: make([]float64, dim), sum: make([]float64, dim),
		sample: make([]float64, stateSize(dim))}
}

// leaf sets t to the tree of one point.
func (t *tree) leaf(state []float64, energy, weight float64) {
	p := momentum(state, len(t.begin))
	copy(t.begin, p)
	copy(t.end, p)
	copy(t.sum, p)
	copy(t.sample, state)
	t.energy, t.weight = energy, weight
}

// reverse reverses t: its two ends change places.
func (t *tree) reverse() { t.begin, t.end = t.end, t.begin }

// join appends next, which continues at the end of t, and takes its sample if take is true. It reports whether the
// joined tree has no U-turn. next must not be used afterwards.
func (t *tree) join(next *tree, take bool) (straight bool) {
	straight = t.straight(next)
	for i, s := range next.sum {
		t.sum[i] += s
	}
	t.end, next.end = next.end, t.end
	t.weight = logAdd(t.weight, next.weight)
	if take {
		t.sample, next.sample = next.sample, t.sample
		t.energy = next.energy
	}
	return straight
}

// straight reports whether the joined tree t + next has no U-turn: the momenta at both ends have positive products with
// the sum Σ p of its momenta. It also checks t with the first point of next, and the last point of t with next, to
// detect U-turns between two halves (Stan 2.23, "additional U-turn checks").
func (t *tree) straight(next *tree) bool {
	var whole, first, last [2]float64
	for i, s := range t.sum {
		all, toFirst, fromLast := s+next.sum[i], s+next.begin[i], t.end[i]+next.sum[i]
		whole[0] += t.begin[i] * all
		whole[1] += next.end[i] * all
		first[0] += t.begin[i] * toFirst
		first[1] += next.begin[i] * toFirst
		last[0] += t.end[i] * fromLast
		last[1] += next.end[i] * fromLast
	}
	return min(whole[0], whole[1], first[0], first[1], last[0], last[1]) > 0
}

// logAdd returns log(eᵃ + eᵇ).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(a, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// Parts of a State (package dynamics) in dim dimensions: θ, p, the whitened gradient, the gradient, log ρ, log ℓ.
func stateSize(dim int) int                       { return 4*dim + 2 }
func position(state []float64, dim int) []float64 { return state[:dim] }
func momentum(state []float64, dim int) []float64 { return state[dim : 2*dim] }
func gradient(state []float64, dim int) []float64 { return state[3*dim : 4*dim] }
func logPrior(state []float64, dim int) float64   { return state[4*dim] }
func logLik(state []float64, dim int) float64     { return state[4*dim+1] }

// hamiltonian returns |p|²/2 − log π, or +∞ if the density is 0 or NaN.
func hamiltonian(state []float64, dim int) float64 {
	h := -logPrior(state, dim) - logLik(state, dim)
	for _, p := range momentum(state, dim) {
		h += p * p / 2
	}
	if math.IsNaN(h) {
		return math.Inf(1)
	}
	return h
}
