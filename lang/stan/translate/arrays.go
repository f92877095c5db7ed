package translate

import (
	"slices"

	"ppl/lang/stan"
)

// An arrayFunction translates a call of a Stan function with the given arguments.
type arrayFunction func(x *executor, a []value) value

// arrayFunctions maps Stan's functions of arrays, vectors and matrices to their translations, unless another table has
// them.
func arrayFunctions() map[string]arrayFunction {
	one := func(f func(x *executor, a []value) term) func(x *executor, a []value) value {
		return func(x *executor, a []value) value { return scalar(f(x, a)) }
	}
	same := func(_ *executor, a []value) value { return a[0] }
	all := map[string]arrayFunction{
		"rep_vector": repeated("vector", 0), "rep_row_vector": repeated("row_vector", 0),
		"rep_array": repeatedArray, "rep_matrix": repeatedMatrix,
		"zeros_vector": filled(0, "vector"), "ones_vector": filled(1, "vector"),
		"zeros_row_vector": filled(0, "row_vector"), "ones_row_vector": filled(1, "row_vector"),
		"zeros_array": filled(0, "real"), "ones_array": filled(1, "real"),
		"zeros_int_array": filled(0, "int"), "ones_int_array": filled(1, "int"),
		"to_vector": toVector, "to_row_vector": toVector, "to_array_1d": toVector, "to_matrix": toMatrix,
		"to_array_2d": same, "to_int": same, "transpose": func(_ *executor,
			a []value) value {
			return transposed(a[0])
		},
		"size":         one(func(_ *executor, a []value) term { return a[0].sizeOrCount() }),
		"rows":         one(func(_ *executor, a []value) term { return rowsOf(a[0]) }),
		"cols":         one(func(_ *executor, a []value) term { return colsOf(a[0]) }),
		"num_elements": one(func(_ *executor, a []value) term { return a[0].count() }),
		"dims":         func(x *executor, a []value) value { return x.listOf(a[0].dims).as("int") },
		"dot_product":  one(func(x *executor, a []value) term { return x.dot(a[0], a[1]) }),
		"dot_self":     one(func(x *executor, a []value) term { return x.fold("sum", x.squares(a[0])) }),
		"norm2": one(func(x *executor, a []value) term {
			return callTerm("sqrt", x.fold("sum", x.squares(a[0])))
		}),
		"distance": one(func(x *executor, a []value) term {
			return callTerm("sqrt", x.fold("sum", x.squares(x.infix("-", a[0], a[1]))))
		}),
		"squared_distance": one(func(x *executor, a []value) term {
			if a[0].isScalar() {
				return power(subtract(a[0].number(), a[1].number()), constant(2))
			}
			return x.fold("sum", x.squares(x.infix("-", a[0], a[1])))
		}),
		"rows_dot_product": func(x *executor, a []value) value {
			return lazily(stan.Type{Word: "vector"}, a[0].dims[:1], a, func(i []term) term {
				return x.dot(rowOf(a[0], i[0]), rowOf(a[1], i[0]))
			})
		},
		"columns_dot_product": func(x *executor, a []value) value {
			return lazily(stan.Type{Word: "row_vector"}, a[0].dims[1:], a, func(i []term) term {
				return x.dot(columnOf(a[0], i[0]), columnOf(a[1], i[0]))
			})
		},
		"rows_dot_self": func(x *executor, a []value) value {
			return lazily(stan.Type{Word: "vector"}, a[0].dims[:1], a, func(i []term) term {
				return x.dot(rowOf(a[0], i[0]), rowOf(a[0], i[0]))
			})
		},
		"crossprod":    func(x *executor, a []value) value { return x.product(transposed(a[0]), a[0]) },
		"tcrossprod":   func(x *executor, a []value) value { return x.product(a[0], transposed(a[0])) },
		"head":         func(_ *executor, a []value) value { return cutOf(a[0], constant(1), a[1].number()) },
		"segment":      func(_ *executor, a []value) value { return cutOf(a[0], a[1].number(), a[2].number()) },
		"tail":         tailOf,
		"reverse":      reversed,
		"row":          func(_ *executor, a []value) value { return rowOf(a[0], a[1].number()) },
		"col":          func(_ *executor, a []value) value { return columnOf(a[0], a[1].number()) },
		"sub_col":      subColumn,
		"sub_row":      subRow,
		"block":        blockOf,
		"append_row":   appended,
		"append_col":   appendColumn,
		"append_array": appended,
		"diag_matrix": func(_ *executor, a []value) value {
			n := a[0].dims[0]
			v := lazily(stan.Type{Word: "matrix"}, []term{n, n}, a, func(i []term) term {
				return choose(comparison("==", i[0], i[1]), a[0].elem(i[:1]), constant(0))
			})
			if a[0].whole != nil {
				v.whole = callOf("diag", a[0].whole)
			}
			return v
		},
		"identity_matrix": func(_ *executor, a []value) value {
			n := a[0].number()
			v := lazily(stan.Type{Word: "matrix"}, []term{n, n}, a, func(i []term) term {
				return choose(comparison("==", i[0], i[1]), constant(1), constant(0))
			})
			v.whole = callOf("diagonal", literalOf("1"), n.node)
			return v
		},
		"add_diag": func(_ *executor, a []value) value {
			return lazily(a[0].typ, a[0].dims, a, func(i []term) term {
				more := a[1]
				extra := term{}
				if more.isScalar() {
					extra = more.number()
				} else {
					extra = more.elem(i[:1])
				}
				return choose(comparison("==", i[0], i[1]), add(a[0].elem(i), extra), a[0].elem(i))
			})
		},
		"diagonal": func(_ *executor, a []value) value {
			return lazily(stan.Type{Word: "vector"}, a[0].dims[:1], a, func(i []term) term {
				return a[0].elem([]term{i[0], i[0]})
			})
		},
		"diag_pre_multiply": func(_ *executor, a []value) value {
			return lazily(a[1].typ, a[1].dims, a, func(i []term) term {
				return multiply(a[0].elem(i[:1]),
					a[1].elem(i))
			})
		},
		"diag_post_multiply": func(_ *executor, a []value) value {
			return lazily(a[0].typ, a[0].dims, a, func(i []term) term {
				return multiply(a[0].elem(i),
					a[1].elem(i[1:]))
			})
		},
		"quad_form_diag": func(_ *executor, a []value) value {
			return lazily(a[0].typ, a[0].dims, a, func(i []term) term {
				return multiply(multiply(a[1].elem(i[:1]), a[0].elem(i)), a[1].elem(i[1:]))
			})
		},
		"quad_form": quadForm, "quad_form_sym": quadForm,
		"trace_quad_form": one(func(x *executor, a []value) term { return x.traceOf(quadForm(x, a)) }),
		"multiply_lower_tri_self_transpose": func(x *executor, a []value) value {
			return x.product(a[0], transposed(a[0]))
		},
		"mdivide_left": divideLeft, "mdivide_left_spd": divideLeft, "mdivide_left_tri_low": divideLeft,
		"mdivide_right": divideRight, "mdivide_right_spd": divideRight, "mdivide_right_tri_low": divideRight,
		"log_mix":         logMix,
		"gp_exp_quad_cov": covariance("rbf"), "cov_exp_quad": covariance("rbf"),
		"gp_matern32_cov": covariance("matern32"), "gp_matern52_cov": covariance("matern52"),
		"gp_exponential_cov": covariance("matern12"), "gp_periodic_cov": covariance("periodic"),
		"linspaced_vector": linspaced, "linspaced_row_vector": linspaced, "linspaced_array": linspaced,
		"linspaced_int_array": linspaced, "one_hot_vector": oneHot, "one_hot_array": oneHot,
		"sort_desc": func(x *executor, a []value) value {
			return reversed(x,
				[]value{x.matrixCall("sort_asc", a[0])})
		},
		"sort_indices_asc": sortIndices(1), "sort_indices_desc": sortIndices(-1),
		"quantile": one(func(x *executor, a []value) term {
			return callTerm("sample_quantile", x.entire(a[0]), a[1].number())
		}),
		"rank": one(func(x *executor, a []value) term {
			at := a[0].elem([]term{a[1].number()})
			below := lazily(stan.Type{Word: "int", Depth: 1}, a[0].dims, a, func(i []term) term {
				return comparison("<", a[0].elem(i), at)
			})
			return x.fold("sum", below)
		}),
		"norm1": one(func(x *executor, a []value) term {
			return x.fold("sum", x.libraryCall("abs", a, a[0].typ))
		}),
		"kronecker_prod": func(x *executor, a []value) value {
			p, q := x.entire(a[0]), x.entire(a[1])
			dims := []term{multiply(a[0].dims[0], a[1].dims[0]), multiply(a[0].dims[1], a[1].dims[1])}
			return matrixOf(callOf("kron", p.node, q.node), dims, a)
		},
	}
	return all
}

