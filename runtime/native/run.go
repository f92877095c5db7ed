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

// Run runs the calls. It divides them at entries in which lanes read from each other: all lanes must have finished one
// part before the next starts.
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

// runTogether runs calls in which no lane reads from others, or a single such call, and returns the step after them. It
// runs the entire schedule on each block of lanes at once. If there are tiles, a group of blocks runs the schedule part
// by part instead, so that all workers can share the iterations; this is not needed for layout Apart if there are
// enough lanes for all workers.
func (e *executable) runTogether(calls []device.Call, step uint64, mask []bool) (next uint64) {
	next = e.plan(calls, step, mask)
	var pin runtime.Pinner
	pin.Pin(&e.schedule[0])
	defer pin.Unpin()
	if e.parts == nil || !e.shares && e.width == 1 && len(e.Blocks) >= len(e.workers) {
		e.runBlocks(next - step)
		return next
	}
	size := e.groupSize()
	for first := 0; first < len(e.Blocks); first += size {
		e.group(e.Blocks[first:min(first+size, len(e.Blocks))])
	}
	return next
}

// groupSize returns the number of blocks that run through tiles together: the number of block states. If
// iterations are shared, the number is the same in all processes, independently of their threads.
func (e *executable) groupSize() int {
	switch {
	case !e.shares:
		return len(e.states)
	case e.width == 1:
		return 1
	}
	return min(groupBlocks, len(e.Blocks))
}

// plan resolves the calls into e.schedule, and returns the step after the last call.
func (e *executable) plan(calls []device.Call, step uint64, mask []bool) (next uint64) {
	e.schedule, e.parts, e.writes, e.step, e.mask = e.schedule[:0], e.parts[:0], e.writes[:0], step, mask
	e.still, e.shares = e.still[:0], false
	tiled := false
	for _, c := range calls {
		entry := e.entries[c.Entry]
		e.schedule = append(e.schedule, scheduled{entry.number, uint64(c.Times)})
		e.parts = append(e.parts, entry.parts)
		e.writes = append(e.writes, entry.writes...)
		tiled = tiled || entry.tiled && c.Times > 0
		e.shares = e.shares || entry.shares
		step += entry.Steps(c.Times)
		e.still = append(e.still, entry.Still)
	}
	if !tiled {
		e.parts = nil
	}
	return step
}

// worthWaking is the least time of work that is shared with other workers. Waking a worker costs about 10 µs of
// processor time on either side (several times that on virtual machines), and delays the work by the same time.
const worthWaking = 100 * time.Microsecond

// chunksEach is the number of chunks of blocks for each worker, so that all workers finish at about the same time.
const chunksEach = 8

// runBlocks runs the entire schedule, of the given number of executions, on all blocks. The time that a block took in
// the last run decides whether other workers are woken. Times are stored by the schedule's first entry, since entries
// take different times. With a mask, each chunk is a single block.
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
	if worker == 0 && e.took == 0 { // only one chunk is timed: a clock call takes as long as a small step
		began := time.Now()
		call(e.blocks, w.context)
		e.took = max(time.Since(began)/time.Duration(n), 1)
	} else {
		call(e.blocks, w.context)
	}
	e.restore(s)
}

// blockStateFor returns a block state that no other worker uses: one for each block if there are enough, otherwise one
// for each worker.
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

// runPart divides a part among workers, by blocks or by iterations, where each iteration runs for all blocks.
func (e *executable) runPart(p part, step uint64, states []*blockState) {
	if p.turns == 0 {
		e.pool.do(len(states), func(worker, i int) { e.turn(worker, p, step, 0, states[i]) })
		return
	}
	e.pool.do(p.end-p.first, func(worker, turn int) {
		for _, s := range states {
			e.turn(worker, p, step, p.first+turn, s)
		}
	})
	if p.shared {
		e.exchangeTurns(p, states)
	}
}

// exchangeTurns sends the results of this process's iterations to the other processes, and receives the results of
// their iterations, all in one message.
func (e *executable) exchangeTurns(p part, states []*blockState) {
	var results [][]byte // results of all iterations, one after the other
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
	for turn := p.first; turn < p.end; turn++ {
		each(turn, func(stage, result []byte) { copy(stage, result) })
	}
	e.sharing.GatherTurns(e.stage, p.turns)
	for turn := range p.turns {
		if turn < p.first || turn >= p.end {
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
