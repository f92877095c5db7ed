package bind

import (
	"bytes"
	"encoding/gob"
	"errors"
	"slices"

	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/datafile/sharing"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/model"
	"ppl/numbers"
)

// If several processes of a machine run the same model, the first of them binds its data and shares the result. The
// others read no data file, and all use the same memory. Shared data refer to arrays and sizes by their positions in
// the model, which are the same in all processes.

// A sharedSet is a dataset without its numbers.
type sharedSet struct {
	Source string        // text of the model
	Names  []string      // names of all arrays that may have values, in the order of placesOf
	Arrays []sharedArray // in the order of the shared number lists
	Sizes  map[int]int   // by position
	Labels map[int][]string
	Rows   map[int][]int // RowNumbers

	// Positions of what remains of the model when absent optional data are removed.
	KeptArrays, KeptTerms, KeptSizes []int
}

// A sharedArray describes the values of the array at position At.
type sharedArray struct {
	At     int
	Shape  []int
	Origin string
	Facts  numbers.Facts // so that no process needs to read all values for them
}

// A places lists the arrays and sizes of a model in an order that is the same in every process.
type places struct {
	arrays []*model.Array
	sizes  []*model.Size
}

func placesOf(m *model.Model) places {
	p := places{slices.Clone(m.Arrays), slices.Clone(m.Sizes)}
	for _, r := range m.Ragged {
		p.arrays, p.sizes = append(p.arrays, r.Arrays()...), append(p.sizes, r.Size)
	}
	return p
}

func (p places) names() (all []string) {
	for _, a := range p.arrays {
		all = append(all, a.Name)
	}
	return all
}

// share stores a dataset of m, whose long arrays may be in room, in memory that other processes can use. It does not
// share data that are read by rows.
func share(m *model.Model, d *dataset.Dataset, room *sharing.Room) error {
	if d.HasStreams() {
		return nil
	}
	p := placesOf(m)
	s := sharedSet{Source: m.Source.Text, Names: p.names(), Sizes: byPlace(p.sizes, d.Sizes),
		Labels: byPlace(p.sizes, d.Labels), Rows: byPlace(p.sizes, d.RowNumbers),
		KeptArrays: kept(m.Arrays, d.Model.Arrays), KeptTerms: kept(m.Terms, d.Model.Terms),
		KeptSizes: kept(m.Sizes, d.Model.Sizes)}
	var lists []numbers.List
	for i, a := range p.arrays {
		if x, known := d.Arrays[a]; known {
			s.Arrays = append(s.Arrays, sharedArray{i, x.Shape, x.Origin, numbers.FactsOf(x.Values)})
			lists = append(lists, x.Values)
		}
	}
	if len(lists) < len(d.Arrays) || len(s.Sizes) < len(d.Sizes) {
		return errors.New("internal error: data without a place in the model")
	}
	var about bytes.Buffer
	if err := gob.NewEncoder(&about).Encode(s); err != nil {
		return err
	}
	lists, err := room.Store(about.Bytes(), lists)
	if err != nil {
		return err
	}
	for i, x := range s.Arrays {
		of := d.Arrays[p.arrays[x.At]]
		of.Values = lists[i].Knowing(x.Facts)
		d.Arrays[p.arrays[x.At]] = of
	}
	return nil
}

// shared returns the dataset that another process has stored for m, if there is one.
func shared(m *model.Model, cache datafile.RowCache) (*dataset.Dataset, bool) {
	about, lists, err := cache.Sharing().Load()
	var s sharedSet
	if err != nil || gob.NewDecoder(bytes.NewReader(about)).Decode(&s) != nil {
		return nil, false // each process can bind its data itself
	}
	p := placesOf(m)
	if s.Source != m.Source.Text || !slices.Equal(s.Names, p.names()) {
		return nil, false // the model was changed in between; a later comparison of ranks reports this
	}
	arrays := map[*model.Array]dataset.Array{}
	for i, x := range s.Arrays {
		arrays[p.arrays[x.At]] = dataset.Array{Shape: x.Shape, Values: lists[i].Knowing(x.Facts), Origin: x.Origin}
	}
	left := *m
	left.Arrays, left.Terms, left.Sizes = at(m.Arrays, s.KeptArrays), at(m.Terms, s.KeptTerms), at(m.Sizes, s.KeptSizes)
	d := dataset.New(&left, arrays, ofPlace(p.sizes, s.Sizes), ofPlace(p.sizes, s.Labels))
	d.RowNumbers, d.Memory = ofPlace(p.sizes, s.Rows), cache.Memory
	return d, true
}

// byPlace maps positions of sizes to their values.
func byPlace[T any](sizes []*model.Size, known map[*model.Size]T) map[int]T {
	all := map[int]T{}
	for i, z := range sizes {
		if x, is := known[z]; is {
			all[i] = x
		}
	}
	return all
}

// ofPlace is the inverse of byPlace.
func ofPlace[T any](sizes []*model.Size, known map[int]T) map[*model.Size]T {
	all := map[*model.Size]T{}
	for i, x := range known {
		all[sizes[i]] = x
	}
	return all
}

// kept returns the positions in all of the elements of left.
func kept[T comparable](all, left []T) (places []int) {
	is := map[T]bool{}
	for _, x := range left {
		is[x] = true
	}
	for i, x := range all {
		if is[x] {
			places = append(places, i)
		}
	}
	return places
}

func at[T any](all []T, places []int) []T {
	out := make([]T, len(places))
	for i, k := range places {
		out[i] = all[k]
	}
	return out
}
