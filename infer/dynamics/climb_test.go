package dynamics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/autodiff"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
)

// TestClimb checks that the optimiser ends close to the mode of the training rows, which Newton's method finds. The
// mode of all rows is elsewhere, since a covariate of the held-out rows has the opposite sign.
func TestClimb(t *testing.T) {
	const rows, d, held, lanes = 2000, 3, 1000, 4
	x, y := dynamicstest.SimulateLogistic(rows, d, 3)
	b := dynamics.NewBatches(rows, 100, 0, 100, 5)
	b.HoldOut(held, 5)
	for _, row := range b.Order[:held] {
		x[int(row)*d+1] = -x[int(row)*d+1]
	}
	var xs, ys []float64
	for _, row := range b.Order[held:] {
		xs, ys = append(xs, x[int(row)*d:int(row)*d+d]...), append(ys, y[int(row)])
	}
	const spread = 2.5
	want, _ := dynamicstest.Laplace(xs, ys, d, spread)
	wrong, sd := dynamicstest.Laplace(x, y, d, spread)
	l := dynamicstest.Open(t, dynamics.NoseHoover{Mass: 10}, dynamics.System{
		Target: dynamicstest.Logistic(x, y, d, spread), Batches: b, Metric: adapt.Diagonal(d),
		Thermostats: []int{2, 1}}, lanes)
	for lane := range lanes {
		l.SetLane(dynamics.Walker, lane, []float64{float64(lane)})
	}
	schedule(l, 0.03, 100, 1000, 2000)
	l.Call(t, dynamics.Climb, 2000)
	for i, v := range l.Read(dynamics.Theta) {
		if j := i % d; math.Abs(v-want[j]) > sd[j]/2 {
			t.Errorf("lane %d ends at θ[%d] = %.3f; the mode is at %.3f", i/d, j, v, want[j])
		}
	}
	if math.Abs(wrong[1]-want[1]) < 3*sd[1] {
		t.Errorf("the mode of all rows, %.3f, is too close to that of the training rows, %.3f, to distinguish them",
			wrong[1], want[1])
	}
}

func schedule(l *dynamicstest.Lanes, rate, rise, fall, end float64) {
	l.Fill(dynamics.ClimbRate, rate)
	l.Fill(dynamics.ClimbRise, rise)
	l.Fill(dynamics.ClimbFall, fall)
	l.Fill(dynamics.ClimbEnd, end)
}

// TestRateOfOptimiser checks the schedule of the learning rate. If all gradients are equal, the length of a step of
// Adam is the rate: it must rise linearly, stay constant, and fall linearly to 0.
func TestRateOfOptimiser(t *testing.T) {
	const rows, size, peak, rise, fall, end = 50, 10, 0.01, 4, 10, 20
	target := dynamicstest.NewRows(1, rows, 1e6, func(theta, rows autodiff.Node) autodiff.Node {
		return autodiff.Broadcast(autodiff.Reshape(theta), []int{rows.Size()}, nil)
	})
	b := dynamics.NewBatches(rows, size, 0, size, 5)
	b.HoldOut(10, 5)
	l := dynamicstest.Open(t, dynamics.NoseHoover{Mass: 10}, dynamics.System{Target: target, Batches: b,
		Metric: adapt.Diagonal(1), Thermostats: []int{1}}, 1)
	l.SetLane(dynamics.Theta, 0, []float64{0})
	schedule(l, peak, rise, fall, end)
	at := 0.0
	for n := 1; n <= end+3; n++ {
		want := peak
		switch {
		case n < rise:
			want = peak * float64(n) / rise
		case n > end:
			want = 0
		case n > end-fall:
			want = peak * float64(end+1-n) / fall
		}
		l.Call(t, dynamics.Climb, 1)
		if to := l.Read(dynamics.Theta)[0]; math.Abs(to-at-want) > 1e-6*peak {
			t.Errorf("step %d has the length %g, want %g", n, to-at, want)
		}
		at = l.Read(dynamics.Theta)[0]
	}
}

