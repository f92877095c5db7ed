//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"fmt"
	"runtime"

	"ppl/runtime/device"
	"ppl/runtime/noise"
)

// Run gives each block of lanes the whole schedule at once; where there are tiles, a group of blocks goes through it part by part, so
// that all workers share the turns.
func (e *executable) Run(calls []device.Call, step uint64, mask []bool) (uint64, error) {
	next, err := e.plan(calls, step, mask)
	if err != nil {
		return step, err
	}
	if len(e.schedule) == 0 {
		return next, nil
	}
	var pin runtime.Pinner
	pin.Pin(&e.schedule[0])
	defer pin.Unpin()
	workers := len(e.workers)
	if e.parts == nil {
		workers = min(workers, len(e.seats), len(e.Blocks)) // each in a seat of its own
	}
	c := newCrew(workers)
	defer c.dismiss()
	if e.parts == nil {
		c.do(len(e.Blocks), e.block)
		return next, nil
	}
	for first := 0; first < len(e.Blocks); first += len(e.seats) {
		e.group(c, e.Blocks[first:min(first+len(e.seats), len(e.Blocks))])
	}
	return next, nil
}

// plan resolves the calls into e.schedule and counts their steps.
func (e *executable) plan(calls []device.Call, step uint64, mask []bool) (next uint64, err error) {
	if mask != nil && len(mask) != e.Lanes {
		return 0, fmt.Errorf("native: mask of %d for %d lanes", len(mask), e.Lanes)
	}
	e.schedule, e.parts, e.writes, e.step, e.mask = e.schedule[:0], e.parts[:0], e.writes[:0], step, mask
	tiled := false
	for _, c := range calls {
		entry, ok := e.entries[c.Entry]
		if !ok || c.Times < 0 {
			return 0, fmt.Errorf("native: cannot run entry %q %d times", c.Entry, c.Times)
		}
		e.schedule = append(e.schedule, scheduled{entry.number, uint64(c.Times)})
		e.parts = append(e.parts, entry.parts)
		e.writes = append(e.writes, entry.writes...)
		tiled = tiled || entry.tiled && c.Times > 0
		step += uint64(c.Times)
	}
	if !tiled {
		e.parts = nil
	}
	if step > noise.Steps {
		return 0, fmt.Errorf("native: noise step %d is beyond %d", step, uint64(noise.Steps))
	}
	return step, nil
}

// block runs the schedule on a block.
func (e *executable) block(worker, i int) {
	w, s := e.workers[worker], e.seats[worker]
	e.seatBlock(s, &e.Blocks[i])
	if !s.active {
		return
	}
	w.serve(s)
	w.step, w.schedule, w.calls = e.step, &e.schedule[0], uint64(len(e.schedule))
	call(e.run, w.context)
	e.restore(s)
}

// group runs the schedule on blocks part by part.
func (e *executable) group(c *crew, blocks []device.Block) {
	var seats []*seat
	for i := range blocks {
		e.seatBlock(e.seats[i], &blocks[i])
		if e.seats[i].active {
			seats = append(seats, e.seats[i])
		}
	}
	step := e.step
	for i, s := range e.schedule {
		for range s.times {
			for _, p := range e.parts[i] {
				e.runPart(c, p, step, seats)
			}
			step++
		}
	}
	for _, s := range seats {
		e.restore(s)
	}
}

// runPart shares out a part: by blocks, or by turns, each for all blocks.
func (e *executable) runPart(c *crew, p part, step uint64, seats []*seat) {
	if p.turns == 0 {
		c.do(len(seats), func(worker, i int) { e.turn(worker, p, step, 0, seats[i]) })
		return
	}
	c.do(p.turns, func(worker, turn int) {
		for _, s := range seats {
			e.turn(worker, p, step, turn, s)
		}
	})
}

func (e *executable) turn(worker int, p part, step uint64, turn int, s *seat) {
	w := e.workers[worker]
	w.serve(s)
	w.step, w.part, w.turn = step, p.number, uint64(turn)
	call(e.library.part, w.context)
}
