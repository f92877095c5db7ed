package ode

import ad "ppl/autodiff"

// dormandPrince makes a step with the embedded pair of orders 5 and 4 of Dormand and Prince, A family of embedded
// Runge–Kutta formulae (1980). It returns the result of order 5. k_i = f(t + c_i h, y + h Σ_j a_ij k_j); the last row
// of a defines the step.
func dormandPrince(f field, t, y, h Node) (next, err Node) {
	c := []float64{0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1}
	a := [][]float64{
		{},
		{1. / 5},
		{3. / 40, 9. / 40},
		{44. / 45, -56. / 15, 32. / 9},
		{19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
		{9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
		{35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
	}
	e := []float64{71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40}
	next = y
	var k []Node
	for i := range c {
		if i > 0 {
			next = ad.Add(y, ad.Mul(h, combine(a[i], k)))
		}
		k = append(k, f(ad.Add(t, scale(c[i], h)), next))
	}
	return next, ad.Mul(h, combine(e, k))
}

// combine returns Σ w_i x_i.
func combine(w []float64, x []Node) Node {
	var sum Node
	for i, v := range w {
		switch {
		case v == 0:
		case !sum.Valid():
			sum = scale(v, x[i])
		default:
			sum = ad.Add(sum, scale(v, x[i]))
		}
	}
	return sum
}
