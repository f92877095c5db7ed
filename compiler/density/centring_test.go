package density_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/compilertest"
	"ppl/lang/types"
)

const twoEffects = `
data group[N]: index(J) = [1, 1, 2, 3], J = 3
data y[N] = [1.0, 2.0, -0.5, 0.7]
m ~ Normal(0, 1)
s ~ HalfNormal(1)
t ~ HalfNormal(1)
a[J] ~ Normal(m, s) noncentered
b[j in J] ~ StudentT(4, 0.5 * a[j], t)
y[i in N] ~ Normal(a[group[i]] + b[group[i]], 0.5)
`

const (
	rel = types.Relative
	cen = types.Centred
)

// effectsAt returns the values, locations and scales of each block of a program's effects at theta.
func effectsAt(p *compiler.Program, theta []float64) (values, locs, scales [][]float64) {
	for _, at := range pointsOf(p, theta) {
		values, locs, scales = append(values, at.Values), append(locs, at.Locations), append(scales, at.Scales)
	}
	return values, locs, scales
}

// pointsOf returns a program's effects at theta.
func pointsOf(p *compiler.Program, theta []float64) (out []types.EffectPoint) {
	all := autodiff.Eval(map[string][]float64{"theta": theta},
		p.EffectValues(autodiff.New().Input("theta", p.Dim())))[0]
	for _, b := range p.EffectBlocks() {
		n := b.Parts() * b.Size
		out, all = append(out, b.Point(all[:n])), all[n:]
	}
	return out
}

// valuesOf returns the values that a program saves at theta.
func valuesOf(p *compiler.Program, theta []float64) []float64 {
	return autodiff.Eval(map[string][]float64{"theta": theta}, p.Values(autodiff.New().Input("theta", p.Dim())))[0]
}

func logDensity(p *compiler.Program, theta []float64) float64 {
	prior, likelihood, _ := compilertest.Density(p, theta)
	return prior + likelihood
}

// TestRecentred checks that in other coordinates of the same point the density differs by the logarithms of the scales
// of noncentered elements, and that all values are unchanged.
func TestRecentred(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, twoEffects)
	blocks := p.EffectBlocks()
	if len(blocks) != 2 || blocks[0].Name != "a" || blocks[1].Name != "b" || !blocks[0].NonCentered {
		t.Fatalf("effects %+v", blocks)
	}
	samePoint(t, p, types.Centring{"a": {cen, cen, cen}, "b": {cen, cen, cen}}, []types.Centring{
		{"a": {rel, rel, rel}, "b": {cen, cen, cen}},
		{"a": {cen, rel, cen}, "b": {cen, cen, cen}},
		{"a": {cen, cen, cen}, "b": {rel, cen, rel}},
		{"a": {rel, cen, rel}, "b": {rel, rel, rel}},
		{"a": {cen, rel, rel}, "b": {rel, rel, cen}},
	}, 1e-11, 1e-12)
}

// samePoint compares a point in the coordinates of several centrings with the same point in centred coordinates, with
// relative tolerances for the log density and the values.
func samePoint(t *testing.T, p *compiler.Program, allCentred types.Centring, others []types.Centring,
	density, value float64) {
	t.Helper()
	centred, at := p.Recentred(allCentred), p.Start(7, 0)
	x, locs, scales := effectsAt(p, at)
	for k, b := range p.EffectBlocks() {
		copy(at[b.First:], x[k])
	}
	want := logDensity(centred, at)
	for _, c := range others {
		q, there, logScales := p.Recentred(c), slices.Clone(at), 0.0
		for k, b := range p.EffectBlocks() {
			for j, in := range c[b.Name] {
				if in == rel {
					there[b.First+j] = (x[k][j] - locs[k][j]) / scales[k][j]
					logScales += math.Log(scales[k][j])
				}
			}
		}
		if got := logDensity(q, there); !compilertest.Near(got, want+logScales, density) {
			t.Errorf("%v: log density %.14g, want %.14g", c, got, want+logScales)
		}
		if got, want := valuesOf(q, there), valuesOf(centred, at); !compilertest.AllNear(got, want, value) {
			t.Errorf("%v: values %v, want %v", c, got, want)
		}
		back, _, _ := effectsAt(q, there)
		for k := range back {
			if !compilertest.AllNear(back[k], x[k], value) {
				t.Errorf("%v: effects %v, want %v", c, back[k], x[k])
			}
		}
	}
}

