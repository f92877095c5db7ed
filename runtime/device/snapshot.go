package device

import (
	"fmt"
	"iter"
	"slices"

	"ppl/numbers"
)

// A Snapshot is a copy of lane buffers. It restores the state of the same program with the same number of lanes, on any
// device:
//
//	s := slices.Collect(device.Save(e, lanes, e.Buffers()))
//	e.Run(calls, step, nil)
//	device.Restore(e, lanes, s)
//	e.Run(calls, step, nil)    the same numbers again
type Snapshot []Part

// A Part is a copy of one lane's part of a lane buffer.
type Part struct {
	Name   string
	Lane   int
	Values numbers.Exact
}

// Save copies lane buffers, one part after another, since the copies of all buffers of a network might not fit into
// memory at once.
func Save(e Executable, lanes int, names []string) iter.Seq[Part] {
	return save(e, lanes, names, ReadLanes)
}

// SaveRecorded is Save in the process that records draws. In the others the values of the parts are undefined.
func SaveRecorded(e Executable, lanes int, names []string) iter.Seq[Part] {
	return save(e, lanes, names, CollectLanes)
}

func save(e Executable, lanes int, names []string,
	read func(e Executable, name string, lanes []int, dst [][]float64)) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		for _, name := range names {
			values := make([]float64, e.Size(name))
			for lane := range lanes {
				read(e, name, []int{lane}, [][]float64{values})
				if !yield(Part{name, lane, numbers.ExactOf(values)}) {
					return
				}
			}
		}
	}
}

// Restore copies a snapshot back. If the program has other buffers, it returns an error and copies nothing.
func Restore(e Executable, lanes int, s Snapshot) error {
	names := e.Buffers()
	for _, p := range s {
		if !slices.Contains(names, p.Name) || p.Values.Len() != e.Size(p.Name) || p.Lane < 0 || p.Lane >= lanes {
			return fmt.Errorf("the program has no lane buffer %q of %d numbers on lane %d of %d", p.Name,
				p.Values.Len(), p.Lane, lanes)
		}
	}
	var values []float64
	for _, p := range s {
		values = slices.Grow(values[:0], p.Values.Len())[:p.Values.Len()]
		p.Values.Copy(values)
		e.SetLane(p.Name, p.Lane, values)
	}
	return nil
}