// matrixOf returns the matrix that the expression n evaluates to.
func matrixOf(n *node, dims []term, from []value) value {
	v := lazily(stan.Type{Word: "matrix"}, dims, from, nil)
	v.whole = n
	all := v.asTerm()
	v.elem = func(i []term) term { return termOf(subscriptOf(n, nodesOf(i)...), append(slices.Clone(i), all)...) }
	return v
}

func rowsOf(v value) term {
	if v.typ.Word == "row_vector" && v.typ.Depth == 0 {
		return constant(1)
	}
	return v.size()
}

func colsOf(v value) term {
	switch {
	case v.typ.Word == "vector" && v.typ.Depth == 0:
		return constant(1)
	case len(v.dims) == 0:
		return constant(1)
	}
	return v.dims[len(v.dims)-1]
}

// sizeOrCount returns the result of Stan's size(): the number of elements of a matrix, or the length of an array's
// first axis.
func (v value) sizeOrCount() term {
	if v.typ.Depth == 0 {
		return v.count()
	}
	return v.size()
}

func repeated(word string, at int) func(x *executor, a []value) value {
	return func(_ *executor, a []value) value {
		return constantArray(stan.Type{Word: word}, a[at].number(), a[1].number())
	}
}

func constantArray(typ stan.Type, t term, dims ...term) value {
	parts := []value{scalar(t)}
	for _, d := range dims {
		parts = append(parts, scalar(d))
	}
	v := lazily(typ, dims, parts, func([]term) term { return t })
	v.whole = callOf("fill", append([]*node{t.node}, nodesOf(dims)...)...)
	return v
}

