// Package bind gives a checked model its data: it finds each data array's values (on the command line, in the model, in
// the file the model names), resolves every size from them, and says what does not fit, with file and row.
package bind

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/data"
	"ppl/compiler/dataset"
	"ppl/compiler/emit"
	"ppl/compiler/model"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/types"
)

// An Arg is one --data flag: NAME=PATH, or PATH alone (Name empty) for a file whose entries give arrays by name.
type Arg struct{ Name, Path string }

// Data binds data to a model. Files that the model names are relative to dir; those that are too large for memory, by
// the shelf, are read by rows. The result is nil when a diagnostic is an error.
func Data(m *model.Model, dir string, args []Arg, shelf data.Shelf) (*dataset.Dataset, []diag.Diagnostic) {
	b := &binder{m: m, dir: dir, shelf: shelf, out: &dataset.Dataset{Model: m, Arrays: map[*model.Array]dataset.Array{},
		Sizes:  map[*model.Size]int{},
		Labels: map[*model.Size][]string{}}, from: map[*model.Array]*data.Array{}, columns: map[*model.Array]bool{},
		sizeFrom: map[*model.Size]string{}, cache: map[string]*data.File{}}
	b.open(args)
	if !b.diags.HasErrors() {
		b.entrySizes()
		for _, a := range m.Arrays {
			if isData(a) {
				b.bind(a)
			}
		}
		b.leaveOut(b.absent)
	}
	if !b.diags.HasErrors() {
		b.labels()
		b.indexSizes()
		b.remainingSizes()
		b.noteOrder()
	}
	if !b.diags.HasErrors() {
		b.check()
	}
	if !b.diags.HasErrors() {
		b.streams()
	}
	if b.diags.HasErrors() {
		return nil, b.diags.All()
	}
	return dataset.New(b.m, b.out.Arrays, b.out.Sizes, b.out.Labels), b.diags.All()
}

type binder struct {
	m        *model.Model
	dir      string
	shelf    data.Shelf
	out      *dataset.Dataset
	files    []*data.File // of --data PATH, last wins
	named    map[string]*data.File
	from     map[*model.Array]*data.Array
	columns  map[*model.Array]bool  // arrays put together from the columns of a table
	sizeFrom map[*model.Size]string // where a size was learned, for disagreements
	cache    map[string]*data.File
	absent   []*model.Array // optional data that are not given
	diags    diag.List
}

// isData reports whether an array is declared as data.
func isData(a *model.Array) bool { return a.Role == model.Data || a.Missing }

// open reads the files of the command line.
func (b *binder) open(args []Arg) {
	b.named = map[string]*data.File{}
	for _, arg := range args {
		f, ok := b.read(arg.Path, source.Span{})
		if !ok {
			continue
		}
		if arg.Name == "" {
			b.files = append(b.files, f)
			continue
		}
		if b.array(arg.Name) == nil {
			d := b.diags.Errorf("E83", source.Span{}, "--data %s=%s: the model has no data `%s`", arg.Name,
				arg.Path, arg.Name)
			if near, ok := diag.Nearest(arg.Name, b.dataNames()); ok {
				d.Help("did you mean `%s`?", near)
			}
			continue
		}
		b.named[arg.Name] = f
	}
}

func (b *binder) array(name string) *model.Array {
	for _, a := range b.m.Arrays {
		if isData(a) && a.Name == name {
			return a
		}
	}
	return nil
}

func (b *binder) dataNames() (names []string) {
	for _, a := range b.m.Arrays {
		if isData(a) {
			names = append(names, a.Name)
		}
	}
	return names
}

// entry finds a name in the files of the command line.
func (b *binder) entry(name string) *data.Array {
	for _, f := range slices.Backward(b.files) {
		if x := f.Arrays[name]; x != nil {
			return x
		}
	}
	return nil
}

// entrySizes: a same-named entry of a data file gives an index set its size.
func (b *binder) entrySizes() {
	for _, s := range b.m.Sizes {
		if x := b.entry(s.Name); x != nil && len(x.Shape) == 0 {
			if v := x.Values[0]; v != math.Trunc(v) || v < 0 {
				b.diags.Errorf("E47", s.At, "size %s is %g in %s; a size is a whole number", s.Name, v, x.Origin)
				continue
			}
			b.size(s, int(x.Values[0]), "`"+s.Name+"` ("+x.Origin+")", s.At)
		}
	}
}

