package dynamicstest

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/lang/types"
)

// Effects is a model with elements x[i] ~ Normal(0, s) and s ~ HalfNormal(1). Each element is observed once, with its
// own known error. The saved values are log s and the elements. It is an infer.Recentrable.
type Effects struct {
	whole
	Observed, Errors []float64
	NonCentered      bool // whether the model marks x as noncentered
	centring         types.Centring

	// Forgets is a planted fault: in coordinates other than the model's, the density lacks their log-Jacobian.
	Forgets bool
}

// NewEffects returns the target.
func NewEffects(observed, errors []float64, noncentered bool) Effects {
	return Effects{whole: whole{D: 1 + len(observed), Proper: true}, Observed: observed, Errors: errors,
		NonCentered: noncentered}
}

// SixEffects returns a target with six elements. If there are fewer errors, they are repeated in turn.
func SixEffects(noncentered bool, errors ...float64) Effects {
	y := []float64{1.2, -0.4, 0.8, 2.1, -1.5, 0.3}
	return NewEffects(y, slices.Repeat(errors, len(y)/len(errors)), noncentered)
}

// EffectBlocks returns the only effect, x.
func (t Effects) EffectBlocks() []types.EffectBlock {
	return []types.EffectBlock{{Effect: types.Effect{Name: "x", Scale: "s", NonCentered: t.NonCentered}, First: 1,
		Size: t.D - 1}}
}

// Recentred returns the target in other coordinates.
func (t Effects) Recentred(c types.Centring) infer.Recentrable {
	t.centring = c
	return t
}

// centredBy returns 1 for each element that c centres, else 0.
func (t Effects) centredBy(c types.Centring) []float64 {
	out := make([]float64, t.D-1)
	for i := range out {
		if t.EffectBlocks()[0].Form(c, i) == types.Centred {
			out[i] = 1
		}
	}
	return out
}

// parts returns log s, s and the elements at theta, and a vector that is 1 for centred elements.
func (t Effects) parts(theta autodiff.Node) (logScale, scale, x, in autodiff.Node) {
	g := theta.Graph()
	logScale = autodiff.Reshape(autodiff.Slice(theta, []int{0}, []int{1}))
	scale = autodiff.Exp(logScale)
	u := autodiff.Slice(theta, []int{1}, []int{t.D})
	in = g.Data("centred", t.centredBy(t.centring), t.D-1)
	x = autodiff.Mul(u, autodiff.Add(in, autodiff.Mul(autodiff.Sub(g.Const(1), in), scale)))
	return logScale, scale, x, in
}

// Density returns the log density of log s and the coordinates.
func (t Effects) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	g, half := theta.Graph(), theta.Graph().Const(-0.5)
	square := func(x autodiff.Node) autodiff.Node { return autodiff.Mul(half, autodiff.SumAll(autodiff.Mul(x, x))) }
	logScale, scale, x, in := t.parts(theta)
	counted := autodiff.SumAll(in)
	if t.Forgets {
		counted = autodiff.SumAll(g.Data("as the model", t.centredBy(nil), t.D-1))
	}
	logPrior = autodiff.Add(autodiff.Add(square(scale), logScale),
		autodiff.Sub(square(autodiff.Div(x, scale)), autodiff.Mul(counted, logScale)))
	z := autodiff.Div(autodiff.Sub(g.Data("y", t.Observed, t.D-1), x), g.Data("errors", t.Errors, t.D-1))
	return logPrior, square(z)
}

// EffectValues returns the elements, their locations and their scales.
func (t Effects) EffectValues(theta autodiff.Node) autodiff.Node {
	_, scale, x, _ := t.parts(theta)
	zero := theta.Graph().Full(0, t.D-1)
	return autodiff.Concat(0, x, zero, autodiff.Add(zero, scale))
}

// Values returns log s and the elements.
func (t Effects) Values(theta autodiff.Node) autodiff.Node {
	_, _, x, _ := t.parts(theta)
	return autodiff.Concat(0, autodiff.Slice(theta, []int{0}, []int{1}), x)
}

// Means returns the means of the saved values by quadrature over log s: given s, the elements are normal.
func (t Effects) Means() []float64 {
	sum, total := make([]float64, t.D), 0.0
	for u := -12.0; u < 3; u += 0.001 {
		s := math.Exp(u)
		log := u - s*s/2
		for i, y := range t.Observed {
			v := s*s + t.Errors[i]*t.Errors[i]
			log -= math.Log(v)/2 + y*y/(2*v)
		}
		w := math.Exp(log)
		total += w
		sum[0] += w * u
		for i, y := range t.Observed {
			sum[1+i] += w * y * s * s / (s*s + t.Errors[i]*t.Errors[i])
		}
	}
	means := slices.Clone(sum)
	for i := range means {
		means[i] /= total
	}
	return means
}
