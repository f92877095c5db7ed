package dynamicstest

import (
	"math"
	"testing"

	"ppl/autodiff"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

// A Case is a rule with settings under which it should be correct.
type Case struct {
	Rule  dynamics.Rule
	Step  float64 // step size Δt
	Steps int     // number of steps of a trajectory
	Order int     // for the function Order: power of the step size in the energy error, without noise and thermostat
	Bias  float64 // allowed relative error of variances in addition to the statistical error
}

// Run tests the contract of package dynamics: the rule samples tempered targets on both paths, with any metric.
func Run(t *testing.T, c Case) {
	t.Run("energy path", func(t *testing.T) { c.energyPath(t) })
	t.Run("likelihood path", func(t *testing.T) { c.likelihoodPath(t) })
	t.Run("dense metric", func(t *testing.T) { c.denseMetric(t) })
	t.Run("low-rank metric", func(t *testing.T) { c.lowRankMetric(t) })
}

const (
	walkers      = 64
	trajectories = 400
)

// open starts walkers with the step size and friction of the case at inverse temperature beta.
func (c Case) open(t *testing.T, s dynamics.System, beta float64) *Lanes {
	l := Open(t, c.Rule, s, walkers)
	l.Fill(dynamics.StepSize, c.Step)
	if s.Path != dynamics.Plain {
		l.Fill(dynamics.Beta, beta)
	}
	if c.Rule.Traits().Friction {
		l.Fill(dynamics.Friction, 0.1)
	}
	if c.Rule.Traits().Corrected {
		l.Fill(dynamics.Cool, 1)
	}
	l.Call(t, "start", 1)
	return l
}

// moments returns E[f(θ)] over walkers and trajectories after a burn-in, with standard errors from the walkers' means.
func (c Case) moments(t *testing.T, l *Lanes, f func(x []float64) []float64) (mean, se []float64) {
	sums, n := make([][]float64, l.N), make([]float64, l.N)
	for k := range trajectories {
		l.Trajectory(t, c.Steps)
		if k < trajectories/8 {
			continue
		}
		theta, counts := l.Read(dynamics.Theta), l.Counting(c.Rule)
		for lane := range l.N {
			if counts[lane] == 0 {
				continue
			}
			n[lane]++
			v := f(theta[lane*l.Dim : (lane+1)*l.Dim])
			if sums[lane] == nil {
				sums[lane] = make([]float64, len(v))
			}
			for i := range v {
				sums[lane][i] += (v[i] - sums[lane][i]) / n[lane]
			}
		}
	}
	return meanAndError(sums)
}

func meanAndError(rows [][]float64) (mean, se []float64) {
	n := float64(len(rows))
	mean, se = make([]float64, len(rows[0])), make([]float64, len(rows[0]))
	for _, r := range rows {
		for i, v := range r {
			mean[i] += v / n
		}
	}
	for i := range se {
		sum := 0.0
		for _, r := range rows {
			sum += (r[i] - mean[i]) * (r[i] - mean[i])
		}
		se[i] = math.Sqrt(sum / (n - 1) / n)
	}
	return mean, se
}

// near checks that mean equals want within five standard errors and the bias of the case.
func (c Case) near(t *testing.T, name string, mean, se, want []float64) {
	t.Helper()
	for i := range want {
		if bound := 5*se[i] + c.Bias*math.Abs(want[i]); math.Abs(mean[i]-want[i]) > bound {
			t.Errorf("%s[%d]: %.4f, want %.4f ± %.4f", name, i, mean[i], want[i], bound)
		}
	}
}

func squares(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v * v
	}
	return out
}

// energyPath checks the variances of N(0, diag(sd²)) at inverse temperature β: they are sd²/β.
func (c Case) energyPath(t *testing.T) {
	l := c.open(t, dynamics.System{Target: Normal(1, 0.5), Path: dynamics.Energy}, 0.25)
	mean, se := c.moments(t, l, squares)
	c.near(t, "variance", mean, se, []float64{4, 1})
}