// TestStartsInOtherCoordinates checks that starting points are draws from the prior in all coordinates: moments of an
// element and of the logarithm of its scale, within five standard errors.
func TestStartsInOtherCoordinates(t *testing.T) {
	t.Parallel()
	const n = 2000
	p := compilertest.Load(t, twoEffects).Recentred(types.Centring{"a": {rel, cen, rel}, "b": {cen, rel, cen}})
	var sum, squares [3]float64
	for w := range n {
		x, locs, scales := effectsAt(p, p.Start(5, w))
		for j := range 3 {
			z := (x[0][j] - locs[0][j]) / scales[0][j]
			sum[j] += z / n
			squares[j] += z * z / n
		}
	}
	for j := range 3 {
		if math.Abs(sum[j]) > 5/math.Sqrt(n) || math.Abs(squares[j]-1) > 5*math.Sqrt(2.0/n) {
			t.Errorf("element %d: mean %.3f, mean of squares %.3f of standard normal draws", j, sum[j], squares[j])
		}
	}
}

// TestRecentredSeries checks that series, and parameters whose location is a nonlinear function of parameters, are
// effects whose elements are all centred or all noncentered. In both forms the density differs only by the logarithms
// of scales, and the values are the same.
func TestRecentredSeries(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	const data = "data y[T] = [1.0, 2.0, -0.5, 0.7, 0.1]\ns ~ HalfNormal(1)\n"
	for name, c := range map[string]struct {
		model string
		want  []string // names of the effects
	}{
		"level": {data + "h[1] ~ Normal(0, 5)\nh[t in 2..T] ~ Normal(h[t-1], s)\ny[t in T] ~ Normal(h[t], 1)",
			[]string{"h[1]", "h[t in 2..T]"}},
		"marked": {data + "h[1] ~ Normal(0, 5) noncentered\nh[t in 2..T] ~ Normal(h[t-1], s) noncentered\n" +
			"y[t in T] ~ Normal(h[t], 1)", []string{"h[1]", "h[t in 2..T]"}},
		"through a definition": {data + "phi ~ Normal(0, 0.5)\nmu[t in 2..T] = 0.3 + phi * (h[t-1] - 0.3)\n" +
			"h[1] ~ Normal(0, 5)\nh[t in 2..T] ~ StudentT(4, mu[t], s)\n" +
			"y[t in T] ~ Normal(h[t], 1)", []string{"h[t in 2..T]"}},
		"trend": {data + "r ~ HalfNormal(0.5)\nb[1] ~ Normal(0, 1)\nb[t in 2..T] ~ Normal(b[t-1], r)\n" +
			"h[1] ~ Normal(0, 5)\nh[t in 2..T] ~ Normal(h[t-1] + b[t-1], s)\ny[t in T] ~ Normal(h[t], 1)",
			[]string{"b[1]", "b[t in 2..T]", "h[1]", "h[t in 2..T]"}},
		"two that read each other": {data + "a[1] ~ Normal(0, 1)\nb[1] ~ Normal(0, 1)\n" +
			"a[t in 2..T] ~ Normal(0.5 * b[t-1], s)\nb[t in 2..T] ~ Normal(0.5 * a[t-1] + a[t], s)\n" +
			"y[t in T] ~ Normal(a[t] + b[t], 1)", []string{"a[1]", "a[t in 2..T]", "b[1]", "b[t in 2..T]"}},
		"backwards": {data + "h[t in T..T] ~ Normal(0, 5)\nh[t in 1..T-1] ~ Normal(h[t+1], s)\n" +
			"y[t in T] ~ Normal(h[t], 1)",
			[]string{"h[t in T..T]", "h[t in 1..T-1]"}},
		"of persons": {data + "h[1, i in 1..2] ~ Normal(0, 5)\nh[t in 2..T, i in 1..2] ~ Normal(h[t-1, i], s)\n" +
			"y[t in T] ~ Normal(h[t, 1] - h[t, 2], 1)", []string{"h[1, i in 1..2]", "h[t in 2..T, i in 1..2]"}},
		"two steps back": {data + "h[1..2] ~ Normal(0, 5)\nh[t in 3..T] ~ Normal(2 * h[t-1] - h[t-2], s)\n" +
			"y[t in T] ~ Normal(h[t], 1)", []string{"h[1..2]", "h[t in 3..T]"}},
		"squares": {data + "x ~ Normal(1, 1)\na ~ Normal(x^2, 0.2)\nb[1] ~ Normal(a, 0.2)\n" +
			"b[i in 2..3] ~ Normal(b[i-1]^2, 0.2)\ny[t in T] ~ Normal(b[3], s)", []string{"a", "b[i in 2..3]"}},
		"by precision": {data + "a[t in T] ~ Normal(1, precision = s)\nh[1] ~ Normal(0, 5)\n" +
			"h[t in 2..T] ~ Normal(h[t-1], var = s)\ny[t in T] ~ Normal(h[t] + a[t], 1)",
			[]string{"a", "h[1]", "h[t in 2..T]"}},
		"one piece known": {data + "a[1] = 0\na[t in 2..T] ~ Normal(1, s)\ny[t in T] ~ Normal(a[t], 1)",
			[]string{"a[t in 2..T]"}},
		"straight, of known scale": {data + "x ~ Normal(1, 1)\na[t in T] ~ Normal(2 * x, 0.2)\n" +
			"y[t in T] ~ Normal(a[t], s)", nil},
		"of data alone": {data + "h[1] ~ Normal(0, 5)\nh[t in 2..T] ~ Normal(y[t-1], 2)\ny[t in T] ~ Normal(h[t], s)",
			nil},
		"of predictors, some of which are unknown": {data + "data u[T] missing -9 = [1.0, -9, 0.2, -9, 0.3]\n" +
			"a[t in T] ~ Normal(1, s)\nu[t in T] ~ Normal(2 * a[t], s)\ny[t in T] ~ Normal(u[t], 1)", []string{"a"}},
		"positive": {data + "h[1] ~ Normal(0, 5) in 0..inf\nh[t in 2..T] ~ Normal(h[t-1], s) in 0..inf\n" +
			"y[t in T] ~ Normal(h[t], 1)", nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := compilertest.Load(t, c.model)
			var names []string
			for _, b := range p.EffectBlocks() {
				names = append(names, b.Name)
			}
			if !slices.Equal(names, c.want) {
				t.Fatalf("effects %v, not %v", names, c.want)
			}
			if len(names) > 0 {
				compareCentrings(t, p)
			}
		})
	}
}

