package bind

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/numerals"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// If the elements of an index set have labels or numbers, the rows of a table are matched to elements by a key column,
// not by position. With
//
//	data county[N]: index(J), uranium[J], y[N]     county,uranium,y      J = 2, uranium = [0.3, 0.7]
//	                                               B,0.7,1.2
//	                                               A,0.3,0.4
//	                                               B,0.7,1.9
//
// the column county determines the element of J to which each row belongs. A separate table with one row for each
// county needs a column with the same name or the same values, or the column that `by` names. The columns of a matrix
// are matched by their names.

// A key is a column of a file that maps its rows to elements of an index set.
type key struct {
	name string
	x    *content.Array
	rows *model.Set // set of the rows, if the model reads the column as data over them; else nil
}

// keyed reports whether the elements of an array are matched by keys. Other arrays have the order of their file.
func (t *arrays) keyed(f found) bool {
	switch {
	case f.file == nil || len(f.a.Type.Axes) == 0 || f.a.Ragged != nil || f.rows() < 0:
		return false
	case f.hasNames():
		return true
	}
	if f.columns != nil && t.namedApart(f.a.Type.Axes[1], f) {
		return true
	}
	return len(f.a.By) > 0 || len(t.longKeys(f, 0)) > 0 ||
		f.file.Table && (len(f.a.Type.Axes) == len(f.shape()) && t.namedApart(f.a.Type.Axes[0], f) || t.isPivot(f))
}

// isPivot reports whether an array of several axes is one column, with one element in each row.
func (t *arrays) isPivot(f found) bool {
	if !f.file.Table || f.columns != nil || len(f.a.Type.Axes) < 2 || len(f.x.Shape) != 1 {
		return false
	}
	for k, s := range f.a.Type.Axes {
		if k >= len(f.a.By) && len(t.longKeys(f, k)) == 0 && !t.namedApart(s, f) {
			return false
		}
	}
	return true
}

// shape returns the shape of an array in its file.
func (f found) shape() []int {
	if f.columns != nil {
		return []int{f.rows(), len(f.columns)}
	}
	return f.x.Shape
}

// longKeys returns the columns of the array's file that index its k-th axis, in rows of another set.
func (t *arrays) longKeys(f found, k int) (keys []key) {
	if f.hasNames() {
		return nil
	}
	s := f.a.Type.Axes[k]
	for _, g := range t.found {
		b := g.a
		if g.file != f.file || g.x == nil || g.hasNames() || b == f.a || b.IndexOf == nil || !b.IndexOf.Same(s) ||
			len(b.Type.Axes) != 1 || b.Type.Axes[0].Same(f.a.Type.Axes[0]) || g.rows() != f.rows() {
			continue
		}
		if !f.file.Table && !repeats(g.x) {
			continue // one value for each element, in the order of the elements
		}
		keys = append(keys, key{g.x.Name, g.x, b.Type.Axes[0]})
	}
	return keys
}

// repeats reports whether a value occurs twice in an array.
func repeats(x *content.Array) bool {
	seen := map[float64]bool{}
	for _, v := range x.Values.All() {
		if seen[v] {
			return true
		}
		seen[v] = v == v
	}
	return false
}

// namedApart reports whether another array names or numbers the elements of an axis: data of type index(J), or the
// columns of a matrix.
func (t *arrays) namedApart(s *model.Set, f found) bool {
	return slices.ContainsFunc(t.found, func(g found) bool {
		return g.a != f.a && (g.a.IndexOf != nil && g.a.IndexOf.Same(s) && g.x != nil || g.namesColumns(s))
	}) || f.namesColumns(s) && f.a.Type.Axes[0].Same(s)
}

// namesColumns reports whether a set is the set of columns of a matrix.
func (f found) namesColumns(s *model.Set) bool { return f.columns != nil && f.a.Type.Axes[1].Same(s) }

// A keyReader enters the arrays whose elements are matched by keys, after the elements of their sets are numbered.
type keyReader struct {
	*arrays
	numbered map[*model.Size]bool
}