// size learns a size; two sources must agree.
func (b *binder) size(s *model.Size, n int, where string, at source.Span) {
	old, known := b.out.Sizes[s]
	if known && old != n {
		b.diags.Errorf("E47", at, "size %s is %d in %s and %d in %s", s.Name, old, b.sizeFrom[s], n, where)
		return
	}
	if !known {
		b.out.Sizes[s], b.sizeFrom[s] = n, where
	}
}

// bind finds an array's values: the command line first, then the model, then the file the model names.
func (b *binder) bind(a *model.Array) {
	switch {
	case b.named[a.Name] != nil:
		b.take(a, b.inFile(a, b.named[a.Name], a.Name, true))
	case b.entry(a.Name) != nil:
		b.take(a, b.entry(a.Name))
	case a.Value != nil:
		b.literal(a)
	case a.From != "":
		b.fromFile(a)
	case b.tableColumns(a, b.files):
	case a.Optional:
		b.absent = append(b.absent, a)
	default:
		b.missing(a)
	}
}

func (b *binder) missing(a *model.Array) {
	d := b.diags.Errorf("E83", a.At, "no data given for `%s`", a.Name)
	var have []string
	for _, f := range b.files {
		have = append(have, f.Order...)
	}
	if near, ok := diag.Nearest(a.Name, have); ok {
		d.Help("the data have `%s`; rename one of them", near)
	} else if len(b.files) == 0 {
		d.Help("give a file with `--data FILE`, or `--data %s=FILE`, or write `data %s… = …` in the model",
			a.Name, a.Name)
	} else {
		d.Help("the data files have %s", strings.Join(shorten(have), ", "))
	}
}

func shorten(names []string) []string {
	if len(names) > 12 {
		return append(slices.Clone(names[:12]), "…")
	}
	return names
}

func (b *binder) fromFile(a *model.Array) {
	path, key := fileOf(a, b.dir)
	f := b.cache[path]
	if f == nil {
		var ok bool
		if f, ok = b.read(path, a.At); !ok {
			f = &data.File{} // said once
		}
		b.cache[path] = f
	}
	if f.Path == "" {
		return
	}
	if key == "" {
		key = a.Name
	}
	if f.Arrays[key] == nil && b.tableColumns(a, []*data.File{f}) {
		return
	}
	b.take(a, b.inFile(a, f, key, f.Lone))
}

// inFile is an entry of a file; a file with a single array may be given for a name.
func (b *binder) inFile(a *model.Array, f *data.File, key string, single bool) *data.Array {
	if x := f.Arrays[key]; x != nil {
		return x
	}
	if single && len(f.Order) == 1 {
		return f.Arrays[f.Order[0]]
	}
	d := b.diags.Errorf("E83", a.At, "%s has no entry `%s`", f.Path, key)
	if near, ok := diag.Nearest(key, f.Order); ok {
		path, _, _ := strings.Cut(cmp.Or(a.From, f.Path), "#")
		d.Help("did you mean `%s`? Rename one of them, or read it with `from \"%s#%s\"`", near, path, near)
	} else {
		d.Help("it has %s", strings.Join(shorten(f.Order), ", "))
	}
	return nil
}

// tableColumns: a two-axis name without a column of its own takes all numeric columns that no other data name takes.
func (b *binder) tableColumns(a *model.Array, files []*data.File) bool {
	if len(a.Type.Axes) != 2 {
		return false
	}
	for _, f := range slices.Backward(files) {
		if !f.Table {
			continue
		}
		var columns []*data.Array
		for _, name := range f.Order {
			if b.array(name) == nil && f.Arrays[name].Labels == nil {
				columns = append(columns, f.Arrays[name])
			}
		}
		if len(columns) == 0 {
			return false
		}
		if columns[0].Rows != nil {
			b.take(a, sideBySide(a.Name, columns))
			b.nameColumns(a, columns, f)
			return true
		}
		rows := len(columns[0].Values)
		x := &data.Array{Name: a.Name, Shape: []int{rows, len(columns)}, Values: make([]float64, rows*len(columns)),
			Int: true, Origin: f.Path}
		for j, c := range columns {
			x.Int = x.Int && c.Int
			for i, v := range c.Values {
				x.Values[i*len(columns)+j] = v
			}
		}
		b.take(a, x)
		b.nameColumns(a, columns, f)
		return true
	}
	return false
}

