package model

import (
	"fmt"
	"strings"
)

// Text describes the layer in one line: `f.dense1 → [8], 24 weights`. Sizes that sizeOf cannot give are shown as names.
func (l Layer) Text(sizeOf func(*Set) (n int, ok bool)) string {
	out, _, _ := sizesText(l.Out, sizeOf)
	total, all, shapes := 0, true, []string{}
	for _, a := range l.Weights {
		sizes, n, ok := sizesText(a.Type.Axes, sizeOf)
		total, all, shapes = total+n, all && ok, append(shapes, strings.Join(sizes, "·"))
	}
	weights := fmt.Sprint(total)
	if !all {
		weights = strings.Join(shapes, " + ")
	}
	return fmt.Sprintf("%s → [%s], %s weights", l.Name, strings.Join(out, ", "), weights)
}

// sizesText returns the sizes of sets as texts, and their product. known is false if sizeOf does not give all sizes.
func sizesText(sets []*Set, sizeOf func(*Set) (n int, ok bool)) (sizes []string, product int, known bool) {
	product, known = 1, true
	for _, s := range sets {
		n, ok := sizeOf(s)
		text := fmt.Sprint(n)
		if !ok {
			text, known = s.SizeText(), false
		}
		sizes, product = append(sizes, text), product*n
	}
	return sizes, product, known
}

// ConstSize returns the number of elements of a set. ok is false if the number depends on data.
func (s *Set) ConstSize() (n int, ok bool) {
	form := AffineOf(s.Hi).Minus(AffineOf(s.Lo))
	if !form.IsConst() {
		return 0, false
	}
	return int(form.Const) + 1, true
}

// SizeText returns the number of elements of a set, or its name if the number depends on data.
func (s *Set) SizeText() string {
	if n, ok := s.ConstSize(); ok {
		return fmt.Sprint(n)
	}
	name := strings.TrimPrefix(s.Name, "1..")
	if strings.ContainsRune(name, ' ') {
		return "(" + name + ")"
	}
	return name
}
