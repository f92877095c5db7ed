package density_test

import (
	"math"
	"slices"
	"testing"

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

// effectsAt are the values, locations and scales of each block of a program's effects at theta.
func effectsAt(p *compiler.Program, theta []float64) (values, locs, scales [][]float64) {
	all := autodiff.Eval(map[string][]float64{"theta": theta},
		p.EffectValues(autodiff.New().Input("theta", p.Dim())))[0]
	for _, b := range p.EffectBlocks() {
		n := b.Size
		values, locs, scales = append(values, all[:n]), append(locs, all[n:2*n]), append(scales, all[2*n:3*n])
		all = all[3*n:]
	}
	return values, locs, scales
}

func logDensity(p *compiler.Program, theta []float64) float64 {
	prior, likelihood, _ := compilertest.Density(p, theta)
	return prior + likelihood
}

// In other coordinates of the same point the density differs by the logarithms of the scales of elements that are not
// centred, and all values are the same.
func TestRecentred(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, twoEffects)
	blocks := p.EffectBlocks()
	if len(blocks) != 2 || blocks[0].Name != "a" || blocks[1].Name != "b" || !blocks[0].NonCentered {
		t.Fatalf("effects %+v", blocks)
	}
	values := func(p *compiler.Program, theta []float64) []float64 {
		return autodiff.Eval(map[string][]float64{"theta": theta},
			p.Values(autodiff.New().Input("theta", p.Dim())))[0]
	}
	centred := p.Recentred(types.Centring{"a": {true, true, true}, "b": {true, true, true}})
	at := p.Start(7, 0)
	x, locs, scales := effectsAt(p, at)
	for k, b := range blocks {
		copy(at[b.First:], x[k])
	}
	want := logDensity(centred, at)
	for _, c := range []types.Centring{
		{"a": {false, false, false}, "b": {true, true, true}},
		{"a": {true, false, true}, "b": {true, true, true}},
		{"a": {true, true, true}, "b": {false, true, false}},
		{"a": {false, true, false}, "b": {false, false, false}},
		{"a": {true, false, false}, "b": {false, false, true}},
	} {
		q, there, logScales := p.Recentred(c), slices.Clone(at), 0.0
		for k, b := range blocks {
			for j, in := range c[b.Name] {
				if !in {
					there[b.First+j] = (x[k][j] - locs[k][j]) / scales[k][j]
					logScales += math.Log(scales[k][j])
				}
			}
		}
		if got := logDensity(q, there); !compilertest.Near(got, want+logScales, 1e-11) {
			t.Errorf("%v: log density %.14g, want %.14g", c, got, want+logScales)
		}
		if got, want := values(q, there), values(centred, at); !compilertest.AllNear(got, want, 1e-12) {
			t.Errorf("%v: values %v, want %v", c, got, want)
		}
	}
}

