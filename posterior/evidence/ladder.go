package evidence

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ppl/posterior/stats"
)

// A Ladder holds draws from distributions with densities proportional to q(θ) exp(βE(θ)), one per rung, from cold
// (large β) to hot. On the path from prior to posterior, E is the log likelihood and q the prior; for powers of a
// density, E is its logarithm and q is 1.
type Ladder struct {
	Betas    []float64
	Energies [][]float64 // E by chain; each iteration contributes one value per rung
}

// A Log is an estimate of a logarithm, with its standard error.
type Log struct{ Value, SE float64 }

// Ratios holds three estimates of log Z of the coldest rung minus log Z of the hottest rung, all from the same draws:
//
//	Stones    Σ log of the mean of exp(ΔβE) over the draws of the hotter of two neighbours (stepping stones: Xie,
//	          Lewis, Fan, Kuo and Chen 2011)
//	Bridges   Σ of bridge estimates between neighbouring rungs (Bennett 1976), from the draws of both
//	Integral  ∫ of the mean of E over β (thermodynamic integration: Gelman and Meng 1998), from means and variances
//
// Stones depends on the tails of hot distributions; Integral does not, but it interpolates between rungs. They disagree
// if the hot distribution was sampled wrongly or the rungs are too far apart.
type Ratios struct {
	Stones, Bridges, Integral Log
	Apart                     float64   // largest difference between two estimates, in its standard errors
	Betas, Means, SDs         []float64 // β, and the mean and SD of E, by rung
	Hottest                   *Result   // log Z of the hottest distribution; nil if it is known exactly
}

// Results holds the estimates of log Z of a run. Mixture bridges the draws at temperature 1 to a mixture of normals.
// Ladder is nil unless the run has a temperature ladder and log Z of its hottest rung is known or estimated.
type Results struct {
	Mixture  Result
	Ladder   *Ratios
	NoLadder string // reason why the ladder gave no estimate; empty if it did or there is no ladder
}

// Best returns the estimate with the smaller standard error. If the two disagree, it returns the ladder's estimate,
// which does not assume that a mixture of normals approximates the posterior.
func (r Results) Best() Log {
	mixture := Log{r.Mixture.LogZ, r.Mixture.SE}
	if r.Ladder == nil || r.Ladder.Bridges.SE > mixture.SE && !r.Disagree() {
		return mixture
	}
	return r.Ladder.Bridges
}

// Disagree reports whether the ladder's and the mixture's estimates differ by more than their errors allow.
func (r Results) Disagree() bool {
	if r.Ladder == nil {
		return false
	}
	a, b := r.Ladder.Bridges, r.Mixture
	return !(math.Abs(a.Value-b.LogZ) <= mostErrors*math.Hypot(a.SE, b.SE))
}

// Ratios computes the three estimates.
func (l Ladder) Ratios() (Ratios, error) {
	if n := l.iterations(); n < leastDraws {
		return Ratios{}, Unusable(fmt.Sprintf("the ladder has energies of fewer than %d iterations", leastDraws))
	}
	r := Ratios{Betas: l.Betas}
	stones, bridges, integral := l.sum(), l.sum(), l.sum()
	last := len(l.Betas) - 1
	for j := range last {
		l.addStone(stones, j)
		l.addBridge(bridges, j)
	}
	for j := range l.Betas {
		m, v := l.moments(j)
		r.Means, r.SDs = append(r.Means, m), append(r.SDs, math.Sqrt(v))
	}
	if l.Betas[last] == 0 { // the mean of E may be infinite at β = 0
		l.addStone(integral, last-1)
		last--
	}
	unknown := 0.0
	for j := range last {
		miss := l.addArea(integral, j)
		unknown += miss * miss / 12 // variance of a uniform distribution from −miss/2 to miss/2
	}
	integral.unknown = unknown
	r.Stones, r.Bridges, r.Integral = stones.estimate(), bridges.estimate(), integral.estimate()
	r.Apart = max(stones.apart(bridges), stones.apart(integral), bridges.apart(integral))
	return r, nil
}

// Shift adds a known constant to all estimates.
func (r *Ratios) Shift(log float64) {
	for _, e := range []*Log{&r.Stones, &r.Bridges, &r.Integral} {
		e.Value += log
	}
}

// From adds the estimated log Z of the hottest distribution, so that the estimates become log Z of the coldest one.
func (r *Ratios) From(hottest Result) {
	r.Hottest = &hottest
	r.Shift(hottest.LogZ)
	for _, e := range []*Log{&r.Stones, &r.Bridges, &r.Integral} {
		e.SE = math.Hypot(e.SE, hottest.SE)
	}
}

// Disagree reports whether two of the three estimates differ by more than their errors allow.
func (r Ratios) Disagree() bool { return r.Apart > mostErrors }

func (l Ladder) iterations() int {
	if len(l.Energies) == 0 {
		return 0
	}
	return len(l.Energies[0]) / len(l.Betas)
}

// energies returns the energies (log likelihoods) of a rung by chain. Points without a density, which walkers reach at
// β = 0, get −∞.
func (l Ladder) energies(rung int) [][]float64 {
	out := make([][]float64, len(l.Energies))
	for c, all := range l.Energies {
		for at := rung; at < len(all); at += len(l.Betas) {
			e := all[at]
			if math.IsNaN(e) {
				e = math.Inf(-1)
			}
			out[c] = append(out[c], e)
		}
	}
	return out
}

func (l Ladder) moments(rung int) (mean, variance float64) {
	return stat.MeanVariance(slices.Concat(l.energies(rung)...), nil)
}

