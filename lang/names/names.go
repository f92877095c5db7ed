// Package names finds what declares each name of a file, for editors: the places where a name is written, and the
// names that can be written at a place.
//
//	t := names.Resolve(file)
//	if o, ok := t.At(offset); ok {
//		for _, place := range t.Places(o.Symbol) { … } // all that a renaming changes
//	}
//
// It works on the syntax tree alone, so that it answers while a model has mistakes. Names that no statement declares,
// such as those of distributions, have a symbol of kind Elsewhere.
package names

import (
	"cmp"
	"slices"

	"ppl/lang/ast"
	"ppl/lang/source"
)

// A Kind says what declares a name.
type Kind int

// The kinds of names.
const (
	Elsewhere Kind = iota // a distribution or function of the language, or of another file
	Data                  // `data y[N]`
	Size                  // the N of `data y[N]`
	Drawn                 // `mu ~ Normal(0, 1)`
	Defined               // `x = a + b`
	Generated             // `generate z ~ …`, `generate z = …`
	Function              // `f(x) = …`, also an unknown function of time
	Template              // `Group(m) ~ { … }`
	Parameter             // the x of `f(x) = …`
	Index                 // the i of `y[i in N]`
)

// A Symbol is what a name means at some places.
type Symbol struct {
	Name  string
	Kind  Kind
	Scope source.Span // where it can be written
	At    source.Span // where it is declared first
}

// An Occurrence is a place where the name of a symbol is written.
type Occurrence struct {
	At      source.Span
	Symbol  *Symbol
	Declare bool // on the left side of a statement, or in a declaration
}

// A Table has the names of a file.
type Table struct {
	places  []Occurrence // by place
	symbols []*Symbol
	counts  map[*Symbol]int
}

// Resolve finds the names of a file.
func Resolve(f *ast.File) *Table {
	r := &resolver{table: &Table{}}
	whole := source.Span{File: f.Source, Start: 0, End: len(f.Source.Text)}
	r.open(whole)
	for _, st := range f.Stmts {
		r.declare(st)
	}
	r.declareSizes(f.Stmts)
	for _, st := range f.Stmts {
		r.statement(st)
	}
	t := r.table
	slices.SortFunc(t.places, func(a, b Occurrence) int { return cmp.Compare(a.At.Start, b.At.Start) })
	t.places = slices.CompactFunc(t.places, func(a, b Occurrence) bool { return a.At == b.At })
	t.counts = map[*Symbol]int{}
	for _, o := range t.places {
		t.counts[o.Symbol]++
	}
	return t
}

// At returns the name at an offset; the end of a name counts as part of it.
func (t *Table) At(offset int) (Occurrence, bool) {
	k, _ := slices.BinarySearchFunc(t.places, offset, func(o Occurrence, at int) int {
		return cmp.Compare(o.At.End, at)
	})
	if k < len(t.places) && t.places[k].At.Start <= offset {
		return t.places[k], true
	}
	return Occurrence{}, false
}

// All lists the places of all names, in their order.
func (t *Table) All() []Occurrence { return t.places }

// Places lists where a symbol is written, in their order.
func (t *Table) Places(s *Symbol) (out []Occurrence) {
	for _, o := range t.places {
		if o.Symbol == s {
			out = append(out, o)
		}
	}
	return out
}

// Count returns at how many places a symbol is written.
func (t *Table) Count(s *Symbol) int { return t.counts[s] }

// Visible lists the symbols that can be written at an offset, the innermost first.
func (t *Table) Visible(offset int) (out []*Symbol) {
	hidden := map[string]bool{}
	for _, s := range slices.Backward(t.symbols) {
		if inside := s.Scope.Start <= offset && offset <= s.Scope.End; inside && !hidden[s.Name] {
			hidden[s.Name] = true
			out = append(out, s)
		}
	}
	return out
}
