package dynamics_test

import (
	"math"
	"testing"

	"ppl/autodiff"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
)

// ledge returns a normal in two dimensions whose density is multiplied by e² if x[0] > x[1].
func ledge() dynamicstest.Density {
	return dynamicstest.Density{D: 2, Proper: true, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		at := func(j int) autodiff.Node { return autodiff.Reshape(autodiff.Slice(theta, []int{j}, []int{j + 1})) }
		high := autodiff.Where(autodiff.Lt(at(1), at(0)), g.Const(2), g.Const(0))
		return autodiff.Add(high, autodiff.Mul(g.Const(-0.5), autodiff.SumAll(autodiff.Mul(theta, theta))))
	}}
}

// afterMoves returns the share of draws with x[0] > x[1], and the mean and second moment of x[0]. Metropolis steps move
// only x[0], with their log density multiplied by hopCool, and trajectories move only x[1].
func afterMoves(t *testing.T, beta, hopCool float64) (high, mean, square float64) {
	const lanes, cycles = 64, 3000
	l := dynamicstest.Open(t, dynamics.HMC{Jitter: 0.2}, dynamics.System{Target: ledge(), Path: dynamics.Energy,
		Discontinuities: []dynamics.Discontinuity{{At: 0, Spread: 1}}}, lanes)
	l.Fill(dynamics.StepSize, 0.7)
	l.Fill(dynamics.Beta, beta)
	l.Call(t, "start", 1)
	n := 0.0
	for k := range cycles {
		before := l.Read(dynamics.Theta)
		l.Fill(dynamics.Cool, hopCool)
		l.Call(t, dynamics.DiscontinuityMove, 6)
		hopped := l.Read(dynamics.Theta)
		l.Fill(dynamics.Cool, 1)
		l.Trajectory(t, 2)
		theta := l.Read(dynamics.Theta)
		for lane, x := range theta {
			if lane%2 == 0 && x != hopped[lane] || lane%2 == 1 && before[lane] != hopped[lane] {
				t.Fatal("a trajectory changed x[0], or a Metropolis step changed x[1]")
			}
			if k < cycles/10 || lane%2 == 1 {
				continue
			}
			if x > theta[lane+1] {
				high++
			}
			mean, square, n = mean+x, square+x*x, n+1
		}
	}
	return high / n, mean / n, square / n
}

// TestHopsLeaveTheTarget checks that Metropolis steps and trajectories together preserve the target at two
// temperatures: the share of x[0] > x[1] is e^{2β}/(1+e^{2β}), and the moments of x[0] follow from those of x[0] −
// x[1]. Bounds are at least four standard errors. Planted fault: Metropolis steps at twice the temperature.
func TestHopsLeaveTheTarget(t *testing.T) {
	const bound = 0.01
	for _, beta := range []float64{1, 0.5} {
		want := math.Exp(2*beta) / (1 + math.Exp(2*beta))
		wantMean := (2*want - 1) / math.Sqrt(math.Pi*beta)
		high, mean, square := afterMoves(t, beta, 1)
		if math.Abs(high-want) > bound || math.Abs(mean-wantMean) > bound/beta ||
			math.Abs(square-1/beta) > 2*bound/beta {
			t.Errorf("β = %v: share %.4f, mean %.4f, second moment %.4f; want %.4f, %.4f, %.4f", beta, high, mean,
				square, want, wantMean, 1/beta)
		}
	}
	if high, _, square := afterMoves(t, 1, 0.5); math.Abs(high-.8808) < bound || math.Abs(square-1) < 2*bound {
		t.Errorf("the planted fault is not detected: a share of %.4f and a second moment of %.4f", high, square)
	}
}
