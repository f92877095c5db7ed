package host

import (
	"fmt"
	"sync"
	"sync/atomic"

	"ppl/compiler/ir"
	"ppl/runtime/device"
	"ppl/runtime/noise"
)

// A statement is a compiled ir.Stmt.
type statement interface{ run(w *worker) }

// An entry is a compiled ir.Entry; writes lists the lane buffers it assigns.
type entry struct {
	body   []statement
	writes []ir.BufID
}

// A call is an entry to run a number of times.
type call struct {
	*entry
	times int
}

type executable struct {
	lanes, width int // width: lanes of a block
	seed         uint64
	names        map[string]ir.BufID
	buffers      []ir.Buffer
	shared       [][]float64 // by buffer, nil elsewhere
	blocks       []block
	entries      map[string]*entry
	runners      []*worker // one per goroutine that runs whole blocks

	// The run in progress.
	schedule []call
	step     uint64
	mask     []bool
	next     atomic.Int64 // block to take
	done     sync.WaitGroup
}

// A block is the memory of width lanes.
type block struct {
	lane0 int
	bufs  [][]float64 // lane buffers by id, [element][lane], nil elsewhere
}

func newExecutable(p *ir.Program, o device.Options) *executable {
	e := &executable{lanes: o.Lanes, width: blockLanes(o.Lanes), seed: o.Seed, buffers: p.Buffers,
		names: map[string]ir.BufID{}, entries: map[string]*entry{}}
	e.allocate()
	c := &compiler{program: p, width: e.width}
	for i := range p.Entries {
		s := &p.Entries[i]
		e.entries[s.Name] = &entry{body: c.statements(s.Body), writes: laneWrites(p, s.Body)}
	}
	e.setup(p)
	e.runners = e.workers(c, o.Threads)
	return e
}

func (e *executable) allocate() {
	e.shared = make([][]float64, len(e.buffers))
	for lane0 := 0; lane0 < e.lanes; lane0 += e.width {
		e.blocks = append(e.blocks, block{lane0: lane0, bufs: make([][]float64, len(e.buffers))})
	}
	for i, b := range e.buffers {
		switch b.Space {
		case ir.Shared:
			e.shared[i] = make([]float64, b.Size)
			copy(e.shared[i], b.Init)
			round(e.shared[i], b.Type)
		case ir.Lane:
			e.names[b.Name] = ir.BufID(i)
			for _, k := range e.blocks {
				k.bufs[i] = make([]float64, b.Size*e.width)
			}
		}
	}
}

// setup runs Setup as if it were an entry of one lane whose lane buffers are the shared ones.
func (e *executable) setup(p *ir.Program) {
	if len(p.Setup) == 0 {
		return
	}
	c := &compiler{program: p, width: 1, setup: true}
	body := c.statements(p.Setup)
	w := newWorker(e, c)
	for _, s := range body {
		s.run(w)
	}
}

func laneWrites(p *ir.Program, body []ir.Stmt) []ir.BufID {
	var ids []ir.BufID
	seen := make([]bool, len(p.Buffers))
	for _, s := range body {
		for _, id := range ir.Writes(s) {
			if p.Buffers[id].Space == ir.Lane && !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func (e *executable) id(name string) ir.BufID {
	id, ok := e.names[name]
	if !ok {
		panic(fmt.Sprintf("host: no lane buffer %q", name))
	}
	return id
}

func (e *executable) Size(name string) int { return e.buffers[e.id(name)].Size }

func (e *executable) Set(name string, values []float64) {
	size := e.checkLen(name, len(values), e.lanes)
	for lane := range e.lanes {
		e.SetLane(name, lane, values[lane*size:(lane+1)*size])
	}
}

func (e *executable) Get(name string, dst []float64) {
	size := e.checkLen(name, len(dst), e.lanes)
	for lane := range e.lanes {
		e.GetLane(name, lane, dst[lane*size:(lane+1)*size])
	}
}

func (e *executable) SetLane(name string, lane int, values []float64) {
	e.checkLen(name, len(values), 1)
	buf, l := e.laneOf(name, lane)
	for i, v := range values {
		buf[i*e.width+l] = v
	}
}

func (e *executable) GetLane(name string, lane int, dst []float64) {
	e.checkLen(name, len(dst), 1)
	buf, l := e.laneOf(name, lane)
	for i := range dst {
		dst[i] = buf[i*e.width+l]
	}
}

func (e *executable) laneOf(name string, lane int) ([]float64, int) {
	if lane < 0 || lane >= e.lanes {
		panic(fmt.Sprintf("host: lane %d of %d", lane, e.lanes))
	}
	return e.blocks[lane/e.width].bufs[e.id(name)], lane % e.width
}

func (e *executable) checkLen(name string, n, lanes int) int {
	size := e.Size(name)
	if n != size*lanes {
		panic(fmt.Sprintf("host: %d numbers for %q, which has %d per lane", n, name, size))
	}
	return size
}

func (e *executable) Close() error { return nil }

func (e *executable) Run(calls []device.Call, step uint64, mask []bool) (uint64, error) {
	next, err := e.plan(calls, step, mask)
	if err != nil {
		return step, err
	}
	e.next.Store(0)
	for _, w := range e.runners[1:] {
		e.done.Add(1)
		go w.runBlocks()
	}
	e.runners[0].takeBlocks()
	e.done.Wait()
	return next, nil
}

// plan resolves the calls into e.schedule and counts their steps.
func (e *executable) plan(calls []device.Call, step uint64, mask []bool) (next uint64, err error) {
	if mask != nil && len(mask) != e.lanes {
		return 0, fmt.Errorf("host: mask of %d for %d lanes", len(mask), e.lanes)
	}
	e.schedule, e.step, e.mask = e.schedule[:0], step, mask
	for _, c := range calls {
		entry, ok := e.entries[c.Entry]
		if !ok || c.Times < 0 {
			return 0, fmt.Errorf("host: cannot run entry %q %d times", c.Entry, c.Times)
		}
		e.schedule = append(e.schedule, call{entry, c.Times})
		step += uint64(c.Times)
	}
	if step > noise.Steps {
		return 0, fmt.Errorf("host: noise step %d is beyond %d", step, uint64(noise.Steps))
	}
	return step, nil
}
