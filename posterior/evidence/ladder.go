package evidence

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ppl/posterior/stats"
)

// A Ladder has draws of distributions whose densities are proportional to q(θ) exp(βE(θ)), cold to hot: of the path
// from the prior to the posterior, E is the log likelihood; of the powers of a density, E is its logarithm, and q is 1.
type Ladder struct {
	Betas    []float64
	Energies [][]float64 // E by chain: iteration by iteration, those of all rungs
}

// A Log is an estimate of a logarithm with its standard error.
type Log struct{ Value, SE float64 }

// Ratios are estimates of log Z of the coldest distribution of a ladder less log Z of the hottest, from the same draws:
//
//	Stones    Σ log of the mean of exp(ΔβE) over the draws of the hotter of two neighbours (stepping stones: Xie,
//	          Lewis, Fan, Kuo and Chen 2011)
//	Bridges   Σ of bridges from each rung to the next (Bennett 1976), from the draws of both
//	Integral  ∫ of the mean of E over β (thermodynamic integration: Gelman and Meng 1998), from means and variances
//
// Stones relies on the tails of hot distributions, Integral on no tails, but on a curve between rungs: where the hot
// distribution is the wrong one, or rungs are too far apart, they disagree.
type Ratios struct {
	Stones, Bridges, Integral Log
	Apart                     float64   // by how many standard errors of their difference two of them differ, at most
	Betas, Means, SDs         []float64 // of E, by rung
	Hottest                   *Result   // log Z of the hottest distribution, where it had to be estimated
}

// Results are the estimates of log Z of a run: by a bridge from draws at temperature 1 to a mixture of normals, and
// along its ladder, where it has one whose hottest integral is known.
type Results struct {
	Mixture  Result
	Ladder   *Ratios
	NoLadder string // why there is none along a ladder that there was
}

// Best returns the estimate with the smallest standard error; if the two disagree, the one along the ladder, since it
// needs no mixture of normals that approximates the posterior.
func (r Results) Best() Log {
	mixture := Log{r.Mixture.LogZ, r.Mixture.SE}
	if r.Ladder == nil || r.Ladder.Bridges.SE > mixture.SE && !r.Disagree() {
		return mixture
	}
	return r.Ladder.Bridges
}

// Disagree reports whether the estimate along the ladder and that by a mixture differ by more than their errors allow.
func (r Results) Disagree() bool {
	if r.Ladder == nil {
		return false
	}
	a, b := r.Ladder.Bridges, r.Mixture
	return !(math.Abs(a.Value-b.LogZ) <= mostErrors*math.Hypot(a.SE, b.SE))
}

// Ratios estimates.
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
	if l.Betas[last] == 0 { // the mean of E may be infinite there
		l.addStone(integral, last-1)
		last--
	}
	unknown := 0.0
	for j := range last {
		miss := l.addArea(integral, j)
		unknown += miss * miss / 12 // the variance of a number that may be anywhere from −miss/2 to miss/2
	}
	integral.unknown = unknown
	r.Stones, r.Bridges, r.Integral = stones.estimate(), bridges.estimate(), integral.estimate()
	r.Apart = max(stones.apart(bridges), stones.apart(integral), bridges.apart(integral))
	return r, nil
}

// Shift adds a known constant to the estimates.
func (r *Ratios) Shift(log float64) {
	for _, e := range []*Log{&r.Stones, &r.Bridges, &r.Integral} {
		e.Value += log
	}
}

// From adds log Z of the hottest distribution, which draws of it have given, so that the estimates are of the coldest.
func (r *Ratios) From(hottest Result) {
	r.Hottest = &hottest
	r.Shift(hottest.LogZ)
	for _, e := range []*Log{&r.Stones, &r.Bridges, &r.Integral} {
		e.SE = math.Hypot(e.SE, hottest.SE)
	}
}

// Disagree reports whether two of the estimates differ by more than their errors allow.
func (r Ratios) Disagree() bool { return r.Apart > mostErrors }

func (l Ladder) iterations() int {
	if len(l.Energies) == 0 {
		return 0
	}
	return len(l.Energies[0]) / len(l.Betas)
}

// energies returns the energies (log likelihoods) of a rung by chain. At points without a density, which walkers reach
// at β = 0, they are −∞.
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

// A sum of estimates knows how much each iteration of each chain contributes to its error, as far as that is linear:
// the mean of these is 0, and its Monte Carlo standard error is that of the sum, however iterations are correlated
// along the run and rungs with each other.
type sum struct {
	log        float64
	influences [][]float64
	unknown    float64 // variance of what is not in the draws
}

func (l Ladder) sum() *sum {
	s := &sum{influences: make([][]float64, len(l.Energies))}
	for c := range s.influences {
		s.influences[c] = make([]float64, l.iterations())
	}
	return s
}

// add adds a logarithm to the sum, and to each influence the contribution that share computes from an energy.
func (s *sum) add(log float64, energies [][]float64, influence func(e float64) float64) {
	s.log += log
	for c, chain := range energies {
		for i, e := range chain {
			s.influences[c][i] += influence(e)
		}
	}
}

// estimate returns the sum with its error.
func (s *sum) estimate() Log {
	return Log{s.log, math.Hypot(stats.MCSEMean(s.influences), math.Sqrt(s.unknown))}
}

// apart is by how many standard errors two sums over the same draws differ. Influences are no more than linear: what
// comes after that is of the order of squared errors.
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

// relative returns the influence on the logarithm of a mean of exp x, of x.
func relative(logMean float64) func(x float64) float64 {
	return func(x float64) float64 { return math.Exp(x-logMean) - 1 }
}

// addStone adds the step from rung j+1 to rung j by draws of rung j+1.
func (l Ladder) addStone(s *sum, j int) {
	hot := l.scaled(j+1, j)
	log := stats.LogMean(slices.Concat(hot...))
	s.add(log, hot, relative(log))
}

// addBridge adds that step by draws of both. An error in the ratio that a bridge is made for has no influence to first
// order, since a bridge made for any ratio estimates the right one.
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

// addArea adds the integral of the mean of E from the β of rung j+1 to that of rung j. Miss is how much of the area is
// not explained, see area.
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

// area returns the integral of a mean over an interval of β from what it is at both ends, and its derivative there,
// which is the variance. Between them the root of 1/variance is a line: so it is for normal likelihoods and priors that
// are normal or wide. Miss is what this lets the mean rise less, or more, than it does, times the interval; it is taken
// as if that was missing evenly, and it is all the error that there may be: half of it, where it is missing at one end.
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
