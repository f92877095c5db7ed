package bind

import (
	"cmp"
	"fmt"
	"go/token"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/numbers"
)

// arrays finds the values of data arrays. It determines sizes as it proceeds, because a value that is written in the
// model may read earlier sizes and arrays.
type arrays struct {
	d      *dataset.Dataset
	diags  *diag.List
	files  *files
	sizes  *sizes
	labels *labels

	found   []found                         // in the order of the model
	pending []found                         // arrays whose elements are identified by keys
	raw     map[*model.Array]*content.Array // arrays as read from files, with texts and rows
	absent  []*model.Array                  // optional data that are absent

	unstated []*model.Array // scalars without a value in the files or in the model

	waiting    []given               // arrays of which only some rows are used
	rowNumbers map[*model.Size][]int // numbers of the remaining rows, if some were omitted
}

// withoutCodes replaces the texts that the declaration gives for missing values by missing values. It records the
// columns as read from the file.
func (t *arrays) withoutCodes(f found) found {
	if f.file == nil {
		return f
	}
	f.read = f.columns
	if f.x != nil {
		f.read = []*content.Array{f.x}
	}
	if x := f.x; x != nil && f.a.IndexOf != nil && x.Texts != nil && len(x.Texts.Labels) > len(distinct(x)) {
		f.x = x.Texts // for example, 3e5 and 300000 are one number, but two identifiers
	}
	if len(f.a.MissingTexts) == 0 {
		return f
	}
	changed := make([]*content.Array, len(f.read))
	for i, x := range f.read {
		if f.x != nil {
			x = f.x
		}
		if x.Rows != nil {
			t.diags.Errorf(diag.RowsAtOnce, f.a.At, "codes for missing values of `%s` are not supported, since %s "+
				"is too large for memory", f.a.Name, x.Origin).
				Help("remove the rows with these codes from the file, and the codes from the model")
			return f
		}
		changed[i] = x.Without(f.a.MissingTexts)
	}
	if f.x != nil {
		f.x = changed[0]
	} else {
		f.columns = changed
	}
	return f
}

// isReadable reports whether the values of an array can be read from its file; if not, it reports an error.
func (t *arrays) isReadable(f found) bool {
	columns := f.columns
	if f.x != nil {
		columns = []*content.Array{f.x}
	}
	for _, x := range columns {
		if x.Unread != nil {
			t.diags.Errorf(diag.DataUnavailable, f.a.At, "%v", x.Unread)
			return false
		}
	}
	return true
}

// enterWhole enters all rows of a file as the values of an array, in the file's order.
func (t *arrays) enterWhole(f found) {
	t.enter(f.a, f.whole(t.files.cache.Room))
	if f.columns != nil {
		t.labels.ofColumns(f.a, f.columns, f.file)
	}
}

// isLengths reports whether an array holds the lengths of ragged data. They can be derived from these data.
func (t *arrays) isLengths(a *model.Array) bool {
	return slices.ContainsFunc(t.d.Model.Ragged, func(r *model.Ragged) bool { return r.Lengths == a })
}

// missing reports that there are no data for an array, with the first advice that applies.
func (t *arrays) missing(a *model.Array) {
	d := t.diags.Errorf(diag.DataUnavailable, a.At, "no data given for `%s`", a.Name)
	var have []string
	for _, f := range t.files.loose {
		have = append(have, f.Order...)
	}
	for _, advise := range []func(a *model.Array, have []string) string{
		otherSpelling, t.columnsInOne, wordOfColumn, t.tableAsText, similarName, t.noFile, notInFiles,
	} {
		if advice := advise(a, have); advice != "" {
			d.Help("%s", advice)
			return
		}
	}
}

// otherSpelling returns advice if the data have the name in other capitals or with a unit; else "".
func otherSpelling(a *model.Array, have []string) string {
	i := slices.IndexFunc(have, func(h string) bool { return strings.EqualFold(h, a.Name) || withUnit(h, a.Name) })
	if i < 0 {
		return ""
	}
	return readAs(a, have[i])
}