// likelihoodPath samples the prior N(0, 1) times the likelihood N(θ; 1, 1) to the power β: the mean is β/(1+β), the
// variance 1/(1+β). At β = 0 it samples the prior, although the likelihood used there is 0 on half of it.
func (c Case) likelihoodPath(t *testing.T) {
	target := Normal(1)
	target.LogLik = func(theta autodiff.Node) autodiff.Node {
		r := autodiff.Sub(autodiff.Reshape(theta), theta.Graph().Const(1))
		return autodiff.Mul(theta.Graph().Const(-0.5), autodiff.Mul(r, r))
	}
	both := func(x []float64) []float64 { return []float64{x[0], x[0] * x[0]} }
	mean, se := c.moments(t, c.open(t, dynamics.System{Target: target, Path: dynamics.Likelihood}, 0.5), both)
	c.near(t, "moment", mean, se, []float64{1. / 3, 2./3 + 1./9})
	target.LogLik = func(theta autodiff.Node) autodiff.Node { return autodiff.Log(autodiff.Reshape(theta)) }
	mean, se = c.moments(t, c.open(t, dynamics.System{Target: target, Path: dynamics.Likelihood}, 0), both)
	c.near(t, "moment at the prior", mean, se, []float64{0, 1})
}

// denseMetric samples a correlated normal with the metric that whitens it, and checks the means of products.
func (c Case) denseMetric(t *testing.T) {
	const rho, sd = 0.95, 100.0
	root := math.Sqrt(1 - rho*rho)
	target := MultiNormal([]float64{0, 0}, []float64{1 / sd, 0, -rho / root / sd, 1 / root})
	metric := adapt.Metric{Dim: 2, Rank: -1, Factor: []float64{sd, 0, rho, root}}
	products := func(x []float64) []float64 { return []float64{x[0] * x[0], x[0] * x[1], x[1] * x[1]} }
	mean, se := c.moments(t, c.open(t, dynamics.System{Target: target, Metric: metric}, 1), products)
	c.near(t, "covariance", mean, se, []float64{sd * sd, rho * sd, 1})
}

// lowRankMetric uses scales 10 and 1 and a stretch along the diagonal: a metric must not change the distribution.
func (c Case) lowRankMetric(t *testing.T) {
	metric := adapt.Metric{Dim: 2, Rank: 1, Scale: []float64{10, 1},
		Vectors: []float64{math.Sqrt2 / 2, math.Sqrt2 / 2}, Stretch: []float64{0.3}}
	mean, se := c.moments(t, c.open(t, dynamics.System{Target: Normal(10, 1), Metric: metric}, 1), squares)
	c.near(t, "variance", mean, se, []float64{100, 1})
}

// Order compares the energy error over a fixed time at a step and at half of it, in U = θ⁴/4, for which no integrator
// is exact.
func Order(t *testing.T, c Case) {
	t.Helper()
	coarse, fine := c.energyError(t, 0.05, 20), c.energyError(t, 0.025, 40)
	want := math.Pow(2, float64(c.Order))
	if ratio := coarse / fine; math.Abs(ratio/want-1) > 0.2 {
		t.Errorf("halving the step divides the energy error by %.2f, want %.0f ± 20 %%", ratio, want)
	}
}

// energyError returns the mean |ΔH| of walkers after a number of steps, with friction, noise and thermostat off.
func (c Case) energyError(t *testing.T, step float64, steps int) float64 {
	quartic := Density{D: 1, LogPrior: func(theta autodiff.Node) autodiff.Node {
		x2 := autodiff.Mul(theta, theta)
		return autodiff.Mul(theta.Graph().Const(-0.25), autodiff.SumAll(autodiff.Mul(x2, x2)))
	}}
	l := c.open(t, dynamics.System{Target: quartic}, 1)
	l.Fill(dynamics.StepSize, step)
	if c.Rule.Traits().Friction {
		l.Fill(dynamics.Friction, 0)
		l.Call(t, "start", 1)
	}
	l.Call(t, "begin", 1)
	before := l.energies()
	l.Call(t, "step", steps)
	sum := 0.0
	for lane, e := range l.energies() {
		sum += math.Abs(e-before[lane]) / float64(l.N)
	}
	return sum
}

func (l *Lanes) energies() []float64 {
	theta, p := l.Read(dynamics.Theta), l.Read(dynamics.Momentum)
	for i, x := range theta {
		theta[i] = x*x*x*x/4 + p[i]*p[i]/2
	}
	return theta
}
