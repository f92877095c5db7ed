package callable

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"ppl/app/fault"
	"ppl/compiler/backend/library"
	"ppl/infer"
	"ppl/runtime/device"
)

// These are the kinds of requests that Serve answers. A request consists of the kind, 1 or 0 for including the
// log-Jacobian or not, the number of points (each as a uint64), and the points as doubles. All numbers are
// little-endian.
const (
	askDensity   = 0 // the answer is the values at all points, then their gradients
	askConstrain = 1 // the answer is the parameters at all points
)

// lanes is the number of points evaluated together.
const lanes = 8

// most is the maximum number of points in a request, so that an invalid request cannot exhaust the memory.
const most = 1 << 24

// Serve writes the description as one line of JSON, then answers requests until the input ends.
func Serve(d Density, on infer.Device, in io.Reader, out io.Writer) error {
	loader, err := on.Compile(d.Entries)
	if err != nil {
		return fault.Of(err)
	}
	x, err := loader.Load(device.Options{Lanes: lanes})
	if err != nil {
		return fault.Of(err)
	}
	defer x.Close()
	s := server{d.Description, x, bufio.NewReader(in), bufio.NewWriter(out)}
	if _, err := fmt.Fprintf(s.out, "%s\n", d.Description.json()); err != nil {
		return fault.Of(err)
	}
	for {
		if err := s.out.Flush(); err != nil {
			return fault.Of(err)
		}
		switch err := s.answer(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fault.Of(err)
		}
	}
}

type server struct {
	Description
	x   device.Executable
	in  *bufio.Reader
	out *bufio.Writer
}

// answer reads a request and writes its answer. It returns io.EOF after the last request.
func (s server) answer() error {
	var head struct{ Kind, Jacobian, Points uint64 }
	if err := binary.Read(s.in, binary.LittleEndian, &head); err != nil {
		return err
	}
	if head.Kind > askConstrain || head.Points > most {
		return fmt.Errorf("invalid request: kind %d, %d points", head.Kind, head.Points)
	}
	points := make([]float64, int(head.Points)*s.Dimension)
	switch err := binary.Read(s.in, binary.LittleEndian, points); {
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF // the head of a request must be followed by its points
	case err != nil:
		return err
	}
	if head.Kind == askConstrain {
		values, err := s.evaluate(points, library.Constrain, library.Parameters)
		if err != nil {
			return err
		}
		return binary.Write(s.out, binary.LittleEndian, values[0])
	}
	entry, value, gradient := library.Density, library.Value, library.Gradient
	if head.Jacobian == 0 {
		entry, value, gradient = library.Own, library.OwnValue, library.OwnGradient
	}
	found, err := s.evaluate(points, entry, value, gradient)
	if err != nil {
		return err
	}
	return errors.Join(binary.Write(s.out, binary.LittleEndian, found[0]),
		binary.Write(s.out, binary.LittleEndian, found[1]))
}

// evaluate runs an entry at all points. It returns a slice for each name, with the values assigned at all points.
func (s server) evaluate(points []float64, entry string, names ...string) ([][]float64, error) {
	out := make([][]float64, len(names))
	block := make([]float64, lanes*s.Dimension)
	for first := 0; first < len(points); first += len(block) {
		n := copy(block, points[first:]) / s.Dimension
		s.x.Set(library.Theta, block)
		if _, err := s.x.Run([]device.Call{{Entry: entry, Times: 1}}, 0, nil); err != nil {
			return nil, err
		}
		for k, name := range names {
			size := s.x.Size(name)
			all := make([]float64, lanes*size)
			s.x.Get(name, all)
			out[k] = append(out[k], all[:n*size]...)
		}
	}
	return out, nil
}
