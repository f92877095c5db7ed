package model

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Print prints a checked model: every array with its role, element type and axes, then every term with its kind, in
// source order.
func (m *Model) Print(w io.Writer) {
	for _, a := range m.Arrays {
		fmt.Fprintf(w, "%-11s %s: %s\n", a.Role, a.Name+axesText(a.Type.Axes), elementText(a))
	}
	terms := slices.SortedStableFunc(slices.Values(m.Terms), func(s, t *Term) int {
		return s.At.Start - t.At.Start
	})
	for _, t := range terms {
		fmt.Fprintf(w, "%-11s %s ~ %s\n", t.Kind, t.At.Text(), distributionText(t))
	}
}

// distributionText returns the name of a term's distribution and its modifiers.
func distributionText(t *Term) string {
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

func axesText(sets []*Set) string {
	if len(sets) == 0 {
		return ""
	}
	names := make([]string, len(sets))
	for i, s := range sets {
		names[i] = s.Name
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// elementText returns an array's element type, and the interval that contains its values if it is bounded.
func elementText(a *Array) string {
	r := a.Type.Range
	text := fmt.Sprintf("%v in %v..%v", a.Type.Elem, r.Lo, r.Hi)
	return strings.TrimSuffix(text, " in -Inf..+Inf")
}

// String names a kind of term.
func (k TermKind) String() string {
	return [...]string{"prior", "likelihood", "latent", "generate"}[k]
}