// read numbers the elements of all index sets, and enters the arrays that need these numbers. The order matters: in
// district[S]: index(D), an array over S numbers D, so it is read before D is numbered.
func (r *keyReader) read() {
	for !r.diags.HasErrors() {
		ready := slices.IndexFunc(r.pending, func(f found) bool { return r.isReady(f) })
		if ready >= 0 {
			f := r.pending[ready]
			r.pending = slices.Delete(r.pending, ready, ready+1)
			r.enterKeyed(f)
			continue
		}
		r.takeSelected()
		if r.diags.HasErrors() {
			return
		}
		z := r.next()
		if z == nil {
			return
		}
		r.numbered[z] = true
		r.number(z)
	}
}

// isReady reports whether the elements of all axes of an array are numbered.
func (r *keyReader) isReady(f found) bool {
	return !slices.ContainsFunc(f.a.Type.Axes, func(s *model.Set) bool {
		z := sizeOf(s)
		return z != nil && !r.numbered[z] && slices.Contains(r.d.Model.Sizes, z)
	})
}

// next returns a set whose elements can be numbered. If arrays index each other's sets, it returns the first one.
func (r *keyReader) next() (first *model.Size) {
	for _, z := range r.d.Model.Sizes {
		if r.numbered[z] {
			continue
		}
		if !slices.ContainsFunc(r.pending, func(f found) bool {
			return sizeOf(f.a.IndexOf) == z && !slices.ContainsFunc(f.a.Type.Axes, func(s *model.Set) bool {
				return sizeOf(s) == z
			})
		}) {
			return z
		}
		if first == nil {
			first = z
		}
	}
	return first
}

// number determines the labels or the number of the elements of an index set.
func (r *keyReader) number(z *model.Size) {
	r.selfNamed(z)
	over := func(s *model.Set) bool { return sizeOf(s) == z }
	if names, by := r.labels.declaredOrder(over); by != nil {
		where := "the order of `" + by.Name + "`"
		r.sizes.learn(z, len(names), where, by.At)
		if r.labels.byOrder(r.numbering(z), names, by, r.raw) {
			r.labels.name(z, names, where, by)
			r.labels.ordered[z] = true
		}
	} else {
		r.labels.share(z, r.raw)
	}
	if r.d.Labels[z] == nil {
		r.positions(z)
		r.labels.ofCodes(z, r.raw, r.sizes)
	}
	if _, known := r.d.Sizes[z]; !known && r.d.Labels[z] == nil {
		r.nameByColumns(z)
	}
	if _, known := r.d.Sizes[z]; !known && r.d.Labels[z] == nil {
		r.nameByKeys(z)
	}
	r.sizes.ofIndexSet(z, r.raw, r.labels.known)
}

// selfNamed handles data of type index(J) over J: their texts label the rows of J. raw holds them until rows are
// matched.
func (r *keyReader) selfNamed(z *model.Size) {
	for _, f := range r.pending {
		if sizeOf(f.a.IndexOf) == z && len(f.a.Type.Axes) == 1 && sizeOf(f.a.Type.Axes[0]) == z && r.raw[f.a] == nil {
			r.raw[f.a] = f.x
		}
	}
}

// nameByColumns labels the elements of a set by the columns of the first matrix over it.
func (r *keyReader) nameByColumns(z *model.Size) {
	for _, f := range r.pending {
		if f.columns != nil && sizeOf(f.a.Type.Axes[1]) == z {
			r.labels.ofColumns(f.a, f.columns, f.file)
			r.sizes.learn(z, len(f.columns), "`"+f.a.Name+"` ("+f.file.Path+")", f.a.At)
			return
		}
	}
}

// positions determines the size of a set from a table with a row for each element. If all codes are in 1 to n, they are
// positions.
func (r *keyReader) positions(z *model.Size) {
	if _, known := r.d.Sizes[z]; known {
		return
	}
	codes, ok := codesOfGroups(r.numbering(z), r.raw)
	if !ok || len(codes) > 0 && codes[0] < 1 {
		return
	}
	for _, f := range r.pending {
		n, where := r.elementsIn(f, z)
		if n > 0 && (len(codes) == 0 || codes[len(codes)-1] <= float64(n)) {
			r.sizes.learn(z, n, where, f.a.At)
		}
	}
}

