package formula

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppl/lang/diag"
)

// spelled replaces each character that a name in a model cannot have by `_`.
func spelled(name string) string {
	var b strings.Builder
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if digit := r >= '0' && r <= '9'; !letter && (!digit || i == 0) {
			r = '_'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// joined returns a name for an expression: its names and numbers, and words for comparisons, squares and cubes, joined
// by `_`.
func joined(text string) string {
	text = strings.NewReplacer("^2", "_squared", "^3", "_cubed", ">=", " at_least ", "<=", " at_most ", ">", " above ",
		"<", " below ", "!=", " not ", "==", " ").Replace(text)
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	})
	if len(words) > 1 && words[0] == "I" {
		words = words[1:]
	}
	return spelled(strings.Join(words, "_"))
}

// reserved returns names that have a meaning in the language or are used by generated models.
func reserved() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields("data generate infer import in from return missing censored ordered zerosum " +
		"noncentered complete holdout columns by order pi inf true false mean sd exp log sqrt abs sum fill sigmoid " +
		"Phi inv_cloglog lgamma atan logpdf log1m log1m_exp cumsum log1p log2 log10 expm1 sin cos tan tanh logit i " +
		"j k l") {
		names[name] = true
	}
	return names
}

// fresh returns a name that the model does not use yet, and marks it as used: name, or else name_2, name_3 and so on.
func (w *writer) fresh(name string) string {
	for unique, n := name, 2; ; unique, n = fmt.Sprintf("%s_%d", name, n), n+1 {
		if !w.names[unique] {
			w.names[unique] = true
			return unique
		}
	}
}

// A declaration is one array of the data statement.
type declaration struct {
	name   string
	column string // column in the file; "" if it has the same name
	typ    string // type without its colon; "" if it follows from the use

	missing bool     // some rows may have no value
	columns []string // quoted names of the columns of a matrix
	set     string   // index set of these columns
}

// text returns the declaration of an array over the rows.
func (d declaration) text(rows string) string {
	text := fmt.Sprintf("%s[%s]", d.name, rows)
	if len(d.columns) > 0 {
		text = fmt.Sprintf("%s[%s, %s]", d.name, rows, d.set)
	}
	if d.typ != "" {
		text += ": " + d.typ
	}
	if d.missing {
		text += " missing"
	}
	return text
}

// declare adds a column to the data statement, and returns the name of the array. This is the column's name unless that
// is reserved or another array has it.
func (w *writer) declare(c *Column, typ string) string {
	d := declaration{name: spelled(c.Name), typ: typ}
	taken := slices.ContainsFunc(w.data, func(e declaration) bool { return e.name == d.name })
	if taken || reserved()[d.name] {
		d.name, d.column = w.fresh(d.name+"_data"), c.Name
		if taken && typ != "" {
			delete(w.names, d.name)
			d.name = w.fresh(spelled(c.Name) + "_group")
		}
	}
	w.data = append(w.data, d)
	w.used[c.Name] = c
	return d.name
}

// column returns the column that a formula names.
func (w *writer) column(n *node) *Column {
	var names []string
	for i := range w.r.Data.Columns {
		c := &w.r.Data.Columns[i]
		if c.Name == n.text || spelled(c.Name) == spelled(n.text) {
			return c
		}
		names = append(names, c.Name)
	}
	w.fail(n, fmt.Sprintf("`%s` is not a column of %s", n.text, w.r.Data.Path),
		diag.MeantAmong(names, "`%s`", n.text, "its columns are "+diag.And(shortened(names))))
	return nil
}

// shortened keeps the first names of a long list, and adds the number of the others.
func shortened(names []string) []string {
	const most = 12
	if len(names) <= most {
		return names
	}
	return append(slices.Clone(names[:most]), fmt.Sprintf("%d others", len(names)-most))
}

// A numeric is a quantity with a number for each row.
type numeric struct {
	name    string // name of the array in the model
	label   string // name in coefficient names, if different
	plain   bool   // a column of the data, not a computed quantity
	unknown bool   // depends on parameters; values has those of the underlying data
	values  []float64
}