func filled(v int, word string) func(x *executor, a []value) value {
	return func(_ *executor, a []value) value {
		typ := stan.Type{Word: word}
		if word == "int" || word == "real" {
			typ.Depth = 1
		}
		return constantArray(typ, constant(v), a[0].number())
	}
}

func repeatedArray(_ *executor, a []value) value {
	var dims []term
	for _, d := range a[1:] {
		dims = append(dims, d.number())
	}
	if a[0].isScalar() {
		return constantArray(a[0].typ.Array(len(dims)), a[0].number(), dims...)
	}
	n := len(dims)
	return lazily(a[0].typ.Array(n), append(slices.Clone(dims), a[0].dims...), a, func(i []term) term {
		return a[0].elem(i[n:])
	})
}

func repeatedMatrix(_ *executor, a []value) value {
	if a[0].isScalar() {
		return constantArray(stan.Type{Word: "matrix"}, a[0].number(), a[1].number(), a[2].number())
	}
	n := a[1].number()
	if a[0].typ.Word == "vector" {
		return lazily(stan.Type{Word: "matrix"}, []term{a[0].dims[0], n}, a,
			func(i []term) term { return a[0].elem(i[:1]) })
	}
	return lazily(stan.Type{Word: "matrix"}, []term{n, a[0].dims[0]}, a,
		func(i []term) term { return a[0].elem(i[1:]) })
}

// toVector returns all elements as a vector: those of a matrix column by column, those of an array row by row.
func toVector(_ *executor, a []value) value {
	v := a[0]
	switch len(v.dims) {
	case 0:
		return lazily(stan.Type{}, []term{constant(1)}, a, func([]term) term { return v.number() })
	case 1:
		v.typ = stan.Type{}
		return v
	}
	first, second := v.dims[0], v.dims[1]
	byColumn := v.typ.Depth == 0
	if len(v.dims) > 2 {
		refuse("the conversion of an array with more than two axes to a vector is not translated yet")
	}
	return lazily(stan.Type{}, []term{multiply(first, second)}, a, func(i []term) term {
		run := second
		if byColumn {
			run = first
		}
		fast := add(remainder(subtract(i[0], constant(1)), run), constant(1))
		slow := add(divide(subtract(i[0], constant(1)), run), constant(1))
		if n, ok := i[0].whole(); ok {
			if r, known := run.whole(); known && r > 0 {
				fast, slow = constant((n-1)%r+1), constant((n-1)/r+1)
			}
		}
		if byColumn {
			return v.elem([]term{fast, slow})
		}
		return v.elem([]term{slow, fast})
	})
}

