package dynamics_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"ppl/autodiff"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
)

// anchored is a logistic regression with batches of 40 of 400 rows. All walkers are at theta, and all anchors at at.
type anchored struct {
	target    dynamicstest.Rows
	at, theta []float64
}

const (
	anchoredRows  = 400
	anchoredBatch = 40
)

func newAnchored() anchored {
	x, y := dynamicstest.SimulateLogistic(anchoredRows, 3, 1)
	return anchored{dynamicstest.Logistic(x, y, 3, 2.5), []float64{0.3, -0.5, 0.2}, []float64{0.35, -0.42, 0.1}}
}

// known returns Σ ℓᵢ and its gradient, with the log prior added if prior is true, as computed by the interpreter of
// graphs.
func (c anchored) known(at []float64, prior bool) (sum float64, slope []float64) {
	g := autodiff.New()
	theta := g.Input("theta", 3)
	logPrior, logLik := c.target.Density(theta)
	if prior {
		logLik = autodiff.Add(logPrior, logLik)
	}
	out := autodiff.Eval(map[string][]float64{"theta": at}, logLik, autodiff.Grad(logLik, theta)[0])
	return out[0][0], out[1]
}

// gradients returns the mean and the variance of the gradient's coordinates over batches, and the mean's standard
// error. The anchor's gradient is multiplied by change.
func (c anchored) gradients(t *testing.T, entry string, change float64) (mean, variance, se []float64) {
	t.Helper()
	s := dynamics.System{Target: c.target, Batches: dynamics.NewBatches(anchoredRows, anchoredBatch, 50, 50, 3)}
	s.Batches.Anchor(3)
	l := dynamicstest.Open(t, dynamics.Named("nosehoover"), s, 2)
	floats.Scale(change, l.AnchorAt(t, c.at).Slope)
	for lane := range 2 {
		l.SetLane(dynamics.Theta, lane, c.theta)
		l.SetLane(dynamics.Walker, lane, []float64{float64(lane)})
	}
	const calls = 1500
	mean, variance, se = make([]float64, 3), make([]float64, 3), make([]float64, 3)
	for range calls {
		l.Call(t, entry, 1)
		for i, v := range l.Read(entry) {
			mean[i%3] += v / (calls * 2)
			variance[i%3] += v * v / (calls * 2)
		}
	}
	for j := range mean {
		variance[j] -= mean[j] * mean[j]
		se[j] = math.Sqrt(variance[j] / calls) // lanes share their batches
	}
	return mean, variance, se
}

// TestAnchoredGradient checks that the mean over batches of a gradient with a control variate is the gradient over all
// rows, and that its variance is less than a hundredth of the variance without. Planted faults: an anchor's gradient of
// 0, or multiplied by the number of blocks, gives a wrong mean.
func TestAnchoredGradient(t *testing.T) {
	c := newAnchored()
	_, want := c.known(c.theta, true)
	off := func(mean, se []float64) (worst float64) {
		for j := range want {
			worst = math.Max(worst, math.Abs(mean[j]-want[j])/se[j])
		}
		return worst
	}
	mean, with, se := c.gradients(t, dynamics.NoisyGrad, 1)
	if z := off(mean, se); z > 5 {
		t.Errorf("mean gradient %v, want %v: %.1f standard errors", mean, want, z)
	}
	plain, without, se := c.gradients(t, dynamics.PlainGrad, 1)
	if z := off(plain, se); z > 5 {
		t.Errorf("mean gradient without an anchor %v, want %v: %.1f standard errors", plain, want, z)
	}
	for j := range with {
		if ratio := with[j] / without[j]; ratio > 0.01 {
			t.Errorf("coordinate %d: the variance with an anchor is %.3g of that without, want at most .01", j, ratio)
		}
	}
	for name, change := range map[string]float64{"forgotten": 0, "scaled": float64(anchoredRows) / anchoredBatch} {
		if mean, _, se := c.gradients(t, dynamics.NoisyGrad, change); off(mean, se) < 20 {
			t.Errorf("planted fault %q is not detected: mean gradient %v", name, mean)
		}
	}
}

// TestLanesShareBatches checks that all lanes use the batch that the host computes for a step, that each row is in
// exactly one block even if block sizes differ by one, and that the rows of the next step are different ones.
func TestLanesShareBatches(t *testing.T) {
	rows := dynamicstest.NewRows(1, 299, 1, func(theta, rows autodiff.Node) autodiff.Node {
		return autodiff.Mul(rows, autodiff.Broadcast(autodiff.Reshape(theta), []int{rows.Size()}, nil))
	})
	s := dynamics.System{Target: rows, Batches: dynamics.NewBatches(299, 20, 50, 50, 3)}
	s.Batches.Anchor(3)
	l := dynamicstest.Open(t, dynamics.Named("sgld"), s, 3)
	blocks := l.AnchorAt(t, []float64{1}) // sums are those of the row numbers
	if k := s.Batches.Blocks(); k != 15 || math.Abs(blocks.Sum-298*299/2) > 1e-9 {
		t.Fatalf("%d blocks, whose row numbers add up to %v; want 15 and %d", k, blocks.Sum, 298*299/2)
	}
	l.Fill(dynamics.AnchorShare, 0)
	seen := map[float64]bool{}
	for step := range uint64(50) {
		l.Call(t, dynamics.NoisyGrad, 1)
		sum := func(at uint64) float64 { return 15 * blocks.Sums[s.Batches.BlockAt(20200601, at)] }
		wanted := floats.Sum(s.Batches.Wanted(dynamics.NoisyGrad, 20200601, step, nil))
		if more := 15*wanted - sum(step); more != 0 && (more < 0 || more > 15*298) {
			t.Fatalf("step %d: the host loads rows that add up to %v, those of a block to %v", step, wanted,
				sum(step)/15)
		}
		for lane, v := range l.Read(dynamics.NoisyGrad) {
			theta := make([]float64, 1)
			l.GetLane(dynamics.Theta, lane, theta)
			if v += theta[0]; math.Abs(v-sum(step)) > 1e-6 {
				t.Fatalf("step %d, lane %d: the rows add up to %v, want %v", step, lane, v, sum(step))
			} else if sum(step) != sum(step+1) && math.Abs(v-sum(step+1)) < 1e-6 {
				t.Fatalf("step %d has the same rows as the next step", step)
			}
			seen[v] = true
		}
	}
	if len(seen) < 12 {
		t.Errorf("%d different batches in 50 steps, want at least 12 of 15", len(seen))
	}
}

