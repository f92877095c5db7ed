package types

// A Block is unconstrained coordinates that follow one another and belong to one parameter array.
//
//	f(x[3]) = x -> dense(8) -> tanh -> dense(1) -> first     {"f.dense1.w", 0, 24, "f.dense1", 3, 8}
//	                                                         {"f.dense1.b", 24, 8, "f.dense1", 0, 0}, …
//	s ~ HalfNormal(1)                                        {"s", 41, 1, "", 0, 0}
type Block struct {
	Parameter   string
	First, Size int
	Layer       string // of a network, whose weights they are; empty for other parameters
	Inputs      int    // of weights that multiply what a layer is given: how many one sum has; 0 for all others
	Outputs     int    // of these weights: how many sums there are
}
