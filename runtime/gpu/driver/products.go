package driver

// A Multiplier is a driver that has a library for products of matrices.
type Multiplier interface {
	// Library opens the library, unless it is open, and returns its name with the version. The error gives the reason
	// if there is none.
	Library() (string, error)
	// Multiply computes products, in order with launches. A graph can record it.
	Multiply(Product) error
}

// A Product is C = A·B for each of Batch matrices: A is M×K, B is K×N, C is M×N, all row-major. All numbers have single
// precision, or all have double precision; sums have at least the same precision.
type Product struct {
	Single         bool
	Batch, M, K, N int
	A, B, C        Matrix
}

// A Matrix describes the matrices of a batch: each starts Each elements after the previous one.
type Matrix struct {
	At         Ptr
	Each       int
	Transposed bool // the stored matrix is the transpose; not for C
}
