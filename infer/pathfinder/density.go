package pathfinder

import (
	"context"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/runtime/device"
)

// A density is a target on a device, with one point on each lane.
type density struct {
	ctx       context.Context
	target    infer.Target
	exe       device.Executable
	dim       int
	lanes     int
	gradients int64 // number of gradients evaluated
}

// Names of lane buffers.
const (
	theta    = "theta"
	heights  = "heights" // log ρ, log ℓ
	gradient = "gradient"
	values   = "values"
)

// Names of entries.
const (
	height = "height"
	slope  = "slope"
)

// fewestLanes is the minimum number of points evaluated at once.
const fewestLanes = 16

func openDensity(ctx context.Context, t infer.Target, o infer.Options) (*density, error) {
	d := &density{ctx: ctx, target: t, dim: t.Dim(), lanes: max(fewestLanes, o.Chains)}
	at := func() (x, logPrior, logLik autodiff.Node) {
		x = autodiff.New().Input(theta, d.dim)
		logPrior, logLik = t.Density(x)
		return x, logPrior, logLik
	}
	both := func(logPrior, logLik autodiff.Node) lower.Assign {
		return lower.Assign{Name: heights,
			Value: autodiff.Concat(0, autodiff.Reshape(logPrior, 1), autodiff.Reshape(logLik, 1))}
	}
	_, p, l := at()
	x, sp, sl := at()
	program, err := o.Device.Compile([]lower.Entry{
		{Name: height, Assign: []lower.Assign{both(p, l)}},
		{Name: slope, Assign: []lower.Assign{both(sp, sl),
			{Name: gradient, Value: autodiff.Grad(autodiff.Add(sp, sl), x)[0]}}},
		{Name: values, Assign: []lower.Assign{{Name: values, Value: t.Values(autodiff.New().Input(theta, d.dim))}}}})
	if err != nil {
		return nil, err
	}
	d.exe, err = program.Load(device.Options{Lanes: d.lanes, Seed: o.Seed, Threads: o.Threads})
	return d, err
}

// runAt runs entries at points, in groups of one for each lane, and calls take with the index and the lane of each
// point.
func (d *density) runAt(entries []string, at [][]float64, take func(i, lane int) error) error {
	for first := 0; first < len(at); first += d.lanes {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		now := at[first:min(len(at), first+d.lanes)]
		for lane := range d.lanes {
			d.exe.SetLane(theta, lane, now[min(lane, len(now)-1)])
		}
		var calls []device.Call
		for _, e := range entries {
			calls = append(calls, device.Call{Entry: e, Times: 1})
		}
		if _, err := d.exe.Run(calls, 0, nil); err != nil {
			return err
		}
		for lane := range now {
			if err := take(first+lane, lane); err != nil {
				return err
			}
		}
	}
	return nil
}

// evaluate returns log densities and gradients at points. It is an adapt.Evaluator.
func (d *density) evaluate(at [][]float64) (total []float64, slopes [][]float64, err error) {
	d.gradients += int64(len(at))
	err = d.runAt([]string{slope}, at, func(_, lane int) error {
		var h [2]float64
		d.exe.GetLane(heights, lane, h[:])
		g := make([]float64, d.dim)
		d.exe.GetLane(gradient, lane, g)
		total, slopes = append(total, h[0]+h[1]), append(slopes, g)
		return nil
	})
	return total, slopes, err
}

// heights returns the log densities at points.
func (d *density) heights(at [][]float64) (total []float64, err error) {
	err = d.runAt([]string{height}, at, func(_, lane int) error {
		var h [2]float64
		d.exe.GetLane(heights, lane, h[:])
		total = append(total, h[0]+h[1])
		return nil
	})
	return total, err
}

// each calls take with the index, log prior, log likelihood and saved values of each point.
func (d *density) each(at [][]float64, take func(i int, logPrior, logLik float64, values []float64) error) error {
	return d.runAt([]string{height, values}, at, func(i, lane int) error {
		var h [2]float64
		d.exe.GetLane(heights, lane, h[:])
		saved := make([]float64, d.exe.Size(values))
		device.CollectLanes(d.exe, values, []int{lane}, [][]float64{saved})
		return take(i, h[0], h[1], saved)
	})
}
