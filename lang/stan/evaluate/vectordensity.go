package evaluate

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"ppl/lang/stan"
)

func init() {
	vectorDensities = map[string]func(y value, a []value) float64{
		"categorical": func(y value, a []value) float64 {
			return overRows(y, a[0], 1, func(y value, p value) float64 { return math.Log(picked(p, y)) })
		},
		"categorical_logit": func(y value, a []value) float64 {
			return overRows(y, a[0], 1, func(y value, eta value) float64 {
				return picked(eta, y) - logSumExp(eta.nums)
			})
		},
		"ordered_logistic": ordered(logistic),
		"ordered_probit":   ordered(phi),
		"dirichlet":        dirichlet,
		"multinomial": func(y value, a []value) float64 {
			mustMatch(len(y.nums), len(a[0].nums))
			return multinomial(y.nums, func(i int) float64 { return math.Log(a[0].nums[i]) })
		},
		"multinomial_logit": func(y value, a []value) float64 {
			mustMatch(len(y.nums), len(a[0].nums))
			total := logSumExp(a[0].nums)
			return multinomial(y.nums, func(i int) float64 { return a[0].nums[i] - total })
		},
		"dirichlet_multinomial": dirichletMultinomial,
		"gaussian_dlm_obs":      kalman,
		"multi_normal": func(y value, a []value) float64 {
			return multiNormal(y, a[0], cholesky(a[1]))
		},
		"multi_normal_cholesky": func(y value, a []value) float64 { return multiNormal(y, a[0], a[1]) },
		"multi_normal_prec": func(y value, a []value) float64 {
			return multiNormal(y, a[0], cholesky(inverse(a[1])))
		},
		"multi_student_t": func(y value, a []value) float64 {
			return multiStudent(y, a[0].num(), a[1], cholesky(a[2]))
		},
		"multi_student_t_cholesky": func(y value, a []value) float64 {
			return multiStudent(y, a[0].num(), a[1], a[2])
		},
		"lkj_corr": func(y value, a []value) float64 {
			return lkjConstant(a[0].num(), y.dims[0]) + (a[0].num()-1)*logDeterminant(cholesky(y))
		},
		"lkj_corr_cholesky": lkjCholesky,
		"wishart": func(y value, a []value) float64 {
			return wishart(cholesky(y), a[0].num(), cholesky(a[1]))
		},
		"wishart_cholesky": func(y value, a []value) float64 {
			return wishart(y, a[0].num(), a[1]) + factorJacobian(y)
		},
		"inv_wishart": func(y value, a []value) float64 {
			return inverseWishart(cholesky(y), a[0].num(), cholesky(a[1]))
		},
		"inv_wishart_cholesky": func(y value, a []value) float64 {
			return inverseWishart(y, a[0].num(), a[1]) + factorJacobian(y)
		},
		"normal_id_glm":       linear("normal", 0),
		"bernoulli_logit_glm": linear("bernoulli_logit", 0), "poisson_log_glm": linear("poisson_log", 0),
		"neg_binomial_2_log_glm": linear("neg_binomial_2_log", 0), "binomial_logit_glm": linear("binomial_logit", 1),
		"ordered_logistic_glm": func(y value, a []value) float64 {
			return logDensity("ordered_logistic", y, []value{vector(rowDotsWith(a[0], a[1])), a[2]})
		},
		"categorical_logit_glm": func(y value, a []value) float64 {
			eta := times(asMatrix(a[0]), a[2])
			for i := range eta.nums {
				eta.nums[i] += a[1].nums[i%len(a[1].nums)]
			}
			eta.typ = stan.Type{Word: "vector", Depth: 1}
			return logDensity("categorical_logit", y, []value{eta})
		},
	}
}

// overRows returns the sum of f over the values in y, each paired with an instance of arg. If there is only one value,
// or one instance, it is paired with all of the others.
func overRows(y, arg value, own int, f func(y value, a value) float64) float64 {
	ys, all := y.instances(own-1), arg.instances(own)
	sum := 0.0
	for i := range pairs(len(ys), len(all)) {
		sum += f(ys[i%len(ys)], all[i%len(all)])
	}
	return sum
}

