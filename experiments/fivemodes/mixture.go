package main

import (
	"math"

	"ppl/experiments/lab"
	"ppl/posterior/stats"
)

// A mixture is a mixture of five spherical normals in the plane.
type mixture struct {
	name   string
	weight [5]float64
	sd     [5]float64
	corner float64 // modes are at the origin and at (±corner, ±corner)
}

// mixtures returns the three geometries with reference results. The models are in experiments/multimodal.
func mixtures() []mixture {
	same := [5]float64{.5, .5, .5, .5, .5}
	return []mixture{
		{"geo0", [5]float64{.30, .10, .25, .15, .20}, same, 4},
		{"geo1", [5]float64{.30, .10, .25, .15, .20}, [5]float64{.7, .35, .5, .4, .6}, 4},
		{"geo2", [5]float64{.05, .40, .10, .25, .20}, same, 6},
	}
}

// center returns the coordinates of mode k.
func (m mixture) center(k int) (x, y float64) {
	at := [5][2]float64{{0, 0}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}}[k]
	return m.corner * at[0], m.corner * at[1]
}

// mode returns the most likely mode of a point.
func (m mixture) mode(x, y float64) (best int) {
	most := math.Inf(-1)
	for k, w := range m.weight {
		cx, cy := m.center(k)
		if l := math.Log(w) - 2*math.Log(m.sd[k]) - ((x-cx)*(x-cx)+(y-cy)*(y-cy))/(2*m.sd[k]*m.sd[k]); l > most {
			best, most = k, l
		}
	}
	return best
}

// Histograms have bins × bins cells on [−edge, edge]².
const (
	bins = 60
	edge = 9.0
)

// truth returns the exact mass of each cell.
func (m mixture) truth() [][]float64 {
	mass := square()
	for k, w := range m.weight {
		cx, cy := m.center(k)
		for i := range mass {
			for j := range mass[i] {
				mass[i][j] += w * slab(i, cx, m.sd[k]) * slab(j, cy, m.sd[k])
			}
		}
	}
	return mass
}

func square() [][]float64 {
	s := make([][]float64, bins)
	for i := range s {
		s[i] = make([]float64, bins)
	}
	return s
}

// slab returns the probability of the i-th interval under a normal.
func slab(i int, mean, sd float64) float64 {
	below := func(x float64) float64 { return math.Erfc(-(x-mean)/sd/math.Sqrt2) / 2 }
	lo := -edge + 2*edge/bins*float64(i)
	return below(lo+2*edge/bins) - below(lo)
}

// A score compares draws with a mixture.
type score struct {
	draws  int
	tv     float64 // total variation distance of the histogram from the truth
	floor  float64 // expected tv of the same number of independent draws
	weight float64 // largest error of a weight
	vratio float64 // ratio of the variance within modes to the true variance
	ess    float64 // ESS of the mean of the worse coordinate
	mass   [][]float64
}

// rate scores draws. For each chain, x and y of all draws are in one slice.
func (m mixture) rate(chains [][]float64) score {
	s := score{mass: square()}
	var weight [5]float64
	var spread float64
	for _, c := range chains {
		s.draws += len(c) / 2
		for ; len(c) > 0; c = c[2:] {
			k := m.mode(c[0], c[1])
			cx, cy := m.center(k)
			weight[k]++
			spread += ((c[0]-cx)*(c[0]-cx) + (c[1]-cy)*(c[1]-cy)) / (2 * m.sd[k] * m.sd[k])
			s.mass[cell(c[0])][cell(c[1])]++
		}
	}
	n := float64(s.draws)
	s.vratio = spread / n
	for k, w := range weight {
		s.weight = math.Max(s.weight, math.Abs(w/n-m.weight[k]))
	}
	s.tv, s.floor = compare(s.mass, m.truth(), n)
	s.ess = math.Min(stats.ESSMean(coordinate(chains, 0)), stats.ESSMean(coordinate(chains, 1)))
	return s
}

func cell(x float64) int {
	return int(math.Min(math.Max(math.Floor((x+edge)/(2*edge)*bins), 0), bins-1))
}

// compare converts counts to shares. It returns the total variation distance of the shares from the truth, and the
// expected distance for n independent draws.
func compare(counts, truth [][]float64, n float64) (tv, floor float64) {
	for i := range counts {
		for j, p := range truth[i] {
			counts[i][j] /= n
			tv += math.Abs(counts[i][j]-p) / 2
			floor += deviation(n, p) / n / 2
		}
	}
	return tv, floor
}

// deviation returns the mean absolute deviation of a binomial count (de Moivre): 2m C(n, m) pᵐ (1 − p)ⁿ⁻ᵐ⁺¹ with m =
// ⌊np⌋ + 1.
func deviation(n, p float64) float64 {
	m := math.Floor(n*p) + 1
	choose := func(x float64) float64 { v, _ := math.Lgamma(x + 1); return v }
	return 2 * m * math.Exp(choose(n)-choose(m)-choose(n-m)+m*math.Log(p)+(n-m+1)*math.Log1p(-p))
}

func coordinate(chains [][]float64, j int) [][]float64 {
	out := make([][]float64, len(chains))
	for c, xs := range chains {
		for ; len(xs) > 0; xs = xs[2:] {
			out[c] = append(out[c], xs[j])
		}
	}
	return out
}

// panel returns the panel of a histogram.
func panel(name string, mass [][]float64) lab.Panel {
	return lab.Panel{Name: name, Lo: -edge, Hi: edge, Mass: mass}
}
