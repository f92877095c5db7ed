package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// rowsForSubsample are terms of rows with long tails, and approximations that are off by a bias and noise.
func rowsForSubsample(n int) (all Pointwise, rough []float64) {
	r := rand.New(rand.NewPCG(1, 1))
	for range n {
		x := -1 - r.ExpFloat64()
		all.ELPD, all.P = append(all.ELPD, x), append(all.P, .01*r.ExpFloat64())
		rough = append(rough, .95*x+.1*r.NormFloat64()+.05)
	}
	return all, rough
}

func pick(all Pointwise, rows []int) (part Pointwise) {
	for _, i := range rows {
		part.ELPD, part.P = append(part.ELPD, all.ELPD[i]), append(part.P, all.P[i])
	}
	return part
}

// Over many samples of rows, estimates have the total of all rows for mean, and their standard error for deviation; the
// approximations without the sample's correction do not.
func TestSubsample(t *testing.T) {
	const n, m, samples = 2000, 100, 2000
	all, rough := rowsForSubsample(n)
	want := all.Total()
	r := rand.New(rand.NewPCG(2, 2))
	var z, zP, se []float64
	inside, planted := 0, 0
	for range samples {
		rows := r.Perm(n)[:m]
		s := Subsample(rough, rows, pick(all, rows))
		z, zP = append(z, (s.ELPD-want.ELPD)/s.ELPDSE), append(zP, (s.P-want.P)/s.PSE)
		se = append(se, s.SE)
		if math.Abs(s.ELPD-want.ELPD) < 1.96*s.ELPDSE {
			inside++
		}
		if math.Abs(floats.Sum(rough)-want.ELPD) < 1.96*s.ELPDSE {
			planted++
		}
	}
	// The share inside has standard error .005; with 100 rows the deviation in the denominator costs another .006.
	if share := float64(inside) / samples; share < .93 || share > .965 {
		t.Errorf("%.3f of intervals hold the total of all rows, .95 should", share)
	}
	if share := float64(planted) / samples; share > .5 {
		t.Errorf("without the correction %.3f of intervals hold it", share)
	}
	for name, z := range map[string][]float64{"elpd": z, "p": zP} {
		mean := floats.Sum(z) / samples
		if math.Abs(mean) > .15 {
			t.Errorf("%s is off by %.3f standard errors in the mean", name, mean)
		}
	}
	if mean := floats.Sum(se) / samples; math.Abs(mean/want.SE-1) > .02 {
		t.Errorf("the standard error over rows is %v, of all rows %v", mean, want.SE)
	}
}

// A sample of all rows is no sample.
func TestSubsampleOfAll(t *testing.T) {
	all, rough := rowsForSubsample(50)
	rows := rand.New(rand.NewPCG(3, 3)).Perm(50)
	got, want := Subsample(rough, rows, pick(all, rows)), all.Total()
	for name, x := range map[string][2]float64{"elpd": {got.ELPD, want.ELPD}, "se": {got.SE, want.SE},
		"p": {got.P, want.P}, "se of elpd": {got.ELPDSE, 0}, "se of p": {got.PSE, 0}} {
		if math.Abs(x[0]-x[1]) > 1e-9*(1+math.Abs(x[1])) {
			t.Errorf("%s is %v, of all rows %v", name, x[0], x[1])
		}
	}
}