// nameColumns: the columns' names are the names of the second axis.
func (b *binder) nameColumns(a *model.Array, columns []*data.Array, f *data.File) {
	b.columns[a] = true
	if s := sizeOf(a.Type.Axes[1]); s != nil {
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = c.Name
		}
		b.name(s, names, "`"+a.Name+"` ("+f.Path+")", a)
	}
}

// literal evaluates a value written in the model.
func (b *binder) literal(a *model.Array) {
	shape, values, ds := emit.Static(b.out, a.Value)
	if len(ds) > 0 {
		b.diags.Add(ds...)
		return
	}
	whole := !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
	b.take(a, &data.Array{Name: a.Name, Shape: shape, Values: values, Int: whole, Origin: b.m.Source.Name})
}

// take enters an array and learns sizes from its shape.
func (b *binder) take(a *model.Array, x *data.Array) {
	if x == nil {
		return
	}
	shape := x.Shape
	if len(shape) == 0 && len(a.Type.Axes) == 1 { // one element written as a number
		shape = []int{1}
	}
	if len(shape) == 1 && shape[0] == 1 && len(a.Type.Axes) == 0 {
		shape = nil
	}
	if len(shape) != len(a.Type.Axes) {
		// [] has one axis however many are meant
		if x.Rows == nil && len(x.Values) == 0 && len(shape) < len(a.Type.Axes) {
			shape = append(slices.Clone(shape), make([]int, len(a.Type.Axes)-len(shape))...)
		} else {
			b.diags.Errorf("E42", a.At, "`%s` is declared with %s but has %s in %s", a.Name, axes(len(a.Type.Axes)),
				axes(len(shape)), x.Origin)
			return
		}
	}
	for k, s := range a.Type.Axes {
		if size := sizeOf(s); size != nil {
			b.size(size, shape[k], "`"+a.Name+"` ("+x.Origin+")", a.At)
		}
	}
	if x.Rows != nil {
		b.takeRows(a, x, shape)
		return
	}
	if a.MissingCode != nil {
		x = withoutCode(x, b.number(a.MissingCode))
	}
	b.from[a] = x
	b.out.Arrays[a] = dataset.Array{Shape: shape, Values: x.Values, Origin: x.Origin}
}

// withoutCode replaces the number that stands for a missing entry by NaN.
func withoutCode(x *data.Array, code float64) *data.Array {
	y := *x
	y.Values = slices.Clone(x.Values)
	for i, v := range y.Values {
		if v == code {
			y.Values[i] = math.NaN()
		}
	}
	return &y
}

func axes(n int) string {
	return [...]string{"no axes", "1 axis", "2 axes", "3 axes", "4 axes", "5 axes"}[min(n, 5)]
}

func isOne(e model.Expr) bool {
	n, ok := e.(*model.Num)
	return ok && n.Value == 1
}

// indexSizes: index(J) alone gives J from labels or the largest value.
func (b *binder) indexSizes() {
	for _, a := range b.m.Arrays {
		if a.IndexOf == nil || b.from[a] == nil {
			continue
		}
		of, ok := a.IndexOf.Hi.(*model.SizeOf)
		if !ok {
			continue
		}
		if _, known := b.out.Sizes[of.Size]; known {
			continue
		}
		if labels := b.from[a].Labels; labels != nil {
			b.size(of.Size, len(labels), "the labels of `"+a.Name+"`", a.At)
			continue
		}
		largest := b.largestByRows(a)
		for _, v := range b.from[a].Values {
			largest = math.Max(largest, v)
		}
		b.size(of.Size, int(largest), "the largest `"+a.Name+"`", a.At)
		b.diags.Notef("W07", a.At, "%s = %d was taken from the largest `%s`; give `data %s` if there are unseen groups",
			of.Size.Name, int(largest), a.Name, of.Size.Name)
	}
}

func (b *binder) remainingSizes() {
	for _, s := range b.m.Sizes {
		if _, ok := b.out.Sizes[s]; !ok {
			b.diags.Errorf("E46", s.At, "size `%s` is not known: give `%s = …`, `data %s`, or data with axis %s",
				s.Name, s.Name, s.Name, s.Name)
		}
	}
}

// ---- what values must be ----

func (b *binder) check() {
	for _, a := range b.m.Arrays {
		if x := b.from[a]; x != nil {
			b.checkArray(a, x)
		}
	}
	if b.diags.HasErrors() {
		return
	}
	for _, t := range b.m.Terms {
		if t.Kind == model.Likelihood && b.from[t.Array] != nil && b.from[t.Array].Rows == nil &&
			len(b.from[t.Array].Values) == 0 {
			b.diags.Warnf("W02", t.Array.At, "`%s` has no rows in %s, so nothing is learned from it", t.Array.Name,
				b.from[t.Array].Origin)
		}
	}
}

