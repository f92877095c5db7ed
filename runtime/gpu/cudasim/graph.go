//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package cudasim

import "ppl/runtime/gpu/driver"

// captureUnsupported is the code for an operation that cannot be captured.
const captureUnsupported = 900

// do runs an operation, or records it for the graph that is being captured.
func (d *Driver) do(op string, f func()) error {
	if d.captured != nil {
		*d.captured = append(*d.captured, f)
		return nil
	}
	if err := d.answer(op); err != nil {
		return err
	}
	f()
	return nil
}

// forbidden returns an error during a capture, for operations that cannot be captured.
func (d *Driver) forbidden(op string) error {
	if d.captured == nil {
		return nil
	}
	return &driver.Error{Op: op, Code: captureUnsupported}
}

// Capture records launches and uploads.
func (d *Driver) Capture(launches func() error) (driver.Graph, error) {
	if err := d.answer("capture"); err != nil {
		return nil, err
	}
	var all []func()
	d.captured = &all
	err := launches()
	d.captured = nil
	if err != nil {
		return nil, err
	}
	d.Graphs++
	return &graph{d, all}, nil
}

type graph struct {
	*Driver
	all []func()
}

// Launch runs the recorded operations.
func (g *graph) Launch() error {
	return g.do("graph", func() {
		for _, f := range g.all {
			f()
		}
	})
}

func (g *graph) Close() error {
	g.Graphs--
	return nil
}
