package stan

// An Array is a value of the data. The last index varies fastest.
type Array struct {
	Dims   []int
	Values []float64
}

// Data maps variables of the data block to their values, as far as these are known.
type Data map[string]Array