// Starts are draws from the prior in all coordinates: moments of an element and of the logarithm of its scale, to five
// standard errors.
func TestStartsInOtherCoordinates(t *testing.T) {
	t.Parallel()
	const n = 2000
	p := compilertest.Load(t, twoEffects).Recentred(types.Centring{"a": {false, true, false}, "b": {true, false, true}})
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

// Series, and what is about curved functions of parameters, are effects of which the elements are centred or not
// together. Whatever is centred, the density is the same but for the logarithms of scales, and values are the same.
func TestRecentredSeries(t *testing.T) {
	t.Parallel()
	const data = "data y[T] = [1.0, 2.0, -0.5, 0.7, 0.1]\ns ~ HalfNormal(1)\n"
	for name, c := range map[string]struct {
		model string
		want  []string // effects
	}{
		"level": {data + "h[1] ~ Normal(0, 5)\nh[t in 2..T] ~ Normal(h[t-1], s)\ny[t in T] ~ Normal(h[t], 1)",
			[]string{"h[t in 2..T]"}},
		"marked": {data + "h[1] ~ Normal(0, 5) noncentered\nh[t in 2..T] ~ Normal(h[t-1], s) noncentered\n" +
			"y[t in T] ~ Normal(h[t], 1)", []string{"h[t in 2..T]"}},
		"through a definition": {data + "phi ~ Normal(0, 0.5)\nmu[t in 2..T] = 0.3 + phi * (h[t-1] - 0.3)\n" +
			"h[1] ~ Normal(0, 5)\nh[t in 2..T] ~ StudentT(4, mu[t], s)\n" +
			"y[t in T] ~ Normal(h[t], 1)", []string{"h[t in 2..T]"}},
		"trend": {data + "r ~ HalfNormal(0.5)\nb[1] ~ Normal(0, 1)\nb[t in 2..T] ~ Normal(b[t-1], r)\n" +
			"h[1] ~ Normal(0, 5)\nh[t in 2..T] ~ Normal(h[t-1] + b[t-1], s)\ny[t in T] ~ Normal(h[t], 1)",
			[]string{"b[t in 2..T]", "h[t in 2..T]"}},
		"two that read each other": {data + "a[1] ~ Normal(0, 1)\nb[1] ~ Normal(0, 1)\n" +
			"a[t in 2..T] ~ Normal(0.5 * b[t-1], s)\nb[t in 2..T] ~ Normal(0.5 * a[t-1] + a[t], s)\n" +
			"y[t in T] ~ Normal(a[t] + b[t], 1)", []string{"a[t in 2..T]", "b[t in 2..T]"}},
		"backwards": {data + "h[t in T..T] ~ Normal(0, 5)\nh[t in 1..T-1] ~ Normal(h[t+1], s)\n" +
			"y[t in T] ~ Normal(h[t], 1)",
			[]string{"h[t in 1..T-1]"}},
		"of persons": {data + "h[1, i in 1..2] ~ Normal(0, 5)\nh[t in 2..T, i in 1..2] ~ Normal(h[t-1, i], s)\n" +
			"y[t in T] ~ Normal(h[t, 1] - h[t, 2], 1)", []string{"h[t in 2..T, i in 1..2]"}},
		"two steps back": {data + "h[1..2] ~ Normal(0, 5)\nh[t in 3..T] ~ Normal(2 * h[t-1] - h[t-2], s)\n" +
			"y[t in T] ~ Normal(h[t], 1)", []string{"h[t in 3..T]"}},
		"squares": {data + "x ~ Normal(1, 1)\na ~ Normal(x^2, 0.2)\nb[1] ~ Normal(a, 0.2)\n" +
			"b[i in 2..3] ~ Normal(b[i-1]^2, 0.2)\ny[t in T] ~ Normal(b[3], s)", []string{"a", "b[i in 2..3]"}},
		"by precision": {data + "a[t in T] ~ Normal(1, precision = s)\nh[1] ~ Normal(0, 5)\n" +
			"h[t in 2..T] ~ Normal(h[t-1], var = s)\ny[t in T] ~ Normal(h[t] + a[t], 1)",
			[]string{"a", "h[t in 2..T]"}},
		"one piece known": {data + "a[1] = 0\na[t in 2..T] ~ Normal(1, s)\ny[t in T] ~ Normal(a[t], 1)",
			[]string{"a[t in 2..T]"}},
		"straight, of known scale": {data + "x ~ Normal(1, 1)\na[t in T] ~ Normal(2 * x, 0.2)\n" +
			"y[t in T] ~ Normal(a[t], s)", nil},
		"of data alone": {data + "h[1] ~ Normal(0, 5)\nh[t in 2..T] ~ Normal(y[t-1], 2)\ny[t in T] ~ Normal(h[t], s)",
			nil},
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

// compareCentrings compares a program with each effect centred, and with each not, with the model's own coordinates.
func compareCentrings(t *testing.T, p *compiler.Program) {
	blocks := p.EffectBlocks()
	at := p.Start(7, 0)
	x, locs, scales := effectsAt(p, at)
	values := func(p *compiler.Program, theta []float64) []float64 {
		return autodiff.Eval(map[string][]float64{"theta": theta},
			p.Values(autodiff.New().Input("theta", p.Dim())))[0]
	}
	want, wantValues := math.NaN(), values(p, at)
	for which := range 1 << len(blocks) {
		c, there, logScales := types.Centring{}, slices.Clone(at), 0.0
		for k, b := range blocks {
			in := which>>k&1 == 0
			c[b.Name] = slices.Repeat([]bool{in}, b.Size)
			for j := range b.Size {
				if there[b.First+j] = x[k][j]; !in {
					there[b.First+j] = (x[k][j] - locs[k][j]) / scales[k][j]
					logScales += math.Log(scales[k][j])
				}
			}
		}
		q := p.Recentred(c)
		got := logDensity(q, there) - logScales
		if which == 0 {
			want = got
		}
		if !compilertest.Near(got, want, 1e-11) {
			t.Errorf("%v: log density %.14g, want %.14g", c, got, want)
		}
		for i, v := range values(q, there) {
			if !compilertest.Near(v, wantValues[i], 1e-11) {
				t.Errorf("%v: value %d is %.14g, want %.14g", c, i, v, wantValues[i])
			}
		}
		again, _, _ := effectsAt(q, there)
		for k := range again {
			for j, v := range again[k] {
				if !compilertest.Near(v, x[k][j], 1e-11) {
					t.Errorf("%v: effect %s[%d] is %.14g, want %.14g", c, blocks[k].Name, j, v, x[k][j])
				}
			}
		}
	}
}
