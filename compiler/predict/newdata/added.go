package newdata

import (
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/lang/types"
)

// This file finds which part of an array the new data add to that of the run.

// Predicted returns the part of a replicate that the new data add, and the positions of its elements in the replicate:
// all elements except rows or times that the run observed.
func (c *Changes) Predicted(v types.Variable) (types.Variable, []int) {
	all := make([]int, v.Size())
	for i := range all {
		all[i] = i
	}
	drawn := c.drawn[v.Name]
	if drawn == nil || !slices.Contains(drawn, true) {
		return v, all
	}
	for k, n := range v.Shape {
		inner := 1
		for _, m := range v.Shape[k+1:] {
			inner *= m
		}
		first := slices.Index(drawn, true) / inner % n
		later := func(i int) bool { return i/inner%n >= first }
		if slices.ContainsFunc(all, func(i int) bool { return drawn[i] != later(i) }) {
			continue
		}
		if s := c.arrayOf(v.Name).Type.Axes[k]; !c.isJoinedAxis(s) { // new rows are numbered separately
			v.First = append(slices.Clone(v.First), slices.Repeat([]int{1}, max(0, k+1-len(v.First)))...)
			v.First[k] += first
		}
		v.Shape = slices.Clone(v.Shape)
		v.Shape[k] = n - first
		return v, slices.DeleteFunc(all, func(i int) bool { return !later(i) })
	}
	return v, all
}

// arrayOf returns the array with a name that is observed or given as data.
func (c *Changes) arrayOf(name string) *model.Array {
	i := slices.IndexFunc(c.m.Arrays, func(a *model.Array) bool { return a.Name == name && a.Replicates == nil })
	return c.m.Arrays[i]
}

// Given returns the part of a data array that the new data gave. ok is false if they gave none.
func (c *Changes) Given(v types.Variable, values []float64) (types.Variable, []float64, bool) {
	if strings.Contains(v.Name, " ") || c.drawn[v.Name] != nil { // an array of this package, or one that is predicted
		return v, nil, false
	}
	axis := slices.IndexFunc(c.arrayOf(v.Name).Type.Axes, c.isJoinedAxis)
	if axis < 0 {
		return v, values, true
	}
	r := c.joined[sizeOf(c.arrayOf(v.Name).Type.Axes[axis])]
	inner := 1
	for _, n := range v.Shape[axis+1:] {
		inner *= n
	}
	var part []float64
	for rows := range slices.Chunk(values, v.Shape[axis]*inner) {
		part = append(part, rows[r.before*inner:]...)
	}
	v.Shape = slices.Clone(v.Shape)
	v.Shape[axis] = r.added
	return v, part, true
}
