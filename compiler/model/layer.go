package model

import (
	"fmt"
	"strings"
)

// A Layer is a layer of a network: the sets of what it gives, and its weights.
type Layer struct {
	Name    string
	Out     []*Set
	Weights []*Array
	Family  int // how many of the weights' first axes say which network of a family they are of
}

// Text is the layer as a line: `f.dense1 → [8], 24 weights`. Sizes that only data give are names.
func (l Layer) Text() string {
	var out []string
	for _, s := range l.Out {
		out = append(out, s.SizeText())
	}
	return fmt.Sprintf("%s → [%s], %s", l.Name, strings.Join(out, ", "), l.count())
}

// count is the number of weights, or their shapes where sizes are not known.
func (l Layer) count() string {
	total, shapes := 0, []string{}
	for _, a := range l.Weights {
		n, sizes := 1, []string{}
		for _, s := range a.Type.Axes {
			size, _ := s.constSize()
			n, sizes = n*size, append(sizes, s.SizeText())
		}
		total, shapes = total+n, append(shapes, strings.Join(sizes, "·"))
		if n == 0 {
			total = -1 << 31
		}
	}
	if total < 0 {
		return strings.Join(shapes, " + ") + " weights"
	}
	return fmt.Sprint(total, " weights")
}

// constSize is the number of elements of a set, not ok where data give it.
func (s *Set) constSize() (n int, ok bool) {
	form := AffineOf(s.Hi).Minus(AffineOf(s.Lo))
	if !form.IsConst() {
		return 0, false
	}
	return int(form.Const) + 1, true
}

// SizeText is how many elements a set has, by its name where data give the number.
func (s *Set) SizeText() string {
	if n, ok := s.constSize(); ok {
		return fmt.Sprint(n)
	}
	return s.Name
}
