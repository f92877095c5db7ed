package stdlib

import (
	"fmt"

	ad "ppl/autodiff"
)

// This file has log densities of the observed elements of a vector; seen is 1 for these, else 0. An unobserved element
// is replaced by one at its mean, with variance 1 and independent of the others. It adds a constant to the log density,
// which is subtracted again. This equals the marginal density, whose covariance lacks the rows and columns of
// unobserved elements (Rasmussen & Williams 2006, Gaussian Processes for Machine Learning, section A.2).

// factorOfSeen returns the Cholesky factor of onlySeen. If the covariance is the same for all plates, it factorises
// once for each distinct pattern of unobserved elements.
func factorOfSeen(cov, seen Node) Node {
	if cov.Rank() > 2 || seen.Rank() < 2 || !seen.Static() {
		return ad.Cholesky(onlySeen(cov, seen))
	}
	patterns, which := distinctRows(ad.Eval(nil, seen)[0], lastSize(seen))
	g, n := seen.Graph(), lastSize(seen)
	factors := ad.Cholesky(onlySeen(cov, g.Data("patterns", patterns, len(patterns)/n, n)))
	return ad.Gather(factors, g.Data("pattern", which, plates(seen, 1)...))
}

// distinctRows splits x into rows of n numbers. rows holds the distinct ones, one after the other, and which maps each
// row of x to the number of its distinct row, from 0.
func distinctRows(x []float64, n int) (rows, which []float64) {
	known := map[string]float64{}
	for at := 0; at < len(x); at += n {
		key := fmt.Sprint(x[at : at+n])
		k, ok := known[key]
		if !ok {
			k = float64(len(known))
			known[key], rows = k, append(rows, x[at:at+n]...)
		}
		which = append(which, k)
	}
	return rows, which
}

// onlySeen returns a covariance in which the rows and columns of unobserved elements are those of the identity.
func onlySeen(cov, seen Node) Node {
	of := plates(seen, 1)
	cov = lift(cov, 2, of, lastShape(cov, 2))
	both := ad.Mul(alongRows(seen, cov), alongColumns(seen, cov))
	return ad.Where(both, cov, identityLike(cov))
}

// alongRows and alongColumns broadcast v to the shape of a matrix: v[i] or v[j] at [i, j].
func alongRows(v, like Node) Node { return spread(v, like.Shape()) }

func alongColumns(v, like Node) Node {
	return ad.Broadcast(v, like.Shape(), append(iota(0, v.Rank()-1), v.Rank()))
}

// unseen returns the number of unobserved elements for each plate.
func unseen(seen Node) Node { return sumLast(ad.Sub(num(seen, 1), seen), 1) }

// mvNormalMarginal returns the log density of the observed elements; d is x − mu, and cov the covariance of all
// elements.
func mvNormalMarginal(d, seen, cov Node) Node {
	d = ad.MulZero(seen, d)
	return ad.Add(mvNormalCore(d, factorOfSeen(cov, seen)), times(logSqrt2Pi, unseen(seen)))
}

// lowRankMarginal is like mvNormalMarginal for the covariance w wᵀ + diag v.
func lowRankMarginal(d, seen, w, v Node) Node {
	of := plates(seen, 1)
	w, v = lift(w, 2, of, lastShape(w, 2)), lift(v, 1, of, lastShape(seen, 1))
	w = ad.MulZero(alongRows(seen, w), w)
	v = ad.Where(seen, v, num(v, 1))
	return ad.Add(lowRankCore(ad.MulZero(seen, d), w, v), times(logSqrt2Pi, unseen(seen)))
}

// mvStudentMarginal is like mvNormalMarginal for Student's t with nu degrees of freedom.
func mvStudentMarginal(nu, d, seen, scale Node) Node {
	return mvStudentOf(nu, ad.MulZero(seen, d), factorOfSeen(scale, seen), times(0.5, sumLast(seen, 1)))
}

// crossed returns l lᵀ.
func crossed(l Node) Node { return ad.MatMul(l, l, false, true) }