// readAs returns advice to read an array from a column of another name.
func readAs(a *model.Array, column string) string {
	call := "rename it"
	if name := content.Spelled(column); token.IsIdentifier(name) {
		call = fmt.Sprintf("call it `%s` in the model", name)
	}
	return fmt.Sprintf("the data have `%s`: %s, or read it with `data %s from \"FILE#%s\"`", column, call, declared(a),
		column)
}

// columnsInOne returns advice if the name is a word in the name of the only column of a file, since the separator was
// not recognized; else "".
func (t *arrays) columnsInOne(a *model.Array, _ []string) string {
	i := slices.IndexFunc(t.files.loose, func(f *content.File) bool {
		return len(f.Order) == 1 && slices.Contains(strings.Fields(f.Order[0]), a.Name)
	})
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("the data have one column `%s`; put commas, semicolons or tabs between columns",
		t.files.loose[i].Order[0])
}

// wordOfColumn returns advice if the name is a word in the name of a single column, such as that of `hours.studied`;
// else "".
func wordOfColumn(a *model.Array, have []string) string {
	var found []string
	for _, h := range have {
		words := strings.FieldsFunc(h, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, a.Name) }) {
			found = append(found, h)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return readAs(a, found[0])
}

// tableAsText returns advice if the name of a file ends in .txt, since the file may be a table; else "".
func (t *arrays) tableAsText(*model.Array, []string) string {
	i := slices.IndexFunc(t.files.loose, func(f *content.File) bool {
		return strings.EqualFold(filepath.Ext(f.Path), ".txt")
	})
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%s is read as a text of characters and words; to read it as a table, name it .tsv or .csv",
		t.files.loose[i].Path)
}

// similarName returns advice if the data have a similar name; else "".
func similarName(a *model.Array, have []string) string {
	near, ok := diag.Nearest(a.Name, have)
	if !ok {
		return ""
	}
	return fmt.Sprintf("the data have `%s`; rename one of them", near)
}

// noFile returns advice if no file was given; else "".
func (t *arrays) noFile(a *model.Array, _ []string) string {
	if len(t.files.loose) > 0 {
		return ""
	}
	return fmt.Sprintf("give a file with `--data FILE`, or `--data %s=FILE`, or write `data %s… = …` in the model",
		a.Name, a.Name)
}

// notInFiles returns advice that lists the entries of the files. A single number can be given without a file.
func notInFiles(a *model.Array, have []string) string {
	text := "the data files have " + strings.Join(shorten(have), ", ")
	if len(a.Type.Axes) == 0 {
		text += fmt.Sprintf("; give a number with `--data %s=20`", a.Name)
	}
	return text
}

// withUnit reports whether a column is a name followed by its unit: "price (EUR)" or "price [EUR]".
func withUnit(column, name string) bool {
	before, _, ok := strings.Cut(column, " (")
	if !ok {
		before, _, ok = strings.Cut(column, " [")
	}
	return ok && strings.EqualFold(before, name)
}

// inFile returns the entry of a file with a key; if there is none, it reports an error and returns nil. If single is
// set, a file with one array needs no matching key.
func (t *arrays) inFile(a *model.Array, f *content.File, key string, single bool) *content.Array {
	if x := f.Find(key); x != nil {
		return x
	}
	if single && len(f.Order) == 1 {
		return f.Array(f.Order[0])
	}
	d := t.diags.Errorf(diag.DataUnavailable, a.At, "%s has no entry `%s`", f.Path, key)
	if near, ok := diag.Nearest(key, f.Order); ok {
		path, _, _ := strings.Cut(cmp.Or(a.From, f.Path), "#")
		d.Help("%s Rename one of them, or read it with `from \"%s#%s\"`", diag.Meant("`%s`", near), path, near)
	} else {
		d.Help("available: %s", strings.Join(shorten(f.Order), ", "))
	}
	return nil
}

// joined combines columns, in memory or on disk, into one array, which is kept in room.
func joined(name string, columns []*content.Array, origin string, room numbers.Room) *content.Array {
	if columns[0].Rows != nil {
		return joinedRows(name, columns)
	}
	rows := columns[0].Values.Len()
	values := numbers.Builder{Room: room}
	values.Grow(rows * len(columns))
	x := &content.Array{Name: name, Shape: []int{rows, len(columns)}, Int: true, Zeros: content.ZerosOf(columns),
		Origin: origin}
	for _, c := range columns {
		x.Int = x.Int && c.Int
	}
	for from := 0; from < rows; from += joinedAtOnce {
		for _, v := range rowsOfColumns(columns, from, min(from+joinedAtOnce, rows)) {
			values.Add(v)
		}
	}
	x.Values = values.List()
	return x
}

