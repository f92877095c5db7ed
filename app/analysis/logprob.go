package analysis

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"ppl/app/devices"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/compiler"
	"ppl/compiler/backend/lower"
	"ppl/compiler/datasets/datafile/content"
	"ppl/runtime/device"
)

// LogProb evaluates a density at parameter values on the named device, or with the graph interpreter if name is empty.
func LogProb(ctx context.Context, p *compiler.Program, name string, at map[string]*content.Array, n notes.Notes) (
	*compiler.LogProb, error) {
	if name == "" {
		return p.LogProb(at)
	}
	d, err := devices.Open(ctx, name, n.Note)
	if err != nil {
		return nil, err
	}
	evaluate := func(inputs map[string][]float64, values []compiler.Value) (map[string][]float64, error) {
		entry := lower.Entry{Name: "evaluate"}
		for _, v := range values {
			entry.Assign = append(entry.Assign, lower.Assign{Name: v.Name, Value: v.Node})
		}
		loader, err := d.Compile([]lower.Entry{entry})
		if err != nil {
			return nil, fault.Of(err)
		}
		x, err := loader.Load(device.Options{Lanes: 1})
		if err != nil {
			return nil, fault.Of(err)
		}
		defer x.Close()
		return evaluated(x, entry, inputs)
	}
	return p.LogProbBy(evaluate, at)
}

// evaluated runs an entry once on one lane, and returns the assigned values by name.
func evaluated(x device.Executable, e lower.Entry, inputs map[string][]float64) (map[string][]float64, error) {
	for _, n := range e.Assign[0].Value.Graph().Inputs() {
		x.SetLane(n.Op().Name, 0, inputs[n.Op().Name])
	}
	if _, err := x.Run([]device.Call{{Entry: e.Name, Times: 1}}, 0, nil); err != nil {
		return nil, fault.Of(err)
	}
	out := map[string][]float64{}
	for _, a := range e.Assign {
		out[a.Name] = make([]float64, a.Value.Size())
		x.GetLane(a.Name, 0, out[a.Name])
	}
	return out, nil
}

// A DeviceDifference is the largest difference between a device and the interpreter, divided by the larger of 1 and the
// magnitude of the value, and where it occurs.
type DeviceDifference struct {
	Device     string
	Difference float64
	Where      string
}

// CompareDevices evaluates a density at parameter values on all devices, and compares the results with those of the
// graph interpreter. It skips a device that cannot be opened, with a note.
func CompareDevices(ctx context.Context, p *compiler.Program, want *compiler.LogProb, at map[string]*content.Array,
	n notes.Notes) ([]DeviceDifference, error) {
	var all []DeviceDifference
	for _, d := range devices.All() {
		if d.Name == devices.Auto {
			continue
		}
		if _, err := devices.Open(ctx, d.First(), func(string) {}); err != nil {
			n.Note(fmt.Sprintf("without %s: %v", d.Name, err))
			continue
		}
		got, err := LogProb(ctx, p, d.Name, at, n)
		if err != nil {
			return nil, err
		}
		largest := DeviceDifference{Device: d.Name, Difference: -1}
		for _, part := range parts(want, got) {
			largest.add(part)
		}
		all = append(all, largest)
	}
	return all, nil
}

// A part is a number or array of a density, with the expected and the computed values.
type part struct {
	name      string
	want, got []float64
}

func parts(want, got *compiler.LogProb) []part {
	all := []part{{"log prior", []float64{want.Prior}, []float64{got.Prior}},
		{"log likelihood", []float64{want.Likelihood}, []float64{got.Likelihood}},
		{"log Jacobian", []float64{want.Jacobian}, []float64{got.Jacobian}}}
	for _, name := range slices.Sorted(maps.Keys(want.Rows)) {
		all = append(all, part{"log likelihood of " + name, want.Rows[name], got.Rows[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(want.Gradient)) {
		all = append(all, part{"gradient of " + name, want.Gradient[name], got.Gradient[name]})
	}
	return all
}

// add updates the largest difference. Of equal ones it keeps the first.
func (largest *DeviceDifference) add(p part) {
	for i, w := range p.want {
		d := difference(p.got[i], w)
		if d <= largest.Difference {
			continue
		}
		largest.Difference, largest.Where = d, p.name
		if len(p.want) > 1 {
			largest.Where = fmt.Sprintf("%s[%d]", p.name, i+1)
		}
	}
}

// difference returns |got − want| / max(1, |want|). It is 0 for equal infinities and for two NaNs, and infinite if only
// one is finite.
func difference(got, want float64) float64 {
	if got == want || math.IsNaN(got) && math.IsNaN(want) {
		return 0
	}
	d := math.Abs(got-want) / max(1, math.Abs(want))
	if math.IsNaN(d) {
		return math.Inf(1)
	}
	return d
}
