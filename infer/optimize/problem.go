package optimize

import (
	"context"
	"math"

	"ppl/autodiff"
	"ppl/compiler/lower"
	"ppl/infer"
	"ppl/runtime/device"
)

// A problem is a target on a device, a point on each lane.
type problem struct {
	ctx       context.Context
	target    infer.Target
	options   Options
	exe       device.Executable
	dim       int
	clock     uint64
	gradients int64
}

// Lane buffers.
const (
	theta    = "theta"
	gradient = "gradient"
	density  = "density" // log ρ, log ℓ
	values   = "values"
)

// lanes is how many points are evaluated at once.
const lanes = 16

// open loads the entries "evaluate", density and gradient at theta, and "values".
func open(ctx context.Context, t infer.Target, o Options) (*problem, error) {
	if err := infer.NeedAll(t, "finding a mode"); err != nil {
		return nil, err
	}
	p := &problem{ctx: ctx, target: t, options: o, dim: t.Dim()}
	at := autodiff.New().Input(theta, p.dim)
	logPrior, logLik := t.Density(at)
	both := autodiff.Concat(0, autodiff.Reshape(logPrior, 1), autodiff.Reshape(logLik, 1))
	slope := autodiff.Grad(autodiff.Add(logPrior, logLik), at)[0]
	entries := []lower.Entry{
		{Name: "evaluate", Assign: []lower.Assign{{Name: density, Value: both}, {Name: gradient, Value: slope}}},
		{Name: "values", Assign: []lower.Assign{{Name: values, Value: t.Values(autodiff.New().Input(theta, p.dim))}}},
	}
	if o.Batch > 0 {
		batch, err := p.minibatch(t.(infer.Splittable))
		if err != nil {
			return nil, err
		}
		entries = append(entries, batch)
	}
	program, err := o.Device.Compile(entries)
	if err != nil {
		return nil, err
	}
	if p.exe, err = program.Load(device.Options{Lanes: max(lanes, o.Starts), Seed: o.Seed,
		Threads: o.Threads}); err != nil {
		return nil, err
	}
	for lane := range max(lanes, o.Starts) {
		if o.Batch > 0 {
			p.exe.SetLane("key", lane, []float64{float64(lane)})
		}
	}
	return p, nil
}

// minibatch is "evaluate" with log ℓ estimated from the next rows: drawn without replacement by epoch, from a
// permutation of each lane's own (its key), which clock counts through.
func (p *problem) minibatch(t infer.Splittable) (lower.Entry, error) {
	n, err := t.Rows()
	if err != nil {
		return lower.Entry{}, err
	}
	g, m := autodiff.New(), min(p.options.Batch, n)
	at, clock := g.Input(theta, p.dim), g.Input("clock")
	positions := autodiff.Add(autodiff.Mul(clock, g.Const(float64(m))), g.Iota(m))
	logPrior, whole, terms := t.Split(at, g.Shuffle(n, g.Input("key"), positions))
	logLik := autodiff.Add(whole, autodiff.Mul(g.Const(float64(n)/float64(m)), autodiff.SumAll(terms)))
	return lower.Entry{Name: "minibatch", Assign: []lower.Assign{
		{Name: density, Value: autodiff.Concat(0, autodiff.Reshape(logPrior, 1), autodiff.Reshape(logLik, 1))},
		{Name: gradient, Value: autodiff.Grad(autodiff.Add(logPrior, logLik), at)[0]},
		{Name: "clock", Value: autodiff.Add(clock, g.Const(1))},
	}}, nil
}

func (p *problem) close() { _ = p.exe.Close() }

// A point is a density with its gradient.
type point struct {
	logPrior, logLik float64
	gradient         []float64
}

// total is the log density; −∞ where it is not a number.
func (x point) total() float64 {
	if u := x.logPrior + x.logLik; !math.IsNaN(u) {
		return u
	}
	return math.Inf(-1)
}

// evaluate gives density and gradient at points.
func (p *problem) evaluate(at [][]float64) ([]point, error) { return p.look("evaluate", at) }

func (p *problem) look(entry string, at [][]float64) ([]point, error) {
	var out []point
	err := p.each(entry, at, func(lane int) {
		both, slope := make([]float64, 2), make([]float64, p.dim)
		p.exe.GetLane(density, lane, both)
		p.exe.GetLane(gradient, lane, slope)
		out = append(out, point{both[0], both[1], slope})
	})
	p.gradients += int64(len(at))
	return out, err
}

// values are what the target saves at a point.
func (p *problem) values(at []float64) ([]float64, error) {
	all, err := p.valuesAt([][]float64{at})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

func (p *problem) valuesAt(at [][]float64) (out [][]float64, err error) {
	err = p.each("values", at, func(lane int) {
		v := make([]float64, p.exe.Size(values))
		p.exe.GetLane(values, lane, v)
		out = append(out, v)
	})
	return out, err
}

// each runs an entry at points and calls read for the lane of each, in order.
func (p *problem) each(entry string, at [][]float64, read func(lane int)) error {
	width := max(lanes, p.options.Starts)
	for ; len(at) > 0; at = at[min(width, len(at)):] {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		n, mask := min(width, len(at)), make([]bool, width)
		for lane := range n {
			p.exe.SetLane(theta, lane, at[lane])
			mask[lane] = true
		}
		next, err := p.exe.Run([]device.Call{{Entry: entry, Times: 1}}, p.clock, mask)
		if err != nil {
			return err
		}
		p.clock = next
		for lane := range n {
			read(lane)
		}
	}
	return nil
}

// starts are points where density and gradient are finite.
func (p *problem) starts(o Options) (out [][]float64, err error) {
	start := o.Start
	if start == nil {
		start = func(k int) []float64 { return p.target.Start(o.Seed, k) }
	}
	err = infer.Disperse(o.Starts, start, func(at [][]float64) (bad []int, err error) {
		out = at
		xs, err := p.evaluate(at)
		for k, x := range xs {
			if math.IsInf(x.total(), 0) || !finite(x.gradient) {
				bad = append(bad, k)
			}
		}
		return bad, err
	})
	return out, err
}

func finite(xs []float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
