package bind

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/numbers"
)

// enterKeyed enters the values of an array whose elements are matched by keys.
func (r *keyReader) enterKeyed(f found) {
	g := &gathering{keyReader: r, f: f, inner: 1}
	switch {
	case f.hasNames():
		g.object()
	case f.columns != nil:
		g.matrix()
	case r.isPivot(f):
		g.pivot()
	default:
		g.vector()
	}
	switch {
	case r.diags.HasErrors():
		return
	case g.byPosition:
		r.enterWhole(f)
		return
	}
	if x := g.gather(); x != nil {
		r.labels.keyed[f.a] = g.keyedAxes()
		r.enterValues(f.a, x)
	}
}

// A gathering collects the values of an array from the rows of a table by their keys, and detects rows that contradict
// each other.
type gathering struct {
	*keyReader
	f       found
	keys    []key       // keys of the leading axes
	of      []*elements // elements of the same axes
	columns []int       // for a matrix, the element of the second axis for each column; −1 for none
	inner   int         // number of values in a row for one element: product of the other axes
	shape   []int       // shape of the result

	byPosition bool // the file has no keys and needs none

	values  []float64
	seen    []int32 // row (from 1) that gave a value; negative if the row has a missing value; 0 for none
	unknown map[unknownKey]bool
	again   int // number of missing values of elements that have a value in another row
}

// An unknownKey is a value of a key that is not an element of its set.
type unknownKey struct {
	axis  int
	value float64
}

// keyedAxes reports, for each axis, whether its elements were matched by labels or numbers.
func (g *gathering) keyedAxes() []bool {
	all := make([]bool, len(g.f.a.Type.Axes))
	for k := range g.of {
		all[k] = true
	}
	if g.columns != nil {
		all[1] = true
	}
	return all
}

// rowKey finds the key of the first axis; it returns false if there is none. Without a key, elements without labels are
// in the order of the rows.
func (g *gathering) rowKey() bool {
	k, ok := g.keyOf(g.f, 0)
	s := g.f.a.Type.Axes[0]
	switch {
	case g.diags.HasErrors():
		return false
	case ok:
		g.keys, g.of = []key{k}, []*elements{g.elements(s)}
		return true
	case sizeOf(s) != nil && g.d.Labels[sizeOf(s)] != nil:
		g.noKey(g.f, 0)
	default:
		g.otherOrder()
	}
	return false
}

// otherOrder reports an error if a table has a column with the numbers 1 to n in an order other than that of the rows.
func (g *gathering) otherOrder() {
	for _, name := range g.f.file.Order {
		x := g.f.file.Array(name)
		if g.isRead(g.f.file, x) || x.Labels != nil || len(x.Shape) != 1 || !counts(x) || sorted(x) {
			continue
		}
		s := g.f.a.Type.Axes[0]
		g.diags.Errorf(diag.UnmatchedRows, g.f.a.At, "it is not clear which row belongs to which element of %s: "+
			"column `%s` of %s has the numbers 1 to %d, but not in this order", s.Name, name, g.f.file.Path,
			x.Values.Len()).
			Help("if the column contains the elements, write `data %s from %q by %s` in the model; else remove it "+
				"from the file",
				declared(g.f.a), g.f.file.Path, name)
		return
	}
}

func sorted(x *content.Array) bool {
	last := math.Inf(-1)
	for _, v := range x.Values.All() {
		if v < last {
			return false
		}
		last = v
	}
	return true
}

// vector gathers an entry of a file in which each row has the value of one element.
func (g *gathering) vector() {
	if !g.rowKey() {
		g.byPosition = true
		return
	}
	g.shape = append([]int{g.of[0].n}, g.f.x.Shape[1:]...)
	for _, n := range g.f.x.Shape[1:] {
		g.inner *= n
	}
}

// pivot gathers an array of several axes from a column in which each row has one value and a key for each axis.
func (g *gathering) pivot() {
	for k, s := range g.f.a.Type.Axes {
		of, ok := g.keyOf(g.f, k)
		if !ok {
			if !g.diags.HasErrors() {
				g.noKey(g.f, k)
			}
			return
		}
		g.keys, g.of = append(g.keys, of), append(g.of, g.elements(s))
		g.shape = append(g.shape, g.of[k].n)
	}
}