// joinedAtOnce is the number of rows of which joined reads all columns, one after another.
const joinedAtOnce = 1 << 14

// rowsOfColumns returns the rows from ≤ i < end of columns, row-major.
func rowsOfColumns(columns []*content.Array, from, end int) []float64 {
	out := make([]float64, (end-from)*len(columns))
	for k, c := range columns {
		for i, v := range c.Values.Part(from, end).All() {
			out[i*len(columns)+k] = v
		}
	}
	return out
}

// literal evaluates a value written in the model.
func (t *arrays) literal(a *model.Array) {
	shape, values, ds := static(t.d, a.Value)
	if len(ds) > 0 {
		t.diags.Add(ds...)
		return
	}
	whole := !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
	t.enter(a, &content.Array{Name: a.Name, Shape: shape, Values: numbers.Packed(values), Int: whole,
		Lengths: a.Lengths, Origin: t.d.Model.Source.Name})
}

// given returns the arrays that have values.
func (t *arrays) given() (all []*model.Array) {
	for _, f := range t.found {
		all = append(all, f.a)
	}
	return all
}

// enter enters the values of an array. If its statement selects rows, this is postponed until the other arrays of the
// statement are read.
func (t *arrays) enter(a *model.Array, x *content.Array) {
	if a.Selection == nil {
		t.enterValues(a, x)
		return
	}
	x = t.asDeclared(a, x)
	if x != nil {
		t.waiting = append(t.waiting, given{a: a, x: x})
	}
}

// wait postpones an array until the elements of its index sets are numbered. Its statement may select some of its rows.
func (t *arrays) wait(f found) {
	t.pending = append(t.pending, f)
	if long := t.longKeys(f, 0); f.a.Selection != nil && len(long) > 0 {
		t.waiting = append(t.waiting, given{f.a, f.whole(t.files.cache.Room), long[0].rows})
	}
}

// enterValues enters the values of an entire array.
func (t *arrays) enterValues(a *model.Array, x *content.Array) {
	x = t.asDeclared(a, x)
	if x != nil {
		t.enterRows(a, x)
	}
}

// asDeclared converts two texts to truth values if the array is declared bool. If that is impossible, it reports an
// error and returns nil.
func (t *arrays) asDeclared(a *model.Array, x *content.Array) *content.Array {
	if a.Declared != types.Bool {
		return x
	}
	return t.asBool(a, x)
}

// enterRows enters the values of an array, and determines sizes from their shape.
func (t *arrays) enterRows(a *model.Array, x *content.Array) {
	x = t.flat(a, t.permuted(a, x))
	if x == nil {
		return
	}
	shape, ok := shapeFor(a, x)
	if !ok {
		t.diags.Errorf(diag.AxisCount, a.At, "`%s` is declared with %s but has %s in %s", a.Name,
			axes(len(a.Type.Axes)), axes(len(shape)), x.Origin)
		return
	}
	for k, s := range a.Type.Axes {
		if size := sizeOf(s); size != nil && (a.Ragged == nil || s != a.Ragged.Flat) {
			t.sizes.learn(size, shape[k], "`"+a.Name+"` ("+x.Origin+")", a.At)
		}
	}
	if x.Rows != nil && a.Missing {
		t.diags.Errorf(diag.RowsAtOnce, a.At, "missing values of `%s` are not supported, since %s is too large for "+
			"memory", a.Name, x.Origin).
			Help("remove the rows with missing values from the file, and `missing` from the declaration of `%s`",
				a.Name)
		return
	}
	if x.Rows == nil && a.MissingCode != nil {
		x = withoutCode(x, number(t.d, t.diags, a.MissingCode))
	}
	if len(x.Labels) > 0 && !takesNames(a) {
		if days := x.Dates(); days != nil {
			x = days
		}
	}
	y := *x
	y.Values, x = x.Values.Settled(), &y
	t.raw[a] = x
	t.d.Arrays[a] = dataset.Array{Shape: shape, Values: x.Values, Origin: x.Origin}
}

