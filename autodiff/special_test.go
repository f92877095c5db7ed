package autodiff_test

import (
	"math"
	"testing"

	. "ppl/autodiff"
	"ppl/autodiff/special/known"
)

// Every function that is not exact has reference values by mpmath. The function of its row must agree with them within
// the tolerance for devices.
func TestRowsAgainstKnownValues(t *testing.T) {
	points, err := known.Points()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range ElementwiseKinds() {
		row := k.Row()
		if row.Arity() != 1 || row.Tolerance == 0 {
			continue
		}
		if len(points[row.Name]) < 24 {
			t.Errorf("autodiff/special/known/values.txt: %v has %d points", k, len(points[row.Name]))
		}
		for _, p := range points[row.Name] {
			scale := math.Abs(p.Want)
			if !row.Relative {
				scale = max(1, scale)
			}
			if got := row.Unary(p.X); !near([]float64{got}, []float64{p.Want}, 0) &&
				!(math.Abs(got-p.Want) <= row.Tolerance*scale) {
				t.Errorf("%v(%v) = %v, want %v", k, p.X, got, p.Want)
			}
		}
	}
}

// Reference values: mpmath 1.4.1 with 60 digits from the definitions (log(erfc(−x/√2)/2), psi(n, x), log|gamma(x)|,
// √2·erfinv(2p−1), log1p(exp(x))); at −10⁵ the asymptotic series with 30 digits.
func TestSpecialFunctions(t *testing.T) {
	for _, c := range []struct {
		kind    Kind
		x, want float64
	}{
		{OpExp, .5, 1.6487212707001281468},
		{OpLog, .5, -0.69314718055994530942},
		{OpLog1p, .5, 0.40546510810816438198},
		{OpExpm1, .5, 0.64872127070012814685},
		{OpSqrt, .5, 0.7071067811865475244},
		{OpSin, .5, 0.47942553860420300027},
		{OpCos, .5, 0.87758256189037271612},
		{OpTan, .5, 0.54630248984379051326},
		{OpAsin, .5, 0.52359877559829887308},
		{OpAcos, .5, 1.0471975511965977462},
		{OpAtan, .5, 0.46364760900080611621},
		{OpSinh, .5, 0.52109530549374736162},
		{OpCosh, .5, 1.1276259652063807852},
		{OpTanh, .5, 0.4621171572600097585},
		{OpSigmoid, .5, 0.62245933120185456464},
		{OpSoftplus, .5, 0.97407698418010668087},
		{OpLogSigmoid, .5, -0.47407698418010668087},
		{OpErf, .5, 0.52049987781304653768},
		{OpErfc, .5, 0.47950012218695346232},
		{OpLog1p, 1e-10, 9.9999999995e-11},
		{OpExpm1, 1e-10, 1.00000000005e-10},
		{OpErfc, 10, 2.088487583762544757e-45},
		{OpNeg, .5, -.5},
		{OpAbs, -.5, .5},
		{OpFloor, -.5, -1},
		{OpCeil, .5, 1},
		{OpLogNormCDF, -1e5, -5000000012.431863998},
		{OpLogNormCDF, -1e3, -500007.82669481218431},
		{OpLogNormCDF, -40, -804.60844201375378817},
		{OpLogNormCDF, -30.5, -469.46273732291211439},
		{OpLogNormCDF, -29.5, -439.42947460915022775},
		{OpLogNormCDF, -10, -53.231285150512470578},
		{OpLogNormCDF, -5, -15.064998393988725736},
		{OpLogNormCDF, .5, -.36894641528865639307},
		{OpLogNormCDF, 8, -6.2209605742717860585e-16},
		{OpLogNormCDF, -inf, -inf},
		{OpLogNormCDF, inf, 0},
		{OpDigamma, 1, -.57721566490153286061},
		{OpDigamma, .1, -10.423754940411076795},
		{OpDigamma, 10.5, 2.3030010342976863753},
		{OpDigamma, -1.5, .70315664064524318723},
		{OpDigamma, 1e6, 13.815510057964190771},
		{OpTrigamma, 1, 1.6449340668482264365},
		{OpTrigamma, .1, 101.43329915079275882},
		{OpTrigamma, 10.5, .099916956059126733204},
		{OpTrigamma, -1.5, 9.3792466449891237539},
		{OpTrigamma, 1e6, 1.0000005000001666667e-6},
		{OpLgamma, .1, 2.2527126517342059599},
		{OpLgamma, 10.5, 13.940625219403763633},
		{OpLgamma, -1.5, .86004701537648101451},
		{OpLgamma, 1e6, 12815504.56914761166},
		{OpLambertW, 0, 0},
		{OpLambertW, 1, .56714329040978387300}, // Ω
		{OpLambertW, 2.7182818284590452354, 1},
		{OpLambertW, -.2, -.25917110181907376448},
		{OpLambertW, -.36, -.80608431597081762445},
		{OpLambertW, -.3678, -.97936071495783051713},
		{OpLambertW, 1e-300, 1e-300},
		{OpLambertW, 1e300, 684.24720862976084929},
		{OpLambertW, inf, inf},
		{OpLambertW, -.5, nan},
		{OpNormQuantile, .5, 0},
		{OpNormQuantile, .975, 1.9599639845400542355},
		{OpNormQuantile, 1e-10, -6.3613409024040562047},
		{OpNormQuantile, .001, -3.0902323061678135415},
		{OpNormQuantile, 0, -inf},
		{OpNormQuantile, 1, inf},
		{OpNormQuantile, 1.5, nan},
		{OpSoftplus, -50, 1.928749847963917783e-22},
		{OpSoftplus, 40, 40.000000000000000004},
		{OpSoftplus, 800, 800},
		{OpLogSigmoid, 50, -1.928749847963917783e-22},
		{OpLogSigmoid, -800, -800},
		{OpSigmoid, -800, 0},
		{OpSigmoid, 800, 1},
		{OpSign, -3, -1},
		{OpSign, 0, 0},
		{OpRound, 2.5, 3},
		{OpRound, -2.5, -3},
		{OpNot, 0, 1},
		{OpNot, .1, 0},
		{OpIsFinite, nan, 0},
		{OpIsFinite, -inf, 0},
		{OpIsFinite, 1e308, 1},
	} {
		g := New()
		got := Eval(map[string][]float64{"x": {c.x}}, Unary(c.kind, g.Input("x")))[0]
		if scale := []float64{got[0] / c.want}; !near(got, []float64{c.want}, 0) && !near(scale, []float64{1}, 1e-14) {
			t.Errorf("%v(%v) = %v, want %v", c.kind, c.x, got[0], c.want)
		}
	}
}

