package stdlib

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// The functions in this file draw some elements of an event given the others. If the known elements are put first, with
// K = L Lᵀ and x = mu + L z, then the known elements determine the first elements of z by substitution, and the others
// are drawn (Rasmussen & Williams 2006, Gaussian Processes for Machine Learning, section A.2, has the same with blocks
// of K).

// drawMvNormalGiven draws the unknown elements of out from Normal(mu, cov) given the known ones.
func drawMvNormalGiven(r *rand.Rand, mu, cov []float64, known []bool, out []float64) {
	drawGiven(r, mu, cov, known, out, func(float64, int) float64 { return 1 })
}

// drawMvStudentGiven draws from Student's t with nu degrees of freedom. Given n elements with q = |L⁻¹ d|², the others
// have nu + n degrees of freedom, and a squared scale that is multiplied by (nu + q) / (nu + n) (Ding 2016, American
// Statistician 70, 293).
func drawMvStudentGiven(r *rand.Rand, nu float64, mu, scale []float64, known []bool, out []float64) {
	drawGiven(r, mu, scale, known, out, func(q float64, n int) float64 {
		return math.Sqrt((nu + q) / (2 * drawGamma(r, (nu+float64(n))/2)))
	})
}

// drawGiven draws the unknown elements. Their part of z is multiplied by width(q, n), where q is the squared length of
// the known part of z, and n the number of known elements.
func drawGiven(r *rand.Rand, mu, cov []float64, known []bool, out []float64, width func(q float64, n int) float64) {
	d := len(out)
	order, n := knownFirst(known)
	permuted := make([]float64, d*d)
	for i, a := range order {
		for j, b := range order {
			permuted[i*d+j] = cov[a*d+b]
		}
	}
	l, z, q := factor(permuted, d), normals(r, d), 0.0
	for i, at := range order {
		x := element(mu, at)
		for j := range i {
			x += l[i*d+j] * z[j]
		}
		if i < n {
			z[i] = (out[at] - x) / l[i*d+i]
			q += z[i] * z[i]
			continue
		}
		if i == n {
			w := width(q, n)
			for k := n; k < d; k++ {
				z[k] *= w
			}
		}
		out[at] = x + l[i*d+i]*z[i]
	}
}

// knownFirst lists the indices of the known elements, then those of the others. n is the number of known elements.
func knownFirst(known []bool) (order []int, n int) {
	for i, is := range known {
		if is {
			order = append(order, i)
		}
	}
	n = len(order)
	for i, is := range known {
		if !is {
			order = append(order, i)
		}
	}
	return order, n
}

// drawWalkGiven draws the unknown elements of a random walk: as a Brownian bridge between known elements, and as a free
// walk after the last known element.
func drawWalkGiven(r *rand.Rand, drift, scale float64, known []bool, out []float64) {
	last := 0.0
	for t := range out {
		if known[t] {
			last = out[t]
			continue
		}
		next := t + 1
		for next < len(out) && !known[next] {
			next++
		}
		mean, sd := last+drift, scale
		if next < len(out) {
			left := float64(next - t)
			mean, sd = last+(out[next]-last)/(left+1), scale*math.Sqrt(left/(left+1))
		}
		out[t] = mean + sd*r.NormFloat64()
		last = out[t]
	}
}

// squared returns W Wᵀ for a matrix W with d rows and k columns.
func squared(w []float64, d, k int) []float64 {
	out := make([]float64, d*d)
	x := mat.NewDense(d, k, w)
	mat.NewDense(d, d, out).Mul(x, x.T())
	return out
}

// scaledCovariance returns diag(sd) corr diag(sd).
func scaledCovariance(sd, corr []float64, d int) []float64 {
	out := make([]float64, d*d)
	for i := range out {
		out[i] = corr[i] * element(sd, i/d) * element(sd, i%d)
	}
	return out
}

// lowRankCovariance returns W Wᵀ + diag(v).
func lowRankCovariance(w, v []float64, d int) []float64 {
	out := squared(w, d, len(w)/d)
	for i := range d {
		out[i*d+i] += element(v, i)
	}
	return out
}
