package driver

// A Multiplier is a driver that has a library for products of matrices.
type Multiplier interface {
	// Library opens the library, unless it is open, and names it with its version. The error says why there is none.
	Library() (string, error)
	// Multiply computes products, in order with launches. A graph can keep it.
	Multiply(Product) error
}

// A Product is C = A·B for each of Batch matrices: A is M×K, B is K×N, C is M×N, stored by rows. All numbers are of
// single precision, or all of double; sums have at least the same precision.
type Product struct {
	Single         bool
	Batch, M, K, N int
	A, B, C        Matrix
}

// A Matrix of a batch begins Each elements after the one before it.
type Matrix struct {
	At         Ptr
	Each       int
	Transposed bool // what is stored is the transpose; C never is
}
