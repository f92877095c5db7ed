// Package draws keeps named draws on disk: a Zarr store in the InferenceData layout that ArviZ reads, written in streamed,
// atomic chunks, so that whatever ends a run the draws so far are usable.
package draws

// A Variable is a named array saved once per draw.
type Variable struct {
	Name  string
	Shape []int      // without chain and draw
	Dims  []string   // one name per axis: the index set's name, or NAME_dim_0
	First []int      // index of the first element of each axis as the user writes it (usually 1)
	Label [][]string // labels of an axis, or nil for numbers
	Int   bool       // draws are integers
}

// Size is the number of elements.
func (v Variable) Size() int {
	n := 1
	for _, s := range v.Shape {
		n *= s
	}
	return n
}
