package population

import (
	"slices"

	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// chooseSaved determines the lane buffers that a checkpoint holds: those that later calls of the device read, and all
// of size 1, which the host reads between calls. It leaves out metrics and anchors, rows of files, which are read again
// for each call, and buffers that each call of several trajectories initialises.
func (w *Walkers) chooseSaved() {
	once := slices.Concat(dynamics.MetricBuffers(), dynamics.AnchorBuffers(), dynamics.JumpBuffers(),
		[]string{dynamics.Recorded, dynamics.Rung, dynamics.Want, dynamics.Swaps})
	if w.rows != nil {
		once = append(once, w.rows.Inputs()...)
	}
	w.Saved = slices.DeleteFunc(w.Exe.Buffers(), func(name string) bool {
		return slices.Contains(once, name) || w.Exe.Size(name) > 1 && !slices.Contains(w.program.lasting, name)
	})
	for _, name := range w.Saved {
		w.SavedNumbers += w.Lanes() * w.Exe.Size(name)
	}
}

// A replayDevice has the lane buffers of a program, but its entries do nothing.
type replayDevice struct{ device.LaneBuffers }

func newReplayDevice(program device.Loader, lanes int) *replayDevice {
	doubles, singles := func(n int) []float64 { return make([]float64, n) }, func(n int) []float32 {
		return make([]float32, n)
	}
	return &replayDevice{device.NewLaneBuffers(program.Buffers(), lanes, 1, doubles, singles)}
}

// Run counts the noise steps and does nothing else.
func (*replayDevice) Run(calls []device.Call, step uint64, _ []bool) (uint64, error) {
	for _, c := range calls {
		step += uint64(c.Times)
	}
	return step, nil
}

// Close does nothing.
func (*replayDevice) Close() error { return nil }
