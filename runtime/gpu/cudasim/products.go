//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package cudasim

import (
	"unsafe"

	"ppl/runtime/gpu/driver"
)

// Library returns the error NoLibrary, or the name of the simulated library.
func (d *Driver) Library() (string, error) {
	if d.NoLibrary != nil {
		return "", d.NoLibrary
	}
	return "simulated cuBLAS", d.answer("library")
}

// Multiply computes products with sums from the last term to the first, unlike kernels, so that tests notice if a
// caller depends on the order of sums.
func (d *Driver) Multiply(p driver.Product) error {
	return d.do("product", func() {
		if p.Single {
			multiply[float32](d, p)
		} else {
			multiply[float64](d, p)
		}
	})
}

func multiply[T float32 | float64](d *Driver, p driver.Product) {
	a := numbers[T](d, p.A, p.Batch, p.M*p.K)
	b := numbers[T](d, p.B, p.Batch, p.K*p.N)
	c := numbers[T](d, p.C, p.Batch, p.M*p.N)
	ai, ak := strides(p.A, p.M, p.K)
	bk, bj := strides(p.B, p.K, p.N)
	for n := range p.Batch {
		a, b, c := a[n*p.A.Each:], b[n*p.B.Each:], c[n*p.C.Each:]
		for i := range p.M {
			for j := range p.N {
				sum := T(0)
				for k := p.K - 1; k >= 0; k-- {
					sum += a[i*ai+k*ak] * b[k*bk+j*bj]
				}
				c[i*p.N+j] = sum
			}
		}
	}
}

// numbers returns the matrices of a batch, with the given number of elements each.
func numbers[T float32 | float64](d *Driver, m driver.Matrix, batch, elements int) []T {
	var x T
	n := (batch-1)*m.Each + elements
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(d.at(m.At, n*int(unsafe.Sizeof(x)))))), n)
}

// strides returns the distances between neighbouring elements of a matrix, down a column and along a row.
func strides(m driver.Matrix, rows, cols int) (down, along int) {
	if m.Transposed {
		return 1, rows
	}
	return cols, 1
}
