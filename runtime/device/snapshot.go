package device

import (
	"fmt"
	"slices"
)

// A Snapshot is a copy of lane buffers. On the same program with as many lanes it restores what the
// next calls depend on, on any device:
//
//	s := device.Save(e, lanes, e.Buffers())
//	e.Run(calls, step, nil)
//	device.Restore(e, lanes, s)
//	e.Run(calls, step, nil)    the same numbers again
type Snapshot []Buffer

// A Buffer is a copy of one lane buffer: Values[lane*size+element].
type Buffer struct {
	Name   string
	Values []float64
}

// Save copies lane buffers.
func Save(e Executable, lanes int, names []string) Snapshot {
	var s Snapshot
	for _, name := range names {
		values := make([]float64, lanes*e.Size(name))
		e.Get(name, values)
		s = append(s, Buffer{name, values})
	}
	return s
}

// Restore copies a snapshot back. It is an error, and nothing has been copied, where the program has other buffers.
func Restore(e Executable, lanes int, s Snapshot) error {
	names := e.Buffers()
	for _, b := range s {
		if !slices.Contains(names, b.Name) || len(b.Values) != lanes*e.Size(b.Name) {
			return fmt.Errorf("the program has no lane buffer %q of %d numbers on %d lanes", b.Name, len(b.Values),
				lanes)
		}
	}
	for _, b := range s {
		e.Set(b.Name, b.Values)
	}
	return nil
}