// compareCentrings compares a program in all combinations of centred and noncentered effects, with and without
// coordinates given data.
func compareCentrings(t *testing.T, p *compiler.Program) {
	blocks := p.EffectBlocks()
	at := p.Start(7, 0)
	points := pointsOf(p, at)
	want, wantValues := math.NaN(), valuesOf(p, at)
	centrings := []types.Centring{}
	for which := range 1 << len(blocks) {
		c := types.Centring{}
		for k, b := range blocks {
			c[b.Name] = slices.Repeat([]types.Form{[]types.Form{cen, rel}[which>>k&1]}, b.Size)
		}
		centrings = append(centrings, c, givenData(blocks, c))
	}
	for _, c := range centrings {
		there, logScales := slices.Clone(at), 0.0
		for k, b := range blocks {
			for j, form := range c[b.Name] {
				there[b.First+j] = points[k].Coordinate(j, form)
				if form == rel {
					logScales += math.Log(points[k].Scales[j])
				}
			}
		}
		q := p.Recentred(c)
		got := logDensity(q, there) - logScales - logVolume(q, c, there)
		if math.IsNaN(want) { // the first centring, in which all are centred
			want = got
		}
		if !compilertest.Near(got, want, 1e-10) {
			t.Errorf("%v: log density %.14g, want %.14g", c, got, want)
		}
		for i, v := range valuesOf(q, there) {
			if !compilertest.Near(v, wantValues[i], 1e-11) {
				t.Errorf("%v: value %d is %.14g, want %.14g", c, i, v, wantValues[i])
			}
		}
		for k, now := range pointsOf(q, there) {
			if !compilertest.AllNear(now.Values, points[k].Values, 1e-11) {
				t.Errorf("%v: effect %s is %v, want %v", c, blocks[k].Name, now.Values, points[k].Values)
			}
		}
		compareGradient(t, q, there)
	}
}

// givenData returns a centring that gives coordinates given data to all effects that can have them, and the forms of c
// to the others.
func givenData(blocks []types.EffectBlock, c types.Centring) types.Centring {
	out := maps.Clone(c)
	for _, b := range blocks {
		if b.Normal {
			out[b.Name] = slices.Repeat([]types.Form{types.GivenData}, b.Size)
		}
	}
	return out
}