// TestAllRows checks that the entry AllRows computes log likelihood, log prior and their gradients at the anchor.
func TestAllRows(t *testing.T) {
	c := newAnchored()
	s := dynamics.System{Target: c.target, Batches: dynamics.NewBatches(anchoredRows, anchoredBatch, 50, 50, 3)}
	l := dynamicstest.Open(t, dynamics.Named("sgld"), s, 1)
	l.SetLane(dynamics.Anchor, 0, c.at)
	l.Call(t, dynamics.AllRows, 1)
	sum, slope := c.known(c.at, false)
	total, gradient := c.known(c.at, true)
	got, rest := l.Read(dynamics.RowsSlope), l.Read(dynamics.RestSlope)
	for j := range slope {
		if math.Abs(got[j]-slope[j]) > 1e-9 || math.Abs(got[j]+rest[j]-gradient[j]) > 1e-9 {
			t.Errorf("gradient %v + %v, want %v, together %v", got, rest, slope, gradient)
		}
	}
	if got := l.Read(dynamics.RowsSum)[0]; math.Abs(got-sum) > 1e-9 {
		t.Errorf("sum %v, want %v", got, sum)
	}
	if got := l.Read(dynamics.RestDensity)[0] + sum; math.Abs(got-total) > 1e-9 {
		t.Errorf("density %v, want %v", got, total)
	}
}

// TestRowsThatAreAlwaysRead checks that rows that are in every batch count once: the mean gradient over all blocks is
// the gradient over all rows, even if block sizes differ by one. The variance between blocks must be at most a
// twentieth of the variance without such rows. If they were not removed from their blocks, the mean would be wrong by
// their gradients, which must not be 0.
func TestRowsThatAreAlwaysRead(t *testing.T) {
	x, y := dynamicstest.SimulateLogistic(anchoredRows+5, 3, 1)
	always := []float64{3, 117, 118, 404}
	for _, row := range always {
		for j := range 3 {
			x[int(row)*3+j] *= 12
		}
	}
	c := anchored{dynamicstest.Logistic(x, y, 3, 2.5), []float64{0.06, -0.1, 0.04}, []float64{0.07, -0.09, 0.03}}
	few := anchored{target: dynamicstest.Logistic(rowsOf(x, 3, always), rowsOf(y, 1, always), 3, 2.5)}
	_, of := few.known(c.theta, false)
	_, want := c.known(c.theta, true)
	for _, mixed := range []bool{false, true} {
		mean, spread := c.overBlocks(t, mixed, always)
		_, without := c.overBlocks(t, mixed, nil)
		for j := range want {
			if math.Abs(mean[j]-want[j]) > 1e-9*(1+math.Abs(want[j])) {
				t.Errorf("mixed %v: mean gradient %v, want %v", mixed, mean, want)
			}
			if spread[j] > without[j]/20 {
				t.Errorf("mixed %v, coordinate %d: variance %.3g, without %.3g", mixed, j, spread[j], without[j])
			}
			if math.Abs(of[j]) < 1e-3 {
				t.Errorf("the gradients of these rows are %v, too small for the test to fail", of)
			}
		}
	}
}

// rowsOf returns some rows of a matrix.
func rowsOf(x []float64, width int, rows []float64) (out []float64) {
	for _, row := range rows {
		out = append(out, x[int(row)*width:int(row+1)*width]...)
	}
	return out
}

// overBlocks returns the mean and the variance of the gradients estimated from each block.
func (c anchored) overBlocks(t *testing.T, mixed bool, always []float64) (mean, variance []float64) {
	t.Helper()
	rows, _ := c.target.Rows()
	s := dynamics.System{Target: c.target, Batches: dynamics.NewBatches(rows, anchoredBatch, 50, 50, 3)}
	s.Batches.Mixed = mixed
	s.Batches.Anchor(3)
	s.Batches.Always = always
	l := dynamicstest.Open(t, dynamics.Named("sgld"), s, 1)
	l.AnchorAt(t, c.at)
	l.SetLane(dynamics.Theta, 0, c.theta)
	seen, blocks := map[int][]float64{}, s.Batches.Blocks()
	for step := uint64(0); len(seen) < blocks; step++ {
		block := s.Batches.BlockAt(20200601, step)
		l.Call(t, dynamics.NoisyGrad, 1)
		seen[block] = l.Read(dynamics.NoisyGrad)
	}
	mean, variance = make([]float64, 3), make([]float64, 3)
	for _, g := range seen {
		floats.AddScaled(mean, 1/float64(blocks), g)
	}
	for _, g := range seen {
		for j, v := range g {
			variance[j] += (v - mean[j]) * (v - mean[j]) / float64(blocks)
		}
	}
	return mean, variance
}
