//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"runtime"
	"slices"
	"time"
	"unsafe"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// Run runs the calls, cut where lanes read of each other: all of them have ended one part before the next begins.
func (e *executable) Run(calls []device.Call, step uint64, mask []bool) (uint64, error) {
	next, err := e.Next(calls, step, mask, e.known)
	if err != nil {
		return step, err
	}
	for len(calls) > 0 {
		now, later := device.Together(calls, e.peers)
		step = e.runTogether(now, step, mask)
		calls = later
	}
	return next, nil
}

func (e *executable) known(name string) (device.Traits, bool) {
	entry, ok := e.entries[name]
	return entry.Traits, ok
}

func (e *executable) peers(name string) bool { return e.entries[name].Peers }

// runTogether runs calls in which no lane reads of others, or one in which they do, and returns the step after them. It
// gives each block of lanes the whole schedule at once. If there are tiles, a group of blocks goes through the schedule
// part by part, so that all workers can share the turns; but not where lanes are apart and there are enough of them for
// all workers.
func (e *executable) runTogether(calls []device.Call, step uint64, mask []bool) (next uint64) {
	next = e.plan(calls, step, mask)
	var pin runtime.Pinner
	pin.Pin(&e.schedule[0])
	defer pin.Unpin()
	if e.parts == nil || e.sharing == nil && e.width == 1 && len(e.Blocks) >= len(e.workers) {
		e.runBlocks(next - step)
		return next
	}
	size := e.groupSize()
	for first := 0; first < len(e.Blocks); first += size {
		e.group(e.Blocks[first:min(first+size, len(e.Blocks))])
	}
	return next
}

// groupSize returns how many blocks go through tiles together: as many as have states; but where turns are
// shared it is the same in all processes, whatever threads they have.
func (e *executable) groupSize() int {
	switch {
	case e.sharing == nil:
		return len(e.states)
	case e.width == 1:
		return 1
	}
	return min(groupBlocks, len(e.Blocks))
}

// plan resolves the calls into e.schedule, and returns the step after the last.
func (e *executable) plan(calls []device.Call, step uint64, mask []bool) (next uint64) {
	e.schedule, e.parts, e.writes, e.step, e.mask = e.schedule[:0], e.parts[:0], e.writes[:0], step, mask
	e.still = e.still[:0]
	tiled := false
	for _, c := range calls {
		entry := e.entries[c.Entry]
		e.schedule = append(e.schedule, scheduled{entry.number, uint64(c.Times)})
		e.parts = append(e.parts, entry.parts)
		e.writes = append(e.writes, entry.writes...)
		tiled = tiled || entry.tiled && c.Times > 0
		step += entry.Steps(c.Times)
		e.still = append(e.still, entry.Still)
	}
	if !tiled {
		e.parts = nil
	}
	return step
}

// worthWaking is the least work that is shared with other workers. Waking one costs some 10 µs of processor time on
// either side, several times that on virtual machines, and delays the work by as much.
const worthWaking = 100 * time.Microsecond

// chunksEach is how many chunks of blocks there are for each worker, so that all end at about the same time.
const chunksEach = 8

// runBlocks gives all blocks the whole schedule of that many executions. The time that a block took in the last run
// decides whether workers are woken; times are kept by the schedule's first entry, since another entry takes another
// time. Blocks with masked lanes go one by one.
func (e *executable) runBlocks(executions uint64) {
	first := e.schedule[0].entry
	pace := e.blockTime[first]
	e.took, e.chunk = 0, 1
	alone := len(e.workers) == 1 ||
		pace > 0 && pace*time.Duration(executions)*time.Duration(len(e.Blocks)) < worthWaking
	if e.mask == nil && alone {
		e.chunk = len(e.Blocks)
	} else if e.mask == nil {
		e.chunk = max(1, len(e.Blocks)/(chunksEach*len(e.workers)))
	}
	chunks := (len(e.Blocks) + e.chunk - 1) / e.chunk
	if alone {
		for i := range chunks {
			e.takeChunk(0, i)
		}
	} else {
		e.pool.do(chunks, e.task)
	}
	if executions > 0 && e.took > 0 {
		e.blockTime[first] = e.took / time.Duration(executions)
	}
}

