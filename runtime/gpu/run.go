package gpu

import (
	"errors"
	"fmt"
	"unsafe"

	"ppl/compiler/backend/render"
	"ppl/runtime/device"
	"ppl/runtime/gpu/driver"
)

// arguments has the layout of the struct of that name in compiler/backend/render/c/cudalaunch.h.
type arguments struct {
	buffer       driver.Ptr
	seed, step   uint64
	schedule     driver.Ptr
	lanes, first uint64 // first is the number of the first lane
	active       driver.Ptr
	group        uint64 // number of lanes that may read from each other
}

// A scheduled call is the number of an entry, and the number of times to run it.
type scheduled struct{ entry, times uint64 }

// A call is the memory of the inputs of a launch: arguments, the table of buffers, the schedule, and for each lane a
// byte that is 1 if the lane runs. A single copy uploads all of it.
type call struct {
	at       driver.Ptr
	host     []byte
	args     *arguments
	schedule []scheduled
	active   []byte
}

// maxCalls is the largest length of a schedule; longer schedules take several launches.
const maxCalls = 64

func (e *executable) newCall(lanes int) error {
	table := int(unsafe.Sizeof(arguments{}))
	schedule := table + 8*len(e.buffers)
	active := schedule + maxCalls*int(unsafe.Sizeof(scheduled{}))
	c := &e.call
	var err error
	if c.at, err = e.driver.Alloc(active + lanes); err != nil {
		return err
	}
	if c.host, err = e.driver.Pinned(active + lanes); err != nil {
		return err
	}
	start := unsafe.Pointer(unsafe.SliceData(c.host))
	c.args = (*arguments)(start)
	for i, b := range e.buffers {
		unsafe.Slice((*driver.Ptr)(unsafe.Add(start, table)), len(e.buffers))[i] = b.at
	}
	c.schedule = unsafe.Slice((*scheduled)(unsafe.Add(start, schedule)), maxCalls)
	c.active = c.host[active:]
	*c.args = arguments{buffer: c.at + driver.Ptr(table), seed: e.seed, schedule: c.at + driver.Ptr(schedule),
		lanes: uint64(lanes), first: uint64(e.first), group: uint64(e.group)}
	return nil
}

func (c *call) close(d driver.Driver) error {
	if c.host == nil {
		return nil
	}
	return errors.Join(d.Release(c.at), d.ReleasePinned(c.host))
}

// Run uploads buffers that were set, launches the schedule, and waits for its end. A launch cannot be stopped, so
// callers that need to stop should use short schedules.
func (e *executable) Run(calls []device.Call, step uint64, mask []bool) (uint64, error) {
	if e.failed != nil {
		return step, e.failed
	}
	next, err := e.Next(calls, step, mask, func(name string) (device.Traits, bool) {
		if entry, ok := e.entries[name]; ok {
			return entry.Traits, true
		}
		return device.Traits{}, false
	})
	if err != nil {
		return step, err
	}
	if err := e.launches(calls, step, mask); err != nil {
		e.failed = err
		return step, err
	}
	return next, nil
}

func (e *executable) launches(calls []device.Call, step uint64, mask []bool) error {
	for i := range e.buffers {
		if b := &e.buffers[i]; b.dirty && b.bytes > 0 {
			if err := e.driver.Upload(b.at, b.host); err != nil {
				return err
			}
			b.dirty = false
		}
	}
	for len(calls) > 0 {
		n := min(len(calls), maxCalls)
		if err := e.launch(calls[:n], step, mask); err != nil {
			return err
		}
		for _, c := range calls[:n] {
			step += e.entries[c.Entry].Steps(c.Times)
		}
		calls = calls[n:]
	}
	return nil
}

// launch runs part of a schedule.
func (e *executable) launch(calls []device.Call, step uint64, mask []bool) error {
	c := &e.call
	for i, k := range calls {
		c.schedule[i] = scheduled{e.entries[k.Entry].number, uint64(k.Times)}
		for _, id := range e.entries[k.Entry].writes {
			e.buffers[id].stale = e.buffers[id].bytes > 0
		}
	}
	c.args.step, c.args.active = step, 0
	used := len(c.host) - len(c.active)
	if mask != nil {
		c.args.active = c.at + driver.Ptr(used)
		for i, on := range mask {
			c.active[i] = 0
			if on {
				c.active[i] = 1
			}
		}
		used = len(c.host)
	}
	if err := e.driver.Upload(c.at, c.host[:used]); err != nil {
		return err
	}
	if err := e.parts(calls); err != nil {
		return err
	}
	return e.driver.Wait()
}

// parts launches the calls of a schedule that has been uploaded: consecutive calls by lanes in one launch, and the
// stages of calls by points one by one or in graphs. A call whose lanes read from each other has a separate launch.
// Steps are relative to the step of the arguments, which graphs advance.
func (e *executable) parts(calls []device.Call) error {
	step := uint64(0)
	for i := 0; i < len(calls); {
		first, from := i, step
		for i < len(calls) && e.entries[calls[i].Entry].stages == nil {
			peers := e.entries[calls[i].Entry].Peers
			if peers && i > first {
				break
			}
			step += e.entries[calls[i].Entry].Steps(calls[i].Times)
			i++
			if peers {
				break
			}
		}
		if i > first {
			if err := e.start(e.byLanes, uint64(first), uint64(i-first), from); err != nil {
				return err
			}
			continue
		}
		var err error
		if step, err = e.repeat(e.entries[calls[i].Entry], calls[i].Times, step); err != nil {
			return err
		}
		i++
	}
	return nil
}

// byPoints launches the stages of an entry; step is relative to that of the arguments.
func (e *executable) byPoints(entry *entry, step uint64) error {
	for i, s := range entry.stages {
		if e.poisoned {
			if err := e.spoil(false); err != nil {
				return err
			}
		}
		if e.poisoned && i == 0 {
			if err := e.spoil(true); err != nil {
				return err
			}
		}
		if err := e.stage(s, step); err != nil {
			return err
		}
	}
	return nil
}

// stage launches a kernel, or calls the library instead.
func (e *executable) stage(s stage, step uint64) error {
	if s.calls == nil {
		return e.start(s.kernel, uint64(s.Turn), 0, step)
	}
	for _, p := range s.calls {
		if err := e.library.Multiply(p); err != nil {
			return err
		}
	}
	return nil
}

// start launches a kernel. It reduces the block size if the threads need more registers than a block can have.
func (e *executable) start(k *kernel, first, calls, step uint64) error {
	width := e.launching.Width
	warps := e.warpsOf(k, over(k.items*over(e.Lanes, width)*width, render.Warp))
	threads := min(k.threads, threadsFor(warps, e.driver.Info().Multiprocessors))
	for {
		err := k.Launch(over(warps*render.Warp, threads), threads, uint64(e.call.at), first, calls, step)
		code := (*driver.Error)(nil)
		if !errors.As(err, &code) || code.Code != driver.TooManyNeeds {
			return err
		}
		if threads == render.Warp {
			return fmt.Errorf("%w: %d for each thread; --device native runs the program", err, k.Needs().Registers)
		}
		threads /= 2
		k.threads = threads
	}
}
