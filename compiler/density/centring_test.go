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