// logVolume returns the logarithm of the volume of the elements that correspond to the unit cube of coordinates given
// data. It uses differences, which are exact because the elements are linear functions of these coordinates.
func logVolume(p *compiler.Program, c types.Centring, theta []float64) float64 {
	var at []int
	elements := func(theta []float64) (x []float64) {
		for k, now := range pointsOf(p, theta) {
			if b := p.EffectBlocks()[k]; c[b.Name][0] == types.GivenData {
				x = append(x, now.Values...)
			}
		}
		return x
	}
	for _, b := range p.EffectBlocks() {
		for j := range b.Size {
			if c[b.Name][0] == types.GivenData {
				at = append(at, b.First+j)
			}
		}
	}
	if len(at) == 0 {
		return 0
	}
	from, slopes := elements(theta), mat.NewDense(len(at), len(at), nil)
	for k, i := range at {
		moved := slices.Clone(theta)
		moved[i]++
		for j, x := range elements(moved) {
			slopes.Set(j, k, x-from[j])
		}
	}
	log, _ := mat.LogDet(slopes)
	return log
}

// compareGradient compares the gradient of a density with differences.
func compareGradient(t *testing.T, p *compiler.Program, theta []float64) {
	t.Helper()
	const h = 1e-4
	x := autodiff.New().Input("theta", p.Dim())
	prior, likelihood := p.Density(x)
	sum := autodiff.Add(prior, likelihood)
	density := autodiff.NewRoutine(sum)
	at := map[string][]float64{"theta": slices.Clone(theta)}
	for i, got := range autodiff.Eval(at, autodiff.Grad(sum, x)[0])[0] {
		moved := func(by float64) float64 {
			at["theta"][i] = theta[i] + by
			defer func() { at["theta"][i] = theta[i] }()
			return density.Eval(at)[0][0]
		}
		want := (8*(moved(h)-moved(-h)) - moved(2*h) + moved(-2*h)) / (12 * h)
		if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("gradient %d is %.9g, %.9g by differences", i, got, want)
		}
	}
}

const threeGroups = `
data group[N]: index(J) = [1, 1, 2, 3], J = 3
data y[N] = [1.0, 2.0, -0.5, 0.7], w[N] = [0.3, -1.0, 2.0, 0.5]
m, slope ~ Normal(0, 1)
s, sigma ~ HalfNormal(1)
`

