package query

import (
	"math"
	"math/rand/v2"
	"testing"
)

// independent returns independent draws of x ~ N(2, 1), and of a condition that holds with probability 0.3, more often
// if x is large.
func independent(r *rand.Rand, chains, draws int) *Result {
	res := &Result{Values: [][][]float64{{}}, Given: [][]float64{}}
	for range chains {
		var x, c []float64
		for range draws {
			v := r.NormFloat64()
			x = append(x, 2+v)
			c = append(c, 0)
			if v+r.NormFloat64() > 0.7 {
				c[len(c)-1] = 1
			}
		}
		res.Values[0], res.Given = append(res.Values[0], x), append(res.Given, c)
	}
	return res
}

// TestConditionalMean compares the mean of x given v + w > 0.7, for independent standard normals v = x − 2 and w, with
// 2 + φ(k)/(√2 Φ(−k)), k = 0.7/√2: the mean of a truncated normal (Johnson, Kotz, Balakrishnan 1994, 13.10.1), halved
// by regression. The standard error must agree with the spread over repetitions.
func TestConditionalMean(t *testing.T) {
	k := 0.7 / math.Sqrt2
	phi := math.Exp(-k*k/2) / math.Sqrt(2*math.Pi)
	want := 2 + phi/(math.Erfc(k/math.Sqrt2)/2)/math.Sqrt2
	const times = 300
	r := rand.New(rand.NewPCG(1, 2))
	var z2, off float64
	for range times {
		e := Estimates(independent(r, 4, 250))[0]
		z := (e.Mean - want) / e.MCSE
		z2 += z * z / times
		off += z / times
	}
	// z is about standard normal: the mean of z² has the standard error √(2/times), that of z 1/√times.
	if math.Abs(z2-1) > 4*math.Sqrt(2.0/times) || math.Abs(off) > 4/math.Sqrt(times) {
		t.Errorf("standardised errors: mean %.3f, mean square %.3f", off, z2)
	}
	if again := math.Abs(off + 0.5); again < 4/math.Sqrt(times) {
		t.Error("an error of 0.5 standard errors would not be seen")
	}
}

func TestRanks(t *testing.T) {
	r := &Result{Values: [][][]float64{{{1, 5, 2, 2}}, {{3, 4, 2, 1}}, {{2, 6, 0, 3}}}}
	want := []Place{
		{Largest: 1. / 8, Smallest: 1. / 4, MeanRank: (3 + 2 + 1.5 + 2) / 4},
		{Largest: 3. / 8, Smallest: 1. / 2, MeanRank: (1 + 3 + 1.5 + 3) / 4},
		{Largest: 1. / 2, Smallest: 1. / 4, MeanRank: (2 + 1 + 3 + 1) / 4.},
	}
	for k, p := range Ranks(r) {
		if p.Largest != want[k].Largest || p.Smallest != want[k].Smallest || p.MeanRank != want[k].MeanRank {
			t.Errorf("element %d: %+v, want %+v", k, p, want[k])
		}
	}
}

func TestLines(t *testing.T) {
	all := Estimate{Mean: -0.7423, SD: 0.1881, Lo: -1.1093, Hi: -0.3711, Below: 0.9996, ESS: 3921.4, Draws: 4000,
		Total: 4000, MCSE: 0.003}
	some := all
	some.Draws = 25
	one := Estimate{Mean: 1, Constant: true, Draws: 4000, Total: 4000}
	for _, c := range []struct{ got, want string }{
		{all.Line(-9, 9), "mean -0.742  sd 0.188  95% [-1.11, -0.37]  P(<0) 1.000  ess 3921"},
		{all.Line(-9, 0), "mean -0.742  sd 0.188  95% [-1.11, -0.37]  ess 3921"},
		{some.Line(-9, 0), "mean -0.742  sd 0.188  95% [-1.11, -0.37]  ess 3921  (25 of 4,000 draws)"},
		{Estimate{Mean: 0.9978, SD: 0.05, MCSE: 0.0012, Draws: 9, Total: 9}.Probability(), "0.998 ± 0.001"},
		{one.Probability(), "1 (in all 4,000 draws alike)"},
		{one.Line(-9, 9), "1 in every draw"},
		{Estimate{Total: 4000}.Line(-9, 9), "the condition holds in none of 4,000 draws"},
		{Estimate{Mean: 123456.7, SD: 2345, Lo: 1e5, Hi: 130000, ESS: 12, Draws: 9, Total: 9}.Line(0, 9),
			"mean 123457  sd 2345  95% [100000, 130000]  ess 12"},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}
