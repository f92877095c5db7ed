package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// rowsForSubsample returns terms of rows with long tails, and approximations of them with bias and noise.
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

// TestSubsample checks over many samples of rows that estimates are unbiased for the total of all rows and that 95 % of
// intervals contain it, and that intervals around the uncorrected approximations rarely do.
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

// twoModels returns terms of the same rows in two models, and their approximations. The terms have a common part that
// varies more than their differences.
func twoModels(r *rand.Rand, n int) (a, b Pointwise, roughA, roughB []float64) {
	for range n {
		common := -1 - 3*r.ExpFloat64()
		x, y := common+.3*r.NormFloat64(), common-.05+.3*r.NormFloat64()
		a.ELPD, b.ELPD = append(a.ELPD, x), append(b.ELPD, y)
		a.P, b.P = append(a.P, 0), append(b.P, 0)
		roughA, roughB = append(roughA, .9*x), append(roughB, .9*y)
	}
	return a, b, roughA, roughB
}

// TestSubsampledDifference checks over many samples of half of the rows that 95 % of intervals contain the difference
// between two models over all rows. Intervals without the finite-population correction are too wide. The intervals are
// too narrow if the subsamples of the two models differ.
func TestSubsampledDifference(t *testing.T) {
	const n, m, samples = 1000, 500, 2000
	r := rand.New(rand.NewPCG(4, 4))
	a, b, roughA, roughB := twoModels(r, n)
	want, _ := Difference(a, b)
	rough := floats.SubTo(make([]float64, n), roughA, roughB)
	minus := func(x, y Pointwise) Pointwise {
		return Pointwise{ELPD: floats.SubTo(make([]float64, m), x.ELPD, y.ELPD), P: make([]float64, m)}
	}
	inside, endless, apart := 0, 0, 0
	for range samples {
		rows, others := r.Perm(n)[:m], r.Perm(n)[:m]
		s := Subsample(rough, rows, minus(pick(a, rows), pick(b, rows)))
		count := func(off, se float64, n *int) {
			if math.Abs(off) < 1.96*se {
				*n++
			}
		}
		count(s.ELPD-want, s.ELPDSE, &inside)
		count(s.ELPD-want, s.ELPDSE/math.Sqrt(1-float64(m)/n), &endless)
		count(Subsample(roughA, rows, pick(a, rows)).ELPD-Subsample(roughB, others, pick(b, others)).ELPD-want,
			s.ELPDSE, &apart)
	}
	// A share of .95 has standard error .005.
	if share := float64(inside) / samples; share < .93 || share > .965 {
		t.Errorf("%.3f of intervals hold the difference over all rows, .95 should", share)
	}
	if share := float64(endless) / samples; share < .98 {
		t.Errorf("without the correction for finite rows %.3f of intervals hold it, more should", share)
	}
	if share := float64(apart) / samples; share > .8 {
		t.Errorf("with rows of its own for each model %.3f of intervals hold it, fewer should", share)
	}
}

// TestSubsampledDifferenceOfNewData checks over many data sets that intervals from both standard errors contain the
// expected difference between models. Intervals from the standard error over rows alone rarely do, since the
// approximation is poor and the subsample small.
func TestSubsampledDifferenceOfNewData(t *testing.T) {
	const n, m, samples = 500, 50, 2000
	r := rand.New(rand.NewPCG(5, 5))
	inside, alone := 0, 0
	for range samples {
		a, b, _, _ := twoModels(r, n)
		d := Pointwise{ELPD: floats.SubTo(make([]float64, n), a.ELPD, b.ELPD), P: make([]float64, n)}
		rows := r.Perm(n)[:m]
		s := Subsample(make([]float64, n), rows, pick(d, rows))
		off := math.Abs(s.ELPD - .05*n)
		if off < 1.96*math.Hypot(s.SE, s.ELPDSE) {
			inside++
		}
		if off < 1.96*s.SE {
			alone++
		}
	}
	if share := float64(inside) / samples; share < .925 || share > .965 {
		t.Errorf("%.3f of intervals hold the difference in the mean, .95 should", share)
	}
	if share := float64(alone) / samples; share > .6 {
		t.Errorf("without the choice of rows %.3f of intervals hold it, fewer should", share)
	}
}

// TestSubsampleOfAll checks that a subsample of all rows gives their totals, and subsampling errors of 0.
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
