// Package modelgen writes random models that are well typed by construction and contain their data. They test the parts
// of the compiler against each other, following Yang et al. (2011), Finding and Understanding Bugs in C Compilers:
// every program is valid, so every error, panic or disagreement is a bug.
//
// A model is a random choice of motifs (a plate of parameters, a mixture, a chain, a recurrence, …), each of a few
// statements. Expressions grow from a grammar whose rows are text templates.
package modelgen

import (
	"fmt"
	"math/rand/v2"
)

// A set is an index set with its text and bounds; base is the full set of which it is a part, possibly itself.
type set struct {
	text   string
	lo, hi int
	base   *set
}

func (s *set) size() int { return s.hi - s.lo + 1 }

// A kind restricts the values of an expression, and names a row of the grammar.
type kind string

const (
	real     kind = "real"
	positive kind = "positive"
	unit     kind = "unit"  // in 0..1
	count    kind = "count" // integer, at least 0
	simplex  kind = "simplex"
	ordered  kind = "ordered"
)

// An array is an array that expressions may read.
type array struct {
	name   string
	axes   []*set
	kind   kind
	values *set // for integers, the set that they index
	static bool
}

// A writer collects the statements of a model.
type writer struct {
	rand      *rand.Rand
	sets      []*set
	arrays    []array
	functions []function
	text      []string // statements
	after     []string // generate statements
	names     int
}

// A source takes its random words from bytes, and after these from rest.
type source struct {
	bytes []byte
	rest  *rand.PCG
}

func (s *source) Uint64() uint64 {
	if len(s.bytes) == 0 {
		return s.rest.Uint64()
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return uint64(b) * 0x0101010101010101
}

// chance returns true with probability 1/n.
func (w *writer) chance(n int) bool { return w.rand.IntN(n) == 0 }

func pick[T any](w *writer, from []T) T { return from[w.rand.IntN(len(from))] }

// name returns a new name.
func (w *writer) name(stem string) string {
	w.names++
	return fmt.Sprintf("%s%d", stem, w.names)
}

func (w *writer) say(format string, args ...any) {
	w.text = append(w.text, fmt.Sprintf(format, args...))
}

// sizes writes sizes of all kinds: a definition, a scalar data value, axes with a size given by data, and a range that
// does not start at 1.
func (w *writer) sizes() {
	w.newSet("N", 3+w.rand.IntN(3))
	w.newSet("T", 3+w.rand.IntN(3))
	j, k := w.newSet("J", 2+w.rand.IntN(2)), w.newSet("K", 2+w.rand.IntN(2))
	w.say("data J = %d", j.hi)
	w.say("K = %d", k.hi)
	zero := w.newSet("0..K", k.hi)
	zero.lo = 0
}

func (w *writer) newSet(text string, hi int) *set {
	s := &set{text: text, lo: 1, hi: hi}
	s.base = s
	w.sets = append(w.sets, s)
	return s
}

// set returns the set with a text.
func (w *writer) set(text string) *set {
	for _, s := range w.sets {
		if s.text == text {
			return s
		}
	}
	panic("internal error: no set " + text)
}

// part returns a range within a set.
func part(base *set, lo, hi int) *set {
	return &set{text: fmt.Sprintf("%d..%s", lo, base.text), lo: lo, hi: hi, base: base}
}
