package numpy

import (
	"fmt"

	"ppl/compiler/datasets/datafile/densearray"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/compiler/datasets/datafile/stream"
)

// ReadRows reads a .npy file row by row. The numbers of a row are next to each other only in C order.
func ReadRows(in *stream.Input, _ *stream.Learned) (rowfile.Source, error) {
	in.Lone = true
	start, _ := in.Text.Peek(1 << 16)
	h, err := readHeader(in.Path, string(start))
	if err != nil {
		return nil, err
	}
	if h.Fortran && len(h.Shape) > 1 {
		return nil, fmt.Errorf("%s: the array is in Fortran order, in which rows are not together; save "+
			"numpy.ascontiguousarray(x)", in.Path)
	}
	return densearray.ReadRows(in, h)
}
