package stdlib

import (
	"math"
	"testing"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// pulled returns log p(T(u)) + log |dT/du|, the log density of a vector distribution on unconstrained coordinates.
func (c distCase) pulled(d *Dist, f *Form, u Node, n int) Node {
	event := shapeOf(len(c.at[0].x), d.Event)
	x, logJac := TransformOf(d.Support).Constrain(u, event, Node{}, Node{})
	return ad.Add(f.LogProb(x, c.plated(u.Graph(), f, n, false)), logJac)
}

func (c distCase) freeShape(d *Dist) []int {
	return TransformOf(d.Support).Free(shapeOf(len(c.at[0].x), d.Event))
}

// TestVectorsNormalised integrates densities of vectors and matrices over one, two or three unconstrained coordinates u
// = centre + scale·sinh t by the trapezoid rule, within 2e-5. This checks that distribution and transform use the same
// measure.
func TestVectorsNormalised(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if d.Event == 0 || d.Discrete() || d.Improper || product1(c.freeShape(d)) > 3 {
			return
		}
		dim := product1(c.freeShape(d))
		centre, scale := c.middle(t, d, dim)
		us, weights := lattice(centre, []float64{0, 0.01, 0.06, 0.2}[dim], scale)
		g := ad.New()
		u := g.Data("u", us, join([]int{len(weights)}, c.freeShape(d)...)...)
		sum := 0.0
		for i, lp := range ad.Eval(nil, c.pulled(d, f, u, len(weights)))[0] {
			if p := math.Exp(lp) * weights[i]; !math.IsNaN(p) { // on the edge of the support, where p is 0
				sum += p
			}
		}
		if math.Abs(sum-1) > 2e-5 {
			t.Errorf("the density integrates to %.9g", sum)
		}
	})
}

// middle returns the centre and the scale of the lattice. For covariances, the centre is the first reference point,
// which is their mean, and the scale is small.
func (c distCase) middle(t *testing.T, d *Dist, dim int) (centre []float64, scale float64) {
	if d.Support != types.Covariance && d.Support != types.CholeskyCov {
		return make([]float64, dim), 1
	}
	u, err := TransformOf(d.Support).Unconstrain(c.at[0].x, shapeOf(len(c.at[0].x), 2), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return u, 0.4
}

// lattice returns the product grid of u = centre + scale·sinh t with the rule's weights.
func lattice(centre []float64, h, scale float64) (us, weights []float64) {
	dim := len(centre)
	reach := []float64{0, 6, 5, 3.6}[dim] - math.Log(scale)
	n := 2*int(reach/h) + 1
	total := int(math.Pow(float64(n), float64(dim)))
	for i := range total {
		w := 1.0
		for k, rest := 0, i; k < dim; k, rest = k+1, rest/n {
			s := float64(rest%n-n/2) * h
			us, w = append(us, centre[k]+scale*math.Sinh(s)), w*h*scale*math.Cosh(s)
		}
		weights = append(weights, w)
	}
	return us, weights
}

// TestCountsNormalised adds up the probabilities of vectors of counts over all ways to split n.
func TestCountsNormalised(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if d.Event != 1 || !d.Discrete() {
			return
		}
		sum := 0.0
		for _, lp := range c.logProbs(d, f, splits(c.args[0][0], len(c.at[0].x)), false) {
			sum += math.Exp(lp)
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("the probabilities add up to %.15g", sum)
		}
		wrong := append([]float64{}, c.at[0].x...)
		wrong[0]++
		if lp := c.logProbs(d, f, [][]float64{wrong}, false)[0]; !math.IsInf(lp, -1) {
			t.Errorf("counts %v that do not add up have log probability %g", wrong, lp)
		}
	})
}

func splits(n float64, k int) (out [][]float64) {
	if k == 1 {
		return [][]float64{{n}}
	}
	for first := 0.0; first <= n; first++ {
		for _, rest := range splits(n-first, k-1) {
			out = append(out, append([]float64{first}, rest...))
		}
	}
	return out
}
