package bind

import (
	"slices"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/frontend/model"
	"ppl/numbers"
)

// A found is a data array with the source of its values: the command line, or else the model, or else the file that the
// model names.
type found struct {
	a       *model.Array
	file    *content.File    // file with the values; nil if they are written in the model
	x       *content.Array   // entry of the file; nil for a matrix that consists of columns
	columns []*content.Array // columns of a matrix
	read    []*content.Array // x or columns as in the file, before codes for missing values are replaced
}

// whole returns the array as it is in its file. A matrix of columns is kept in room.
func (f found) whole(room numbers.Room) *content.Array {
	if f.columns != nil {
		return joined(f.a.Name, f.columns, f.file.Path, room)
	}
	return f.x
}

// rows returns the length of the first axis in the file, or −1 for a scalar.
func (f found) rows() int {
	x := f.x
	if f.columns != nil {
		x = f.columns[0]
	}
	if len(x.Shape) == 0 {
		return -1
	}
	return x.Shape[0]
}

// locate finds the source of an array's values; ok is false if there is none. It reports an error if the values are
// required.
func (t *arrays) locate(a *model.Array) (f found, ok bool) {
	switch named, file := t.files.named[a.Name], t.files.looseFor(a, t.d.Model); {
	case named.file != nil:
		return t.inFileOf(a, named.file, named.key, named.key == a.Name)
	case file != nil:
		x := file.Find(a.Name)
		if len(a.Type.Axes) == 2 && file.Table && countsRows(x) { // R names a column of row numbers X
			if f, ok, tried := t.matrixIn(a, []*content.File{file}); tried {
				return f, ok
			}
		}
		return found{a: a, file: file, x: x}, true
	case a.Value != nil:
		return found{a: a}, true
	case a.From != "":
		return t.inOwnFile(a)
	}
	f, ok, tried := t.matrixIn(a, t.files.loose)
	switch {
	case tried:
		return f, ok
	case len(a.Type.Axes) == 0:
		t.unstated = append(t.unstated, a)
	case a.Optional:
		t.absent = append(t.absent, a)
	case !t.isLengths(a):
		t.missing(a)
	}
	return f, false
}

// inOwnFile finds an array in the file that the model names.
func (t *arrays) inOwnFile(a *model.Array) (f found, ok bool) {
	file, key := t.files.ofModel(a)
	if file == nil || file.Find(key) == nil && t.isLengths(a) {
		return f, false
	}
	return t.inFileOf(a, file, key, file.Lone)
}

// inFileOf finds an array in the file given for it: as the entry of a key, or as columns of a table.
func (t *arrays) inFileOf(a *model.Array, file *content.File, key string, single bool) (f found, ok bool) {
	x := file.Find(key)
	if x == nil || len(a.Type.Axes) == 2 && file.Table && countsRows(x) {
		if f, ok, tried := t.matrixIn(a, []*content.File{file}); tried {
			return f, ok
		}
	}
	x = t.inFile(a, file, key, single)
	return found{a: a, file: file, x: x}, x != nil
}

// matrixIn builds a matrix from the columns of a table. tried is false if no table has suitable columns.
func (t *arrays) matrixIn(a *model.Array, files []*content.File) (f found, ok, tried bool) {
	if len(a.Type.Axes) != 2 {
		return f, false, false
	}
	for _, file := range slices.Backward(files) {
		if !file.Table {
			continue
		}
		columns, ok := t.columnsOf(a, file)
		if len(columns) == 0 {
			return f, false, !ok
		}
		return found{a: a, file: file, columns: columns}, true, true
	}
	return f, false, false
}

// looseFor returns the file of the command line with an array's values: normally the last file with an entry of this
// name. If several tables have one, as with a table of groups and a table of rows in
//
//	data county[N]: index(J), y[N], uranium[J]      rows.csv: county,y      counties.csv: county,uranium
//
// it prefers a table with a key of the array's rows. If the tables differ in their number of rows, it also prefers the
// table with more arrays over the same set that no other file has.
func (f *files) looseFor(a *model.Array, m *model.Model) *content.File {
	var all []*content.File
	for _, file := range f.loose {
		if file.Find(a.Name) != nil {
			all = append(all, file)
		}
	}
	if len(all) == 0 {
		return nil
	}
	last := all[len(all)-1]
	if len(all) == 1 || len(a.Type.Axes) == 0 || slices.ContainsFunc(all,
		func(o *content.File) bool { return !o.Table }) {
		return last
	}
	differ := differInRows(all, a.Name)
	best, most := last, -1
	for _, file := range slices.Backward(all) {
		n := 0
		if differ {
			n = f.alone(file, a, m)
		}
		if hasKey(file, a, m) {
			n += len(m.Arrays)
		}
		if n > most {
			best, most = file, n
		}
	}
	return best
}

// hasKey reports whether a file has a column of data that index the array's first axis.
func hasKey(file *content.File, a *model.Array, m *model.Model) bool {
	return slices.ContainsFunc(m.Arrays, func(b *model.Array) bool {
		return b != a && isData(b) && b.IndexOf != nil && b.IndexOf.Same(a.Type.Axes[0]) && columnLike(file,
			b.Name) != nil
	})
}

// differInRows reports whether the columns with a name differ in length.
func differInRows(all []*content.File, name string) bool {
	first := all[0].Find(name)
	return slices.ContainsFunc(all, func(f *content.File) bool { return f.Find(name).Shape[0] != first.Shape[0] })
}

// alone counts the arrays over the first axis of a that this file has and no other file of the command line has.
func (f *files) alone(file *content.File, a *model.Array, m *model.Model) (n int) {
	for _, b := range m.Arrays {
		if isData(b) && len(b.Type.Axes) > 0 && b.Type.Axes[0].Same(a.Type.Axes[0]) && file.Find(b.Name) != nil &&
			!slices.ContainsFunc(f.loose, func(o *content.File) bool { return o != file && o.Find(b.Name) != nil }) {
			n++
		}
	}
	return n
}