// toMatrix translates to_matrix: of an array of arrays, of one vector, or of a vector with the numbers of rows and
// columns.
func toMatrix(_ *executor, a []value) value {
	v := a[0]
	if len(a) == 1 {
		if len(v.dims) == 1 {
			if v.typ.Word == "row_vector" {
				return lazily(stan.Type{Word: "matrix"}, []term{constant(1), v.dims[0]}, a,
					func(i []term) term { return v.elem(i[1:]) })
			}
			return lazily(stan.Type{Word: "matrix"}, []term{v.dims[0], constant(1)}, a,
				func(i []term) term { return v.elem(i[:1]) })
		}
		v.typ = stan.Type{Word: "matrix"}
		return v
	}
	if len(v.dims) != 1 || len(a) < 3 {
		refuse("this form of `to_matrix` is not translated yet")
	}
	rows, cols := a[1].number(), a[2].number()
	byRow := len(a) == 4 && isNumber(a[3].number(), 0)
	return lazily(stan.Type{Word: "matrix"}, []term{rows, cols}, a, func(i []term) term {
		if byRow {
			return v.elem([]term{add(multiply(subtract(i[0], constant(1)), cols), i[1])})
		}
		return v.elem([]term{add(multiply(subtract(i[1], constant(1)), rows), i[0])})
	})
}

func (x *executor) squares(v value) value {
	return x.mapped(v.typ, []value{v}, func(ts []term) term { return power(ts[0], constant(2)) })
}

// cutOf returns n elements along the first axis, starting at from.
func cutOf(v value, from, n term) value {
	return lazily(v.typ, append([]term{n}, v.dims[1:]...), []value{v, scalar(from), scalar(n)}, func(i []term) term {
		at := append([]term{subtract(add(from, i[0]), constant(1))}, i[1:]...)
		return v.elem(at)
	})
}

func tailOf(_ *executor, a []value) value {
	n := a[1].number()
	return cutOf(a[0], add(subtract(a[0].dims[0], n), constant(1)), n)
}

func reversed(_ *executor, a []value) value {
	v := a[0]
	return lazily(v.typ, v.dims, a, func(i []term) term {
		return v.elem(append([]term{add(subtract(v.dims[0], i[0]), constant(1))}, i[1:]...))
	})
}

func subColumn(_ *executor, a []value) value {
	i0, j, n := a[1].number(), a[2].number(), a[3].number()
	return lazily(stan.Type{Word: "vector"}, []term{n}, a, func(i []term) term {
		return a[0].elem([]term{subtract(add(i0, i[0]), constant(1)), j})
	})
}

func subRow(_ *executor, a []value) value {
	i0, j, n := a[1].number(), a[2].number(), a[3].number()
	return lazily(stan.Type{Word: "row_vector"}, []term{n}, a, func(i []term) term {
		return a[0].elem([]term{i0, subtract(add(j, i[0]), constant(1))})
	})
}

func blockOf(_ *executor, a []value) value {
	i0, j0, n, m := a[1].number(), a[2].number(), a[3].number(), a[4].number()
	return lazily(stan.Type{Word: "matrix"}, []term{n, m}, a, func(i []term) term {
		return a[0].elem([]term{subtract(add(i0, i[0]), constant(1)), subtract(add(j0, i[1]), constant(1))})
	})
}

