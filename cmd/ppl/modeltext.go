package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
)

// writeModel prints a checked model: every array with its role, element type and axes, then every term where it
// belongs, in the order of the source.
func writeModel(w io.Writer, m *model.Model) {
	for _, a := range m.Arrays {
		fmt.Fprintf(w, "%-11s %s: %s\n", a.Role, a.Name+axes(a.Type.Axes), element(a))
	}
	terms := slices.SortedStableFunc(slices.Values(m.Terms), func(s, t *model.Term) int {
		return s.At.Start - t.At.Start
	})
	for _, t := range terms {
		fmt.Fprintf(w, "%-11s %s ~ %s\n", termKind(t.Kind), t.At.Text(), distribution(t))
	}
}

// distribution is a term's distribution with its modifiers.
func distribution(t *model.Term) string {
	text := "Density"
	if t.Dist != nil {
		text = t.Dist.Name
	}
	for _, modifier := range []struct {
		name string
		set  bool
	}{{"truncated", t.In != nil}, {"censored", t.Censored != nil},
		{"between ends", t.UpTo != nil}, {"rounded", t.Rounded != nil}, {"weighted", t.Weight != nil},
		{"ordered", t.Ordered}, {"zerosum", t.ZeroSum},
		{"noncentered", t.NonCentered}} {
		if modifier.set {
			text += " " + modifier.name
		}
	}
	return text
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
