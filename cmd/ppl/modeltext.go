package main

import (
	"fmt"
	"io"
	"strings"

	"ppl/compiler/model"
)

// writeModel prints a checked model: every array with its role, element type and axes, then every term where it belongs.
func writeModel(w io.Writer, m *model.Model) {
	for _, a := range m.Arrays {
		fmt.Fprintf(w, "%-11s %s: %s\n", a.Role, a.Name+axes(a.Type.Axes), element(a))
	}
	for _, t := range m.Terms {
		fmt.Fprintf(w, "%-11s %s\n", termKind(t.Kind), strings.Join(strings.Fields(t.At.Text()), " "))
	}
}

func axes(sets []*model.Set) string {
	if len(sets) == 0 {
		return ""
	}
	names := make([]string, len(sets))
	for i, s := range sets {
		names[i] = s.Name
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// element is an array's element type with the interval its values are known to lie in.
func element(a *model.Array) string {
	r := a.Type.Range
	text := fmt.Sprintf("%v in %v..%v", a.Type.Elem, r.Lo, r.Hi)
	return strings.TrimSuffix(text, " in -Inf..+Inf")
}

func termKind(k model.TermKind) string {
	return [...]string{"prior", "likelihood", "latent", "generate"}[k]
}
