package stdlib

import (
	ad "ppl/autodiff"
)

// logI0e returns log(e^{−κ} I₀(κ)) for κ ≥ 0, where I₀ is the modified Bessel function of order 0. It uses Chebyshev
// series in t on −1..1: for κ ≤ 8 a series of e^{−κ} I₀(κ) with κ = 4(t + 1), and for larger κ one of √κ e^{−κ} I₀(κ)
// with κ = 16/(t + 1). The coefficients come from Chebyshev interpolation at 80 points with mpmath at 40 digits; those
// below 2e-17 are omitted. (Cephes, i0.c, splits at the same place.)
func logI0e(kappa Node) Node {
	small := ad.Le(kappa, num(kappa, 8))
	low, high := ad.Where(small, kappa, num(kappa, 8)), ad.Where(small, num(kappa, 8), kappa)
	below := ad.Log(chebyshev(i0Small[:], plus(times(0.25, low), -1)))
	above := ad.Sub(ad.Log(chebyshev(i0Large[:], plus(ad.Div(num(kappa, 16), high), -1))), times(0.5, ad.Log(high)))
	return ad.Where(small, below, above)
}

// chebyshev returns Σ c_j T_j(t), computed by Clenshaw's recurrence.
func chebyshev(c []float64, t Node) Node {
	twice, b1, b2 := times(2, t), num(t, 0), num(t, 0)
	for j := len(c) - 1; j > 0; j-- {
		b1, b2 = plus(ad.Sub(ad.Mul(twice, b1), b2), c[j]), b1
	}
	return plus(ad.Sub(ad.Mul(t, b1), b2), c[0])
}

var i0Small = [...]float64{
	0.33839763720473803, -0.3046826723431984, 0.17162090152220877, -0.09490109704804764,
	0.04930528423967071, -0.02373741480589947, 0.010546460394594998, -0.004324309995050576,
	0.0016394756169413357, -0.0005763755745385824, 0.00018850288509584165, -5.754195010082104e-05,
	1.6448448070728896e-05, -4.4167383584587505e-06, 1.1173875391201037e-06, -2.670793853940612e-07,
	6.046995022541919e-08, -1.300025009986248e-08, 2.6598237246823866e-09, -5.189795601635263e-10,
	9.675809035373237e-11, -1.726826291441556e-11, 2.95505266312964e-12, -4.856446783111929e-13,
	7.676185498604936e-14, -1.1685332877993451e-14, 1.715391285555133e-15, -2.431279846547955e-16,
	3.3307945188222384e-17,
}

var i0Large = [...]float64{
	0.4022452055070544, 0.0033691164782556943, 6.889758346916825e-05, 2.8913705208347567e-06,
	2.0489185894690638e-07, 2.266668990498178e-08, 3.3962320257083865e-09, 4.94060238822497e-10,
	1.1889147107846439e-11, -3.1499165279632416e-11, -1.3215811840447713e-11, -1.7941785315068062e-12,
	7.180124451383666e-13, 3.8527783827421426e-13, 1.54008621752141e-14, -4.150569347287222e-14,
	-9.554846698828307e-15, 3.8116806693526224e-15, 1.7725601330565263e-15, -3.425485619677219e-16,
	-2.8276239805165836e-16, 3.461222867697461e-17, 4.46562142029676e-17,
}
