package subsampling

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/renhdtest"
)

// TestRowsKnowTheirNoise checks estimates of a gain from samples of half of the rows: their mean is the gain over all
// rows, and their variance is the reported one. With all rows the estimate is exact. Without the correction for a
// finite population, the reported standard deviation would be 1.4 times too large.
func TestRowsKnowTheirNoise(t *testing.T) {
	var exact, n = 0.0, 0.0
	terms := renhdtest.Normals(512)
	for _, v := range terms {
		exact += v
	}
	r, m := rand.New(rand.NewPCG(2, 2)), &rowEnergies{}
	m.batches.Rows = len(terms)
	var gains, reported moments
	for range 4000 {
		p := &ladder.Proposal{}
		m.estimateGain(p, some(terms, r.Perm(len(terms))[:256]), [][]float64{{0, 0}})
		gains.add(p.Gain)
		reported.add(p.Variance)
		n++
	}
	if se := math.Sqrt(gains.variance() / n); math.Abs(gains.mean()-exact) > 5*se {
		t.Errorf("mean gain %.3f, want %.3f ± 5·%.3f", gains.mean(), exact, se)
	}
	if ratio := gains.variance() / reported.mean(); math.Abs(ratio-1) > 0.1 {
		t.Errorf("the variance of gains is %.3f times the reported one, want 1 ± .1", ratio)
	}
	if uncorrected := reported.mean() / (1 - 256./512); math.Abs(gains.variance()/uncorrected-1) < 0.3 {
		t.Error("the reported variance is about the same without the correction for a finite population")
	}
	p := &ladder.Proposal{}
	if m.estimateGain(p, some(terms, r.Perm(len(terms))), [][]float64{{0, 0}}); p.Variance != 0 ||
		math.Abs(p.Gain-exact) > 1e-9 {
		t.Errorf("all rows: gain %v, variance %v; want %v, 0", p.Gain, p.Variance, exact)
	}
}

// some returns sums over the terms of some rows, without control variates.
func some(terms []float64, rows []int) differences {
	d := differences{control: math.NaN()}
	for _, i := range rows {
		d.add(terms[i], 0)
	}
	return d
}

// TestKnownRowsLeaveTheNoiseOfOthers checks estimates in which four rows of high leverage are always read: their mean
// is the gain over all rows, and their variance is the reported one. Planted fault: samples of all rows, half of which
// contain none of the four, so the median of the reported variances is far too small.
func TestKnownRowsLeaveTheNoiseOfOthers(t *testing.T) {
	terms, exact := renhdtest.Normals(512), 0.0
	for i := range 4 {
		terms[i] += 100
	}
	for _, v := range terms {
		exact += v
	}
	for _, known := range []int{4, 0} {
		r, m := rand.New(rand.NewPCG(6, 6)), &rowEnergies{}
		m.batches.Rows, m.batches.Always = len(terms), make([]float64, known)
		var gains moments
		var said []float64
		for range 2000 {
			d, p := differences{control: math.NaN()}, &ladder.Proposal{}
			for _, i := range r.Perm(len(terms))[:64] {
				if i >= known {
					d.add(terms[i], 0)
				}
			}
			for _, term := range terms[:known] {
				d.addAlways(term, 0)
			}
			m.estimateGain(p, d, [][]float64{{0, 0}})
			gains.add(p.Gain)
			said = append(said, p.Variance)
		}
		if se := math.Sqrt(gains.variance() / gains.n); math.Abs(gains.mean()-exact) > 5*se {
			t.Errorf("%d rows are always read: mean gain %.3f, want %.3f ± 5·%.3f", known, gains.mean(), exact, se)
		}
		slices.Sort(said)
		ratio := gains.variance() / said[len(said)/2]
		if right := math.Abs(ratio-1) < .15; right != (known > 0) {
			t.Errorf("%d rows are always read: the variance of gains is %.3f times the reported one", known, ratio)
		}
	}
}

// TestControlsTakeNoiseAway checks that control variates that equal the terms except for a hundredth reduce the
// variance by a factor of 10⁻⁴, and do not change the mean estimate.
func TestControlsTakeNoiseAway(t *testing.T) {
	controls, noise := renhdtest.Normals(512), renhdtest.Normals(512)
	terms, exact, sum := make([]float64, 512), 0.0, 0.0
	for i := range terms {
		terms[i] = 3*controls[i] + 0.03*noise[511-i]
		exact, sum = exact+terms[i], sum+controls[i]
	}
	r, m := rand.New(rand.NewPCG(3, 3)), &rowEnergies{}
	m.batches.Rows = len(terms)
	var with, without, gain moments
	for range 500 {
		plain := some(terms, r.Perm(512)[:128])
		p, q := &ladder.Proposal{}, &ladder.Proposal{}
		m.estimateGain(p, plain, [][]float64{{0, 0}})
		r := rand.New(rand.NewPCG(3, uint64(with.n)))
		d := differences{control: sum}
		for _, i := range r.Perm(512)[:128] {
			d.add(terms[i], controls[i])
		}
		m.estimateGain(q, d, [][]float64{{0, 0}})
		with.add(q.Variance)
		without.add(p.Variance)
		gain.add(q.Gain)
	}
	if ratio := with.mean() / without.mean(); ratio > 2e-4 || ratio < 5e-5 {
		t.Errorf("the variance with control variates is %.2g of that without, want 10⁻⁴", ratio)
	}
	if se := math.Sqrt(gain.variance() / gain.n); math.Abs(gain.mean()-exact) > 5*se {
		t.Errorf("mean gain %.3f, want %.3f ± 5·%.3f", gain.mean(), exact, se)
	}
}
