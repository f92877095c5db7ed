package numpy

import (
	"fmt"

	"ppl/compiler/datasets/datafile/densearray"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/compiler/datasets/datafile/stream"
)

// ReadRows returns a source of the rows of a .npy file. It returns an error for an array in Fortran order, in which the
// numbers of a row are not contiguous.
func ReadRows(in *stream.Input, _ *stream.Learned) (rowfile.Source, error) {
	in.Lone = true
	start, _ := in.Text.Peek(1 << 16)
	h, err := readHeader(in.Path, string(start))
	if err != nil {
		return nil, err
	}
	if h.Fortran && len(h.Shape) > 1 {
		return nil, fmt.Errorf("%s: the array is in Fortran order, in which rows are not contiguous; save "+
			"numpy.ascontiguousarray(x) instead", in.Path)
	}
	return densearray.ReadRows(in, h)
}
