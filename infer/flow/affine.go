package flow

import "ppl/autodiff"

type node = autodiff.Node

// affine is the map z = m + S ε, with S diagonal, or lower triangular with a positive diagonal. φ holds m, log diag S,
// and the rows of S below its diagonal.
type affine struct {
	dim        int
	correlated bool
}

func (f affine) size() int {
	if f.correlated {
		return 2*f.dim + f.dim*(f.dim-1)/2
	}
	return 2 * f.dim
}

func (f affine) start(func() float64) []float64 { return make([]float64, f.size()) }

func (f affine) diagonal() bool { return !f.correlated }

func (f affine) rate() float64 { return 0.03 }

func (f affine) push(phi, eps node) (z, logDet node) {
	p := reader{phi: phi}
	m, logScale := p.take(f.dim), p.take(f.dim)
	z = autodiff.Add(m, autodiff.Mul(autodiff.Exp(logScale), eps))
	if f.correlated && f.dim > 1 {
		rows, columns := lowerTriangle(f.dim)
		lower := autodiff.ScatterAdd([]int{f.dim, f.dim}, p.take(len(rows)), phi.Graph().Data("rows", rows, len(rows)),
			phi.Graph().Data("columns", columns, len(columns)))
		z = autodiff.Add(z, apply(lower, eps))
	}
	return z, autodiff.SumAll(logScale)
}

// lowerTriangle returns the indices of the elements below the diagonal of a square matrix.
func lowerTriangle(dim int) (rows, columns []float64) {
	for i := range dim {
		for j := range i {
			rows, columns = append(rows, float64(i)), append(columns, float64(j))
		}
	}
	return rows, columns
}

// apply returns A x.
func apply(a, x node) node {
	y := autodiff.MatMul(a, autodiff.Reshape(x, x.Size(), 1), false, false)
	return autodiff.Reshape(y, y.Size())
}

// A reader splits φ into its parts, from the beginning.
type reader struct {
	phi node
	at  int
}

// take returns the next part, with shape [n, rest...].
func (r *reader) take(n int, rest ...int) node {
	size := n
	for _, k := range rest {
		size *= k
	}
	part := autodiff.Slice(r.phi, []int{r.at}, []int{r.at + size})
	r.at += size
	return autodiff.Reshape(part, append([]int{n}, rest...)...)
}

// scalar returns the next number.
func (r *reader) scalar() node { return autodiff.Reshape(r.take(1)) }

// dot returns xᵀy.
func dot(x, y node) node { return autodiff.SumAll(autodiff.Mul(x, y)) }
