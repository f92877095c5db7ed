package model

import (
	"math"
	"strconv"
	"strings"

	"ppl/lang/diag"
	"ppl/stdlib"
)

// This file converts numbers, ranges and axes to text for messages.

// NumberText writes a number in the syntax of models: 0.5, inf.
func NumberText(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// RangeText describes a range of values: `real`, `2`, or `in 0..inf`.
func RangeText(r stdlib.Range) string {
	if math.IsInf(r.Lo, -1) && math.IsInf(r.Hi, 1) {
		return "real"
	}
	if r.Lo == r.Hi {
		return NumberText(r.Lo)
	}
	return "in " + NumberText(r.Lo) + ".." + NumberText(r.Hi)
}

// AxesText lists the names of axes: [N, K].
func AxesText(axes []*Set) string {
	names := make([]string, len(axes))
	for i, a := range axes {
		names[i] = a.Name
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// HaveAxes describes the axes of an expression: `axes [N, K]` or `no axes`.
func HaveAxes(axes []*Set) string {
	if len(axes) == 0 {
		return "no axes"
	}
	return "axes " + AxesText(axes)
}

// SignaturesText lists the signatures of a distribution: `Normal(mu, sd)` or `Normal(mu, precision = …)`.
func SignaturesText(d *stdlib.Dist) string {
	texts := d.Signatures()
	for i := range texts {
		texts[i] = "`" + texts[i] + "`"
	}
	return diag.Or(texts)
}

// ParameterName returns the name of a parameter if x is the parameter or an element of it; else it returns "".
func ParameterName(x Expr) string {
	switch x := x.(type) {
	case *Ref:
		if x.Array.Role == Parameter {
			return x.Array.Name
		}
	case *Subscript:
		return ParameterName(x.X)
	}
	return ""
}

// ParameterOf returns the parameter if x is a parameter or an element of one; else it returns nil.
func ParameterOf(x Expr) *Array { return arrayWithRole(x, Parameter) }

// DefinitionOf returns the definition if x is a definition or an element of one; else it returns nil.
func DefinitionOf(x Expr) *Array { return arrayWithRole(x, Definition) }

func arrayWithRole(x Expr, role Role) *Array {
	if sub, ok := x.(*Subscript); ok {
		x = sub.X
	}
	if ref, ok := x.(*Ref); ok && ref.Array.Role == role {
		return ref.Array
	}
	return nil
}

// ShapeText lists the sizes of axes, such as [28, N]; a size that depends on data is a name.
func ShapeText(axes []*Set) string {
	var sizes []string
	for _, s := range axes {
		sizes = append(sizes, s.SizeText())
	}
	return "[" + strings.Join(sizes, ", ") + "]"
}
