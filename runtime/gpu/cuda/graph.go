//go:build !cu && !nonative && linux && (amd64 || arm64)

package cuda

import (
	"cmp"

	"ppl/runtime/gpu/driver"
)

// ofThread is the capture mode that restricts only the capturing thread (CU_STREAM_CAPTURE_MODE_THREAD_LOCAL): other
// GPUs have separate threads.
const ofThread = 1

// Capture records launches on the stream in a graph.
func (d *gpuDriver) Capture(launches func() error) (driver.Graph, error) {
	if d.lib.captureBegin == nil {
		return nil, driver.ErrNoGraphs
	}
	err := d.call("cuStreamBeginCapture", func() int32 { return d.lib.captureBegin(d.stream, ofThread) })
	if err != nil {
		return nil, err
	}
	var kept uintptr
	err = launches()
	err = cmp.Or(err, d.call("cuStreamEndCapture", func() int32 { return d.lib.captureEnd(d.stream, &kept) }))
	g := &graph{gpuDriver: d}
	if err == nil {
		err = d.call("cuGraphInstantiate", func() int32 { return d.lib.instantiate(&g.handle, kept, 0) })
	}
	if kept != 0 {
		err = cmp.Or(err, d.call("cuGraphDestroy", func() int32 { return d.lib.graphDestroy(kept) }))
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// A graph is an instantiated graph, which can be launched.
type graph struct {
	*gpuDriver
	handle uintptr
}

func (g *graph) Launch() error {
	return g.call("cuGraphLaunch", func() int32 { return g.lib.graphLaunch(g.handle, g.stream) })
}

func (g *graph) Close() error {
	return g.call("cuGraphExecDestroy", func() int32 { return g.lib.graphRelease(g.handle) })
}
