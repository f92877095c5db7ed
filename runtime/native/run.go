//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"fmt"
	"runtime"
	"time"

	"ppl/runtime/device"
	"ppl/runtime/noise"
)

// Run gives each block of lanes the whole schedule at once; where there are tiles, a group of blocks goes through it
// part by part, so that all workers share the turns.
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
	if e.parts == nil {
		e.runBlocks(next - step)
		return next, nil
	}
	for first := 0; first < len(e.Blocks); first += len(e.seats) {
		e.group(e.Blocks[first:min(first+len(e.seats), len(e.Blocks))])
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

// worthWaking is how much work is shared out. A wake-up takes processors some 10 µs on either side, several times that
// on virtual machines, and the work is begun that much later.
const worthWaking = 100 * time.Microsecond

// runBlocks gives all blocks the whole schedule, of so many executions. What blocks took the last time tells whether to
// wake anybody for it; a schedule that begins with another entry is another matter.
func (e *executable) runBlocks(executions uint64) {
	first := e.schedule[0].entry
	if pace := e.pace[first]; pace > 0 && pace*time.Duration(executions)*time.Duration(len(e.Blocks)) < worthWaking {
		for i := range e.Blocks {
			e.block(0, i)
		}
	} else {
		e.crew.do(len(e.Blocks), e.task)
	}
	if executions > 0 {
		e.pace[first] = e.took / time.Duration(executions)
	}
}

// block runs the schedule on a block.
func (e *executable) block(worker, i int) {
	w, s := e.workers[worker], e.seatOf(worker, i)
	e.seatBlock(s, &e.Blocks[i])
	if !s.active {
		return
	}
	began := time.Now()
	w.serve(s)
	w.step, w.schedule, w.calls = e.step, &e.schedule[0], uint64(len(e.schedule))
	call(e.run, w.context)
	e.restore(s)
	if worker == 0 {
		e.took = time.Since(began)
	}
}

// seatOf is a seat that no other worker is in: that of the block where there is one for each, else that of the worker.
func (e *executable) seatOf(worker, block int) *seat {
	if len(e.Blocks) <= len(e.seats) {
		return e.seats[block]
	}
	return e.seats[worker]
}

// group runs the schedule on blocks part by part.
func (e *executable) group(blocks []device.Block) {
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
				e.runPart(p, step, seats)
			}
			step++
		}
	}
	for _, s := range seats {
		e.restore(s)
	}
}

// runPart shares out a part: by blocks, or by turns, each for all blocks.
func (e *executable) runPart(p part, step uint64, seats []*seat) {
	if p.turns == 0 {
		e.crew.do(len(seats), func(worker, i int) { e.turn(worker, p, step, 0, seats[i]) })
		return
	}
	e.crew.do(p.turns, func(worker, turn int) {
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
