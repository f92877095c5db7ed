// Package names resolves the names of a file, for editors: it finds all occurrences of a name, and the names that are
// visible at a position.
//
//	t := names.Resolve(file)
//	if o, ok := t.At(offset); ok {
//		for _, place := range t.Places(o.Symbol) { … } // all that a renaming changes
//	}
//
// It uses only the syntax tree, so that it also works for models with errors. Names that no statement declares, such as
// those of distributions, have a symbol of kind Elsewhere.
package names

import (
	"cmp"
	"slices"

	"ppl/lang/ast"
	"ppl/lang/source"
)

// A Kind is the kind of declaration of a name.
type Kind int

// These are the kinds of names.
const (
	Elsewhere Kind = iota // a distribution or function of the language, or of another file
	Data                  // `data y[N]`
	Size                  // the N of `data y[N]`
	Drawn                 // `mu ~ Normal(0, 1)`
	Defined               // `x = a + b`
	Generated             // `generate z ~ …`, `generate z = …`
	Function              // `f(x) = …`, or an unknown function of time
	Template              // `Group(m) ~ { … }`
	Parameter             // the x of `f(x) = …`
	Index                 // the i of `y[i in N]`
)

// A Symbol is a declared entity to which names refer.
type Symbol struct {
	Name  string
	Kind  Kind
	Scope source.Span // where the name is visible
	At    source.Span // first declaration
}

// An Occurrence is a position at which a symbol's name is written.
type Occurrence struct {
	At      source.Span
	Symbol  *Symbol
	Declare bool // true on the left side of a statement, or in a declaration
}

// A Table holds the names of a file.
type Table struct {
	places  []Occurrence // sorted by position
	symbols []*Symbol
	counts  map[*Symbol]int
}

// Resolve resolves the names of a file.
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

// At returns the name at an offset. The offset at the end of a name belongs to it.
func (t *Table) At(offset int) (Occurrence, bool) {
	k, _ := slices.BinarySearchFunc(t.places, offset, func(o Occurrence, at int) int {
		return cmp.Compare(o.At.End, at)
	})
	if k < len(t.places) && t.places[k].At.Start <= offset {
		return t.places[k], true
	}
	return Occurrence{}, false
}

// All returns the occurrences of all names, sorted by position.
func (t *Table) All() []Occurrence { return t.places }

// Places returns the occurrences of a symbol, sorted by position.
func (t *Table) Places(s *Symbol) (out []Occurrence) {
	for _, o := range t.places {
		if o.Symbol == s {
			out = append(out, o)
		}
	}
	return out
}

// Count returns the number of occurrences of a symbol.
func (t *Table) Count(s *Symbol) int { return t.counts[s] }

// Visible returns the symbols that are visible at an offset, the innermost first.
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
