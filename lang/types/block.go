package types

// A Block is a contiguous range of unconstrained coordinates that belongs to one parameter array.
//
//	f(x[3]) = x -> dense(8) -> tanh -> dense(1) -> first     {"f.dense1.w", 0, 24, "f.dense1", 3, 8}
//	                                                         {"f.dense1.b", 24, 8, "f.dense1", 0, 0}, …
//	s ~ HalfNormal(1)                                        {"s", 41, 1, "", 0, 0}
type Block struct {
	Parameter   string
	First, Size int
	Layer       string // layer of a network to which the weights belong; empty for other parameters
	Inputs      int    // number of inputs of a layer, for weights that multiply them; else 0
	Outputs     int    // number of outputs of the layer, for these weights; else 0
}