// numbering returns the arrays that index a set.
func (r *keyReader) numbering(z *model.Size) (all []*model.Array) {
	for _, a := range r.d.Model.Arrays {
		if r.raw[a] != nil && sizeOf(a.IndexOf) == z {
			all = append(all, a)
		}
	}
	return all
}

// elementsIn returns the number of elements of a set that a table has in order, as rows or columns. It returns 0 if
// keys other than 1 to n identify them.
func (r *keyReader) elementsIn(f found, z *model.Size) (n int, where string) {
	where = "`" + f.a.Name + "` (" + f.file.Path + ")"
	switch {
	case f.hasNames():
		return 0, where
	case f.columns != nil && sizeOf(f.a.Type.Axes[1]) == z:
		if numbersOf(f.columns) != nil {
			return 0, where
		}
		return len(f.columns), where
	case sizeOf(f.a.Type.Axes[0]) != z || len(r.longKeys(f, 0)) > 0 || r.isPivot(f):
		return 0, where
	}
	k, ok := r.keyByName(f, 0)
	switch {
	case !ok:
		return f.rows(), where
	case k.x.Labels == nil && counts(k.x):
		return f.rows(), where
	}
	return 0, where
}

// counts reports whether an array contains each of the numbers 1 to n once.
func counts(x *content.Array) bool {
	if x.Rows != nil {
		return false
	}
	seen := make([]bool, x.Values.Len())
	for _, v := range x.Values.All() {
		if !(v >= 1 && v <= float64(len(seen))) || v != math.Trunc(v) || seen[int(v)-1] {
			return false
		}
		seen[int(v)-1] = true
	}
	return true
}

// numbersOf converts the names of columns to numbers, such as 2001 or R's X2001; nil if some are not numbers.
func numbersOf(columns []*content.Array) (all []float64) {
	for _, c := range columns {
		v, err := strconv.ParseFloat(strings.TrimPrefix(c.Name, "X"), 64)
		if err != nil {
			return nil
		}
		all = append(all, v)
	}
	return all
}

// keyOf returns the key of the k-th axis of an array in its file; ok is false if the file has none. It reports errors.
func (r *keyReader) keyOf(f found, k int) (of key, ok bool) {
	if k < len(f.a.By) {
		return r.keyBy(f, k)
	}
	if long := r.longKeys(f, k); len(long) > 1 {
		r.diags.Errorf(diag.UnmatchedRows, f.a.At, "`%s` has a value for each element of %s, but two columns of %s "+
			"contain such elements: `%s` and `%s`", f.a.Name, f.a.Type.Axes[k].Name, f.file.Path, long[0].name,
			long[1].name).
			Help("choose one in the model: `data %s from %q by %s`", declared(f.a), f.file.Path, long[0].name)
		return of, false
	} else if len(long) == 1 {
		return long[0], true
	}
	if of, ok = r.selfKey(f, k); ok {
		return of, true
	}
	if of, ok = r.keyByName(f, k); ok {
		return of, true
	}
	return r.keyByValues(f, k)
}

// selfKey returns a column of texts of type index(J) over J that names each row once.
func (r *keyReader) selfKey(f found, k int) (of key, ok bool) {
	s := f.a.Type.Axes[k]
	for _, g := range r.found {
		if g.file == f.file && g.x != nil && g.a.IndexOf != nil && g.a.IndexOf.Same(s) && g.x.Labels != nil &&
			len(g.a.Type.Axes) == 1 && g.a.Type.Axes[0].Same(s) && !repeats(g.x) && !g.x.Values.Missing() {
			return key{name: g.x.Name, x: g.x}, true
		}
	}
	return of, false
}

// keyBy returns the key that the model names with `by`.
func (r *keyReader) keyBy(f found, k int) (of key, ok bool) {
	c := f.a.By[k]
	if x := f.file.Find(c.Name); x != nil {
		return key{name: x.Name, x: x}, true
	}
	d := r.diags.Errorf(diag.DataUnavailable, c.At, "%s has no column %q", f.file.Path, c.Name)
	d.Help("%s", diag.MeantAmong(f.file.Order, "%q", c.Name, "available: "+strings.Join(shorten(f.file.Order), ", ")))
	return of, false
}