// matrix gathers the columns of a table in which each row has the values of one element of the first axis.
func (g *gathering) matrix() {
	a := g.f.a
	named := g.namedApart(a.Type.Axes[1], g.f) && g.columnElements()
	rows := len(a.By) > 0 || len(g.longKeys(g.f, 0)) > 0 || g.namedApart(a.Type.Axes[0], g.f)
	if g.diags.HasErrors() {
		return
	}
	if rows && !(named && g.squareWithoutKey()) && !g.rowKey() {
		rows = false
	}
	if !rows && !named {
		g.byPosition = true
		return
	}
	if g.columns == nil {
		for c := range g.f.columns {
			g.columns = append(g.columns, c)
		}
		g.labels.ofColumns(a, g.f.columns, g.f.file)
	}
	n := len(g.f.columns)
	if named {
		n = g.elements(a.Type.Axes[1]).n
	}
	g.shape, g.inner = []int{g.f.rows(), n}, n
	if len(g.of) > 0 {
		g.shape[0] = g.of[0].n
	}
}

// squareWithoutKey reports whether a matrix has the same set as both axes but labels only for its columns. Its rows are
// then taken to be in the order of the columns.
func (g *gathering) squareWithoutKey() bool {
	a := g.f.a
	if !a.Type.Axes[0].Same(a.Type.Axes[1]) || g.f.rows() != len(g.f.columns) || len(a.By) > 0 {
		return false
	}
	if _, ok := g.keyOf(g.f, 0); ok || slices.Contains(g.columns, -1) {
		return false
	}
	x := &content.Array{Shape: []int{g.f.rows()}, Origin: g.f.file.Path}
	values := make([]float64, g.f.rows())
	for c, column := range g.f.columns {
		x.Labels, values[c] = append(x.Labels, column.Name), float64(c+1)
	}
	x.Values = numbers.Packed(values)
	of := g.elements(a.Type.Axes[0])
	if of.names == nil {
		return false
	}
	for c, e := range g.columns {
		x.Labels[c] = of.name(e)
	}
	g.keys, g.of = []key{{name: "the columns", x: x}}, []*elements{of}
	return true
}

// columnElements matches the columns to elements of the second axis by name. It returns false after an error, or if no
// column matches and the elements have no labels.
func (g *gathering) columnElements() bool {
	s := g.f.a.Type.Axes[1]
	of := g.elements(s)
	var other []string
	at, matched := make([]int, len(g.f.columns)), 0
	for c, x := range g.f.columns {
		at[c] = of.ofName(x.Name)
		if at[c] < 0 {
			other = append(other, x.Name)
			continue
		}
		if first := slices.Index(at[:c], at[c]); first >= 0 {
			g.diags.Errorf(diag.UnmatchedRows, g.f.a.At, "columns `%s` and `%s` of %s are both element %s of %s",
				g.f.columns[first].Name, x.Name, g.f.file.Path, of.name(at[c]), s.Name)
			return false
		}
		matched++
	}
	if matched == 0 && of.names == nil {
		return false
	}
	var lacking []string
	for i := range of.n {
		if !slices.Contains(at, i) {
			lacking = append(lacking, of.name(i))
		}
	}
	switch {
	case len(lacking) > 0 && !g.f.a.Missing:
		d := g.diags.Errorf(diag.UnmatchedRows, g.f.a.At, "%s has no column for %s of %s, which `%s` needs",
			g.f.file.Path, strings.Join(shorten(lacking), ", "), s.Name, g.f.a.Name)
		if len(other) > 0 {
			d.Help("columns are matched by the names of the elements; the file has other columns: %s",
				strings.Join(shorten(other), ", "))
		} else {
			d.Help("add the columns, or declare `%s missing`", declared(g.f.a))
		}
	case len(other) > 0 && g.isObserved():
		g.diags.Errorf(diag.UnmatchedRows, g.f.a.At, "%s has columns that are not elements of %s: %s", g.f.file.Path,
			s.Name, strings.Join(shorten(other), ", ")).
			Help("choose those of `%s` with `columns`, or give a name to each element of %s", g.f.a.Name, s.Name)
	case len(other) > 0:
		g.diags.Notef(diag.RowsLeftOut, g.f.a.At, "columns of %s that are not elements of %s are not used: %s",
			g.f.file.Path, s.Name, strings.Join(shorten(other), ", "))
	}
	g.columns = at
	return true
}

// isObserved reports whether an array has a distribution.
func (g *gathering) isObserved() bool {
	return slices.ContainsFunc(g.d.Model.Terms, func(t *model.Term) bool { return t.Array == g.f.a })
}

// ofName returns the element for the name of a column, which may be a number or R's X2001, or −1.
func (e *elements) ofName(name string) int {
	if i, ok := e.byName[name]; ok {
		return i
	}
	for element, i := range e.byName {
		if content.Spelled(element) == name {
			return i
		}
	}
	v, err := strconv.ParseFloat(strings.TrimPrefix(name, "X"), 64)
	if err != nil {
		return -1
	}
	return e.ofNumber(&content.Array{}, v)
}

