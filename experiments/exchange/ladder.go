package main

import (
	"math"
	"math/rand/v2"

	"ppl/posterior/stats"
)

// The model has rows from N(1, 1) with unknown mean θ and a flat prior, so that θ at temperature T is N(x̄, T/n).
const (
	rows        = 10_000
	replicas    = 4
	ratio       = 1.5
	correlation = 0.9 // autocorrelation of a replica's moves
	firstBatch  = 256
)

// A ladder has the positions of the replicas, coldest first, and the data.
type ladder struct {
	r     *rand.Rand
	data  []float64
	mean  float64
	order []int // permutation of rows; the rows drawn so far are first
	theta [replicas]float64
}

func newLadder(seed uint64) *ladder {
	l := &ladder{r: rand.New(rand.NewPCG(seed, 1))}
	for i := range rows {
		l.data = append(l.data, 1+l.r.NormFloat64())
		l.mean += l.data[i] / rows
		l.order = append(l.order, i)
	}
	for j := range l.theta {
		l.theta[j] = l.mean + l.sd(j)*l.r.NormFloat64()
	}
	return l
}

// sd returns the standard deviation of θ on rung j.
func (l *ladder) sd(j int) float64 { return math.Sqrt(math.Pow(ratio, float64(j)) / rows) }

func (l *ladder) move() {
	for j := range l.theta {
		l.theta[j] = l.mean + correlation*(l.theta[j]-l.mean) +
			math.Sqrt(1-correlation*correlation)*l.sd(j)*l.r.NormFloat64()
	}
}

// A result has the statistics of the ladder with a test.
type result struct {
	ratio, error float64 // ratio of the cold rung's variance to the true one, and its Monte Carlo standard error
	rate         float64 // acceptance rate of swaps of the coldest pair
	rows         float64 // mean number of rows per swap
	noise        float64 // mean variance of the estimated log ratio
}

func (l *ladder) run(x test, batch, rounds int) (out result) {
	squares, pairs, cold := make([]float64, rounds), 0.0, 0.0
	for i := range rounds {
		l.move()
		for j := i % 2; j+1 < replicas; j += 2 {
			e := l.estimate(x, j, batch)
			out.rows, out.noise, pairs = out.rows+e.rows, out.noise+e.variance, pairs+1
			swap := x.accept(e, l.r)
			if swap {
				l.theta[j], l.theta[j+1] = l.theta[j+1], l.theta[j]
			}
			if j == 0 {
				cold++
				if swap {
					out.rate++
				}
			}
		}
		z := (l.theta[0] - l.mean) / l.sd(0)
		squares[i] = z * z
		out.ratio += squares[i] / float64(rounds)
	}
	out.rate, out.rows, out.noise = out.rate/cold, out.rows/pairs, out.noise/pairs
	spread := 0.0
	for _, s := range squares {
		spread += (s - out.ratio) * (s - out.ratio) / float64(rounds)
	}
	out.error = math.Sqrt(spread / stats.ESSMean([][]float64{squares}))
	return out
}

// An estimate is the log acceptance ratio of a swap, estimated from rows, with the variance of its noise.
type estimate struct{ delta, variance, rows float64 }

// estimate draws rows until the variance is small enough for the test. A difference of log likelihoods is log ℓ(θ'; x)
// − log ℓ(θ; x) = (θ' − θ)(x − (θ' + θ)/2). Rows are drawn without replacement, which the variance takes into account.
func (l *ladder) estimate(x test, j, batch int) estimate {
	cold, hot := l.theta[j], l.theta[j+1]
	gap := math.Pow(ratio, -float64(j)) - math.Pow(ratio, -float64(j+1))
	if x.exact {
		return estimate{delta: gap * rows * (hot - cold) * (l.mean - (hot+cold)/2), rows: rows}
	}
	var sum, square, n float64
	for {
		for range min(batch, rows-int(n)) {
			i := int(n) + l.r.IntN(rows-int(n))
			l.order[int(n)], l.order[i] = l.order[i], l.order[int(n)]
			d := (hot - cold) * (l.data[l.order[int(n)]] - (hot+cold)/2)
			sum, square, n = sum+d, square+d*d, n+1
		}
		variance := (square - sum*sum/n) / (n - 1) * gap * gap * rows * rows / n
		if !x.infinite {
			variance *= 1 - n/rows
		}
		if variance <= x.most || n == rows {
			return estimate{gap * rows * sum / n, variance, n}
		}
	}
}
