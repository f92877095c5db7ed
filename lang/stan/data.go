package stan

// An Array is a value of the data, its last axis running fastest.
type Array struct {
	Dims   []int
	Values []float64
}

// Data are the values of the data block, as far as they are known.
type Data map[string]Array