// gather collects the values. It reports an error and returns nil if rows contradict each other or are missing.
func (g *gathering) gather() *content.Array {
	size := 1
	for _, n := range g.shape {
		size *= n
	}
	g.values, g.seen, g.unknown = make([]float64, size), make([]int32, size), map[unknownKey]bool{}
	for i := range g.values {
		g.values[i] = math.NaN()
	}
	if err := g.eachRow(g.take); err != nil {
		g.diags.Errorf(diag.DataUnavailable, g.f.a.At, "%v", err)
	}
	if g.diags.HasErrors() {
		return nil
	}
	g.noteRows()
	x := *g.first()
	x.Name, x.Shape, x.Rows, x.Columns, x.Codes = g.f.a.Name, g.shape, nil, nil, nil
	x.Values, x.Zeros = numbers.Packed(g.values), nil
	if g.f.columns != nil {
		x.Zeros = content.ZerosOf(g.f.columns)
	} else {
		x.Zeros = g.f.x.Zeros
	}
	x.Keys = nil
	if len(g.keys) > 0 && !g.f.hasNames() {
		x.Origin += ", by " + g.keys[0].name
	}
	if !g.complete(&x) {
		return nil
	}
	return occurring(&x)
}

// first returns a column with the common type of all values.
func (g *gathering) first() *content.Array {
	if g.f.columns == nil {
		return g.f.x
	}
	x := *g.f.columns[0]
	for _, c := range g.f.columns {
		x.Int = x.Int && c.Int
	}
	return &x
}

// take enters row number row, from 0, given its keys and the values of the array.
func (g *gathering) take(row int, keys, values []float64) {
	at := 0
	for k, of := range g.of {
		i := of.of(g.keys[k].x, keys[k])
		if i < 0 {
			if keys[k] == keys[k] {
				g.unknown[unknownKey{k, keys[k]}] = true
			}
			return
		}
		at = at*of.n + i
	}
	if len(g.of) == 0 {
		at = row
	}
	for c, v := range values {
		if g.columns != nil {
			c = g.columns[c]
			if c < 0 {
				continue
			}
		}
		g.put(at*g.inner+c, row, v)
	}
}

// put enters a value, which must equal the value that another row gave for the element.
func (g *gathering) put(at, row int, v float64) {
	switch old := g.values[at]; {
	case math.IsNaN(v):
		if g.seen[at] == 0 {
			g.seen[at] = int32(-row - 1)
		} else if old == old {
			g.again++
		}
	case math.IsNaN(old):
		if g.seen[at] < 0 {
			g.again++
		}
		g.values[at], g.seen[at] = v, int32(row+1)
	case old != v && !g.diags.HasErrors():
		g.varies(at, row, v)
	}
}

// varies reports an error for two rows with different values for one element.
func (g *gathering) varies(at, row int, v float64) {
	a, x := g.f.a, g.first()
	values, rows := [2]float64{g.values[at], v}, [2]int{int(g.seen[at]), row + 1}
	if rows[0] > rows[1] { // rows on disk are in another order
		values[0], values[1], rows[0], rows[1] = values[1], values[0], rows[1], rows[0]
	}
	help := "correct the file"
	if k := g.keys[0]; k.rows != nil {
		help = fmt.Sprintf("if it varies within a group, declare it over the rows, as `%s` is; else correct the file",
			k.name)
	}
	g.diags.Errorf(diag.GroupValuesDiffer, a.At, "`%s` has one value for each element of %s, but %s has %s in row %d "+
		"and %s in row %d of %s", a.Name, g.axesText(), g.elementText(at), shown(x, values[0]), rows[0],
		shown(x, values[1]), rows[1], g.f.file.Path).
		Help("%s", help)
}

// axesText names the axes that have keys.
func (g *gathering) axesText() string {
	var names []string
	for _, e := range g.of {
		names = append(names, e.set.Name)
	}
	return strings.Join(names, " and ")
}

// elementText names the element at a position of the result.
func (g *gathering) elementText(at int) string {
	var names []string
	for k := len(g.shape) - 1; k >= 0; k-- {
		i := at % g.shape[k]
		at /= g.shape[k]
		if k < len(g.of) {
			names = append(names, g.of[k].name(i))
		}
	}
	slices.Reverse(names)
	return strings.Join(names, ", ")
}

