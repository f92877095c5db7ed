//go:build !nogorgonia

// Package gorgonia is a device that runs the graphs of entries directly on Gorgonia's tape machine; other devices run
// IR. It shares neither lowering, nor rendering, nor most of the arithmetic with them, so it shows which side causes a
// difference. It is slow: it runs one lane after the other, and an array operation of a few elements takes about a
// microsecond.
package gorgonia

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"ppl/autodiff/gorgonia"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/runtime/device"
	"ppl/runtime/noise"
)

// Device compiles entries to Gorgonia graphs.
type Device struct{}

// Open returns the device.
func Open() (Device, error) { return Device{}, nil }

// Name returns "gorgonia".
func (Device) Name() string { return "gorgonia" }

// Linked reports whether this build has the device.
const Linked = true

// Advice describes the purpose of the device.
const Advice = "Gorgonia's tape machine runs one lane after the other, some thousand times slower than compiled " +
	"code; it is there to check other devices"

// A program holds entries and the lane buffers that they read and assign.
type program struct {
	entries []lower.Entry
	buffers []ir.Buffer
}

// Compile determines the buffers. As on other devices, all uses of a name must have the same size.
func (Device) Compile(entries []lower.Entry) (device.Loader, error) {
	sizes, given := map[string]int{}, map[string]bool{}
	for _, e := range entries {
		for _, a := range e.Assign {
			for _, n := range a.Value.Graph().Inputs() {
				if err := declare(sizes, n.Op().Name, n.Size()); err != nil {
					return nil, err
				}
				given[n.Op().Name] = n.Op().Given
			}
			if err := declare(sizes, a.Name, a.Size()); err != nil {
				return nil, err
			}
		}
	}
	p := program{entries: entries}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		b := ir.Buffer{Name: name, Space: ir.Lane, Size: sizes[name]}
		b.Given = given[name]
		if b.Given {
			b.Space = ir.Shared
		}
		p.buffers = append(p.buffers, b)
	}
	return p, nil
}

func declare(sizes map[string]int, name string, size int) error {
	if old, ok := sizes[name]; ok && old != size {
		return fmt.Errorf("gorgonia: buffer %q has %d elements and %d", name, old, size)
	}
	sizes[name] = size
	return nil
}

// Buffers returns the buffers that the host accesses.
func (p program) Buffers() []ir.Buffer { return p.buffers }

// Load converts each entry to a graph.
func (p program) Load(o device.Options) (device.Executable, error) {
	if o.Lanes < 1 {
		return nil, fmt.Errorf("gorgonia: %d lanes", o.Lanes)
	}
	x := &executable{graphs: map[string]*gorgonia.Graph{}, entries: map[string]lower.Entry{}, seed: o.Seed,
		group: max(o.Group, 1),
		LaneBuffers: device.NewLaneBuffers(p.buffers, o.Lanes, 1, func(n int) []float64 { return make([]float64, n) },
			nil)}
	for _, e := range p.entries {
		var outputs []gorgonia.Output
		for _, a := range e.Assign {
			outputs = append(outputs, gorgonia.Output{Name: assigned(a.Name), Node: a.Value})
			if a.At.Valid() {
				outputs = append(outputs, gorgonia.Output{Name: row(a.Name), Node: a.At})
			}
		}
		g, err := gorgonia.Convert(outputs...)
		if err != nil {
			return nil, err
		}
		x.entries[e.Name], x.graphs[e.Name] = e, g
	}
	return x, nil
}

// assigned returns the name of the output for a buffer. It differs from the buffer's name, since most entries also read
// the buffers that they assign.
func assigned(name string) string { return "next " + name }

// row returns the name of the output for the number of the row of a buffer that is assigned.
func row(name string) string { return "row of " + name }

// An executable has one graph for each entry, which runs for one lane after the other.
type executable struct {
	device.LaneBuffers
	entries map[string]lower.Entry
	graphs  map[string]*gorgonia.Graph
	seed    uint64
	group   int // number of lanes that may read from each other
}

// Run runs each call on one lane after the other, without the masked lanes.
func (x *executable) Run(calls []device.Call, step uint64, mask []bool) (uint64, error) {
	known := func(name string) (device.Traits, bool) {
		e, ok := x.entries[name]
		return device.Traits{Peers: len(e.Peers) > 0, Still: e.Still}, ok
	}
	if _, err := x.Next(calls, step, mask, known); err != nil {
		return step, err
	}
	for _, c := range calls {
		for range c.Times {
			for lane := range x.Lanes {
				if mask != nil && !mask[lane] {
					continue
				}
				if err := x.entry(c.Entry, lane, step); err != nil {
					return step, err
				}
			}
			if !x.entries[c.Entry].Still {
				step++
			}
		}
	}
	return step, nil
}

// entry runs an entry for a lane. All values are computed before the first is written.
func (x *executable) entry(name string, lane int, step uint64) error {
	for _, p := range x.entries[name].Peers {
		at := x.peer(p, lane)
		for _, c := range p.Copies {
			x.SetLane(c.To, lane, x.ofPeer(at, c.From))
		}
	}
	inputs := map[string][]float64{}
	for name := range x.graphs[name].Inputs {
		inputs[name] = make([]float64, x.Size(name))
		x.GetLane(name, lane, inputs[name])
	}
	values, err := x.graphs[name].Run(inputs, random{x.seed, uint32(lane), step})
	if err != nil {
		return err
	}
	for _, a := range x.entries[name].Assign {
		value := values[assigned(a.Name)]
		if a.At.Valid() {
			all := make([]float64, a.Size())
			x.GetLane(a.Name, lane, all)
			at := max(0, min(int(values[row(a.Name)][0]), a.Rows-1))
			copy(all[at*len(value):], value)
			value = all
		}
		x.SetLane(a.Name, lane, value)
	}
	return nil
}

// peer returns the lane that a lane copies from; −1 if there is none.
func (x *executable) peer(p lower.Peer, lane int) int {
	want, key := make([]float64, 1), make([]float64, 1)
	x.GetLane(p.Want, lane, want)
	first := lane - lane%x.group
	for at := first; at < min(first+x.group, x.Lanes); at++ {
		x.GetLane(p.Key, at, key)
		if key[0] == want[0] {
			return at
		}
	}
	return -1
}

// ofPeer returns the values of another lane; NaN if there is no such lane.
func (x *executable) ofPeer(lane int, name string) []float64 {
	value := make([]float64, x.Size(name))
	if lane >= 0 {
		x.GetLane(name, lane, value)
		return value
	}
	for i := range value {
		value[i] = math.NaN()
	}
	return value
}

// Close frees the tape machines.
func (x *executable) Close() error {
	for _, g := range x.graphs {
		if err := g.Close(); err != nil {
			return err
		}
	}
	return nil
}

// random computes noise by address.
type random struct {
	seed uint64
	lane uint32
	step uint64
}

func (r random) Noise(law string, site int, dst []float64) {
	draw := noise.Normal
	if law == "uniform" {
		draw = noise.Uniform
	}
	for i := range dst {
		dst[i] = draw(r.seed, r.lane, r.step, uint32(site), uint32(i))
	}
}

func (r random) Addressed(site int, lane, step, point float64) float64 {
	return noise.Addressed(r.seed, uint32(site), lane, step, point)
}

func (r random) Shuffle(rows int, key, position float64) float64 {
	return noise.Shuffle(r.seed, rows, key, position)
}