func (b *binder) checkArray(a *model.Array, x *data.Array) {
	shape := b.out.Arrays[a].Shape
	for k, s := range a.Type.Axes {
		n, ds := emit.SetSize(b.out, s)
		b.diags.Add(ds...)
		if len(ds) == 0 && n != shape[k] {
			b.diags.Errorf("E47", a.At, "axis %s of `%s` has %d elements, but %d in %s", s.Name, a.Name, n,
				shape[k], x.Origin)
			return
		}
	}
	if x.Rows != nil {
		b.checkRows(a, x)
		return
	}
	holes := 0
	for _, v := range x.Values {
		if math.IsNaN(v) {
			holes++
		}
	}
	if holes > 0 && !a.Missing {
		b.hasHoles(a, x, holes)
		return
	}
	if len(x.Labels) > 0 && !takesNames(a) {
		i := firstText(x)
		b.isText(a, x.Labels[int(x.Values[i])-1], i)
		return
	}
	lo, hi, word := b.limits(a)
	for i, v := range x.Values {
		if math.IsNaN(v) {
			continue
		}
		if a.NeedInt && v != math.Trunc(v) {
			b.notInteger(a, v, i)
			return
		}
		if v < lo || v > hi {
			b.outside(a, v, i, word)
			return
		}
	}
}

// limits are those of an array's values, and the word for them.
func (b *binder) limits(a *model.Array) (lo, hi float64, word string) {
	switch {
	case a.IndexOf != nil:
		n, ds := emit.SetBox(b.out, a.IndexOf)
		b.diags.Add(ds...)
		return float64(n[0]), float64(n[1]), "index(" + a.IndexOf.Name + ")"
	case a.Declared == types.Bool:
		return 0, 1, "bool"
	case a.Bounds != nil:
		return b.number(a.Bounds.Lo), b.number(a.Bounds.Hi), "its bounds"
	}
	return math.Inf(-1), math.Inf(1), ""
}

func (b *binder) hasHoles(a *model.Array, x *data.Array, holes int) {
	b.diags.Errorf("W05", a.At, "`%s` has missing values in %s (%d); declared without `missing`", a.Name,
		x.Origin, holes).
		Help("write `%s missing` and give it a law to have them drawn, or leave their rows out of the file",
			declared(a))
}

// takesNames reports whether texts may be numbered as the elements of an array's index set.
func takesNames(a *model.Array) bool { return a.IndexOf != nil && isOne(a.IndexOf.Lo) }

func (b *binder) isText(a *model.Array, text string, i int) {
	b.diags.Errorf("E57", a.At, "`%s` is text, not numbers: %q (%s)", a.Name, text, b.out.Row(a, i)).
		Help("names of groups need `%s: index(J)`; a missing value is written NA", declared(a))
}

func (b *binder) notInteger(a *model.Array, v float64, i int) {
	b.diags.Errorf("E57", a.At, "value %g of `%s` (%s) is not an integer, which its use here asks for", v, a.Name,
		b.out.Row(a, i))
}

func (b *binder) outside(a *model.Array, v float64, i int, word string) {
	b.diags.Errorf("E56", a.At, "value %g of `%s` (%s) is not in %s", v, a.Name, b.out.Row(a, i), word)
}

// declared writes an array with its axes, as its declaration does.
func declared(a *model.Array) string {
	if len(a.Type.Axes) == 0 {
		return a.Name
	}
	names := make([]string, len(a.Type.Axes))
	for k, s := range a.Type.Axes {
		names[k] = s.Name
	}
	return a.Name + "[" + strings.Join(names, ", ") + "]"
}

// firstText finds the element that makes an array text: the first that is no number, or in quotes the first of all.
func firstText(x *data.Array) int {
	first := -1
	for i, v := range x.Values {
		if math.IsNaN(v) {
			continue
		}
		if _, err := strconv.ParseFloat(x.Labels[int(v)-1], 64); err != nil {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

func (b *binder) number(e model.Expr) float64 {
	_, values, ds := emit.Static(b.out, e)
	b.diags.Add(ds...)
	if len(values) == 0 {
		return math.NaN()
	}
	return values[0]
}
