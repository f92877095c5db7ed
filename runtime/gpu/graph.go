package gpu

import (
	"errors"
	"math/bits"

	"ppl/runtime/gpu/driver"
)

// An entry by points consists of several launches, and a sampler runs it about ten times in a row, with a varying
// number. The launches of 1, 2, 4, … executions are recorded in graphs of the driver, and each graph is launched at
// once:
//
//	step × 11, 5 launches each:   55 launches   →   3 graphs, of 8, 2 and 1 executions
//
// A graph records the arguments of its launches, including their steps, which are relative to the step of the call. So
// the last launch of a graph is a kernel that advances the call's step, and the next graph starts from there.
//
// A graph is created when its executions are needed for the second time. By then the entry has run, so the block sizes
// are as small as its kernels require. If the driver cannot create or launch a graph and the device is not lost, the
// launches are made one by one, which only takes longer.
type graph struct {
	seen bool
	kept driver.Graph
}

// Least number of launches for which a graph is worth creating, and largest number that it may have: the driver needs
// some kB for each launch.
const (
	leastKept = 4
	mostKept  = 512
)

// repeat runs an entry by points several times, from a step relative to that of the arguments, and returns the step
// after it.
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

// graphOf returns the graph of n executions, where n is a power of two; nil if there is none.
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
		return e.advanceStep(entry.Steps(n))
	})
	return g.kept, e.withoutGraphs(err)
}

// replay launches a graph at a step. It returns the next step, which is 0 since the graph has advanced the step of the
// arguments.
func (e *executable) replay(kept driver.Graph, step uint64) (uint64, error) {
	if err := e.advanceStep(step); err != nil {
		return step, err
	}
	return 0, e.withoutGraphs(kept.Launch())
}

// advanceStep advances the step of the arguments.
func (e *executable) advanceStep(steps uint64) error {
	if steps == 0 {
		return nil
	}
	return e.start(e.advance, 0, 0, steps)
}

// withoutGraphs disables graphs if err is an error. It returns err only if the device is lost.
func (e *executable) withoutGraphs(err error) error {
	code := (*driver.Error)(nil)
	if err == nil || errors.As(err, &code) && code.Fault() {
		return err
	}
	e.noGraphs = true
	return nil
}

// forgetGraphs releases the graphs.
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