// TestGivenDataCoordinatesAreStandardNormal checks that, if the data are normal with a mean that is linear in a normal
// effect, the coordinates given data are standard normal for all values of the other parameters: the log density
// differs from that of standard normals by a constant. Planted fault: for coordinates relative only to location and
// scale it does not.
func TestGivenDataCoordinatesAreStandardNormal(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	for name, model := range map[string]string{
		"several observations of each": "a[j in J] ~ Normal(m, s)\ny[i in N] ~ Normal(a[group[i]], sigma)",
		"marked":                       "a[j in J] ~ Normal(m, s) noncentered\ny[i in N] ~ Normal(a[group[i]], sigma)",
		"by precision": "a[j in J] ~ Normal(m, precision = s)\n" +
			"y[i in N] ~ Normal(a[group[i]], var = sigma)",
		"slopes":               "a[j in J] ~ Normal(m, s)\ny[i in N] ~ Normal(slope + 2 * a[group[i]] * w[i], sigma)",
		"slope of a parameter": "a[j in J] ~ Normal(m, s)\ny[i in N] ~ Normal(w[i] - slope * a[group[i]], sigma)",
		"through definitions": "a[j in J] ~ Normal(m * j, s)\nb[j in J] = (a[j] - m) / 3\n" +
			"mu[i in N] = slope * w[i] + b[group[i]]\ny[i in N] ~ Normal(mu[i], sigma * i)",
		"two kinds of observations": "a[j in J] ~ Normal(m, s)\ny[i in N] ~ Normal(a[group[i]], sigma)\n" +
			"data u[J] = [1.0, 0.5, 3.0]\nu[j in J] ~ Normal(3 * a[j] + 1, 0.5 * sigma)",
		"of some elements": "a[j in J] ~ Normal(m, s)\ny[i in 1..2] ~ Normal(a[group[i]], sigma)",
		"of each but some": "a[i in N] ~ Normal(m, s)\ndata u[N] missing -9 = [1.0, -9, 0.2, -9]\n" +
			"u[i in N] ~ Normal(a[i], sigma)",
		"with scales of their own": "a[j in J] ~ Normal(m, s * j)\n" +
			"y[i in N] ~ Normal(a[group[i]], exp(slope * w[i]))",
		"of a table": "data u[N, J] = [[1.0, 0.5, 3.0], [2.0, 0.1, 0.3], [1.0, -0.5, 1.0], [0.0, 0.5, 1.5]]\n" +
			"a[j in J] ~ Normal(m, s)\nu[i in N, j in J] ~ Normal(a[j] + w[i], sigma)",
		"two effects": "a[j in J] ~ Normal(m, s)\nb[j in J] ~ Normal(0.3 * a[j], s)\n" +
			"y[i in N] ~ Normal(a[group[i]] + b[group[i]] * w[i], sigma)",
		"a series": "x[1] ~ Normal(0, 5)\nx[t in 2..N] ~ Normal(slope * x[t-1] + m, s)\n" +
			"y[t in N] ~ Normal(x[t], sigma)",
		"a series marked": "x[1] ~ Normal(0, 5) noncentered\nx[t in 2..N] ~ Normal(x[t-1], s) noncentered\n" +
			"y[t in N] ~ Normal(x[t], sigma)",
		"a series with gaps": "x[1] ~ Normal(0, 5)\nx[t in 2..N] ~ Normal(x[t-1], s)\n" +
			"y[t in 2..3] ~ Normal(x[t], sigma)",
		"a trend": "x[1] ~ Normal(0, 5)\nb[1] ~ Normal(0, 1)\nx[t in 2..N] ~ Normal(x[t-1] + b[t-1], s)\n" +
			"b[t in 2..N] ~ Normal(b[t-1], 0.5 * s)\ny[t in N] ~ Normal(x[t], sigma)",
		"two steps back": "x[1..2] ~ Normal(0, 5)\nx[t in 3..N] ~ Normal(2 * x[t-1] - x[t-2], s)\n" +
			"y[t in N] ~ Normal(x[t], sigma)",
		"through a definition": "x[1] ~ Normal(0, 5)\nmu[t in 2..N] = m + slope * (x[t-1] - m)\n" +
			"x[t in 2..N] ~ Normal(mu[t], s)\ny[t in N] ~ Normal(x[t], sigma)",
		"of persons": "x[1, i in 1..2] ~ Normal(0, 5)\nx[t in 2..N, i in 1..2] ~ Normal(x[t-1, i], s)\n" +
			"y[t in N] ~ Normal(x[t, 1] - x[t, 2], sigma)",
		"differences": "a[j in J] ~ Normal(m, s)\ny[i in N] ~ Normal(a[group[i]] - a[1], sigma)",
		"a sum":       "a[j in J] ~ Normal(m, s)\ny[i in N] ~ Normal(sum(a), sigma)",
		"beside another": "a[j in J] ~ Normal(m, s)\nb[j in J] ~ Normal(0, 1)\n" +
			"y[i in N] ~ Normal(a[group[i]] + b[group[i]] * w[i], sigma)",
	} {
		t.Run(name, func(t *testing.T) {
			p := compilertest.Load(t, threeGroups+model)
			blocks := p.EffectBlocks()
			if !slices.ContainsFunc(blocks, func(b types.EffectBlock) bool { return b.Normal }) {
				t.Fatalf("effects %+v", blocks)
			}
			excess := func(f types.Form, seed uint64) float64 {
				c, theta, sum, r := types.Centring{}, p.Start(7, 0), 0.0, rand.New(rand.NewPCG(seed, 1))
				for _, b := range blocks {
					for i := range b.Size {
						if b.Normal {
							z := r.NormFloat64()
							theta[b.First+i] = z
							sum += z * z / 2
						}
					}
					if b.Normal {
						c[b.Name] = slices.Repeat([]types.Form{f}, b.Size)
					}
				}
				return logDensity(p.Recentred(c), theta) + sum
			}
			want := excess(types.GivenData, 0)
			for seed := range uint64(5) {
				if got := excess(types.GivenData, seed); !compilertest.Near(got, want, 1e-10) {
					t.Errorf("log density %.14g, %.14g elsewhere", got, want)
				}
			}
			if compilertest.Near(excess(rel, 1), excess(rel, 0), 1e-6) {
				t.Error("the planted fault passes")
			}
			compareCentrings(t, p)
		})
	}
}

