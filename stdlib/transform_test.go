package stdlib

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// A mapCase is a transform for an event with bounds, and the elements of x in which densities are written: nil for all
// elements, or for ZeroSum the orthonormal coordinates.
type mapCase struct {
	kind   types.Kind
	event  []int
	lo, hi float64
	coords []int
}

var mapCases = []mapCase{
	{types.RealLine, nil, -inf, inf, nil},
	{types.Interval, nil, -inf, inf, nil},
	{types.Interval, nil, 0, inf, nil},
	{types.Interval, nil, -2.5, inf, nil},
	{types.Interval, nil, -inf, 3, nil},
	{types.Interval, nil, 0, 1, nil},
	{types.Interval, nil, -7, 0, nil},
	{types.Simplex, []int{1}, -inf, inf, []int{}},
	{types.Simplex, []int{2}, -inf, inf, []int{0}},
	{types.Simplex, []int{5}, -inf, inf, []int{0, 1, 2, 3}},
	{types.Ordered, []int{1}, -inf, inf, nil},
	{types.Ordered, []int{4}, -inf, inf, nil},
	{types.Ordered, []int{4}, 0.5, inf, nil},
	{types.Ordered, []int{4}, -inf, 2, nil},
	{types.Ordered, []int{4}, 0, 10, nil},
	{types.Ordered, []int{1}, 0, 10, nil},
	{types.ZeroSum, []int{1}, -inf, inf, nil},
	{types.ZeroSum, []int{2}, -inf, inf, nil},
	{types.ZeroSum, []int{6}, -inf, inf, nil},
	{types.Correlation, []int{1, 1}, -inf, inf, []int{}},
	{types.Correlation, []int{2, 2}, -inf, inf, []int{2}},
	{types.Correlation, []int{4, 4}, -inf, inf, []int{4, 8, 9, 12, 13, 14}},
	{types.CholeskyCorr, []int{4, 4}, -inf, inf, []int{4, 8, 9, 12, 13, 14}},
	{types.Covariance, []int{1, 1}, -inf, inf, nil},
	{types.Covariance, []int{3, 3}, -inf, inf, []int{0, 3, 4, 6, 7, 8}},
	{types.CholeskyCov, []int{1, 1}, -inf, inf, nil},
	{types.CholeskyCov, []int{3, 3}, -inf, inf, []int{0, 3, 4, 6, 7, 8}},
}

func eachMap(t *testing.T, run func(t *testing.T, c mapCase, r *rand.Rand)) {
	for _, c := range mapCases {
		t.Run(fmt.Sprint(c.kind, c.event, c.lo, c.hi), func(t *testing.T) { run(t, c, rand.New(rand.NewPCG(3, 9))) })
	}
}