// pairs returns the number of pairs of n and m instances. If one number is 1, that instance is paired with all others.
func pairs(n, m int) int {
	switch {
	case n == 0 || m == 0:
		return 0
	case n > 1 && m > 1:
		mustMatch(n, m)
	}
	return max(n, m)
}

// picked returns the element of v at the 1-based index at.
func picked(v, at value) float64 { return v.nums[within(at.int(), len(v.nums))] }

// ordered returns the log density of ordered categories, given a distribution function.
func ordered(f func(float64) float64) func(y value, a []value) float64 {
	return func(y value, a []value) float64 {
		cuts := a[1].instances(1)
		sum := 0.0
		n := pairs(pairs(len(y.nums), len(a[0].nums)), len(cuts))
		if n > 0 && len(y.nums) > 1 && len(y.nums) < n {
			mustMatch(len(y.nums), n)
		}
		for i := range n {
			c, eta, k := cuts[i%len(cuts)].nums, a[0].nums[i%len(a[0].nums)], int(y.nums[i%len(y.nums)])
			if len(c) == 0 {
				fail("an ordered distribution has no cut points")
			}
			switch {
			case k == 1:
				sum += math.Log(f(c[0] - eta))
			case k == len(c)+1:
				sum += math.Log(f(eta - c[k-2]))
			default:
				within(k, len(c)+1)
				lo, hi := c[k-2]-eta, c[k-1]-eta
				if lo > 0 { // use the tails, which are small numbers
					lo, hi = -hi, -lo
				}
				sum += math.Log(f(hi) - f(lo))
			}
		}
		return sum
	}
}

func dirichlet(y value, a []value) float64 {
	ys, all := y.instances(1), a[0].instances(1)
	sum := 0.0
	for i := range pairs(len(ys), len(all)) {
		p, alpha := ys[i%len(ys)].nums, all[i%len(all)].nums
		mustMatch(len(p), len(alpha))
		sum += lgamma(floats.Sum(alpha))
		for k := range alpha {
			sum += xlogy(alpha[k]-1, p[k]) - lgamma(alpha[k])
		}
	}
	return sum
}

func multinomial(counts []float64, log func(i int) float64) float64 {
	sum := lgamma(floats.Sum(counts) + 1)
	for i, n := range counts {
		sum -= lgamma(n + 1)
		if n > 0 {
			sum += n * log(i)
		}
	}
	return sum
}

func dirichletMultinomial(y value, a []value) float64 {
	mustMatch(len(y.nums), len(a[0].nums))
	n, total := floats.Sum(y.nums), floats.Sum(a[0].nums)
	sum := lgamma(n+1) + lgamma(total) - lgamma(n+total)
	for i, k := range y.nums {
		sum += lgamma(k+a[0].nums[i]) - lgamma(a[0].nums[i]) - lgamma(k+1)
	}
	return sum
}

// forward solves L z = x for a lower triangular L.
func forward(l value, x []float64) []float64 {
	n := l.dims[1]
	z := make([]float64, n)
	for i := range n {
		s := x[i]
		for j := range i {
			s -= l.nums[i*n+j] * z[j]
		}
		z[i] = s / l.nums[i*n+i]
	}
	return z
}

// logDeterminant returns the log-determinant of L L'.
func logDeterminant(l value) float64 {
	sum := 0.0
	for _, d := range diagonal(l) {
		sum += 2 * math.Log(d)
	}
	return sum
}

// distances returns (y - mu)' (L L')^-1 (y - mu) for each y.
func distances(y, mu, l value) []float64 {
	ys, all := y.instances(1), mu.instances(1)
	mustBeSquare(l)
	out := make([]float64, pairs(len(ys), len(all)))
	for i := range out {
		x := append([]float64(nil), ys[i%len(ys)].nums...)
		if len(x) != l.dims[0] {
			fail("vectors of %d elements do not match a matrix of %d rows", len(x), l.dims[0])
		}
		mean := all[i%len(all)].nums
		mustMatch(len(x), len(mean))
		floats.Sub(x, mean)
		z := forward(l, x)
		out[i] = floats.Dot(z, z)
	}
	return out
}

