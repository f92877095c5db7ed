package stan

import "strings"

// A Type is the type of an expression: Depth array axes around int, real, vector, row_vector, matrix, complex or a
// tuple. "void" is the result of a function without a value, and "" a type that is unknown because of an error.
type Type struct {
	Word  string
	Depth int
	Elems []Type
}

// Transposed returns the type of the transpose of a vector, row vector or matrix.
func (t Type) Transposed() Type {
	switch t.Word {
	case "vector":
		t.Word = "row_vector"
	case "row_vector":
		t.Word = "vector"
	}
	return t
}

// These are types that occur often.
var (
	unknown   = Type{}
	intType   = Type{Word: "int"}
	realType  = Type{Word: "real"}
	vector    = Type{Word: "vector"}
	rowVector = Type{Word: "row_vector"}
	matrix    = Type{Word: "matrix"}
)

// plainWord returns the expression type of a variable declared with the given word: a simplex is a vector.
func plainWord(word string) string {
	switch word {
	case "ordered", "positive_ordered", "simplex", "unit_vector", "sum_to_zero_vector":
		return "vector"
	case "cholesky_factor_corr", "cholesky_factor_cov", "corr_matrix", "cov_matrix", "column_stochastic_matrix",
		"row_stochastic_matrix", "sum_to_zero_matrix":
		return "matrix"
	}
	return word
}

// Plain returns the type of a declared variable in expressions.
func (t *SizedType) Plain() Type {
	out := Type{Word: plainWord(t.Word), Depth: len(t.ArrayDims)}
	for _, e := range t.Elems {
		out.Elems = append(out.Elems, e.Plain())
	}
	return out
}

// Known reports whether the type is known. It is not after an error.
func (t Type) Known() bool { return t.Word != "" }

// Scalar reports whether the type is int or real.
func (t Type) Scalar() bool { return t.Depth == 0 && (t.Word == "int" || t.Word == "real") }

// Int reports whether the type is int, not an array.
func (t Type) Int() bool { return t.Depth == 0 && t.Word == "int" }

// complex reports whether the type is a complex number, vector or matrix.
func (t Type) complex() bool { return strings.HasPrefix(t.Word, "complex") }

// InnerAxes returns the number of axes of a vector or matrix.
func (t Type) InnerAxes() int {
	switch t.Word {
	case "vector", "row_vector", "complex_vector", "complex_row_vector":
		return 1
	case "matrix", "complex_matrix":
		return 2
	}
	return 0
}

// Axes returns the total number of axes.
func (t Type) Axes() int { return t.Depth + t.InnerAxes() }

// Element returns the type of an element of an array.
func (t Type) Element() Type {
	t.Depth--
	return t
}

// Array returns the type of an array with the given number of axes and elements of type t.
func (t Type) Array(depth int) Type {
	t.Depth += depth
	return t
}

// Equal reports whether two types are equal.
func (t Type) Equal(u Type) bool {
	if t.Word != u.Word || t.Depth != u.Depth || len(t.Elems) != len(u.Elems) {
		return false
	}
	for i := range t.Elems {
		if !t.Elems[i].Equal(u.Elems[i]) {
			return false
		}
	}
	return true
}

// Takes reports whether a value of type u can be assigned to, or be an argument of, type t. An int is accepted as a
// real, also in arrays. An unknown type is always accepted.
func (t Type) Takes(u Type) bool {
	if !t.Known() || !u.Known() {
		return true
	}
	if t.Word == "tuple" && u.Word == "tuple" && t.Depth == u.Depth && len(t.Elems) == len(u.Elems) {
		for i := range t.Elems {
			if !t.Elems[i].Takes(u.Elems[i]) {
				return false
			}
		}
		return true
	}
	return t.Depth == u.Depth && (t.Word == u.Word || promotes(u.Word, t.Word))
}

// promotes reports whether values of type from are converted to type to.
func promotes(from, to string) bool {
	switch to {
	case "real":
		return from == "int"
	case "complex":
		return from == "int" || from == "real"
	case "complex_vector", "complex_row_vector", "complex_matrix":
		return "complex_"+from == to
	}
	return false
}

// String returns a type in Stan's notation: array[,] vector.
func (t Type) String() string {
	word := t.Word
	if word == "tuple" {
		elems := make([]string, len(t.Elems))
		for i, e := range t.Elems {
			elems[i] = e.String()
		}
		word = "tuple(" + strings.Join(elems, ", ") + ")"
	}
	if t.Depth == 0 {
		return word
	}
	return "array[" + strings.Repeat(",", t.Depth-1) + "] " + word
}