// appended concatenates arrays or vectors.
func appended(_ *executor, a []value) value {
	p, q := asList(a[0]), asList(a[1])
	if a[0].typ.Word == "row_vector" && a[0].typ.Depth == 0 && a[1].typ.Word == "row_vector" {
		rows := lazily(stan.Type{Word: "matrix"}, []term{constant(2), p.dims[0]}, a, func(i []term) term {
			return choose(comparison("==", i[0], constant(1)), p.elem(i[1:]), q.elem(i[1:]))
		})
		return rows
	}
	if len(p.dims) < len(q.dims) {
		p = rowMatrix(p)
	} else if len(q.dims) < len(p.dims) {
		q = rowMatrix(q)
	}
	n := p.dims[0]
	out := lazily(stan.Type{}, append([]term{add(n, q.dims[0])}, p.dims[1:]...), a, func(i []term) term {
		behind := append([]term{subtract(i[0], n)}, i[1:]...)
		if d, ok := difference(i[0], n); ok {
			if d <= 0 {
				return p.elem(i)
			}
			return q.elem(behind)
		}
		return choose(comparison("<=", i[0], n), p.elem(i), q.elem(behind))
	})
	if p.whole != nil && q.whole != nil && len(p.dims) == 1 {
		out.whole = callOf("concat", p.whole, q.whole)
	}
	return out
}

func asList(v value) value {
	if !v.isScalar() {
		return v
	}
	t := v.number()
	out := lazily(stan.Type{Word: "vector"}, []term{constant(1)}, []value{v}, func([]term) term { return t })
	out.whole = listOf([]*node{t.node})
	return out
}

func rowMatrix(v value) value {
	return lazily(stan.Type{Word: "matrix"}, []term{constant(1), v.dims[0]}, []value{v}, func(i []term) term {
		return v.elem(i[1:])
	})
}

// appendColumn concatenates matrices horizontally.
func appendColumn(x *executor, a []value) value {
	isRow := func(v value) bool { return v.typ.Word == "row_vector" || v.isScalar() }
	if isRow(a[0]) && isRow(a[1]) {
		v := appended(x, []value{a[0].as("vector"), a[1].as("vector")})
		v.typ = stan.Type{Word: "row_vector"}
		return v
	}
	column := func(v value) value {
		if len(v.dims) == 2 {
			return v
		}
		return lazily(stan.Type{Word: "matrix"}, []term{v.dims[0], constant(1)}, []value{v}, func(i []term) term {
			return v.elem(i[:1])
		})
	}
	p, q := column(a[0]), column(a[1])
	n := p.dims[1]
	return lazily(stan.Type{Word: "matrix"}, []term{p.dims[0], add(n, q.dims[1])}, a, func(i []term) term {
		behind := []term{i[0], subtract(i[1], n)}
		if d, ok := difference(i[1], n); ok {
			if d <= 0 {
				return p.elem(i)
			}
			return q.elem(behind)
		}
		return choose(comparison("<=", i[1], n), p.elem(i), q.elem(behind))
	})
}

func quadForm(x *executor, a []value) value {
	if len(a[1].dims) == 1 {
		return scalar(x.dot(a[1], x.product(a[0].as("matrix"), a[1].as("vector"))))
	}
	return x.product(transposed(a[1]), x.product(a[0], a[1]))
}

func (x *executor) traceOf(v value) term {
	if v.isScalar() {
		return v.number()
	}
	return x.fold("sum", lazily(stan.Type{Word: "vector"}, v.dims[:1], []value{v}, func(i []term) term {
		return v.elem([]term{i[0], i[0]})
	}))
}

func divideLeft(x *executor, a []value) value { return x.product(x.matrixCall("inverse", a[0]), a[1]) }

func divideRight(x *executor, a []value) value { return x.product(a[0], x.matrixCall("inverse", a[1])) }

func logMix(x *executor, a []value) value {
	if len(a) == 3 {
		return x.mapped(stan.Type{Word: "real"}, a, func(ts []term) term {
			return callTerm("log_mix", ts...)
		})
	}
	parts := lazily(stan.Type{Word: "vector"}, a[0].dims, a, func(i []term) term {
		p := a[0].elem(i)
		return add(callTerm("log", p), a[1].elem(i))
	})
	if len(a[1].dims) == 2 {
		total := lazily(stan.Type{Word: "vector"}, a[1].dims[:1], a, func(n []term) term {
			return x.fold("logsumexp", lazily(stan.Type{Word: "vector"}, a[0].dims, a, func(i []term) term {
				p := a[0].elem(i)
				return add(callTerm("log", p), a[1].elem([]term{n[0], i[0]}))
			}))
		})
		return scalar(x.fold("sum", total))
	}
	return scalar(x.fold("logsumexp", parts))
}