func TestBinaryFunctions(t *testing.T) {
	for _, c := range []struct {
		kind       Kind
		x, y, want float64
	}{
		{OpMod, 5.5, 2, 1.5},
		{OpMod, -1, 3, 2},
		{OpMod, 1, -3, -2},
		{OpMaximum, nan, inf, nan},
		{OpMinimum, -inf, nan, nan},
		{OpMulZero, 0, inf, 0},
		{OpMulZero, 0, nan, 0},
		{OpMulZero, inf, 0, nan},
		{OpMulZero, 2, 3, 6},
		{OpMul, 0, inf, nan},
		{OpLt, 1, 1, 0},
		{OpLe, 1, 1, 1},
		{OpLe, nan, 1, 0},
		{OpEq, nan, nan, 0},
	} {
		g := New()
		values := map[string][]float64{"x": {c.x}, "y": {c.y}}
		got := Eval(values, Binary(c.kind, g.Input("x"), g.Input("y")), Binary(c.kind, g.Const(c.x), g.Const(c.y)))
		if !near(got[0], []float64{c.want}, 0) || !near(got[1], []float64{c.want}, 0) {
			t.Errorf("%v(%v, %v) = %v, folded %v, want %v", c.kind, c.x, c.y, got[0], got[1], c.want)
		}
	}
}

// The slope of log Φ is the inverse Mills ratio φ/Φ = h, its slope −h(x + h); that of trigamma is tetragamma. Values by
// mpmath.
func TestSpecialSlopes(t *testing.T) {
	g := New()
	x := g.Input("x")
	mills := Grad(LogNormCDF(x), x)[0]
	for _, c := range []struct {
		name         string
		d            Node
		x, want, tol float64
	}{
		{"mills", mills, -1000, 1000.00099999800001, 1e-14},
		{"mills", mills, -100.1, 100.10998801697231078, 1e-13},
		{"mills", mills, -99.9, 99.910008005002260526, 2e-12}, // 5e3 ulp cancel in the exponent
		{"mills", mills, -5, 5.1865039671258421156, 1e-14},
		{"mills", mills, 3, .0044378390421256637933, 1e-14},
		{"mills", mills, 0, .79788456080286535588, 1e-14},
		{"slope of mills", Grad(mills, x)[0], -100.1, -.99990025941134858013, 1e-10},
		{"slope of mills", Grad(mills, x)[0], -5, -.96730356538288777465, 1e-12},
		{"slope of mills", Grad(mills, x)[0], 3, -.013333211541740806209, 1e-12},
		{"tetragamma", Grad(Trigamma(x), x)[0], .1, -2001.8614573783440063, 1e-13},
		{"tetragamma", Grad(Trigamma(x), x)[0], 1, -2.4041138063191885708, 1e-13},
		{"tetragamma", Grad(Trigamma(x), x)[0], 3.5, -.108204051641727403, 1e-12},
		{"tetragamma", Grad(Trigamma(x), x)[0], 20, -.0026281224023146545934, 1e-12},
	} {
		got := Eval(map[string][]float64{"x": {c.x}}, c.d)[0]
		if !near([]float64{got[0] / c.want}, []float64{1}, c.tol) {
			t.Errorf("%s at %v: %v, want %v", c.name, c.x, got[0], c.want)
		}
	}
}