// number returns the quantity that a variable of a formula denotes: a column, or a definition that it adds to the
// model.
func (w *writer) number(n *node) numeric {
	n = n.inner()
	key := n.String()
	if v, ok := w.numerics[key]; ok {
		return v
	}
	var v numeric
	if n.op == opName {
		c := w.column(n)
		if c.Levels != nil {
			w.fail(n, fmt.Sprintf("`%s` has texts, and a number is needed here", c.Name),
				"recode the column as numbers in the data")
		}
		v = numeric{name: w.declare(c, ""), plain: true, values: c.Values}
	} else {
		text, values := w.arithmetic(n)
		v = w.define(joined(key), text, values)
	}
	w.numerics[key] = v
	return v
}

// define adds the definition of a quantity with the expression text at row i, and these values in the data.
func (w *writer) define(name, text string, values []float64) numeric {
	v := numeric{name: w.fresh(name), values: values}
	if inner, ok := strings.CutPrefix(text, "("); ok && strings.Index(inner, ")") == len(inner)-1 {
		text = strings.TrimSuffix(inner, ")") // one comparison needs no parentheses
	}
	w.defined = append(w.defined, fmt.Sprintf("%s[i in %s] = %s", v.name, w.rows, text))
	return v
}

// An elementary is a function of one number: its name in ppl, and the function itself.
type elementary struct {
	ppl string
	of  func(float64) float64
}

