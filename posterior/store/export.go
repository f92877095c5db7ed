package store

import (
	"io"
	"time"

	"ppl/lang/types"
)

// This file provides the groups of a run to packages that export them.

// A Group is a group of the store.
type Group struct {
	Name   string
	Axes   []Axis // if the group has draws, chain and draw come first
	Arrays []GroupArray
}

// An Axis has Size coordinates: the integers from First on, or Labels if set.
type Axis struct {
	Name        string
	First, Size int
	Labels      []string
}

// A GroupArray is an array of a group. Axes includes chain and draw if the array has them. Write writes its elements
// row-major and little-endian, in blocks, with the element type that kindOf returns.
type GroupArray struct {
	Name     string
	Variable types.Variable
	Axes     []string
	Write    func(w io.Writer) error
}

// About returns a description of the run, with ArviZ's attribute names.
func (r *Run) About() [][2]string {
	return [][2]string{{"created_at", r.Info.Created.Format(time.RFC3339Nano)}, {"creation_library", "ppl"},
		{"inference_library", "ppl"}, {"inference_library_version", r.Info.Version}, {"model_name", r.Info.Model},
		{"sampler", r.Info.Sampler}}
}

// Groups returns the groups of the run.
func (r *Run) Groups() (all []Group) {
	for _, g := range r.Layout.groups() {
		if len(g.variables) > 0 {
			all = append(all, r.streamedGroup(g))
		}
	}
	for _, g := range r.Layout.constants() {
		if len(g.arrays) > 0 {
			all = append(all, r.constantGroup(g))
		}
	}
	return all
}

// Streamed returns the variables of a group with a row for each draw, such as log_likelihood, or nil if the run has no
// such group.
func (r *Run) Streamed(group string) []types.Variable {
	for _, g := range r.Layout.groups() {
		if g.name == group {
			return g.variables
		}
	}
	return nil
}

// StreamedCount returns the number of draws of a chain in such a group.
func (r *Run) StreamedCount(group string) int {
	vs := r.Streamed(group)
	if len(vs) == 0 {
		return 0
	}
	return r.arrays[column{group: group, v: vs[0]}.key()].Shape[1]
}

func (r *Run) streamedGroup(g streamedGroup) Group {
	count := r.StreamedCount(g.name)
	names, own := axes(g.variables)
	out := Group{Name: g.name, Axes: []Axis{{Name: "chain", Size: r.Layout.Chains}, {Name: "draw", Size: count}}}
	out.Axes = append(out.Axes, coordinates(own)...)
	for i, v := range g.variables {
		c := column{group: g.name, v: v}
		out.Arrays = append(out.Arrays, GroupArray{ArrayName(v.Name), v, append([]string{"chain", "draw"}, names[i]...),
			func(w io.Writer) error { return r.writeColumn(w, c) }})
	}
	return out
}

func (r *Run) constantGroup(g constantGroup) Group {
	names, own := axes(variablesOf(g.arrays))
	out := Group{Name: g.name, Axes: coordinates(own)}
	for i, o := range g.arrays {
		out.Arrays = append(out.Arrays, GroupArray{ArrayName(o.Name), o.Variable, names[i], func(w io.Writer) error {
			xs, err := r.constant(g, o.Name)
			if err == nil {
				_, err = w.Write(encode(nil, kindOf(o.Variable), xs))
			}
			return err
		}})
	}
	return out
}

// writeColumn writes an array with a row for each draw, chain by chain.
func (r *Run) writeColumn(w io.Writer, c column) error {
	var b []byte
	return r.Together([]Array{{c.group, c.v.Name}}, 0, r.Layout.Chains, func(_, _ int, values [][]float64) error {
		b = encode(b[:0], kindOf(c.v), values[0])
		_, err := w.Write(b)
		return err
	})
}

func coordinates(own []axis) (all []Axis) {
	for _, a := range own {
		if a.label != nil {
			all = append(all, Axis{Name: a.name, Size: len(a.label), Labels: a.label})
		} else {
			all = append(all, Axis{Name: a.name, First: a.first, Size: a.size})
		}
	}
	return all
}
