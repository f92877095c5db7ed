package evaluate

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"ppl/lang/stan"
)

// sums has the functions that apply a function to parts of a list and add up the results.
var sums = []string{"reduce_sum", "reduce_sum_static"}

func takesFunction(name string) bool {
	return strings.HasPrefix(name, "ode_") || strings.HasPrefix(name, "integrate_") || name == "map_rect" ||
		slices.Contains(sums, name) || strings.HasPrefix(name, "algebra_solver") ||
		strings.HasPrefix(name, "solve_") || strings.HasPrefix(name, "dae")
}

// solve evaluates a call whose first argument is a function of the program.
func (r *run) solve(e *stan.Call) value {
	var defined []*stan.Function
	if name, ok := stan.Bare(e.Args[0]).(*stan.Name); ok {
		defined = r.info.Functions[stan.Normalized(name.Name)]
	}
	if len(defined) == 0 {
		fail("the first argument of `%s` is not a function of the program", e.Fun.Name)
	}
	f, args := defined[0], r.args(e.Args[1:])
	switch {
	case slices.Contains(sums, e.Fun.Name):
		all := append([]value{args[0], whole(1), whole(args[0].size())}, args[2:]...)
		return r.function(f, all)
	case strings.HasPrefix(e.Fun.Name, "integrate_ode"):
		rest := args[3:]
		return r.trajectory(f, args[0], args[1].num(), args[2], rest[:min(3, len(rest))], r.info.Types[e])
	case strings.HasPrefix(e.Fun.Name, "ode_"):
		rest := args[3:]
		if strings.HasSuffix(e.Fun.Name, "_tol") {
			rest = args[6:]
		}
		return r.trajectory(f, args[0], args[1].num(), args[2], rest, r.info.Types[e])
	}
	fail("the function `%s` is not supported", e.Fun.Name)
	return value{}
}

// trajectory returns the states of a differential equation at the given times.
func (r *run) trajectory(f *stan.Function, y0 value, t float64, times value, rest []value, typ stan.Type) value {
	state := append([]float64(nil), y0.nums...)
	slope := func(t float64, y []float64) []float64 {
		args := append([]value{real(t), {typ: f.Params[1].Type, dims: y0.dims, nums: y}}, rest...)
		out := r.function(f, args).nums
		mustMatch(len(y0.nums), len(out))
		return out
	}
	out := arrayOf(typ, []int{len(times.nums), len(state)}, nil)
	for _, to := range times.nums {
		state = integrated(slope, t, to, state)
		t = to
		out.nums = append(out.nums, state...)
	}
	return out
}

// Coefficients of the method of Dormand and Prince (1980), of order 5 with an error estimate of order 4.
var (
	stages = [][]float64{{}, {1. / 5}, {3. / 40, 9. / 40}, {44. / 45, -56. / 15, 32. / 9},
		{19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
		{9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
		{35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}}
	stageTimes = []float64{0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1}
	errors5    = []float64{71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40}
)

const (
	solverTolerance = 1e-9
	maxSolverSteps  = 200_000
)

// integrated returns the state at a later time.
func integrated(slope func(float64, []float64) []float64, t, to float64, y []float64) []float64 {
	step := (to - t) / 10
	for n := 0; t < to; n++ {
		if n > maxSolverSteps {
			fail("a differential equation takes more than %d steps", maxSolverSteps)
		}
		last := t+step >= to
		if last {
			step = to - t
		}
		next, err := dormandPrince(slope, t, step, y)
		if err <= 1 {
			y = next
			if last {
				return y
			}
			t += step
		}
		step *= math.Min(5, math.Max(0.2, 0.9*math.Pow(math.Max(err, 1e-10), -0.2)))
		if math.IsNaN(err) || step < 1e-14*math.Max(1, math.Abs(t)) {
			panic(rejected{})
		}
	}
	return y
}

// dormandPrince computes one step, and its error relative to the tolerance.
func dormandPrince(slope func(float64, []float64) []float64, t, step float64, y []float64) ([]float64, float64) {
	var k [][]float64
	next := y
	for s, row := range stages {
		next = append([]float64(nil), y...)
		for j, w := range row {
			floats.AddScaled(next, step*w, k[j])
		}
		k = append(k, slope(t+stageTimes[s]*step, next))
	}
	worst := 0.0
	for i := range y {
		e := 0.0
		for s, w := range errors5 {
			e += step * w * k[s][i]
		}
		size := solverTolerance * (1e-3 + math.Max(math.Abs(y[i]), math.Abs(next[i])))
		worst = math.Max(worst, math.Abs(e)/size)
		if math.IsNaN(e) {
			return next, nan
		}
	}
	return next, worst
}