// TestRowsOfOptimiser checks that an epoch of the optimiser reads each training row once, that the score reads each
// held-out row once, and that the host computes the same rows. The log likelihood of row i is i·θ, so sums of it are
// sums of row numbers.
func TestRowsOfOptimiser(t *testing.T) {
	const rows, held, size, seed = 103, 19, 12, 20200601
	target := dynamicstest.NewRows(1, rows, 1e6, func(theta, rows autodiff.Node) autodiff.Node {
		return autodiff.Mul(rows, autodiff.Broadcast(autodiff.Reshape(theta), []int{rows.Size()}, nil))
	})
	b := dynamics.NewBatches(rows, size, 0, size, seed)
	b.HoldOut(held, seed)
	l := dynamicstest.Open(t, dynamics.NoseHoover{Mass: 10}, dynamics.System{Target: target, Batches: b,
		Metric: adapt.Diagonal(1), Thermostats: []int{1}}, 1)
	l.SetLane(dynamics.Theta, 0, []float64{1})
	schedule(l, 0, 1, 1, 1)
	heldSum, sum := 0.0, 0.0
	for i, row := range b.Order {
		if sum += row; i < held {
			heldSum += row
		}
	}
	score := 0.0
	for part := range b.ScoreChunks() {
		l.Set(dynamics.Part, []float64{float64(part)})
		l.Call(t, dynamics.Score, 1)
		score += l.Read(dynamics.Score)[0]
	}
	if score != heldSum {
		t.Errorf("the score sums held-out rows to %g, want %g", score, heldSum)
	}
	const steps = (rows - held) / size // whole batches
	seen := 0.0
	for k := range steps {
		for _, row := range b.Wanted(dynamics.Climb, seed, 0, func(name string) float64 {
			return map[string]float64{"clock": float64(k)}[name]
		}) {
			seen += row
		}
	}
	if seen != sum-heldSum {
		t.Errorf("the host reads rows that add up to %g in an epoch, want %g", seen, sum-heldSum)
	}
	l.Call(t, dynamics.Climb, steps)
	if got := l.Read(dynamics.Learned)[0] * size; math.Abs(got-seen) > 1e-6*seen {
		t.Errorf("the rows of an epoch add up to %g, want %g", got, seen)
	}
}

// TestThermostats has two blocks of coordinates with minibatches, of which one has much more gradient noise. With a
// thermostat for each block, both must have the kinetic temperature 1. Planted fault: with one thermostat for all, the
// noisy block is hotter and the other colder.
func TestThermostats(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	const rows, half, size, lanes = 1000, 6, 100, 16
	const quiet, noisy = 0.1, 2.0
	r := rand.New(rand.NewPCG(1, 2))
	y := make([]float64, rows*2*half)
	for i := range y {
		sd := quiet
		if i%(2*half) >= half {
			sd = noisy
		}
		y[i] = sd * r.NormFloat64()
	}
	target := dynamicstest.NewRows(2*half, rows, 10, func(theta, rows autodiff.Node) autodiff.Node {
		g := theta.Graph()
		shape := []int{rows.Size(), 2 * half}
		at := autodiff.Gather(g.Data("y", y, len(y)/(2*half), 2*half), rows)
		off := autodiff.Sub(at, autodiff.Broadcast(theta, shape, []int{1}))
		return autodiff.Mul(g.Const(-0.5), autodiff.Sum(autodiff.Mul(off, off), 1))
	})
	metric := adapt.Diagonal(2 * half)
	for i := range metric.Scale {
		metric.Scale[i] = 1 / math.Sqrt(rows)
	}
	temperatures := func(thermostats []int) (mean, se [2]float64) {
		b := dynamics.NewBatches(rows, size, 0, size, 5)
		b.HoldOut(1, 5)
		l := dynamicstest.Open(t, dynamics.NoseHoover{Mass: 1}, dynamics.System{Target: target, Batches: b,
			Metric: metric, Thermostats: thermostats}, lanes)
		for lane := range lanes {
			l.SetLane(dynamics.Theta, lane, make([]float64, 2*half))
			l.SetLane(dynamics.Walker, lane, []float64{float64(lane)})
		}
		l.Fill(dynamics.StepSize, 0.05)
		l.Fill(dynamics.Friction, 0.1)
		l.Call(t, "start", 1)
		l.Trajectory(t, 4000)
		const looks = 400
		for range looks {
			l.Trajectory(t, 20) // long enough for independent momenta
			for i, p := range l.Read(dynamics.Momentum) {
				mean[i%(2*half)/half] += p * p / (lanes * half * looks)
			}
		}
		for k := range se {
			se[k] = mean[k] * math.Sqrt(2./(lanes*half*looks))
		}
		return mean, se
	}
	mean, se := temperatures([]int{half, half})
	for k := range mean {
		if math.Abs(mean[k]-1) > 4*se[k]+0.005 {
			t.Errorf("block %d has the temperature %.3f ± %.3f", k, mean[k], se[k])
		}
	}
	if mean, se = temperatures([]int{2 * half}); mean[0] > 0.95 || mean[1] < 1.05 {
		t.Errorf("one thermostat for both gives %.3f ± %.3f, which shows no difference", mean, se)
	}
}
