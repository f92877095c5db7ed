package app

import (
	"path"
	"slices"
	"strings"

	"ppl/app/fault"
	"ppl/compiler"
	"ppl/lang/types"
	"ppl/posterior/store"
)

// A selection determines which of the arrays that a model saves are stored in the run.
type selection struct {
	patterns []string // names and patterns of --keep; empty for all
	spans    []span   // positions of the selected arrays in the values of a draw
}

// A span is the range [from, to) of positions.
type span struct{ from, to int }

func newSelection(p *compiler.Program, patterns []string) selection {
	s, at := selection{patterns: patterns}, 0
	for _, v := range p.Saved() {
		if s.has(v.Name) {
			s.spans = append(s.spans, span{at, at + v.Size()})
		}
		at += v.Size()
	}
	return s
}

// has reports whether an array is selected.
func (s selection) has(name string) bool {
	return len(s.patterns) == 0 || slices.ContainsFunc(s.patterns, func(p string) bool { return matches(p, name) })
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // checkKeep has already rejected invalid patterns
	return ok
}

// of appends the selected values of a draw to to.
func (s selection) of(to, values []float64) []float64 {
	for _, part := range s.spans {
		to = append(to, values[part.from:part.to]...)
	}
	return to
}

func (s selection) names(all []string) (kept []string) {
	for _, name := range all {
		if s.has(name) {
			kept = append(kept, name)
		}
	}
	return kept
}

// effects removes the effects that are not selected.
func (s selection) effects(all []types.Effect) []types.Effect {
	return slices.DeleteFunc(all, func(e types.Effect) bool { return !s.has(e.Name) })
}

// variables returns the selected variables. If single is set, weights of networks are in single precision.
func (s selection) variables(p *compiler.Program, single bool) (kept []types.Variable) {
	weights := map[string]bool{}
	for _, b := range p.Blocks() {
		weights[b.Parameter] = b.Layer != ""
	}
	for _, v := range p.Saved() {
		v.Single = single && weights[v.Name]
		if s.has(v.Name) {
			kept = append(kept, v)
		}
	}
	return kept
}

// leftOut returns the variables that are not selected.
func (s selection) leftOut(p *compiler.Program) (all []store.LeftOut) {
	for _, v := range p.Saved() {
		if !s.has(v.Name) {
			all = append(all, store.LeftOut{Name: v.Name, Parameter: slices.Contains(p.Parameters(), v.Name)})
		}
	}
	return all
}

// checkKeep returns an error for invalid patterns, and for names and patterns that match nothing.
func checkKeep(p *compiler.Program, patterns []string) error {
	var known []string
	for _, v := range p.Saved() {
		known = append(known, v.Name)
	}
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return fault.Usagef("--keep %s: not a valid pattern; * means any characters, ? one character, [a-c] "+
				"one of a, b and c", pattern)
		}
		if !slices.ContainsFunc(known, func(name string) bool { return matches(pattern, name) }) {
			return fault.Wrongf("--keep %s: the model saves nothing of that name; it saves %s", pattern,
				strings.Join(known, ", "))
		}
	}
	return nil
}