// keyByName returns a column with the name of data that index the axis, or with the name of the set.
func (r *keyReader) keyByName(f found, k int) (of key, ok bool) {
	s := f.a.Type.Axes[k]
	for _, g := range r.found {
		if g.a.IndexOf == nil || g.x == nil || !g.a.IndexOf.Same(s) || g.file == f.file {
			continue
		}
		for _, name := range []string{g.x.Name, g.a.Name} {
			if x := columnLike(f.file, name); x != nil && r.fits(x, s) {
				return key{name: x.Name, x: x}, true
			}
		}
	}
	if x := columnLike(f.file, s.Name); x != nil && !r.isRead(f.file, x) && r.fits(x, s) {
		return key{name: x.Name, x: x}, true
	}
	return of, false
}

// columnLike returns the column with a name, ignoring case and special characters: County for county.
func columnLike(f *content.File, name string) *content.Array {
	if x := f.Find(name); x != nil {
		return x
	}
	at := slices.IndexFunc(f.Order, func(o string) bool {
		return strings.EqualFold(content.Spelled(o),
			content.Spelled(name))
	})
	if at < 0 {
		return nil
	}
	return f.Array(f.Order[at])
}

// fits reports whether a column contains an element of a set. If the elements are not known yet, it reports whether the
// column has numbers.
func (r *keyReader) fits(x *content.Array, s *model.Set) bool {
	if z := sizeOf(s); z != nil && r.d.Labels[z] == nil {
		if _, known := r.d.Sizes[z]; !known {
			return x.Labels == nil
		}
	}
	in := r.elements(s)
	return slices.ContainsFunc(distinct(x), func(v float64) bool { return in.of(x, v) >= 0 })
}

// isRead reports whether an array of the model reads a column of a file.
func (r *keyReader) isRead(file *content.File, x *content.Array) bool {
	return slices.ContainsFunc(r.found, func(f found) bool {
		return f.file == file && slices.Contains(f.read, x)
	})
}

// keyByValues returns an unused column whose values are labels of a set: texts that include most of them, or numbers
// that are exactly the labels.
func (r *keyReader) keyByValues(f found, k int) (of key, ok bool) {
	s := f.a.Type.Axes[k]
	if z := sizeOf(s); z == nil || r.d.Labels[z] == nil {
		return of, false
	}
	in, most := r.elements(s), 0
	for _, x := range f.file.Columns() {
		if len(x.Shape) != 1 || r.isRead(f.file, x) {
			continue
		}
		n, all := 0, distinct(x)
		for _, v := range all {
			if in.of(x, v) >= 0 {
				n++
			}
		}
		if exact := n == in.n && n == len(all); n > most && (exact || x.Labels != nil && 2*n > min(len(all), in.n)) {
			of, ok, most = key{name: x.Name, x: x}, true, n
		}
	}
	return of, ok
}

