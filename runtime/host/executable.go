package host

import (
	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

func newExecutable(p *ir.Program, o device.Options) *executable {
	e := &executable{seed: o.Seed, first: o.First, group: max(o.Group, 1), buffers: p.Buffers,
		entries: map[string]*entry{}}
	e.allocate(o.Lanes, p.Layout)
	c := &compiler{program: p, width: e.Width}
	for i := range p.Entries {
		s := &p.Entries[i]
		e.entries[s.Name] = &entry{body: c.statements(s.Body), writes: device.LaneWrites(p, s.Body),
			Traits: device.TraitsOf(*s)}
	}
	e.setup(p)
	e.runners = e.workers(c, o.Threads)
	return e
}

func (e *executable) allocate(lanes int, layout ir.Layout) {
	e.LaneBuffers = device.NewLaneBuffers(e.buffers, lanes, blockLanes(lanes, layout), func(n int) []float64 {
		return make([]float64, n)
	}, nil)
	e.shared = make([][]float64, len(e.buffers))
	for i, b := range e.buffers {
		if b.Given {
			e.shared[i] = e.Given.Bufs[i]
		} else if b.Space == ir.Shared {
			e.shared[i] = make([]float64, b.Size)
			for k, v := range b.Init.All() {
				e.shared[i][k] = v
			}
			round(e.shared[i], b.Type)
		}
	}
}

// Shared runs the Setup of a verified program and returns its shared buffers by id, nil for others. Devices that cannot
// run Setup copy them.
func Shared(p *ir.Program) [][]float64 {
	e := &executable{buffers: p.Buffers}
	e.allocate(1, p.Layout)
	e.setup(p)
	return e.shared
}

// setup runs Setup as an entry of a single lane whose lane buffers are the shared buffers.
func (e *executable) setup(p *ir.Program) {
	if len(p.Setup) == 0 {
		return
	}
	c := &compiler{program: p, width: 1, setup: true}
	body := c.statements(p.Setup)
	w := newWorker(e, c)
	w.bindViews()
	for _, s := range body {
		s.run(w)
	}
}

func (e *executable) Close() error { return nil }

func (e *executable) Run(calls []device.Call, step uint64, mask []bool) (uint64, error) {
	next, err := e.Next(calls, step, mask, e.known)
	if err != nil {
		return step, err
	}
	peers := func(name string) bool { return e.entries[name].Peers }
	for len(calls) > 0 {
		now, later := device.Together(calls, peers)
		step = e.runTogether(now, step, mask)
		calls = later
	}
	return next, nil
}

func (e *executable) known(name string) (device.Traits, bool) {
	if entry, ok := e.entries[name]; ok {
		return entry.Traits, true
	}
	return device.Traits{}, false
}

// runTogether runs calls on all blocks, and returns the step after the last.
func (e *executable) runTogether(calls []device.Call, step uint64, mask []bool) (next uint64) {
	next = e.plan(calls, step, mask)
	e.next.Store(0)
	for _, w := range e.runners[1:] {
		e.done.Add(1)
		go w.runBlocks()
	}
	e.runners[0].takeBlocks()
	e.done.Wait()
	return next
}

// plan resolves the calls into e.schedule, and returns the step after the last.
func (e *executable) plan(calls []device.Call, step uint64, mask []bool) (next uint64) {
	e.schedule, e.step, e.mask = e.schedule[:0], step, mask
	for _, c := range calls {
		e.schedule = append(e.schedule, call{e.entries[c.Entry], c.Times})
		step += e.entries[c.Entry].Steps(c.Times)
	}
	return step
}