// functions maps R's names of functions to the functions.
func functions() map[string]elementary {
	return map[string]elementary{
		"log": {"log", math.Log}, "log2": {"log2", math.Log2}, "log10": {"log10", math.Log10},
		"log1p": {"log1p", math.Log1p}, "exp": {"exp", math.Exp}, "expm1": {"expm1", math.Expm1},
		"sqrt": {"sqrt", math.Sqrt}, "abs": {"abs", math.Abs}, "sin": {"sin", math.Sin}, "cos": {"cos", math.Cos},
		"tan": {"tan", math.Tan}, "tanh": {"tanh", math.Tanh},
		"plogis": {"sigmoid", func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
		"qlogis": {"logit", func(x float64) float64 { return math.Log(x / (1 - x)) }},
	}
}

// arithmetic returns an expression of columns at row i, and its values.
func (w *writer) arithmetic(n *node) (text string, values []float64) {
	switch n.op {
	case opName:
		v := w.number(n)
		return v.name + "[i]", v.values
	case opNumber:
		values = make([]float64, w.size)
		for i := range values {
			values[i] = n.number
		}
		return decimal(n.text), values
	case "(":
		text, values = w.arithmetic(n.args[0])
		return "(" + text + ")", values
	case opCall:
		return w.called(n)
	case "==", "!=":
		if n.args[1].op == opText {
			return w.compared(n)
		}
	}
	return w.operated(n)
}

// decimal converts R's spelling of a number to that of a model: .5 becomes 0.5, 2. becomes 2.0, and 1e+3 becomes 1e3.
func decimal(text string) string {
	text = strings.ReplaceAll(text, "e+", "e")
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	head, tail, _ := strings.Cut(text, ".")
	if strings.Contains(text, ".") && (tail == "" || tail[0] == 'e' || tail[0] == 'E') {
		return head + ".0" + tail
	}
	return text
}

// called returns a function call as an expression at row i, and its values.
func (w *writer) called(n *node) (string, []float64) {
	if n.text == "I" && len(n.args) == 1 {
		return w.arithmetic(n.args[0].inner())
	}
	if len(n.args) == 1 && (n.text == "scale" || n.text == "center") {
		return w.scaled(n)
	}
	f, ok := functions()[n.text]
	if !ok || len(n.args) != 1 {
		w.fail(n, fmt.Sprintf("`%s` cannot be computed in a formula", n.String()),
			"make a column of it in the data, or define it in the model")
	}
	text, values := w.arithmetic(n.args[0].inner())
	result := make([]float64, len(values))
	for i, x := range values {
		result[i] = f.of(x)
		if !math.IsNaN(x) && (math.IsNaN(result[i]) || math.IsInf(result[i], 0)) {
			w.fail(n, fmt.Sprintf("`%s` is not finite in row %d, where its argument is %v", n.String(), i+1, x),
				"correct the row or leave it out in the data, or take another transformation")
		}
	}
	return f.ppl + "(" + text + ")", result
}

// scaled returns a quantity minus its mean, and for scale() divided by its standard deviation.
func (w *writer) scaled(n *node) (string, []float64) {
	v := w.number(n.args[0])
	m, s := meanOf(v.values), 1.0
	text := fmt.Sprintf("%s[i] - mean(%[1]s)", v.name)
	if n.text == "scale" {
		text, s = fmt.Sprintf("(%s) / sd(%s)", text, v.name), sdOf(v.values)
	}
	values := make([]float64, len(v.values))
	for i, x := range v.values {
		values[i] = (x - m) / s
	}
	return text, values
}

// compared returns the comparison of a column with a text, and its values.
func (w *writer) compared(n *node) (string, []float64) {
	f := w.factor(n.args[0].inner())
	level := slices.Index(f.levels, n.args[1].text)
	if level < 0 {
		w.noLevel(n.args[1], f, n.args[1].text)
	}
	values := make([]float64, len(f.codes))
	for i, code := range f.codes {
		values[i] = truth((code == level+1) == (n.op == "=="))
	}
	return fmt.Sprintf("(%s[i] %s %s)", f.name, n.op, strconv.Quote(n.args[1].text)), values
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// operated returns an operation as an expression at row i, and its values.
func (w *writer) operated(n *node) (string, []float64) {
	operators := map[string]func(a, b float64) float64{
		"+":  func(a, b float64) float64 { return a + b },
		"-":  func(a, b float64) float64 { return a - b },
		"*":  func(a, b float64) float64 { return a * b },
		"/":  func(a, b float64) float64 { return a / b },
		"^":  math.Pow,
		"<":  func(a, b float64) float64 { return truth(a < b) },
		">":  func(a, b float64) float64 { return truth(a > b) },
		"<=": func(a, b float64) float64 { return truth(a <= b) },
		">=": func(a, b float64) float64 { return truth(a >= b) },
		"==": func(a, b float64) float64 { return truth(a == b) },
		"!=": func(a, b float64) float64 { return truth(a != b) },
	}
	f, ok := operators[n.op]
	if !ok {
		w.fail(n, fmt.Sprintf("`%s` is not arithmetic", n.String()), "")
	}
	if len(n.args) == 1 {
		text, values := w.arithmetic(n.args[0])
		negated := make([]float64, len(values))
		for i, x := range values {
			negated[i] = -x
		}
		return "-" + text, negated
	}
	left, a := w.arithmetic(n.args[0])
	right, b := w.arithmetic(n.args[1])
	values := make([]float64, len(a))
	for i := range values {
		values[i] = f(a[i], b[i])
	}
	if strings.ContainsAny(n.op, "<>=") {
		return "(" + left + " " + n.op + " " + right + ")", values
	}
	return left + " " + n.op + " " + right, values
}

// A factor is a column whose values name groups.
type factor struct {
	column string // name in the data
	name   string // name of the array in the model
	set    string // index set of its levels
	levels []string
	codes  []int // level of each row, from 1; 0 if there is no value
}

// isFactor reports whether a variable is a column of texts or a call of factor, as.factor, ordered or relevel.
func (w *writer) isFactor(n *node) bool {
	switch n = n.inner(); n.op {
	case opName:
		return w.column(n).Levels != nil
	case opCall:
		return slices.Contains([]string{"factor", "as.factor", "ordered", "relevel"}, n.text)
	}
	return false
}

// factor returns the factor that a variable denotes. In `factor(x)` and `(1 | x)` the column may contain numbers.
func (w *writer) factor(n *node) *factor {
	key := n.String()
	if f, ok := w.factors[key]; ok {
		return f
	}
	f, typ := w.levelled(n)
	f.set = w.fresh(plural(spelled(f.column)))
	f.name = w.declare(w.column(&node{text: f.column}), fmt.Sprintf("index(%s)%s", f.set, typ))
	w.factors[key] = f
	return f
}

// levelled reads x, factor(x), factor(x, levels = c("a", "b")) and relevel(x, ref = "a"). typ is the part of a type
// that declares the order of levels; "" if the formula does not specify it.
func (w *writer) levelled(n *node) (f *factor, typ string) {
	n = n.inner()
	if n.op == opName {
		return w.columnLevels(n), ""
	}
	if n.op != opCall || !w.isFactor(n) {
		w.fail(n, fmt.Sprintf("`%s` is neither a column nor a factor", n.String()), "make a column of it in the data")
	}
	if len(n.args) > 0 {
		f, typ = w.levelled(n.args[0])
	}
	switch {
	case len(n.args) == 1 && n.text != "relevel":
		return f, typ
	case len(n.args) == 2 && n.text == "relevel":
		reference := n.args[1].inner()
		others := slices.DeleteFunc(slices.Clone(f.levels), func(l string) bool { return l == reference.text })
		return f, w.reorder(f, n, append([]*node{reference}, textNodes(others)...))
	case len(n.args) == 2 && n.labels[1] == "levels" && n.args[1].inner().text == "c":
		return f, w.reorder(f, n, n.args[1].inner().args)
	}
	w.fail(n, fmt.Sprintf("`%s` has arguments that are not supported", n.String()),
		`write factor(x, levels = c("a", "b")) for the order of levels, or relevel(x, ref = "a") for the reference`)
	return nil, ""
}

func textNodes(texts []string) (all []*node) {
	for _, t := range texts {
		all = append(all, &node{op: opText, text: t})
	}
	return all
}

// reorder orders levels as in a list, which must contain each level once. It returns the part of a type that declares
// this order.
func (w *writer) reorder(f *factor, at *node, list []*node) (typ string) {
	place := make([]int, len(f.levels)) // maps an old level to its new position, both from 1
	var levels, quoted []string
	for _, n := range list {
		n = n.inner()
		k := slices.Index(f.levels, n.text)
		if k < 0 {
			w.noLevel(n, f, n.text)
		}
		if place[k] > 0 {
			w.fail(n, fmt.Sprintf("the level %q occurs twice", n.text), "")
		}
		levels, quoted = append(levels, n.text), append(quoted, strconv.Quote(n.text))
		place[k] = len(levels)
	}
	if k := slices.Index(place, 0); k >= 0 {
		w.fail(at, fmt.Sprintf("`levels` does not contain the level %q of `%s`", f.levels[k], f.column),
			"add this level")
	}
	for i, code := range f.codes {
		if code > 0 {
			f.codes[i] = place[code-1]
		}
	}
	f.levels = levels
	return " order " + strings.Join(quoted, ", ")
}

// columnLevels returns the factor of a column. The levels of a numeric column are its distinct values, which must be
// integers.
func (w *writer) columnLevels(n *node) *factor {
	c := w.column(n)
	if len(present(c.Values)) == 0 {
		w.fail(n, fmt.Sprintf("`%s` has no values", c.Name), "leave it out")
	}
	f := &factor{column: c.Name, levels: c.Levels, codes: make([]int, len(c.Values))}
	if c.Levels == nil {
		all := distinct(c.Values)
		for _, v := range all {
			if v != math.Trunc(v) {
				w.fail(n, fmt.Sprintf("`%s` has numbers that are not whole, such as %v, and these cannot be levels",
					c.Name, v), "take a column of texts or whole numbers")
			}
			f.levels = append(f.levels, strconv.FormatFloat(v, 'f', -1, 64))
		}
		for i, v := range c.Values {
			if at, ok := slices.BinarySearch(all, v); ok {
				f.codes[i] = at + 1
			}
		}
		return f
	}
	for i, v := range c.Values {
		if !math.IsNaN(v) {
			f.codes[i] = int(v)
		}
	}
	return f
}

func (w *writer) noLevel(n *node, f *factor, level string) {
	w.fail(n, fmt.Sprintf("`%s` has no level %q", f.column, level),
		diag.MeantAmong(f.levels, "%q", level, "its levels are "+diag.And(shortened(f.levels))))
}

// plural returns a name for the set of levels of a column.
func plural(name string) string {
	name = strings.ToUpper(name[:1]) + name[1:]
	switch {
	case strings.HasSuffix(name, "ss"), strings.HasSuffix(name, "x"), strings.HasSuffix(name, "ch"):
		return name + "es"
	case strings.HasSuffix(name, "s"), len(name) == 1:
		return name
	case strings.HasSuffix(name, "y") && !strings.HasSuffix(name, "ay") && !strings.HasSuffix(name, "ey"):
		return name[:len(name)-1] + "ies"
	}
	return name + "s"
}

// present returns the values that are not missing.
func present(values []float64) (all []float64) {
	for _, v := range values {
		if !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	return all
}

// distinct returns the distinct values that are present, sorted.
func distinct(values []float64) []float64 {
	return slices.Compact(slices.Sorted(slices.Values(present(values))))
}

func meanOf(values []float64) float64 {
	values, sum := present(values), 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func sdOf(values []float64) float64 {
	values = present(values)
	m, sum := meanOf(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(values)-1))
}
