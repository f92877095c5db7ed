package evaluate

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// allFunctions returns the table of functions whose arguments or values have axes.
func allFunctions() map[string]function {
	return map[string]function{
		"pi": constant(math.Pi), "e": constant(math.E), "sqrt2": constant(math.Sqrt2),
		"log2": constant(math.Ln2), "log10": constant(math.Ln10), "positive_infinity": constant(math.Inf(1)),
		"negative_infinity": constant(math.Inf(-1)), "not_a_number": constant(math.NaN()),
		"machine_precision": constant(0x1p-52), "max_value": constant(math.MaxFloat64),
		"target": func(r *run, _ []value) value { return real(r.target) },

		"sum": reduction(floats.Sum), "prod": reduction(floats.Prod), "log_sum_exp": sumExp,
		"mean":     reduction(func(a []float64) float64 { return stat.Mean(a, nil) }),
		"variance": reduction(spread), "sd": reduction(func(a []float64) float64 { return math.Sqrt(spread(a)) }),
		"max":         extreme(math.Max, math.Inf(-1)),
		"min":         extreme(math.Min, math.Inf(1)),
		"norm1":       reduction(func(a []float64) float64 { return floats.Norm(a, 1) }),
		"norm2":       reduction(func(a []float64) float64 { return floats.Norm(a, 2) }),
		"dot_self":    reduction(func(a []float64) float64 { return floats.Dot(a, a) }),
		"dot_product": func(_ *run, a []value) value { return real(dot(a[0].nums, a[1].nums)) },
		"distance": func(_ *run, a []value) value {
			return real(math.Sqrt(squaredDistance(a[0].nums, a[1].nums)))
		},
		"squared_distance": func(_ *run, a []value) value {
			return real(squaredDistance(a[0].nums, a[1].nums))
		},
		"hmm_marginal": func(_ *run, a []value) value { return real(markovMarginal(a[0], a[1], a[2])) },
		"symmetrize_from_lower_tri": func(_ *run, a []value) value {
			return fromLowerTriangle(a[0])
		},
		"softmax": softmax, "log_softmax": logSoftmax, "cumulative_sum": cumulated, "sort_asc": sorted(1),
		"sort_desc": sorted(-1), "sort_indices_asc": sortedPlaces(1), "sort_indices_desc": sortedPlaces(-1),
		"log_mix": logMixture, "rank": rank, "reverse": reversed, "append_row": appended, "append_array": appended,
		"append_col": appendedColumns, "to_vector": toVector, "to_row_vector": toVector, "to_array_1d": toVector,
		"to_array_2d": func(_ *run, a []value) value { return a[0] }, "to_matrix": toMatrix,
		"to_int":     func(_ *run, a []value) value { return mapped1(a[0], math.Trunc) },
		"rep_vector": func(_ *run, a []value) value { return repeat("vector", a[0].num(), a[1].int()) },
		"rep_row_vector": func(_ *run, a []value) value {
			return repeat("row_vector", a[0].num(), a[1].int())
		},
		"rep_array": repeatedArray, "rep_matrix": repeatedMatrix, "linspaced_vector": spaced,
		"linspaced_row_vector": spaced, "linspaced_array": spaced, "linspaced_int_array": spaced,
		"one_hot_vector": oneHot, "one_hot_array": oneHot, "one_hot_row_vector": oneHot, "one_hot_int_array": oneHot,
		"zeros_vector": filled("vector", 0), "ones_vector": filled("vector", 1),
		"zeros_row_vector": filled("row_vector", 0), "ones_row_vector": filled("row_vector", 1),
		"zeros_array": filled("real", 0), "ones_array": filled("real", 1), "zeros_int_array": filled("int", 0),
		"ones_int_array": filled("int", 1),

		"size": func(_ *run, a []value) value {
			if a[0].typ.Depth > 0 {
				return whole(a[0].size())
			}
			return whole(len(a[0].nums))
		},
		"num_elements": func(_ *run, a []value) value { return whole(len(a[0].nums)) },
		"rows":         func(_ *run, a []value) value { return whole(asMatrix(a[0]).dims[0]) },
		"cols":         func(_ *run, a []value) value { return whole(asMatrix(a[0]).dims[1]) },
		"dims": func(_ *run, a []value) value {
			nums := make([]float64, len(a[0].dims))
			for i, d := range a[0].dims {
				nums[i] = float64(d)
			}
			return vector(nums)
		},
		"head":    func(_ *run, a []value) value { return cut(a[0], 1, a[1].int()) },
		"tail":    func(_ *run, a []value) value { return cut(a[0], a[0].size()-a[1].int()+1, a[1].int()) },
		"segment": func(_ *run, a []value) value { return cut(a[0], a[1].int(), a[2].int()) },
		"row": func(_ *run, a []value) value {
			return block(a[0], a[1].int(), 1, 1, a[0].dims[1]).flat()
		},
		"col": func(_ *run, a []value) value {
			return block(a[0], 1, a[1].int(), a[0].dims[0], 1).flat()
		},
		"sub_col": func(_ *run, a []value) value {
			return block(a[0], a[1].int(), a[2].int(), a[3].int(), 1).flat()
		},
		"sub_row": func(_ *run, a []value) value {
			return block(a[0], a[1].int(), a[2].int(), 1, a[3].int()).flat()
		},
		"block": func(_ *run, a []value) value {
			return block(a[0], a[1].int(), a[2].int(), a[3].int(), a[4].int())
		},

		"transpose":   func(_ *run, a []value) value { return transposed(a[0]) },
		"diag_matrix": func(_ *run, a []value) value { return diagonalMatrix(a[0].nums) },
		"identity_matrix": func(_ *run, a []value) value {
			return diagonalMatrix(repeat("vector", 1, a[0].int()).nums)
		},
		"diagonal": func(_ *run, a []value) value { return vector(diagonal(a[0])) },
		"add_diag": func(_ *run, a []value) value {
			mustBeSquare(a[0])
			if more := a[1]; !more.isScalar() {
				mustMatch(a[0].dims[0], len(more.nums))
			}
			out := a[0].clone()
			for i := range out.dims[0] {
				out.nums[i*out.dims[1]+i] += a[1].at(i)
			}
			return out
		},
		"diag_pre_multiply":  func(_ *run, a []value) value { return scaled(a[1], a[0].nums, nil) },
		"diag_post_multiply": func(_ *run, a []value) value { return scaled(a[0], nil, a[1].nums) },
		"quad_form_diag":     func(_ *run, a []value) value { return scaled(a[0], a[1].nums, a[1].nums) },
		"quad_form":          quadForm, "quad_form_sym": quadForm, "trace_quad_form": traceQuadForm,
		"crossprod":  func(_ *run, a []value) value { return times(transposed(a[0]), a[0]) },
		"tcrossprod": func(_ *run, a []value) value { return times(a[0], transposed(a[0])) },
		"multiply_lower_tri_self_transpose": func(_ *run, a []value) value {
			return times(a[0], transposed(a[0]))
		},
		"rows_dot_product": func(_ *run, a []value) value { return rowDots(a[0], a[1]) },
		"rows_dot_self":    func(_ *run, a []value) value { return rowDots(a[0], a[0]) },
		"columns_dot_product": func(_ *run, a []value) value {
			return rowDots(transposed(a[0]), transposed(a[1]))
		},
		"cholesky_decompose": func(_ *run, a []value) value { return cholesky(a[0]) },
		"inverse":            func(_ *run, a []value) value { return inverse(a[0]) },
		"inverse_spd":        func(_ *run, a []value) value { return inverse(a[0]) },
		"determinant":        func(_ *run, a []value) value { return real(determinant(a[0])) },
		"log_determinant": func(_ *run, a []value) value {
			return real(math.Log(math.Abs(determinant(a[0]))))
		},
		"log_determinant_spd": func(_ *run, a []value) value { return real(math.Log(determinant(a[0]))) },
		"trace":               reductionOf(func(m value) float64 { return floats.Sum(diagonal(m)) }),
		"mdivide_left":        func(_ *run, a []value) value { return divideLeft(a[0], a[1]) },
		"mdivide_left_spd":    func(_ *run, a []value) value { return divideLeft(a[0], a[1]) },
		"mdivide_left_tri_low": func(_ *run, a []value) value {
			return divideLeft(lowerPart(a[0]), a[1])
		},
		"mdivide_right":     func(_ *run, a []value) value { return divideRight(a[0], a[1]) },
		"mdivide_right_spd": func(_ *run, a []value) value { return divideRight(a[0], a[1]) },
		"mdivide_right_tri_low": func(_ *run, a []value) value {
			return divideRight(a[0], lowerPart(a[1]))
		},
		"eigenvalues_sym":    func(_ *run, a []value) value { v, _ := eigen(a[0]); return v },
		"eigenvectors_sym":   func(_ *run, a []value) value { _, m := eigen(a[0]); return m },
		"matrix_exp":         func(_ *run, a []value) value { return matrixExp(a[0]) },
		"gp_exp_quad_cov":    covariance(func(d float64) float64 { return math.Exp(-d * d / 2) }),
		"cov_exp_quad":       covariance(func(d float64) float64 { return math.Exp(-d * d / 2) }),
		"gp_exponential_cov": covariance(func(d float64) float64 { return math.Exp(-d) }),
		"gp_matern32_cov": covariance(func(d float64) float64 {
			return (1 + math.Sqrt(3)*d) * math.Exp(-math.Sqrt(3)*d)
		}),
		"gp_matern52_cov": covariance(func(d float64) float64 {
			return (1 + math.Sqrt(5)*d + 5*d*d/3) * math.Exp(-math.Sqrt(5)*d)
		}),
	}
}

func sumExp(_ *run, a []value) value {
	if len(a) == 2 {
		return real(logAddExp(a[0].num(), a[1].num()))
	}
	return real(logSumExp(a[0].nums))
}

func reductionOf(f func(value) float64) function {
	return func(_ *run, a []value) value { return real(f(a[0])) }
}

// rank returns the number of elements that are less than the element at the given index.
func rank(_ *run, a []value) value {
	n := 0
	for _, x := range a[0].nums {
		if x < a[0].nums[within(a[1].int(), a[0].size())] {
			n++
		}
	}
	return whole(n)
}

// flat returns a matrix of one row or column as a vector.
func (v value) flat() value { return vector(v.nums) }

func init() { functions = allFunctions() }
