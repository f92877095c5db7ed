package model

import (
	"math"
	"strconv"
	"strings"

	"ppl/lang/diag"
	"ppl/stdlib"
)

// How messages name numbers, ranges and axes.

// NumberText writes a number as a model does: 0.5, inf.
func NumberText(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// RangeText reports what values are known of an expression: real, 2, in 0..inf.
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

// HaveAxes reports which axes an expression has: axes [N, K], or no axes.
func HaveAxes(axes []*Set) string {
	if len(axes) == 0 {
		return "no axes"
	}
	return "axes " + AxesText(axes)
}

// SignaturesText lists the ways to write a distribution: `Normal(mu, sd)` or `Normal(mu, precision = …)`.
func SignaturesText(d *stdlib.Dist) string {
	texts := d.Signatures()
	for i := range texts {
		texts[i] = "`" + texts[i] + "`"
	}
	return diag.Or(texts)
}

// ParameterName returns the name of the parameter that an expression is, or is an element of; empty if it is neither.
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

// ParameterOf returns the parameter that an expression is, or is an element of; nil if it is neither.
func ParameterOf(x Expr) *Array { return arrayWithRole(x, Parameter) }

// DefinitionOf returns the definition that an expression is, or is an element of; nil if it is neither.
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

// ShapeText lists how many elements axes have, by name if data give the number: [28, N].
func ShapeText(axes []*Set) string {
	var sizes []string
	for _, s := range axes {
		sizes = append(sizes, s.SizeText())
	}
	return "[" + strings.Join(sizes, ", ") + "]"
}