func product1(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

func (c mapCase) free() int { return product1(TransformOf(c.kind).Free(c.event)) }

// bounds returns the ends as nodes of shape plates. Infinite ends are infinite constants.
func (c mapCase) bounds(g *ad.Graph, plates ...int) (lo, hi Node) {
	return g.Full(c.lo, plates...), g.Full(c.hi, plates...)
}

// forward applies the transform to us, which form one plate of events.
func (c mapCase) forward(us [][]float64) (x [][]float64, logJac []float64) {
	g, tr := ad.New(), TransformOf(c.kind)
	u := g.Data("u", append([]float64{}, flatten(us)...), join([]int{len(us)}, tr.Free(c.event)...)...)
	lo, hi := c.bounds(g, len(us))
	xn, jn := tr.Constrain(u, c.event, lo, hi)
	if got, want := fmt.Sprint(xn.Shape(), jn.Shape()), fmt.Sprint(join([]int{len(us)}, c.event...),
		[]int{len(us)}); got != want {
		panic("shapes " + got + ", want " + want)
	}
	r := ad.Eval(nil, xn, jn)
	n := product1(c.event)
	for i := range us {
		x = append(x, r[0][i*n:(i+1)*n])
	}
	return x, r[1]
}

func normalsOf(r *rand.Rand, n int, scale float64) []float64 {
	u := normals(r, n)
	for i := range u {
		u[i] *= scale
	}
	return u
}

// TestTransformInverse checks that Unconstrain returns u, within 1e-7 for moderate u.
func TestTransformInverse(t *testing.T) {
	eachMap(t, func(t *testing.T, c mapCase, r *rand.Rand) {
		for range 20 {
			u := normalsOf(r, c.free(), 1.2)
			x, _ := c.forward([][]float64{u})
			back, err := TransformOf(c.kind).Unconstrain(x[0], c.event, c.lo, c.hi)
			if err != nil {
				t.Fatal(err)
			}
			for i := range u {
				if math.Abs(back[i]-u[i]) > 1e-7 {
					t.Fatalf("%v went to %v and came back as %v", u, x[0], back)
				}
			}
		}
	})
}

// TestTransformSupport checks that images are in the support, also at extreme coordinates, and that log-Jacobians are
// finite there.
func TestTransformSupport(t *testing.T) {
	eachMap(t, func(t *testing.T, c mapCase, r *rand.Rand) {
		for _, scale := range []float64{1, 30, 300} {
			u := normalsOf(r, c.free(), scale)
			for i := range u {
				u[i] = math.Max(-600, math.Min(600, u[i]))
			}
			x, j := c.forward([][]float64{u, u})
			if msg := c.outside(x[0]); msg != "" {
				t.Errorf("scale %g: %v: %s", scale, x[0], msg)
			}
			if math.IsInf(j[0], 0) || math.IsNaN(j[0]) || j[0] != j[1] || fmt.Sprint(x[0]) != fmt.Sprint(x[1]) {
				t.Errorf("scale %g: log-Jacobians %v of %v", scale, j, u)
			}
		}
	})
}

// outside describes why x is not in the support, or returns "". It allows the ends, which rounding may reach.
func (c mapCase) outside(x []float64) string {
	sum := 0.0
	for i, v := range x {
		sum += v
		if !(c.lo <= v && v <= c.hi) {
			return "out of bounds"
		}
		if c.kind == types.Ordered && i > 0 && x[i-1] > v {
			return "not increasing"
		}
		if c.kind == types.Simplex && v < 0 {
			return "negative"
		}
	}
	switch {
	case c.kind == types.Simplex && math.Abs(sum-1) > 1e-12:
		return "does not sum to 1"
	case c.kind == types.ZeroSum && math.Abs(sum) > 1e-10*(1+math.Abs(x[0])):
		return fmt.Sprint("sums to ", sum)
	case c.kind == types.Correlation || c.kind == types.CholeskyCorr:
		return notCorrelation(x, c.event[0], c.kind == types.CholeskyCorr)
	case c.kind == types.Covariance || c.kind == types.CholeskyCov:
		return notCovariance(x, c.event[0], c.kind == types.CholeskyCov)
	}
	return ""
}

func notCorrelation(x []float64, d int, factor bool) string {
	m := mat.NewDense(d, d, x)
	if factor {
		var full mat.Dense
		full.Mul(m, m.T())
		m = &full
	}
	for i := range d {
		for j := range d {
			if !factor && m.At(i, i) != 1 || math.Abs(m.At(i, i)-1) > 1e-12 || math.Abs(m.At(i, j)) > 1+1e-12 ||
				m.At(i, j) != m.At(j, i) {
				return "not a correlation matrix"
			}
		}
	}
	return ""
}

// notCovariance describes why x is not a covariance or a factor of one, or returns "". It does not check elements as
// large or small as the square of e^±600.
func notCovariance(x []float64, d int, factor bool) string {
	m := mat.NewDense(d, d, x)
	for i := range d {
		for j := range d {
			if factor && (i < j && m.At(i, j) != 0 || !(m.At(i, i) > 0)) {
				return "not a Cholesky factor"
			}
			if !factor && m.At(i, j) != m.At(j, i) {
				return "not symmetric"
			}
		}
	}
	if v := mat.Norm(m, 2); !factor && 1e-3 < v && v < 1e3 && !new(mat.Cholesky).Factorize(mat.NewSymDense(d, x)) {
		return "not positive definite"
	}
	return ""
}

// TestUnitVector checks x = u/|u|, and that u is standard normal if x is uniform, with density 1/area.
func TestUnitVector(t *testing.T) {
	u := []float64{3, -4, 12}
	c := mapCase{kind: types.UnitVector, event: []int{3}, lo: -inf, hi: inf}
	x, j := c.forward([][]float64{u})
	want := []float64{3. / 13, -4. / 13, 12. / 13}
	for i := range u {
		if !near(x[0][i], want[i], 1e-15, 0) {
			t.Errorf("%v went to %v", u, x[0])
		}
	}
	if area := math.Log(4 * math.Pi); !near(j[0]-area, -169./2-1.5*math.Log(2*math.Pi), 1e-14, 0) {
		t.Errorf("log-Jacobian %g", j[0])
	}
	back, err := TransformOf(types.UnitVector).Unconstrain(x[0], []int{3}, -inf, inf)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := c.forward([][]float64{back}); !near(again[0][2], want[2], 1e-15, 0) {
		t.Errorf("%v came back as %v", x[0], back)
	}
}

// TestTransformJacobian compares the log-Jacobian with the log-determinant (gonum) of central differences, within 1e-6.
func TestTransformJacobian(t *testing.T) {
	eachMap(t, func(t *testing.T, c mapCase, r *rand.Rand) {
		for range 5 {
			u := normalsOf(r, c.free(), 0.8)
			_, j := c.forward([][]float64{u})
			if want := c.numericLogDet(u); math.Abs(j[0]-want) > 1e-6 {
				t.Errorf("at %v: log-Jacobian %.10g, numerically %.10g", u, j[0], want)
			}
		}
	})
}

// numericLogDet returns ½ log det(JᵀJ) of the coordinates: the log-determinant if J is square, and the change of volume
// if the image is a hyperplane (ZeroSum).
func (c mapCase) numericLogDet(u []float64) float64 {
	const h = 1e-5
	n := len(u)
	if n == 0 {
		return 0
	}
	columns := make([][]float64, n)
	for k := range u {
		x, _ := c.forward([][]float64{moved(u, k, h, 0), moved(u, k, -h, 0)})
		up, down := c.coordinates(x[0]), c.coordinates(x[1])
		columns[k] = make([]float64, len(up))
		for i := range up {
			columns[k][i] = (up[i] - down[i]) / (2 * h)
		}
	}
	jac := mat.NewDense(n, len(columns[0]), flatten(columns))
	var gram mat.Dense
	gram.Mul(jac, jac.T())
	logDet, _ := mat.LogDet(&gram)
	return logDet / 2
}

func (c mapCase) coordinates(x []float64) []float64 {
	if c.coords == nil {
		return x
	}
	out := make([]float64, len(c.coords))
	for i, k := range c.coords {
		out[i] = x[k]
	}
	return out
}

// TestIntervalExtremes compares values near the ends with closed forms within 1e-14: x − lo = (hi−lo) e^u for very
// negative u, hi − x = (hi−lo) e^{−u} for very large u if hi is 0, and the log-Jacobian log(hi−lo) − |u|.
func TestIntervalExtremes(t *testing.T) {
	for _, u := range []float64{-700, -100, -40, 40, 100, 700} {
		c := mapCase{kind: types.Interval, lo: 0, hi: 3}
		if u > 0 {
			c.lo, c.hi = -3, 0
		}
		x, j := c.forward([][]float64{{u}})
		want := math.Copysign(3*math.Exp(-math.Abs(u)), -u)
		if !near(x[0][0], want, 1e-14, 0) || !near(j[0], math.Log(3)-math.Abs(u), 1e-14, 0) {
			t.Errorf("u = %g: x = %g, want %g; log-Jacobian %g", u, x[0][0], want, j[0])
		}
		back, err := freeInterval(x[0], nil, c.lo, c.hi)
		if err != nil || !near(back[0], u, 1e-12, 0) {
			t.Errorf("u = %g came back as %v, %v", u, back, err)
		}
	}
}

// TestCrossedEnds checks that the log-Jacobian is −∞, with gradient 0, if an interval's lower end exceeds its upper
// end.
func TestCrossedEnds(t *testing.T) {
	for _, c := range []mapCase{{kind: types.Interval}, {kind: types.Ordered, event: []int{3}}} {
		g := ad.New()
		u, hi := g.Input("u", c.event...), g.Input("hi")
		_, j := TransformOf(c.kind).Constrain(u, c.event, g.Const(0), hi)
		at := []float64{0.1, 0.2, 0.3}
		in := map[string][]float64{"u": at[:product1(c.event)], "hi": {-1}}
		r := ad.Eval(in, j, ad.Grad(j, hi)[0])
		if !math.IsInf(r[0][0], -1) || r[1][0] != 0 {
			t.Errorf("%v: log-Jacobian %g with gradient %g", c.kind, r[0][0], r[1][0])
		}
	}
}

// TestSimplexMiddle checks that the origin is mapped to 1/K for each element.
func TestSimplexMiddle(t *testing.T) {
	x, _ := mapCase{kind: types.Simplex, event: []int{7}}.forward([][]float64{make([]float64, 6)})
	for _, v := range x[0] {
		if !near(v, 1./7, 1e-15, 0) {
			t.Errorf("centre %v", x[0])
		}
	}
}

// TestUnconstrainRefuses checks the errors for values outside the support.
func TestUnconstrainRefuses(t *testing.T) {
	for _, c := range []struct {
		kind   types.Kind
		event  []int
		lo, hi float64
		x      []float64
	}{
		{types.RealLine, nil, -inf, inf, []float64{math.NaN()}},
		{types.Interval, nil, 0, inf, []float64{0}},
		{types.Interval, nil, 0, 1, []float64{1.5}},
		{types.Interval, nil, 0, 1, []float64{math.NaN()}},
		{types.Simplex, []int{2}, 0, 0, []float64{0.5, 0.6}},
		{types.Simplex, []int{2}, 0, 0, []float64{-0.5, 1.5}},
		{types.Ordered, []int{3}, -inf, inf, []float64{1, 3, 2}},
		{types.Ordered, []int{2}, 0, inf, []float64{-1, 3}},
		{types.ZeroSum, []int{2}, 0, 0, []float64{1, 1}},
		{types.Correlation, []int{2, 2}, 0, 0, []float64{1, 0.5, 0.4, 1}},
		{types.Correlation, []int{2, 2}, 0, 0, []float64{1, 1.5, 1.5, 1}},
		{types.CholeskyCorr, []int{2, 2}, 0, 0, []float64{1, 0, 0.5, 0.5}},
		{types.Covariance, []int{2, 2}, 0, 0, []float64{1, 0.5, 0.4, 1}},
		{types.Covariance, []int{2, 2}, 0, 0, []float64{1, 2, 2, 1}},
		{types.CholeskyCov, []int{2, 2}, 0, 0, []float64{1, 0.5, 0, 1}},
		{types.CholeskyCov, []int{2, 2}, 0, 0, []float64{1, 0, 0.5, -1}},
		{types.UnitVector, []int{2}, 0, 0, []float64{0.6, 0.7}},
	} {
		if u, err := TransformOf(c.kind).Unconstrain(c.x, c.event, c.lo, c.hi); err == nil {
			t.Errorf("%v: %v went to %v without an error", c.kind, c.x, u)
		}
	}
	if TransformOf(types.IntRange) != nil {
		t.Error("integers have a transform")
	}
}
