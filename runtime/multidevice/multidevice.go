// Package multidevice makes one device of several, such as the GPUs of a machine: each runs some lanes, at the same
// time as the others.
//
//	d := multidevice.Of(first, second)          // both of a kind
//	exe, err := d.Load(program, device.Options{Lanes: 4096, Seed: 1})    // 2,048 lanes on each
//
// A lane's numbers depend neither on other lanes nor on where they are (package device), and noise knows a lane by its
// number of all lanes. So the numbers are those of one device with all lanes.
package multidevice

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// A together is devices of a kind.
type together struct{ devices []device.Device }

// Of returns a device that runs on all of them, of which there is at least one. They have to be of a kind, as each gets
// as many lanes.
func Of(devices ...device.Device) device.Device { return together{devices} }

// Name is that of the first.
func (d together) Name() string { return d.devices[0].Name() }

// A block of lanes stays together: a warp of a GPU, or where lanes are too few for all devices, a part of one.
const (
	largeBlock = 32
	smallBlock = 4
)

// shares returns the lanes of each device, in whole groups: where it has none, there is no more work.
func shares(lanes, devices, group int) (out []int) {
	each := (lanes + devices - 1) / devices
	block := smallBlock
	if each >= largeBlock {
		block = largeBlock
	}
	each = (each + block - 1) / block * block
	each = (each + group - 1) / group * group
	for ; lanes > 0; lanes -= each {
		out = append(out, min(each, lanes))
	}
	return out
}

// Load loads the program on as many of the devices as there are lanes for. Turns that are shared with other processes
// run on the first alone, since these share work already.
func (d together) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	parts := shares(o.Lanes, len(d.devices), max(o.Group, 1))
	if o.Turns != nil || len(parts) < 2 {
		return d.devices[0].Load(p, o)
	}
	x := &executable{parts: make([]part, len(parts)), lanes: o.Lanes, given: map[string]bool{}}
	for _, b := range p.Buffers {
		x.given[b.Name] = b.Given
	}
	var group errgroup.Group
	first := 0
	for i, n := range parts {
		own := o
		own.Lanes, own.First = n, o.First+first
		x.parts[i].first, x.parts[i].lanes = first, n
		first += n
		group.Go(func() (err error) {
			x.parts[i].Executable, err = d.devices[i].Load(p, own)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// A part is the lanes of one device.
type part struct {
	device.Executable
	first, lanes int
}

type executable struct {
	parts []part
	lanes int
	given map[string]bool // by name: one copy for all lanes
}

// Buffers returns the names of the lane buffers, sorted.
func (x *executable) Buffers() []string { return x.parts[0].Buffers() }

// Size returns the number of elements per lane of a buffer.
func (x *executable) Size(name string) int { return x.parts[0].Size(name) }

// of returns the values of a part's lanes.
func (p part) of(values []float64, size int) []float64 {
	return values[p.first*size : (p.first+p.lanes)*size]
}

// Set copies a whole lane buffer, or what is given to all lanes.
func (x *executable) Set(name string, values []float64) {
	size := x.fits(name, len(values))
	for _, p := range x.parts {
		if x.given[name] {
			p.Set(name, values)
		} else {
			p.Set(name, p.of(values, size))
		}
	}
}

// Get copies a whole lane buffer, or what is given to all lanes.
func (x *executable) Get(name string, dst []float64) {
	size := x.fits(name, len(dst))
	if x.given[name] {
		x.parts[0].Get(name, dst)
		return
	}
	for _, p := range x.parts {
		p.Get(name, p.of(dst, size))
	}
}

// fits returns the size of a buffer, of which n values are to be copied.
func (x *executable) fits(name string, n int) (size int) {
	size = x.Size(name)
	want := size * x.lanes
	if x.given[name] {
		want = size
	}
	if n != want {
		panic(fmt.Sprintf("device: %d numbers for %q, which has %d", n, name, want))
	}
	return size
}

// at returns the part that has a lane, and its number there.
func (x *executable) at(lane int) (part, int) {
	for _, p := range x.parts {
		if lane >= p.first && lane < p.first+p.lanes {
			return p, lane - p.first
		}
	}
	panic(fmt.Sprintf("device: lane %d of %d", lane, x.lanes))
}

// SetLane copies one lane's values.
func (x *executable) SetLane(name string, lane int, values []float64) {
	p, own := x.at(lane)
	p.SetLane(name, own, values)
}

// GetLane copies one lane's values.
func (x *executable) GetLane(name string, lane int, dst []float64) {
	p, own := x.at(lane)
	p.GetLane(name, own, dst)
}

// Run runs the calls on all devices at the same time. If one of them fails, the others have run.
func (x *executable) Run(calls []device.Call, step uint64, mask []bool) (next uint64, err error) {
	if mask != nil && len(mask) != x.lanes {
		return 0, fmt.Errorf("device: mask of %d for %d lanes", len(mask), x.lanes)
	}
	nexts := make([]uint64, len(x.parts))
	var group errgroup.Group
	for i, p := range x.parts {
		own := mask
		if mask != nil {
			own = mask[p.first : p.first+p.lanes]
		}
		group.Go(func() (err error) {
			nexts[i], err = p.Run(calls, step, own)
			return err
		})
	}
	err = group.Wait()
	return nexts[0], err
}

// Statement returns what the devices say of the program, where they say something; what several say is there once.
func (x *executable) Statement() string {
	var says []string
	count := map[string]int{}
	for _, p := range x.parts {
		if s, ok := p.Executable.(interface{ Statement() string }); ok {
			count[s.Statement()]++
			if count[s.Statement()] == 1 {
				says = append(says, s.Statement())
			}
		}
	}
	for i, s := range says {
		if count[s] > 1 {
			says[i] = fmt.Sprintf("%d × %s", count[s], s)
		}
	}
	return strings.Join(says, "; ")
}

// Close releases all parts.
func (x *executable) Close() error {
	var errs []error
	for _, p := range x.parts {
		if p.Executable != nil {
			errs = append(errs, p.Executable.Close())
		}
	}
	return errors.Join(errs...)
}