// flat converts ragged data to one list, and returns other data unchanged. It reports an error and returns nil if an
// array that is not ragged has lists of different lengths.
func (t *arrays) flat(a *model.Array, x *content.Array) *content.Array {
	switch {
	case a.Ragged == nil && x.Uneven == nil:
		return x
	case a.Ragged == nil:
		d := t.diags.Errorf(diag.DataUnavailable, a.At, "%v", x.Uneven)
		if len(a.Type.Axes) == 2 {
			d.Help("groups of different lengths are declared with data for their lengths: `data m[%[1]s], "+
				"%[2]s[%[1]s, m]`", a.Type.Axes[0].Name, a.Name)
		}
		return nil
	case x.Rows != nil:
		t.diags.Errorf(diag.RowsAtOnce, a.At, "`%s` has groups of different lengths, which are not supported if a "+
			"file (%s) is too large for memory", a.Name, x.Origin).
			Help("give the rows in one axis: `data group[N]: index(J), %s[N]`", a.Name)
		return nil
	}
	y := *x
	if len(x.Shape) == 2 { // lists of one length
		y.Lengths = slices.Repeat([]int{x.Shape[1]}, x.Shape[0])
		y.Shape = []int{x.Values.Len()}
	}
	if size := sizeOf(a.Ragged.Outer.Set); size != nil && y.Lengths != nil {
		t.sizes.learn(size, len(y.Lengths), "`"+a.Name+"` ("+x.Origin+")", a.At)
	}
	return &y
}

// shapeFor returns the shape of values for the declared axes: a scalar may be given for one element, and an empty list
// for any number of axes. ok is false if the shape does not fit.
func shapeFor(a *model.Array, x *content.Array) (shape []int, ok bool) {
	shape = x.Shape
	switch want := len(a.Type.Axes); {
	case len(shape) == want:
	case len(shape) == 0 && want == 1:
		shape = []int{1}
	case len(shape) == 1 && shape[0] == 1 && want == 0:
		shape = nil
	case len(shape) < want && x.Rows == nil && x.Values.Len() == 0:
		shape = append(slices.Clone(shape), make([]int, want-len(shape))...)
	default:
		return shape, false
	}
	return shape, true
}

// withoutCode replaces the number that means a missing entry by NaN.
func withoutCode(x *content.Array, code float64) *content.Array {
	y := *x
	y.Values = x.Values.Map(func(v float64) float64 {
		if v == code {
			return math.NaN()
		}
		return v
	})
	return &y
}

// permuted returns an array with the values of some rows permuted, if the model says so:
//
//	data image[N, 28, 28], label[N]: index(0..9) permute 0.2 seed 1
//
// permutes the labels of a fifth of the images, so that one can see whether a method fits wrong labels. Rows and order
// depend only on the number of rows and the seed.
func (t *arrays) permuted(a *model.Array, x *content.Array) *content.Array {
	of := a.Permuted
	switch {
	case of == nil || len(x.Shape) == 0 || x.Shape[0] == 0:
		return x
	case x.Rows != nil:
		t.diags.Errorf(diag.RowsAtOnce, of.At, "`permute` is not supported for data that are too large for memory "+
			"(%s)", x.Origin).Help("permute the values in the file")
		return x
	case x.Lengths != nil:
		t.diags.Errorf(diag.RowsAtOnce, of.At, "`permute` needs rows of one length, but the lists of `%s` have "+
			"different lengths", a.Name).Help("permute the lists in the file")
		return x
	}
	r := rand.New(rand.NewPCG(of.Seed, 18))
	rows := make([]int, x.Shape[0])
	for i := range rows {
		rows[i] = i
	}
	chosen := r.Perm(len(rows))[:int(math.Round(of.Share*float64(len(rows))))]
	r.Shuffle(len(chosen), func(i, j int) {
		rows[chosen[i]], rows[chosen[j]] = rows[chosen[j]], rows[chosen[i]]
	})
	y := *x
	y.Values = rowsOf(x, rows)
	t.diags.Notef(diag.OtherOrder, of.At, "%d of %d values of `%s` are in another order", len(chosen), len(rows),
		a.Name)
	return &y
}
