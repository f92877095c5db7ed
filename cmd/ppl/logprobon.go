package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"ppl/compiler"
	"ppl/compiler/backend/lower"
	"ppl/compiler/datasets/datafile"
	"ppl/runtime/device"
)

// logprobOn evaluates a density on a device; by the interpreter of graphs where none is named, or all are.
func (c *console) logprobOn(ctx context.Context, p *compiler.Program, name string,
	at map[string]*datafile.Array) (*compiler.LogProb, error) {
	if name == "" || name == allDevices {
		return p.LogProb(at)
	}
	d, err := openDevice(ctx, name, func(line string) { c.notef("note: %s", line) })
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
			return nil, failed(err)
		}
		x, err := loader.Load(device.Options{Lanes: 1})
		if err != nil {
			return nil, failed(err)
		}
		defer x.Close()
		return evaluated(x, entry, inputs)
	}
	return p.LogProbBy(evaluate, at)
}

// evaluated runs an entry once, on one lane.
func evaluated(x device.Executable, e lower.Entry, inputs map[string][]float64) (map[string][]float64, error) {
	for _, n := range e.Assign[0].Value.Graph().Inputs() {
		x.SetLane(n.Op().Name, 0, inputs[n.Op().Name])
	}
	if _, err := x.Run([]device.Call{{Entry: e.Name, Times: 1}}, 0, nil); err != nil {
		return nil, failed(err)
	}
	out := map[string][]float64{}
	for _, a := range e.Assign {
		out[a.Name] = make([]float64, a.Value.Size())
		x.GetLane(a.Name, 0, out[a.Name])
	}
	return out, nil
}

// A comparison is the largest difference of a device from the interpreter, relative to the number (to 1 where that is
// below 1), and where it is.
type comparison struct {
	Device     string `json:"device"`
	Difference number `json:"difference"`
	Where      string `json:"where"`
}

// compare evaluates on all devices; one that cannot be opened is left out, with a note.
func (c *console) compare(ctx context.Context, p *compiler.Program, want *compiler.LogProb,
	at map[string]*datafile.Array) ([]comparison, error) {
	var all []comparison
	for _, d := range devices() {
		if d.name == auto {
			continue
		}
		if _, err := d.open(ctx, 0, func(string) {}); err != nil {
			c.notef("note: without %s: %v", d.name, err)
			continue
		}
		got, err := c.logprobOn(ctx, p, d.name, at)
		if err != nil {
			return nil, err
		}
		largest := comparison{Device: d.name, Difference: -1}
		for _, part := range parts(want, got) {
			largest.add(part)
		}
		all = append(all, largest)
	}
	return all, nil
}

// A part is one number or array of a density, as computed twice.
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

// add keeps the largest difference: the first of equal ones.
func (largest *comparison) add(p part) {
	for i, w := range p.want {
		d := difference(p.got[i], w)
		if d <= float64(largest.Difference) {
			continue
		}
		largest.Difference, largest.Where = number(d), p.name
		if len(p.want) > 1 {
			largest.Where = fmt.Sprintf("%s[%d]", p.name, i+1)
		}
	}
}

// difference is relative to max(1, |want|): 0 for equal infinities and for NaN twice, infinite where one is finite.
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

func comparedText(w io.Writer, all []comparison) {
	for _, c := range all {
		fmt.Fprintf(w, "%-15s differs by %.2g at most, in %s\n", c.Device, float64(c.Difference), c.Where)
	}
}
