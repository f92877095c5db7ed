package adapt

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// normalPoints returns n draws from N(0, (AᵀA)⁻¹) with their gradients −AᵀAx.
func normalPoints(a *mat.Dense, n int) *Points {
	r := rand.New(rand.NewPCG(8, 8))
	d, _ := a.Dims()
	var p Points
	for range n {
		z := mat.NewVecDense(d, nil)
		for i := range d {
			z.SetVec(i, r.NormFloat64())
		}
		var x, g mat.VecDense
		if err := x.SolveVec(a, z); err != nil {
			panic(err)
		}
		g.MulVec(a.T(), z)
		g.ScaleVec(-1, &g)
		p.Add(x.RawVector().Data, g.RawVector().Data)
	}
	return &p
}

// stiff returns A for a normal that is k times narrower in the direction (1, …, 1)/√d than in all others.
func stiff(d int, k float64) *mat.Dense {
	a := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			a.Set(i, j, (k-1)/float64(d))
		}
		a.Set(i, i, a.At(i, i)+1)
	}
	return a
}

// walk returns A for a random walk x, whose principal directions have widths from 1/2 to about d.
func walk(d int) *mat.Dense {
	a := mat.NewDense(d, d, nil)
	for i := range d {
		a.Set(i, i, 1)
		if i > 0 {
			a.Set(i, i-1, -1)
		}
	}
	return a
}

func axesOfAllScales(d int) *mat.Dense {
	a := mat.NewDense(d, d, nil)
	for i := range d {
		a.Set(i, i, math.Exp(float64(i%7)))
	}
	return a
}

// TestChoose checks the chosen form: diagonal for axes of any scale, one direction for one stiff direction, and dense
// for a random walk, unless a gradient costs so little that more steps are cheaper.
func TestChoose(t *testing.T) {
	const dear, cheap = 1e7, 1
	for name, c := range map[string]struct {
		a        *mat.Dense
		gradient float64
		want     Form
	}{
		"scaled, dear gradient":     {axesOfAllScales(60), dear, 0},
		"stiff":                     {stiff(250, 100), 20_000, 1},
		"walk, dear gradient":       {walk(60), dear, Dense},
		"hardly stiff":              {stiff(60, 1.5), dear, 0},
		"walk, cheap gradient":      {walk(150), cheap, 0},
		"above the largest dense":   {axesOfAllScales(MaxDense + 20), dear, 0},
		"no form has smaller steps": {stiff(60, 1), cheap, 0},
	} {
		p := normalPoints(c.a, 400)
		m := Diagonal(len(p.X[0])).Estimate(p).Estimate(p)
		if got := m.Choose(p, c.gradient); got.Form != c.want {
			t.Errorf("%s: %+v, want %v", name, got, c.want)
		}
	}
}

// TestStepsFor compares the number of steps with its definition, for two directions of variance 4 and 1/9 in 10
// dimensions.
func TestStepsFor(t *testing.T) {
	want := 2 * math.Pow((8+1./16+81)/10, .25)
	if got := stepsFor([]float64{math.Log(4), -math.Log(9)}, 10); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAs checks that a metric in another form keeps its axis scales.
func TestAs(t *testing.T) {
	m := Identity(3)
	copy(m.Factor, []float64{2, 0, 0, 3, 4, 0, 0, 0, 1})
	low := m.As(2)
	if low.Rank != 2 || low.Scale[0] != 2 || low.Scale[1] != 5 || low.Scale[2] != 1 {
		t.Errorf("%+v", low)
	}
	back := low.As(Dense)
	if back.Rank != -1 || back.Factor[0] != 2 || back.Factor[4] != 5 || back.Factor[3] != 0 {
		t.Errorf("%+v", back)
	}
}
