// Package multidevice combines several devices, such as the GPUs of a machine, into one. Each device runs some of the
// lanes, at the same time as the others.
//
//	d := multidevice.Of(first, second)          // both of a kind
//	exe, err := d.Load(program, device.Options{Lanes: 4096, Seed: 1})    // 2,048 lanes on each
//
// The values of a lane depend neither on other lanes nor on their device (package device), and noise depends on the
// number of a lane among all lanes. So the results are those of one device with all lanes.
package multidevice

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// A together is a list of devices of the same kind.
type together struct{ devices []device.Device }

// Of returns a device that runs on all the given devices, of which there must be at least one. They must be of the same
// kind, since each gets the same number of lanes.
func Of(devices ...device.Device) device.Device { return together{devices} }

// Name returns the name of the first device.
func (d together) Name() string { return d.devices[0].Name() }

// Lanes are divided in blocks of this size: a warp of a GPU or, if there are too few lanes for that, a part of a warp.
const (
	largeBlock = 32
	smallBlock = 4
)

// shares returns the number of lanes of each device, in complete groups. The list is shorter than devices if there are
// too few lanes.
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

// Load loads the program on the devices that get lanes. If iterations are shared with other processes, it uses only the
// first device.
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

// A part is the executable of one device with its range of lanes.
type part struct {
	device.Executable
	first, lanes int
}

type executable struct {
	parts []part
	lanes int
	given map[string]bool // names of buffers with one copy for all lanes
}

// Buffers returns the names of the lane buffers, sorted.
func (x *executable) Buffers() []string { return x.parts[0].Buffers() }

// Size returns the number of elements per lane of a buffer.
func (x *executable) Size(name string) int { return x.parts[0].Size(name) }

// of returns the values of a part's lanes.
func (p part) of(values []float64, size int) []float64 {
	return values[p.first*size : (p.first+p.lanes)*size]
}

// Set copies values to an entire lane buffer, or to a buffer that all lanes share.
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

// Get copies values from an entire lane buffer, or from a buffer that all lanes share.
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

// fits returns the size per lane of a buffer. It panics unless n values fill the buffer.
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

// at returns the part that has a lane, and the lane's number there.
func (x *executable) at(lane int) (part, int) {
	for _, p := range x.parts {
		if lane >= p.first && lane < p.first+p.lanes {
			return p, lane - p.first
		}
	}
	panic(fmt.Sprintf("device: lane %d of %d", lane, x.lanes))
}

// SetLane copies values to one lane.
func (x *executable) SetLane(name string, lane int, values []float64) {
	p, own := x.at(lane)
	p.SetLane(name, own, values)
}

// GetLane copies values from one lane.
func (x *executable) GetLane(name string, lane int, dst []float64) {
	p, own := x.at(lane)
	p.GetLane(name, own, dst)
}

// Run runs the calls on all devices at the same time. If one device fails, the others still complete.
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

// Statement returns the statements of the devices about the program. Equal statements are merged.
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