// scaled returns the energies of a rung, multiplied by the difference of β between rung j and the next one.
func (l Ladder) scaled(rung, j int) [][]float64 {
	out := l.energies(rung)
	for _, chain := range out {
		for i := range chain {
			chain[i] *= l.Betas[j] - l.Betas[j+1]
		}
	}
	return out
}

// A sum accumulates an estimate together with the influence of each iteration of each chain on its error, to first
// order. Influences have mean 0, and their Monte Carlo standard error is that of the sum; this accounts for
// autocorrelation and for correlation between rungs.
type sum struct {
	log        float64
	influences [][]float64
	unknown    float64 // additional variance that the draws do not show
}

func (l Ladder) sum() *sum {
	s := &sum{influences: make([][]float64, len(l.Energies))}
	for c := range s.influences {
		s.influences[c] = make([]float64, l.iterations())
	}
	return s
}

// add adds a logarithm to the sum, and adds influence(e) to the influence of each iteration with energy e.
func (s *sum) add(log float64, energies [][]float64, influence func(e float64) float64) {
	s.log += log
	for c, chain := range energies {
		for i, e := range chain {
			s.influences[c][i] += influence(e)
		}
	}
}

// estimate returns the sum with its standard error.
func (s *sum) estimate() Log {
	return Log{s.log, math.Hypot(stats.MCSEMean(s.influences), math.Sqrt(s.unknown))}
}

// apart returns the number of standard errors by which two sums over the same draws differ. Influences are first-order,
// so it adds squared variances to cover the error of the linearisation.
func (s *sum) apart(from *sum) float64 {
	difference := make([][]float64, len(s.influences))
	for c, xs := range s.influences {
		for i, x := range xs {
			difference[c] = append(difference[c], x-from.influences[c][i])
		}
	}
	a, b := s.estimate().SE, from.estimate().SE
	se := stats.MCSEMean(difference)
	return math.Abs(s.log-from.log) / math.Sqrt(se*se+s.unknown+from.unknown+a*a*a*a+b*b*b*b)
}

// relative returns the function that maps x to its influence on log mean exp(x), given that logarithm.
func relative(logMean float64) func(x float64) float64 {
	return func(x float64) float64 { return math.Exp(x-logMean) - 1 }
}

// addStone adds log Z of rung j minus log Z of rung j+1, estimated from the draws of rung j+1.
func (l Ladder) addStone(s *sum, j int) {
	hot := l.scaled(j+1, j)
	log := stats.LogMean(slices.Concat(hot...))
	s.add(log, hot, relative(log))
}

// addBridge adds the same difference, estimated from the draws of both rungs. An error in the fixed point itself has no
// first-order influence, since a bridge built for any ratio estimates the right one.
func (l Ladder) addBridge(s *sum, j int) {
	cold, hot := l.scaled(j, j), l.scaled(j+1, j)
	b := bridge{posterior: cold, proposed: slices.Concat(hot...)}
	half := -math.Ln2
	log, above, below := b.solve(half, half)
	n := l.iterations()
	rows := make([][]float64, len(hot))
	for c := range rows {
		rows[c] = above[c*n : (c+1)*n]
	}
	s.add(log, rows, relative(stats.LogMean(above)))
	minus := relative(stats.LogMean(slices.Concat(below...)))
	s.add(0, below, func(x float64) float64 { return -minus(x) })
}

// addArea adds the integral of the mean of E from the β of rung j+1 to that of rung j. It returns the part of the area
// that the interpolation does not explain; see area.
func (l Ladder) addArea(s *sum, j int) (miss float64) {
	const small = 1e-4
	gap := l.Betas[j] - l.Betas[j+1]
	coldMean, cold := l.moments(j)
	hotMean, hot := l.moments(j + 1)
	at := func(cold, hot float64) float64 {
		a, _ := area(gap, hotMean, hot, coldMean, cold)
		return a
	}
	whole, miss := area(gap, hotMean, hot, coldMean, cold)
	byCold := (at(cold*(1+small), hot) - at(cold*(1-small), hot)) / (2 * small * cold)
	byHot := (at(cold, hot*(1+small)) - at(cold, hot*(1-small))) / (2 * small * hot)
	linear := func(mean, variance, by float64) func(e float64) float64 {
		return func(e float64) float64 {
			d := e - mean
			out := gap / 2 * d
			if variance > 0 {
				out += by * (d*d - variance)
			}
			return out
		}
	}
	s.add(whole, l.energies(j), linear(coldMean, cold, byCold))
	s.add(0, l.energies(j+1), linear(hotMean, hot, byHot))
	return miss
}

// area integrates a mean over an interval of β, given its values and derivatives at both ends; its derivative is the
// variance. It assumes that 1/√variance is linear in β, which holds for normal likelihoods with normal or wide priors.
// miss is the interval length times the part of the rise of the mean that this assumption does not explain. The
// integral includes miss/2, as if that part were spread evenly; the error is then at most miss/2.
func area(gap, hotMean, hot, coldMean, cold float64) (whole, miss float64) {
	rise, bend := 0.0, 0.0
	if hot > 0 && cold > 0 {
		rise = gap * math.Sqrt(hot*cold)
		x := math.Sqrt(hot/cold) - 1
		share := 0.5 - x/3 + x*x/4
		if math.Abs(x) > 1e-3 {
			share = (x - math.Log1p(x)) / (x * x)
		}
		bend = gap * gap * hot * share
	}
	miss = gap * (coldMean - hotMean - rise)
	return gap*hotMean + bend + miss/2, miss
}