// distinct returns the distinct values of a column, or nil for a column on disk whose distinct values are not known.
// For a column of texts, these are the numbers of its labels.
func distinct(x *content.Array) []float64 {
	if x.Labels != nil {
		all := make([]float64, len(x.Labels))
		for i := range all {
			all[i] = float64(i + 1)
		}
		return all
	}
	if x.Rows != nil {
		return distinctOf(x)
	}
	var all []float64
	for _, v := range x.Values.All() {
		if v == v {
			all = append(all, v)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// noKey reports an error for a table whose rows cannot be matched.
func (r *keyReader) noKey(f found, k int) {
	s := f.a.Type.Axes[k]
	names := r.d.Labels[sizeOf(s)]
	like := s.Name
	for _, g := range r.found {
		if g.a.IndexOf != nil && g.a.IndexOf.Same(s) {
			like = g.a.Name
			break
		}
	}
	r.diags.Errorf(diag.UnmatchedRows, f.a.At, "the elements of %s have names (%s), but no column of %s contains "+
		"the name for each row of `%s`", s.Name, strings.Join(shorten(names), ", "), f.file.Path, f.a.Name).
		Help("add a column `%s` with the names to the file; if the column has another name, write `data %s from %q "+
			"by NAME` in the model", like, declared(f.a), f.file.Path)
}

// elements holds the elements of an index set after numbering: by label if they have labels, or else by number.
type elements struct {
	set      *model.Set
	first, n int
	names    []string
	byName   map[string]int
	byNumber map[float64]int
}

func (r *keyReader) elements(s *model.Set) *elements {
	if z := sizeOf(s); z != nil && r.d.Labels[z] != nil {
		return named(s, r.d.Labels[z])
	}
	ends, ds := evaluate.SetBox(r.d, s)
	r.diags.Add(ds...)
	return &elements{set: s, first: ends[0], n: max(0, ends[1]-ends[0]+1)}
}

// named returns elements with labels.
func named(s *model.Set, names []string) *elements {
	e := &elements{set: s, first: 1, n: len(names), names: names, byName: map[string]int{}, byNumber: map[float64]int{}}
	for i, name := range names {
		e.byName[name] = i
		if v, err := strconv.ParseFloat(name, 64); err == nil {
			e.byNumber[v] = i
		}
	}
	return e
}

// of returns the position, from 0, of the element that a value of a column denotes, or −1 if there is none.
func (e *elements) of(x *content.Array, v float64) int {
	if math.IsNaN(v) {
		return -1
	}
	if x.Labels == nil {
		return e.ofNumber(x, v)
	}
	text := x.Labels[int(v)-1]
	if i, ok := e.byName[text]; ok {
		return i
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return e.ofNumber(x, number)
	}
	return -1
}

func (e *elements) ofNumber(x *content.Array, v float64) int {
	if e.names == nil {
		if i := v - float64(e.first); i >= 0 && i < float64(e.n) && i == math.Trunc(i) {
			return int(i)
		}
		return -1
	}
	if x.Days {
		if i, ok := e.byName[numerals.DateOf(v)]; ok {
			return i
		}
	}
	if i, ok := e.byNumber[v]; ok {
		return i
	}
	return -1
}

// name returns the label or number of an element.
func (e *elements) name(i int) string {
	if e.names != nil {
		return e.names[i]
	}
	return strconv.Itoa(e.first + i)
}

// shown returns a value of a key as written in its file.
func shown(x *content.Array, v float64) string {
	switch {
	case x.Labels != nil:
		return x.Labels[int(v)-1]
	case x.Days:
		return numerals.DateOf(v)
	case x.Zeros != nil && x.Zeros.Written[v] != "":
		return x.Zeros.Written[v]
	}
	return fmt.Sprintf("%g", v)
}

// byOrder numbers the values of arrays that index a set in the model's order; it returns false after an error.
func (l *labels) byOrder(arrays []*model.Array, names []string, by *model.Array,
	raw map[*model.Array]*content.Array) bool {
	e := named(by.IndexOf, names)
	for _, a := range arrays {
		x := raw[a]
		number, of := map[float64]float64{}, e
		if x.Labels == nil && len(e.byNumber) == 0 {
			of = &elements{set: e.set, first: 1, n: e.n} // positions
		}
		for _, v := range distinct(x) {
			i := of.of(x, v)
			if i < 0 {
				l.notInOrder(a, x, v, names, by)
				return false
			}
			number[v] = float64(i + 1)
		}
		y := *x
		y.Labels = names
		switch {
		case x.Rows == nil:
			y.Values = x.Values.Map(func(v float64) float64 {
				if v != v {
					return v
				}
				return number[v]
			})
			l.setValues(a, y.Values)
		case x.Labels != nil:
			place := map[string]int{}
			for k, text := range x.Labels {
				place[text] = int(number[float64(k+1)])
			}
			y.Codes = map[int][]float64{x.Columns[0]: codesByRows(x, place)}
		default:
			y.Labels, y.Numbers = nil, number
		}
		raw[a] = &y
	}
	return true
}

func (l *labels) notInOrder(a *model.Array, x *content.Array, v float64, names []string, by *model.Array) {
	text := shown(x, v)
	d := l.diags.Errorf(diag.UnknownOrder, a.At, "%q of `%s` (%s) is not in the order that the model gives", text,
		a.Name, x.Origin).
		Related(by.At, "the order")
	all := "the order lists all elements: " + strings.Join(shorten(names), ", ")
	d.Help("%s", diag.MeantAmong(names, "%q", text, all))
}