// covariance returns the translation of a covariance function. It is a call of ppl's function f for points on a line,
// and written out otherwise.
func covariance(f string) func(x *executor, a []value) value {
	return func(x *executor, a []value) value {
		n := 3
		if f == "periodic" {
			n = 4
		}
		line := len(a) == n && len(a[0].dims) == 1
		for _, p := range a[1:] {
			line = line && p.isScalar()
		}
		if !line {
			return x.covarianceOf(f, a)
		}
		args := []*node{x.entire(a[0]).node}
		for _, p := range a[1:] {
			args = append(args, p.number().node)
		}
		return matrixOf(callOf(f, args...), []term{a[0].dims[0], a[0].dims[0]}, a)
	}
}

// byDistance has covariance functions of $2, the distance divided by the length scale; $1 is the standard deviation.
var byDistance = map[string]string{"matern12": "$1^2 * exp(-$2)",
	"matern32": "$1^2 * (1 + sqrt(3) * $2) * exp(-sqrt(3) * $2)",
	"matern52": "$1^2 * (1 + sqrt(5) * $2 + 5 / 3 * $2^2) * exp(-sqrt(5) * $2)"}

// covarianceOf writes out the elements of a covariance matrix. It supports points in several dimensions, with a length
// scale for each, and two lists of points.
func (x *executor) covarianceOf(f string, a []value) value {
	p, q, rest := a[0], a[0], a[1:]
	if len(a) == 4 {
		q, rest = a[1], a[2:]
	}
	if f == "periodic" || len(rest) != 2 || len(p.dims) > 2 || len(q.dims) != len(p.dims) || len(rest[1].dims) > 1 {
		refuse("this form of a covariance function is not translated yet")
	}
	sd, length := rest[0].number(), rest[1]
	gap := func(i, j term, k []term) term {
		l := length.elem(k[:min(len(k), len(length.dims))])
		return power(divide(subtract(p.elem(append([]term{i}, k...)), q.elem(append([]term{j}, k...))), l), constant(2))
	}
	return lazily(stan.Type{Word: "matrix"}, []term{p.dims[0], q.dims[0]}, a, func(i []term) term {
		var square term
		if len(p.dims) == 1 {
			square = gap(i[0], i[1], nil)
		} else {
			square = x.fold("sum", lazily(stan.Type{Word: "vector"}, p.dims[1:], a, func(k []term) term {
				return gap(i[0], i[1], k)
			}))
		}
		if f == "rbf" {
			return multiply(power(sd, constant(2)), callTerm("exp", divide(negate(square), constant(2).real())))
		}
		far := termOf(x.templates.fill(byDistance[f], numberedArgs([]*node{sd.node, callTerm("sqrt", square).node})),
			sd, square)
		if len(a) == 4 {
			return far
		}
		return choose(comparison("==", i[0], i[1]), power(sd, constant(2)), far) // the root has no derivative here
	})
}

func linspaced(_ *executor, a []value) value {
	n, lo, hi := a[0].number(), a[1].number(), a[2].number()
	return lazily(stan.Type{}, []term{n}, a, func(i []term) term {
		lo, hi := lo, hi
		lo.integer, hi.integer = false, false
		step := divide(subtract(hi, lo), subtract(n, constant(1)))
		return add(lo, multiply(subtract(i[0], constant(1)), step))
	})
}

func oneHot(_ *executor, a []value) value {
	return lazily(stan.Type{}, []term{a[0].number()}, a, func(i []term) term {
		return choose(comparison("==", i[0], a[1].number()), constant(1), constant(0))
	})
}

// sortIndices returns the translation of sort_indices_asc (sign 1) or sort_indices_desc (sign -1). Data must determine
// the values.
func sortIndices(sign int) func(x *executor, a []value) value {
	return func(x *executor, a []value) value {
		places, ok := sortedPositions(a[0])
		if !ok {
			cannot("the order of values is needed, and it is not known without data")
		}
		if sign < 0 {
			slices.Reverse(places)
		}
		items := make([]term, len(places))
		for i, p := range places {
			items[i] = constant(p + 1)
		}
		v := x.listOf(items)
		v.typ = stan.Type{Word: "int", Depth: 1}
		return v
	}
}
