package analysis

import (
	"context"
	"fmt"
	"slices"

	"ppl/app"
	"ppl/app/devices"
	"ppl/app/fault"
	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/backend/lower"
	"ppl/compiler/datasets/dataset"
	"ppl/infer"
	"ppl/lang/types"
	"ppl/numbers"
	"ppl/runtime/device"
)

// rowsAtOnce is the number of rows that the device evaluates together, and lanesOfForecast the number of draws.
const (
	rowsAtOnce      = 500
	lanesOfForecast = 8
)

// inSingle returns the names of the variables stored in single precision, because they were sampled in it.
func inSingle(kept []types.Variable) map[string]bool {
	single := map[string]bool{}
	for _, v := range kept {
		single[v.Name] = v.Single
	}
	return single
}

// loadForecast compiles the entry "forecast" with the given assignments.
func loadForecast(ctx context.Context, assign []lower.Assign) (device.Executable, error) {
	return loadEntry(ctx, lower.Entry{Name: "forecast", Assign: assign}, lanesOfForecast)
}

// loadEntry compiles an entry for the given number of lanes.
func loadEntry(ctx context.Context, entry lower.Entry, lanes int) (device.Executable, error) {
	d, err := devices.Open(ctx, devices.Auto, func(string) {})
	if err != nil {
		return nil, err
	}
	program, err := d.Compile([]lower.Entry{entry})
	if err != nil {
		return nil, fault.Of(err)
	}
	exe, err := program.Load(device.Options{Lanes: lanes})
	if err != nil {
		return nil, fault.Of(err)
	}
	return exe, nil
}

// parametersAt returns the parameters of a draw, by name.
func (o *Run) parametersAt(program *compiler.Program, chain, draw int) (map[string]dataset.Array, error) {
	at := map[string]dataset.Array{}
	for _, v := range app.ParametersOf(program) {
		xs, err := o.at(v.Name, chain, draw)
		if err != nil {
			return nil, err
		}
		at[v.Name] = dataset.Array{Shape: v.Shape, Values: numbers.Of(slices.Clone(xs)...)}
	}
	return at, nil
}

// inBatches returns a function that receives draws one by one, total in all. It passes them to evaluate in batches of
// at most lanesOfForecast, with the number of the first draw of the batch.
func (o *Run) inBatches(ctx context.Context, total int,
	evaluate func(at []map[string]dataset.Array, first int) error) func(at map[string]dataset.Array) error {
	var waiting []map[string]dataset.Array
	done := 0
	return func(at map[string]dataset.Array) error {
		if ctx.Err() != nil {
			return fault.Interrupted()
		}
		waiting = append(waiting, at)
		done++
		if len(waiting) < lanesOfForecast && done < total {
			return nil
		}
		if err := evaluate(waiting, done-len(waiting)); err != nil {
			return err
		}
		waiting = waiting[:0]
		o.notes.Progress(infer.Progress{Phase: infer.Predicting, Done: done, Total: total})
		return nil
	}
}

// enterDraws writes the parameters of draws to lanes, one draw per lane. mask marks the lanes in use.
func enterDraws(exe device.Executable, f *compiler.Forecast, at []map[string]dataset.Array) (mask []bool, err error) {
	mask = make([]bool, lanesOfForecast)
	for lane, parameters := range at {
		inputs, err := f.Inputs(parameters)
		if err != nil {
			return nil, err
		}
		for _, n := range f.Densities.Graph().Inputs() {
			if name := n.Op().Name; inputs[name] != nil && slices.Contains(exe.Buffers(), name) {
				exe.SetLane(name, lane, inputs[name])
			}
		}
		mask[lane] = true
	}
	return mask, nil
}

// mostAtEnds is the largest share of draws without an unconstrained point that points accepts. Replacing them changes
// the log evidence by about as much.
const mostAtEnds = 0.01

// points returns the draws of a run on the unconstrained scale. A draw that rounding moved to a bound has no such
// point; it is replaced by its predecessor (or, if there is none, its successor), with a note.
func (o *Run) points(program *compiler.Program) ([][][]float64, error) {
	pointAt := program.PointsAt()
	chains := make([][][]float64, o.Stored.Layout.Chains)
	missing, why := 0, error(nil)
	for chain := range chains {
		for draw := range o.Stored.Info.Draws {
			values, err := o.parametersAt(program, chain, draw)
			if err != nil {
				return nil, err
			}
			point, err := pointAt(values)
			if err != nil {
				missing, why = missing+1, fmt.Errorf("draw %d of chain %d: %w", draw+1, chain+1, err)
			}
			chains[chain] = append(chains[chain], point)
		}
		replaceMissing(chains[chain])
	}
	total := len(chains) * o.Stored.Info.Draws
	switch {
	case float64(missing) > mostAtEnds*float64(total):
		return nil, withoutEvidence(o.Stored.Dir,
			fmt.Sprintf("%d of the %d draws are at an end of their range (%v)", missing, total, why))
	case missing > 0:
		o.notes.Note(fmt.Sprintf("in %d of the %d draws, rounding has put a parameter on a bound of its range; the "+
			"estimate uses a neighbouring draw instead (%v)", missing, total, why))
	}
	return chains, nil
}

// replaceMissing replaces each nil point by the last preceding one that is not nil, or by the first.
func replaceMissing(points [][]float64) {
	first := slices.IndexFunc(points, func(p []float64) bool { return p != nil })
	if first < 0 {
		return
	}
	last := points[first]
	for i, p := range points {
		if p == nil {
			points[i] = last
		}
		last = points[i]
	}
}

// lanesOfDensity is the number of points at which the density is evaluated together.
const lanesOfDensity = 64

// A loadedDensity is the log density of a model on a device.
type loadedDensity struct{ exe device.Executable }

func loadDensity(ctx context.Context, program *compiler.Program) (*loadedDensity, error) {
	theta := autodiff.New().Input("theta", program.Dim())
	prior, likelihood := program.Density(theta)
	exe, err := loadEntry(ctx, lower.Entry{Name: "density", Assign: []lower.Assign{{Name: "log_density",
		Value: autodiff.Add(prior, likelihood)}}}, lanesOfDensity)
	if err != nil {
		return nil, err
	}
	return &loadedDensity{exe}, nil
}

// at appends the log density at points, of which there are at most lanesOfDensity.
func (d *loadedDensity) at(out []float64, points [][]float64) ([]float64, error) {
	mask := make([]bool, lanesOfDensity)
	for lane, x := range points {
		d.exe.SetLane("theta", lane, x)
		mask[lane] = true
	}
	if _, err := d.exe.Run([]device.Call{{Entry: "density", Times: 1}}, 0, mask); err != nil {
		return nil, err
	}
	one := make([]float64, 1)
	for lane := range points {
		d.exe.GetLane("log_density", lane, one)
		out = append(out, one[0])
	}
	return out, nil
}
