package check_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"ppl/autodiff"
	"ppl/compiler/compilertest"
)

// Spline bases agree with R 4.2 (splines::bs, splines::ns, and svd for the thin-plate basis).
func TestSplines(t *testing.T) {
	t.Parallel()
	bs := basis(t, "bs(x, 5)", 5)
	for row, want := range map[int][]float64{
		0: {0, 0, 0, 0, 0},
		2: {0.521918402778, 0.379050925926, 0.0462962962963, 0, 0},
		4: {0.0793650793651, 0.560116767013, 0.355082447829, 0.00543570579242, 0},
		7: {0, 0.0110344827586, 0.187015457788, 0.585950059453, 0.216},
		9: {0, 0, 0, 0, 1},
	} {
		compilertest.CheckVector(t, fmt.Sprintf("bs, row %d", row+1), bs.RawRowView(row), want, 1e-11)
	}

	// R's basis of natural splines spans the same space: fits by least squares are equal.
	ns := basis(t, "ns(x, 4)", 4)
	design := mat.NewDense(10, 5, nil)
	for i := range 10 {
		design.Set(i, 0, 1)
		for k := range 4 {
			design.Set(i, k+1, ns.At(i, k))
		}
	}
	y := mat.NewVecDense(10, []float64{1, 2, 2.5, 3, 2, 1, 0.5, 0.3, 0.7, 2})
	var coefficients, fit mat.VecDense
	if err := coefficients.SolveVec(design, y); err != nil {
		t.Fatal(err)
	}
	fit.MulVec(design, &coefficients)
	compilertest.CheckVector(t, "ns, fit", fit.RawVector().Data, []float64{0.90558003025, 2.258303005, 2.53484389826,
		2.57429894797, 2.15480674507, 1.18604314245, 0.371617448023, 0.396091333554, 0.607902078912, 2.0105133705},
		1e-10)

	tp := basis(t, "tp(x, 4)", 4)
	var covariance mat.Dense // covariance of the curve, which determines a thin-plate spline
	covariance.Mul(tp, tp.T())
	compilertest.CheckVector(t, "tp, covariance", covariance.RawRowView(4), []float64{70.0008793728, 55.4496073656,
		48.8888788109, 31.9111968295, 21.4271882032, 11.0526268849, 8.09641465016, 6.92673518869, 5.91920448699,
		-4.49040335516}, 1e-10)
}

// basis evaluates an expression with n columns at ten values of x and returns the 10 × n matrix.
func basis(t *testing.T, code string, n int) *mat.Dense {
	return mat.NewDense(10, n, valuesOf(t, code)[0])
}

// valuesOf returns the values of expressions of x and s for s = 0.8.
func valuesOf(t *testing.T, codes ...string) (all [][]float64) {
	text := "data x[N] = [1, 2.5, 3, 4.2, 5, 6.1, 7, 8.8, 9, 10], y = 0\ns ~ HalfNormal(1)\ny ~ Normal(s, 1)\n"
	for i, code := range codes {
		text += fmt.Sprintf("generate value%d = %s\n", i, code)
	}
	p := compilertest.Load(t, text)
	theta := autodiff.New().Input("theta", p.Dim())
	values := autodiff.Eval(map[string][]float64{"theta": {math.Log(0.8)}}, p.Values(theta))[0]
	at := 1
	for _, v := range p.Saved()[1:] {
		all, at = append(all, values[at:at+v.Size()]), at+v.Size()
	}
	return all
}

// Order statistics are correct for data and for arrays that depend on parameters.
func TestOrderStatistics(t *testing.T) {
	t.Parallel()
	var codes []string
	var want []float64
	for _, c := range []struct {
		code string
		want float64
	}{
		{"median(x)", 5.55}, {"median(i in 1..3: x[i])", 2.5}, {"sort(-x)[1]", -10}, {"rank(-x)[2]", 9},
		{"quantile(x, 0.3)", 3.84}, {"quantile(x, 0)", 1}, {"quantile(x, 1)", 10},
		{"quantile(Normal(0, 1), 0.5)", 0}, {"argmax(x)", 10}, {"argmin((x - 4)^2)", 4}, {"argmax(fill(1, N))", 1},
		{"sort(s * x)[2]", 2}, {"median(s * x)", 4.44}, {"quantile(s * x, 0.3)", 3.072},
		{"argmin((s * x - 4)^2)", 5}, {"rank(s * x)[3]", 3},
	} {
		codes, want = append(codes, c.code), append(want, c.want)
	}
	for i, got := range valuesOf(t, codes...) {
		if len(got) != 1 || math.Abs(got[0]-want[i]) > 1e-12 {
			t.Errorf("%s = %.15g, want %g", codes[i], got, want[i])
		}
	}
}