func multiNormal(y, mu, l value) float64 {
	sum := 0.0
	for _, d := range distances(y, mu, l) {
		sum -= (d + logDeterminant(l) + float64(l.dims[0])*math.Log(2*math.Pi)) / 2
	}
	return sum
}

func multiStudent(y value, nu float64, mu, l value) float64 {
	k, sum := float64(l.dims[0]), 0.0
	for _, d := range distances(y, mu, l) {
		sum += lgamma((nu+k)/2) - lgamma(nu/2) - k/2*math.Log(nu*math.Pi) - logDeterminant(l)/2 -
			(nu+k)/2*math.Log1p(d/nu)
	}
	return sum
}

// lkjConstant returns the normalising constant of the density of correlation matrices with n rows (Lewandowski,
// Kurowicka and Joe 2009).
func lkjConstant(eta float64, n int) float64 {
	last := float64(n - 1)
	sum := last * lgamma(eta+last/2)
	for k := 1.0; k <= last; k++ {
		sum -= k/2*math.Log(math.Pi) + lgamma(eta+(last-k)/2)
	}
	return sum
}

func lkjCholesky(y value, a []value) float64 {
	mustBeSquare(y)
	n, eta := y.dims[0], a[0].num()
	sum := lkjConstant(eta, n)
	for k, d := range diagonal(y) {
		if k > 0 {
			sum += (float64(n-k-1) + 2*eta - 2) * math.Log(d)
		}
	}
	return sum
}

// logMultiGamma returns the logarithm of the multivariate gamma function.
func logMultiGamma(k int, x float64) float64 {
	sum := float64(k*(k-1)) / 4 * math.Log(math.Pi)
	for j := range k {
		sum += lgamma(x - float64(j)/2)
	}
	return sum
}

// inner returns the trace of (A A')^-1 (B B') for lower triangular A and B.
func inner(a, b value) float64 {
	mustBeSquare(a)
	mustMatch(len(a.nums), len(b.nums))
	n, sum := a.dims[0], 0.0
	for j := range n {
		column := make([]float64, n)
		for i := range n {
			column[i] = b.nums[i*n+j]
		}
		z := forward(a, column)
		sum += floats.Dot(z, z)
	}
	return sum
}

func wishart(w value, nu float64, s value) float64 {
	k := w.dims[0]
	n := float64(k)
	return -nu/2*logDeterminant(s) - nu*n/2*math.Ln2 - logMultiGamma(k, nu/2) + (nu-n-1)/2*logDeterminant(w) -
		inner(s, w)/2
}

func inverseWishart(w value, nu float64, s value) float64 {
	k := w.dims[0]
	n := float64(k)
	return nu/2*logDeterminant(s) - nu*n/2*math.Ln2 - logMultiGamma(k, nu/2) - (nu+n+1)/2*logDeterminant(w) -
		inner(w, s)/2
}

// factorJacobian returns the log-Jacobian of a matrix with respect to its Cholesky factor.
func factorJacobian(l value) float64 {
	n := l.dims[0]
	sum := float64(n) * math.Ln2
	for i, d := range diagonal(l) {
		sum += float64(n-i) * math.Log(d)
	}
	return sum
}

func rowDotsWith(x, beta value) []float64 {
	m := asMatrix(x)
	out := make([]float64, m.dims[0])
	for i := range out {
		out[i] = dot(m.nums[i*m.dims[1]:(i+1)*m.dims[1]], beta.nums)
	}
	return out
}

// linear returns the log density of a generalised linear model, with predictor alpha + x * beta. first is the number of
// arguments before x.
func linear(base string, first int) func(y value, a []value) float64 {
	return func(y value, a []value) float64 {
		eta := vector(rowDotsWith(a[first], a[first+2]))
		if alpha := a[first+1]; !alpha.isScalar() {
			mustMatch(len(eta.nums), len(alpha.nums))
		}
		for i := range eta.nums {
			eta.nums[i] += a[first+1].at(i)
		}
		if len(eta.nums) == 1 && len(y.nums) > 1 { // one row for all values
			eta = real(eta.nums[0])
		}
		args := append(append([]value{}, a[:first]...), eta)
		return logDensity(base, y, append(args, a[first+3:]...))
	}
}