// noteRows adds notes about rows that were not used, and about missing values that other rows provide.
func (g *gathering) noteRows() {
	if g.again > 0 && len(g.keys) > 0 && g.keys[0].rows != nil {
		g.diags.Notef(diag.RowsLeftOut, g.f.a.At, "`%s` is missing in %d rows of %s; the value is taken from "+
			"another row with the same %s", g.f.a.Name, g.again, g.f.file.Path, g.keys[0].name)
	}
	for k, of := range g.keys {
		var names []string
		for u := range g.unknown {
			if u.axis == k {
				names = append(names, shown(of.x, u.value))
			}
		}
		if len(names) == 0 || of.rows != nil || g.labels.known != nil {
			continue
		}
		slices.Sort(names)
		list := strings.Join(shorten(names), ", ")
		if g.f.hasNames() {
			g.diags.Notef(diag.RowsLeftOut, g.f.a.At, "values of `%s` in %s with names that are not elements of %s "+
				"are not used: %s", g.f.a.Name, g.f.file.Path, g.of[k].set.Name, list)
			continue
		}
		g.diags.Notef(diag.RowsLeftOut, g.f.a.At, "rows of %s whose `%s` is not an element of %s are not used: %s",
			g.f.file.Path, of.name, g.of[k].set.Name, list)
	}
}

// complete reports whether each element has a value; otherwise it reports an error. Elements of a run that the new data
// do not contain keep the run's values.
func (g *gathering) complete(x *content.Array) bool {
	var lacking []string
	values := x.Values.Doubles()
	inRun := g.labels.known.values(g.f.a.Name, g.shape)
	for i := range g.seen {
		switch {
		case g.seen[i] != 0:
		case inRun != nil && inRun[i] == inRun[i]:
			values[i] = inRun[i]
		case !g.f.a.Missing:
			lacking = append(lacking, g.elementText(i))
		}
	}
	if len(lacking) > 0 {
		lacking = slices.Compact(lacking)
		if g.f.hasNames() {
			g.lacksNames(lacking)
			return false
		}
		g.diags.Errorf(diag.UnmatchedRows, g.f.a.At, "`%s` has no value for %s: %s has no row with it in `%s`",
			g.f.a.Name, strings.Join(shorten(lacking), "; "), g.f.file.Path, g.keys[0].name).
			Help("add the rows, or correct the names; or declare `%s missing` with a distribution, from which they "+
				"are drawn",
				declared(g.f.a))
		return false
	}
	x.Values = numbers.Packed(values)
	return true
}

// occurring returns an array with only the labels that occur in it; ordered categories keep all labels.
func occurring(x *content.Array) *content.Array {
	if x.Labels == nil || x.Ordered {
		return x
	}
	y := *x
	occurs := map[float64]bool{}
	for _, v := range x.Values.All() {
		occurs[v] = true
	}
	y.Labels = nil
	number := map[float64]float64{}
	for k, text := range x.Labels {
		if code := float64(k + 1); occurs[code] {
			y.Labels = append(y.Labels, text)
			number[code] = float64(len(y.Labels))
		}
	}
	y.Values = x.Values.Map(func(v float64) float64 {
		if math.IsNaN(v) {
			return v
		}
		return number[v]
	})
	return &y
}

// rowsAtOnce is the number of rows read at a time from a file that is too large for memory.
const rowsAtOnce = 1 << 12

// eachRow visits the rows of a file with the values of the keys and of the array.
func (g *gathering) eachRow(visit func(row int, keys, values []float64)) error {
	columns := g.f.columns
	if columns == nil {
		columns = []*content.Array{g.f.x}
	}
	if columns[0].Rows != nil {
		return g.eachRowOnDisk(columns, visit)
	}
	keys, width := make([]float64, len(g.keys)), 1
	if g.f.columns == nil {
		width = g.inner
	}
	values := make([]float64, len(columns)*width)
	for row := range g.f.rows() {
		for k, of := range g.keys {
			keys[k] = of.x.Values.At(row)
		}
		for c, x := range columns {
			for i := range width {
				values[c*width+i] = x.Values.At(row*width + i)
			}
		}
		visit(row, keys, values)
	}
	return nil
}

func (g *gathering) eachRowOnDisk(columns []*content.Array, visit func(row int, keys, values []float64)) error {
	file := columns[0].Rows
	s := &rowfile.Selection{File: file}
	s.AddRow()
	for _, k := range g.keys {
		s.Add(k.x.Columns[0], codesOf(k.x, k.x.Columns[0]), nil)
	}
	for _, x := range columns {
		for _, c := range x.Columns {
			s.Add(c, codesOf(x, c), nil)
		}
	}
	places, records := make([]int, 0, rowsAtOnce), make([]float64, rowsAtOnce*s.Width)
	for at := 0; at < file.Rows; at += len(places) {
		places = places[:0]
		for i := at; i < min(file.Rows, at+rowsAtOnce); i++ {
			places = append(places, i)
		}
		if err := s.Read(places, records[:len(places)*s.Width]); err != nil {
			return err
		}
		for i := range places {
			record := records[i*s.Width : (i+1)*s.Width]
			visit(int(record[0]), record[1:1+len(g.keys)], record[1+len(g.keys):])
		}
	}
	return nil
}