// takeChunk runs the schedule on the blocks of chunk i.
func (e *executable) takeChunk(worker, i int) {
	first := i * e.chunk
	n := min(e.chunk, len(e.Blocks)-first)
	w, s := e.workers[worker], e.blockStateFor(worker, first)
	e.assign(s, &e.Blocks[first])
	if !s.active {
		return
	}
	e.use(w, s)
	w.blocks, w.step, w.calls = uint64(n), e.step, uint64(len(e.schedule))
	w.schedule = uintptr(unsafe.Pointer(&e.schedule[0]))
	if worker == 0 && e.took == 0 { // one chunk is timed: a clock takes as long as a step of a small model
		began := time.Now()
		call(e.blocks, w.context)
		e.took = max(time.Since(began)/time.Duration(n), 1)
	} else {
		call(e.blocks, w.context)
	}
	e.restore(s)
}

// blockStateFor returns a block state that no other worker uses: the block's own if there are enough, otherwise the
// worker's.
func (e *executable) blockStateFor(worker, block int) *blockState {
	if len(e.Blocks) <= len(e.states) {
		return e.states[block]
	}
	return e.states[worker]
}

// group runs the schedule on several blocks, part by part.
func (e *executable) group(blocks []device.Block) {
	var states []*blockState
	for i := range blocks {
		e.assign(e.states[i], &blocks[i])
		if e.states[i].active {
			states = append(states, e.states[i])
		}
	}
	step := e.step
	for i, s := range e.schedule {
		for range s.times {
			for _, p := range e.parts[i] {
				e.runPart(p, step, states)
			}
			if !e.still[i] {
				step++
			}
		}
	}
	for _, s := range states {
		e.restore(s)
	}
}

// runPart shares a part among workers: by blocks, or by turns, where each turn runs all blocks.
func (e *executable) runPart(p part, step uint64, states []*blockState) {
	if p.turns == 0 {
		e.pool.do(len(states), func(worker, i int) { e.turn(worker, p, step, 0, states[i]) })
		return
	}
	first, end := 0, p.turns
	shares := e.sharing != nil && len(p.left) > 0
	if shares {
		first, end = e.sharing.Share(p.turns)
	}
	e.pool.do(end-first, func(worker, turn int) {
		for _, s := range states {
			e.turn(worker, p, step, first+turn, s)
		}
	})
	if shares {
		e.exchangeTurns(p, first, end, states)
	}
}

// exchangeTurns sends what turns first to end have left to the other processes, and takes what theirs have: in one
// piece, turn by turn.
func (e *executable) exchangeTurns(p part, first, end int, states []*blockState) {
	var results [][]byte // of all turns, one after the other
	stride := 0
	for _, s := range states {
		for _, b := range s.scratch {
			if slices.Contains(p.left, ir.BufID(b.id)) {
				size := e.buffers[b.id].Type.Bytes() * e.buffers[b.id].Size * e.width
				results = append(results, unsafe.Slice((*byte)(b.at), size*p.turns))
				stride += size
			}
		}
	}
	e.stage = slices.Grow(e.stage[:0], stride*p.turns)[:stride*p.turns]
	if len(e.stage) == 0 {
		return
	}
	each := func(turn int, move func(stage, result []byte)) {
		at := stride * turn
		for _, r := range results {
			size := len(r) / p.turns
			move(e.stage[at:at+size], r[size*turn:size*(turn+1)])
			at += size
		}
	}
	for turn := first; turn < end; turn++ {
		each(turn, func(stage, result []byte) { copy(stage, result) })
	}
	e.sharing.GatherTurns(e.stage, p.turns)
	for turn := range p.turns {
		if turn < first || turn >= end {
			each(turn, func(stage, result []byte) { copy(result, stage) })
		}
	}
}

func (e *executable) turn(worker int, p part, step uint64, turn int, s *blockState) {
	w := e.workers[worker]
	e.use(w, s)
	w.step, w.part, w.turn = step, p.number, uint64(turn)
	call(e.library.part, w.context)
}
