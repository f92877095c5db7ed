package gpu

import (
	"errors"
	"math/bits"

	"ppl/runtime/gpu/driver"
)

// An entry by points is several launches, and a sampler runs it some ten times in a row, now more and now fewer. The
// launches of 1, 2, 4, … executions are kept in graphs of the driver's, each of which is launched as a whole:
//
//	step × 11, 5 launches each:   55 launches   →   3 graphs, of 8, 2 and 1 executions
//
// A graph has its arguments permanently, the steps of its launches among them, which are counted from that of the call.
// So its last launch is a kernel that takes the call's step further, and the next graph begins there.
//
// A graph is made when its executions are due for the second time. By then the entry has run, so blocks are as small as
// its kernels need. Where the driver cannot make or launch one and the device is not lost, each launch is given by
// itself, which only takes longer.
type graph struct {
	seen bool
	kept driver.Graph
}

// From how many launches on a graph is worth making, and the most that it may have: the driver keeps some kB for each.
const (
	leastKept = 4
	mostKept  = 512
)

// repeat runs an entry by points some times, at a step after that of the arguments, and returns the one that follows.
func (e *executable) repeat(entry *entry, times int, step uint64) (uint64, error) {
	for times > 0 {
		n := 1 << min(bits.Len(uint(times))-1, bits.Len(uint(max(1, mostKept/len(entry.stages))))-1)
		times -= n
		kept, err := e.graphOf(entry, n)
		if err != nil {
			return step, err
		}
		if kept != nil {
			if step, err = e.replay(kept, step); err != nil {
				return step, err
			}
			if !e.noGraphs {
				continue
			}
		}
		if err := e.each(entry, n, step); err != nil {
			return step, err
		}
		step += entry.Steps(n)
	}
	return step, nil
}

// each launches executions one by one.
func (e *executable) each(entry *entry, times int, step uint64) error {
	for i := range times {
		if err := e.byPoints(entry, step+entry.Steps(i)); err != nil {
			return err
		}
	}
	return nil
}

// graphOf returns the graph of a number of executions that is a power of two; nil if there is none.
func (e *executable) graphOf(entry *entry, n int) (driver.Graph, error) {
	if e.noGraphs || n*len(entry.stages) < leastKept {
		return nil, nil
	}
	at := bits.Len(uint(n)) - 1
	for len(entry.graphs) <= at {
		entry.graphs = append(entry.graphs, graph{})
	}
	g := &entry.graphs[at]
	if !g.seen || g.kept != nil {
		g.seen = true
		return g.kept, nil
	}
	var err error
	g.kept, err = e.driver.Capture(func() error {
		if err := e.each(entry, n, 0); err != nil {
			return err
		}
		return e.goOn(entry.Steps(n))
	})
	return g.kept, e.withoutGraphs(err)
}

// replay launches a graph from a step on. It returns the step that follows, as counted now, or the same where the graph
// could not be launched.
func (e *executable) replay(kept driver.Graph, step uint64) (uint64, error) {
	if err := e.goOn(step); err != nil {
		return step, err
	}
	return 0, e.withoutGraphs(kept.Launch())
}

// goOn takes the step of the arguments further.
func (e *executable) goOn(steps uint64) error {
	if steps == 0 {
		return nil
	}
	return e.start(e.advance, 0, 0, steps)
}

// withoutGraphs notes that graphs fail; the error is that of a device that is lost.
func (e *executable) withoutGraphs(err error) error {
	code := (*driver.Error)(nil)
	if err == nil || errors.As(err, &code) && code.Fault() {
		return err
	}
	e.noGraphs = true
	return nil
}

// forgetGraphs releases them.
func (e *executable) forgetGraphs() (err error) {
	for _, entry := range e.entries {
		for _, g := range entry.graphs {
			if g.kept != nil {
				err = errors.Join(err, g.kept.Close())
			}
		}
	}
	return err
}