// TestNotNormal checks that an effect is not treated as normal given data if its distribution is not normal, or if a
// distribution reads it that is not normal with a linear mean.
func TestNotNormal(t *testing.T) {
	t.Parallel()
	for name, model := range map[string]string{
		"other likelihood": "a[j in J] ~ Normal(m, s)\ny[i in N] ~ StudentT(4, a[group[i]], sigma)",
		"other prior":      "a[j in J] ~ StudentT(4, m, s)\ny[i in N] ~ Normal(a[group[i]], sigma)",
		"a curve":          "a[j in J] ~ Normal(m, s)\ny[i in N] ~ Normal(exp(a[group[i]]), sigma)",
		"a scale": "a[j in J] ~ Normal(m, s)\ny[i in 1..2] ~ Normal(a[group[i]], sigma)\n" +
			"y[i in 3..N] ~ Normal(0, exp(a[group[i]]))",
		"truncated": "a[j in J] ~ Normal(m, s)\ny[i in N] ~ Normal(a[group[i]], sigma) in -10..10",
		"other effects below": "a[j in J] ~ Normal(m, s)\nb[j in J] ~ Normal(a[j], 1)\n" +
			"y[i in N] ~ Normal(a[group[i]] + b[group[i]], sigma)",
	} {
		p := compilertest.Load(t, threeGroups+model)
		for _, b := range p.EffectBlocks() {
			if b.Normal && b.Name == "a" {
				t.Errorf("%s: %+v", name, b)
			}
		}
	}
}

const vectors = `
data x[N] = [0.0, 0.3, 1.1], group[M]: index(J) = [1, 2, 2, 1]
data y[N] = [1.0, 0.7, -0.5], w[M] = [0.3, -1.0, 2.0, 0.1]
s ~ HalfNormal(1)
m[1..2] ~ Normal(0, 1)
t[1..2] ~ HalfNormal(1)
R[1..2, 1..2] ~ LKJ(2)
f ~ MvNormal(fill(s, N), cov = rbf(x, s, 1) + diagonal(0.01, N))
b[j in J] ~ MvNormal(m, sd = t, corr = R) noncentered
q[j in J] ~ MvNormal(b[j], prec = s*R)
fixed ~ MvNormal(fill(s, N), cov = rbf(x, 1, 1) + diagonal(0.01, N))
y[i in N] ~ Normal(f[i] + fixed[i], 0.5)
w[i in M] ~ Normal(b[group[i], 1] + q[group[i], 2], 0.5)
`

// TestVectorsAreRecentred checks that each vector parameter is one block, whose elements all have coordinates of the
// same form. In other coordinates of the same point, the density differs by the logarithms of all scales, and all
// values are the same. A vector whose covariance does not depend on parameters is not an effect.
func TestVectorsAreRecentred(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, vectors)
	blocks := p.EffectBlocks()
	if len(blocks) != 3 || blocks[0].Name != "f" || blocks[1].Name != "b" || blocks[2].Name != "q" ||
		!blocks[0].Vector || blocks[0].Straight || !blocks[1].NonCentered {
		t.Fatalf("effects %+v", blocks)
	}
	forms := func(f, b, q types.Form) types.Centring {
		return types.Centring{"f": slices.Repeat([]types.Form{f}, 3), "b": slices.Repeat([]types.Form{b}, 4),
			"q": slices.Repeat([]types.Form{q}, 4)}
	}
	samePoint(t, p, forms(cen, cen, cen), []types.Centring{forms(rel, cen, cen), forms(cen, rel, cen),
		forms(cen, cen, rel), forms(rel, rel, rel)}, 1e-10, 1e-10)
}

// TestEveryEffectIsRecentred checks, in every model, that the density in other coordinates of an effect differs by the
// logarithms of its scales.
func TestEveryEffectIsRecentred(t *testing.T) {
	t.Parallel()
	compilertest.EveryModel(t, func(t *testing.T, p *compiler.Program) {
		at := p.Start(3, 0)
		want := logDensity(p, at)
		for k, b := range p.EffectBlocks() {
			form := types.Relative
			if b.NonCentered {
				form = types.Centred
			}
			to, c, shift := slices.Clone(at), types.Centring{b.Name: slices.Repeat([]types.Form{form}, b.Size)}, 0.0
			x := pointsOf(p, at)[k]
			for i := range b.Size {
				to[b.First+i] = x.Coordinate(i, form)
				shift += math.Log(x.Scales[i])
			}
			if form == types.Centred {
				shift = -shift
			}
			got := logDensity(p.Recentred(c), to)
			if !math.IsInf(want, 0) && !compilertest.Near(got, want+shift, 1e-8) {
				t.Errorf("%s: %g, not %g", b.Name, got, want+shift)
			}
		}
	})
}
