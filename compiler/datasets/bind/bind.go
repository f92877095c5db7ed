// Package bind combines a checked model with its data, in phases:
//
//	files    reads the files of the command line, and those that the model names when an array needs them
//	arrays   finds the values of each data array: on the command line, in the model, or in the file the model names
//	sizes    determines the size of each index set from the shapes of arrays, and reports sources that disagree
//	labels   names the elements of index sets by the texts or codes in data
//	ragged   numbers the elements of arrays whose groups differ in length
//	values   checks each value against its declaration, and names file and row of the first error
//	streams  opens files too large for memory, whose rows are read when needed
//	share    shares the result with other processes of a job
//
// Each phase has a type in its own file. For
//
//	data county[N]: index(J), y[N] from "radon.csv"      county,y
//	                                                     AITKIN,1.5
//	                                                     BECKER,0.9
//
// arrays finds two columns, sizes determines N = 2, labels numbers the counties (J = 2, county = [1, 2]), and values
// checks that all of y are numbers.
package bind

import (
	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// Data binds data to a model. Files that the model names are relative to dir; those that are too large for memory,
// according to the cache, are read by rows. The result is nil if a diagnostic is an error. If processes share data and
// another process has already bound them, Data returns its result.
func Data(m *model.Model, dir string, args []Arg, cache datafile.RowCache) (*dataset.Dataset, []diag.Diagnostic) {
	if d, ok := shared(m, cache); ok {
		return d, nil
	}
	if cache.SharedAs == "" {
		return NewData(m, dir, args, cache, nil)
	}
	room, err := cache.Sharing().Room()
	if err == nil {
		defer room.Close()
		cache.Room = room
	}
	d, ds := NewData(m, dir, args, cache, nil)
	if d == nil {
		return nil, ds
	}
	if err == nil {
		err = share(m, d, room)
	}
	if err != nil {
		var diags diag.List
		diags.Notef("", source.Span{}, "the processes on this machine cannot share the data, so each keeps a "+
			"copy: %v", err)
		ds = append(ds, diags.All()...)
	}
	return d, ds
}

// NewData binds new data like Data, for a run with other data whose index sets have known elements: these keep their
// numbers, and new elements follow them.
func NewData(m *model.Model, dir string, args []Arg, cache datafile.RowCache, known *Known) (*dataset.Dataset,
	[]diag.Diagnostic) {
	var diags diag.List
	d := &dataset.Dataset{Model: m, Arrays: map[*model.Array]dataset.Array{}, Sizes: map[*model.Size]int{},
		Labels: map[*model.Size][]string{}}
	files := &files{m: m, dir: dir, cache: cache, diags: &diags, own: map[string]*content.File{}}
	sizes := &sizes{d: d, diags: &diags, from: map[*model.Size]string{}}
	labels := &labels{d: d, diags: &diags, columns: map[*model.Array]bool{}, keyed: map[*model.Array][]bool{},
		ordered: map[*model.Size]bool{}, known: known}
	raw := map[*model.Array]*content.Array{}
	arrays := &arrays{d: d, diags: &diags, files: files, sizes: sizes, labels: labels, raw: raw,
		rowNumbers: map[*model.Size][]int{}}
	ragged := &ragged{d: d, diags: &diags, raw: raw}
	values := &values{d: d, diags: &diags, raw: raw}
	for _, phase := range []func(){
		func() { files.open(args) },
		func() {
			sizes.ofEntries(files)
			arrays.take()
			sizes.ofAbsent(known, arrays.absent)
			leaveOut(d, &diags, arrays.absent, arrays.given())
		},
		func() {
			keys := &keyReader{arrays: arrays, numbered: map[*model.Size]bool{}}
			keys.read()
		},
		func() {
			sizes.complete()
			labels.constantSets(raw)
			labels.checkLists(raw)
		},
		ragged.number,
		values.check,
		func() { openStreams(d, raw) },
	} {
		phase()
		if diags.HasErrors() {
			return nil, diags.All()
		}
	}
	out := dataset.New(d.Model, d.Arrays, d.Sizes, d.Labels)
	out.RowNumbers, out.Memory = arrays.rowNumbers, cache.Memory
	return out, diags.All()
}

// take finds the values of every data array. Arrays whose elements are identified by keys are entered later, after the
// elements of their index sets are numbered.
func (t *arrays) take() {
	for _, a := range t.d.Model.Arrays {
		if !isData(a) {
			continue
		}
		if f, ok := t.locate(a); ok && t.isReadable(f) {
			t.found = append(t.found, t.withoutCodes(f))
		}
	}
	for i := range t.found {
		t.found[i] = t.inPlaces(t.found[i])
	}
	t.enterLengths()
	for _, f := range t.found {
		switch {
		case f.file == nil:
			t.literal(f.a)
		case f.x != nil && f.x.Keys != nil && !t.takesKeys(f):
		case t.keyed(f):
			t.wait(f)
		default:
			t.enterWhole(f)
		}
	}
	t.takeSelected()
}
