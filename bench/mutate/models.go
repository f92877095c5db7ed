package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	"ppl/lang/ast"
	"ppl/lang/format"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/stdlib"
)

// models changes the syntax trees of models: arguments of distributions, index sets, and data declarations.
type models struct {
	from  string
	texts map[string]string // maps a file name to its text
	names []string
}

func (m *models) name() string { return "models" }

// prepare reads the models and copies their data files.
func (m *models) prepare(_, dir string) error {
	entries, err := os.ReadDir(m.from)
	if err != nil {
		return err
	}
	m.texts = map[string]string{}
	for _, e := range entries {
		path := filepath.Join(m.from, e.Name())
		switch {
		case e.IsDir() || filepath.Ext(path) == ".go" || filepath.Ext(path) == ".md":
			continue
		case filepath.Ext(path) != ".ppl":
			err = copyAll(path, filepath.Join(dir, e.Name()))
		default:
			var text []byte
			if text, err = os.ReadFile(path); err == nil {
				m.texts[e.Name()] = string(text)
			}
		}
		if err != nil {
			return err
		}
	}
	m.names = slices.Sorted(maps.Keys(m.texts))
	if len(m.names) == 0 {
		return fmt.Errorf("%s has no models", m.from)
	}
	return nil
}

// change makes one to three changes of a model.
func (m *models) change(r *rand.Rand, dir string, number int) (scene, error) {
	name := m.names[r.IntN(len(m.names))]
	other := m.names[r.IntN(len(m.names))]
	what, text := name, m.texts[name]
	for range 1 + r.IntN(3) {
		t, c := newTree(r, name, text, other, m.texts[other]), pick(r, modelChanges()...)
		if !c.do(t) {
			continue
		}
		if changed := printed(t.file); changed != "" {
			text, what = changed, what+", "+c.name
		}
	}
	model, run := caseName(number)+".ppl", caseName(number)+".run"
	if err := os.WriteFile(filepath.Join(dir, model), []byte(text), 0o644); err != nil {
		return scene{}, err
	}
	warmup := []string{"0", "1", "12", "30"}[r.IntN(4)]
	after := [][]string{{"summary", run}, {"diagnose", run}, {"predict", run, "--max-memory", "400MB"}, {"report", run},
		{"loo", run}, {"export", run, "--format", "csv", "--out", caseName(number) + ".csv"}, {"list", run},
		{"sample", run, "--resume", "--draws", "12", "--quiet", "--max-time", "4s"}}
	r.Shuffle(len(after), func(i, j int) { after[i], after[j] = after[j], after[i] })
	commands := append([][]string{{"check", model}, {"sample", model, "--device", "host", "--draws", "8", "--chains",
		"2", "--seed", "1", "--quiet", "--max-time", "4s", "--warmup", warmup, "--out", run}}, after[:2]...)
	return scene{what: what, commands: commands, stop: true}, nil
}

// printed formats a tree as text. It returns "" if the formatter fails, which can happen for trees assembled from
// parts.
func printed(f *ast.File) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	f.Comments = nil
	return format.File(f)
}

// A tree is a model that is changed in place. No other package changes syntax trees.
type tree struct {
	r     *rand.Rand
	file  *ast.File
	other *ast.File // another model, from which parts are copied
}

func newTree(r *rand.Rand, name, text, other, otherText string) *tree {
	file, _ := parse.File(source.New(name, text))
	from, _ := parse.File(source.New(other, otherText))
	return &tree{r, file, from}
}

// slotsOf returns pointers to all fields and elements of type T in a tree, such as all expressions.
func slotsOf[T any](root any) (all []*T) {
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		if v.CanAddr() && !(v.Kind() == reflect.Interface && v.IsNil()) {
			if at, ok := v.Addr().Interface().(*T); ok {
				all = append(all, at)
			}
		}
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if v.Type() != reflect.TypeFor[*source.File]() && !v.IsNil() {
				visit(v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					visit(v.Field(i))
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				visit(v.Index(i))
			}
		}
	}
	visit(reflect.ValueOf(root))
	return all
}

// copied returns a deep copy of a part of a tree. Without a copy, inserting a node into itself would make a cycle.
func copied[T any](x T) T {
	return copyOf(reflect.ValueOf(&x).Elem()).Interface().(T)
}

func copyOf(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() != reflect.TypeFor[*source.File]() && !v.IsNil() {
			to := reflect.New(v.Type().Elem())
			to.Elem().Set(copyOf(v.Elem()))
			out.Set(to)
		}
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(copyOf(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(copyOf(v.Field(i)))
			}
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(copyOf(v.Index(i)))
			}
		}
	}
	return out
}

// any1 returns a random element of a list. ok is false if the list is empty.
func any1[T any](r *rand.Rand, all []T) (x T, ok bool) {
	if len(all) == 0 {
		return x, false
	}
	return all[r.IntN(len(all))], true
}

func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// call returns a random call with at least n arguments.
func (t *tree) call(n int) (*ast.Call, bool) {
	return any1(t.r, slices.DeleteFunc(slicesOf[ast.Call](t.file), func(c *ast.Call) bool { return len(c.Args) < n }))
}

// slicesOf returns pointers to all nodes of type T.
func slicesOf[T any](root any) []*T { return slotsOf[T](root) }

// expr returns a pointer to a random expression.
func (t *tree) expr() (*ast.Expr, bool) { return any1(t.r, slotsOf[ast.Expr](t.file.Stmts)) }

func number(text string) ast.Expr {
	value, err := strconv.ParseFloat(text, 64)
	return &ast.Number{Text: text, Value: value, IsInt: err == nil && value == float64(int64(value))}
}

// extreme returns a constant that is likely to cause faults.
func (t *tree) extreme() ast.Expr {
	text := pick(t.r, "0", "1", "2", "0.5", "1e-308", "5e-324", "1e308", "1e15", "2147483647", "2147483648",
		"9007199254740993",
		"1e9", "100000", "3.999999999", "inf", "1/0", "0/0")
	var x ast.Expr
	switch text {
	case "inf":
		x = &ast.Name{Name: text}
	case "1/0":
		x = &ast.Paren{X: &ast.Binary{Op: "/", X: number("1"), Y: number("0")}}
	case "0/0":
		x = &ast.Paren{X: &ast.Binary{Op: "/", X: number("0"), Y: number("0")}}
	default:
		x = number(text)
	}
	if t.r.IntN(4) == 0 {
		return &ast.Unary{Op: "-", X: x}
	}
	return x
}

// nameInUse returns a name that the model defines.
func (t *tree) nameInUse() string {
	var names []string
	for _, h := range slicesOf[ast.Head](t.file.Stmts) {
		names = append(names, h.Name())
	}
	for _, d := range slicesOf[ast.Decl](t.file.Stmts) {
		names = append(names, d.Name.Name)
	}
	if name, ok := any1(t.r, names); ok {
		return name
	}
	return "x"
}

// set returns an index set: one of the model's, or a range with unusual bounds.
func (t *tree) set() *ast.Set {
	sets := slicesOf[ast.Set](t.file.Stmts)
	if s, ok := any1(t.r, sets); ok && t.r.IntN(2) == 0 {
		return copied(s)
	}
	end := func() ast.Expr {
		if s, ok := any1(t.r, sets); ok && s.Hi == nil && t.r.IntN(2) == 0 {
			lo := copied(s.Lo)
			return pick[ast.Expr](t.r, lo, &ast.Binary{Op: "+", X: lo, Y: number("1")},
				&ast.Binary{Op: "-", X: lo, Y: number("1")}, &ast.Binary{Op: "/", X: lo, Y: number("2")})
		}
		return t.extreme()
	}
	return &ast.Set{Lo: pick(t.r, number("1"), number("0"), number("2"), end()), Hi: end()}
}

func (t *tree) bounds() *ast.Range {
	return &ast.Range{Lo: pick(t.r, number("0"), t.extreme()), Hi: pick(t.r, number("1"), t.extreme(),
		ast.Expr(&ast.Name{Name: t.nameInUse()}))}
}

// index returns a binder for a comprehension, with a name that is not in use.
func (t *tree) index() *ast.Binder {
	return &ast.Binder{Index: ast.Ident{Name: pick(t.r, "i9", "j9", "k9")}, Set: t.set()}
}

// nested returns a reduction over one to three loops around an expression.
func (t *tree) nested(body ast.Expr) ast.Expr {
	c := &ast.Comprehension{Body: body, Bare: true}
	for range 1 + t.r.IntN(3) {
		c.Binders = append(c.Binders, t.index())
	}
	return call(pick(t.r, "sum", "mean", "max", "prod", "logsumexp"), c)
}

func call(name string, args ...ast.Expr) *ast.Call {
	c := &ast.Call{Fun: &ast.Name{Name: name}}
	for _, x := range args {
		c.Args = append(c.Args, &ast.Arg{Value: x})
	}
	return c
}

// A modelChange changes a tree. do returns false if the tree has no suitable part.
type modelChange struct {
	name string
	do   func(t *tree) bool
}

func modelChanges() []modelChange {
	return append(append(expressionChanges(), distributionChanges()...), statementChanges()...)
}

// inPlace returns a change that replaces a random expression.
func inPlace(of func(t *tree, e ast.Expr) ast.Expr) func(t *tree) bool {
	return func(t *tree) bool {
		e, ok := t.expr()
		if ok {
			*e = of(t, *e)
		}
		return ok
	}
}

func expressionChanges() []modelChange {
	return []modelChange{
		{"arguments swapped", func(t *tree) bool {
			c, ok := t.call(2)
			if ok {
				i, j := t.r.IntN(len(c.Args)), t.r.IntN(len(c.Args))
				c.Args[i], c.Args[j] = c.Args[j], c.Args[i]
			}
			return ok
		}},
		{"argument removed", func(t *tree) bool {
			c, ok := t.call(1)
			if ok {
				i := t.r.IntN(len(c.Args))
				c.Args = slices.Delete(slices.Clone(c.Args), i, i+1)
			}
			return ok
		}},
		{"argument repeated", func(t *tree) bool {
			c, ok := t.call(1)
			if ok {
				c.Args = append(slices.Clone(c.Args), c.Args[t.r.IntN(len(c.Args))])
			}
			return ok
		}},
		{"constant", inPlace(func(t *tree, _ ast.Expr) ast.Expr {
			return t.extreme()
		})},
		{"number", func(t *tree) bool {
			at, ok := any1(t.r, slices.DeleteFunc(slotsOf[ast.Expr](t.file.Stmts), func(e *ast.Expr) bool {
				_, is := (*e).(*ast.Number)
				return !is
			}))
			if ok {
				*at = t.extreme()
			}
			return ok
		}},
		{"expressions exchanged", func(t *tree) bool {
			a, ok := t.expr()
			b, _ := t.expr()
			if ok {
				*a, *b = copied(*b), copied(*a)
			}
			return ok
		}},
		{"expression of another model", func(t *tree) bool {
			a, ok := t.expr()
			b, there := any1(t.r, slotsOf[ast.Expr](t.other.Stmts))
			if ok && there {
				*a = copied(*b)
			}
			return ok && there
		}},
		{"name", inPlace(func(t *tree, _ ast.Expr) ast.Expr {
			return &ast.Name{Name: t.nameInUse()}
		})},
		{"function", inPlace(func(t *tree, e ast.Expr) ast.Expr {
			names := slices.Sorted(maps.Keys(stdlib.Funcs()))
			return call(pick(t.r, names...), e)
		})},
		{"nested loops", inPlace(func(t *tree, e ast.Expr) ast.Expr {
			return t.nested(e)
		})},
		{"list of all", inPlace(func(t *tree, e ast.Expr) ast.Expr {
			return &ast.Comprehension{Binders: []*ast.Binder{t.index()}, Body: e}
		})},
		{"condition", inPlace(func(t *tree, e ast.Expr) ast.Expr {
			return &ast.Paren{X: &ast.Cond{If: &ast.Binary{Op: pick(t.r, "<", ">=", "==", "!="), X: e,
				Y: t.extreme()},
				Then: e, Else: t.extreme()}}
		})},
		{"subscript", inPlace(func(t *tree, e ast.Expr) ast.Expr {
			return &ast.Index{X: e, Subs: []*ast.Set{t.set()}}
		})},
		{"subscripts changed", func(t *tree) bool {
			x, ok := any1(t.r, slicesOf[ast.Index](t.file.Stmts))
			if !ok {
				return false
			}
			switch k := t.r.IntN(len(x.Subs)); t.r.IntN(4) {
			case 0:
				x.Subs = append(slices.Clone(x.Subs), t.set())
			case 1:
				x.Subs = slices.Delete(slices.Clone(x.Subs), k, k+1)
			case 2:
				x.Subs[k] = &ast.Set{Lo: &ast.Binary{Op: pick(t.r, "+", "-", "*"), X: x.Subs[k].Lo, Y: number("1")}}
			default:
				x.Subs[k] = t.set()
			}
			return len(x.Subs) > 0
		}},
	}
}

func (t *tree) distribution() (*ast.Distribution, bool) {
	return any1(t.r, slicesOf[ast.Distribution](t.file.Stmts))
}

func distributionChanges() []modelChange {
	return []modelChange{
		{"distribution", func(t *tree) bool {
			d, ok := t.distribution()
			if !ok {
				return false
			}
			names := slices.Sorted(maps.Keys(stdlib.Dists()))
			c, is := d.Base.(*ast.Call)
			if is {
				c.Fun = &ast.Name{Name: pick(t.r, names...)}
			}
			return is
		}},
		{"support", func(t *tree) bool {
			d, ok := t.distribution()
			if ok {
				d.In = pick(t.r, nil, t.bounds(), t.bounds())
			}
			return ok
		}},
		{"ends exchanged", func(t *tree) bool {
			b, ok := any1(t.r, slicesOf[ast.Range](t.file.Stmts))
			if ok {
				b.Lo, b.Hi = b.Hi, b.Lo
			}
			return ok
		}},
		{"modifier", func(t *tree) bool {
			d, ok := t.distribution()
			if !ok {
				return false
			}
			switch t.r.IntN(7) {
			case 0:
				d.Ordered = !d.Ordered
			case 1:
				d.ZeroSum = !d.ZeroSum
			case 2:
				d.NonCentered = !d.NonCentered
			case 3:
				d.Censored = t.bounds()
			case 4:
				d.Weight = t.extreme()
			case 5:
				d.Rounded = t.extreme()
			default:
				d.UpTo = t.extreme()
			}
			return true
		}},
		{"mixture", func(t *tree) bool {
			d, ok := t.distribution()
			if ok {
				d.Base = call("Mixture", &ast.List{Items: []ast.Expr{t.extreme(), number("0.5")}}, d.Base, d.Base)
			}
			return ok
		}},
	}
}

func (t *tree) statement() (int, bool) {
	return t.r.IntN(max(1, len(t.file.Stmts))), len(t.file.Stmts) > 0
}

func statementChanges() []modelChange {
	return []modelChange{
		{"statement removed", func(t *tree) bool {
			k, ok := t.statement()
			if ok {
				t.file.Stmts = slices.Delete(slices.Clone(t.file.Stmts), k, k+1)
			}
			return ok
		}},
		{"statement of another model", func(t *tree) bool {
			s, ok := any1(t.r, t.other.Stmts)
			if ok {
				t.file.Stmts = append(slices.Clone(t.file.Stmts), s)
			}
			return ok
		}},
		{"statement repeated", func(t *tree) bool {
			k, ok := t.statement()
			if ok {
				t.file.Stmts = append(slices.Clone(t.file.Stmts), t.file.Stmts[k])
			}
			return ok
		}},
		{"axes of a head", func(t *tree) bool {
			h, ok := any1(t.r, slicesOf[ast.Head](t.file.Stmts))
			if !ok {
				return false
			}
			if len(h.Slots) > 0 && t.r.IntN(2) == 0 {
				h.Slots = h.Slots[:len(h.Slots)-1]
			} else {
				h.Slots = append(slices.Clone(h.Slots), &ast.Slot{Set: t.set()})
			}
			return true
		}},
		{"set", func(t *tree) bool {
			s, ok := any1(t.r, slicesOf[ast.Set](t.file.Stmts))
			if ok {
				*s = *t.set()
			}
			return ok
		}},
		{"draw becomes definition", func(t *tree) bool {
			k, ok := t.statement()
			if !ok {
				return false
			}
			switch s := t.file.Stmts[k].(type) {
			case *ast.Draw:
				if s.Dist == nil {
					return false
				}
				if c, is := s.Dist.Base.(*ast.Call); is && len(c.Args) > 0 {
					t.file.Stmts[k] = &ast.Define{Place: s.Place, Heads: s.Heads, Value: c.Args[0].Value}
				}
			case *ast.Define:
				if s.Value != nil {
					t.file.Stmts[k] = &ast.Draw{Place: s.Place, Heads: s.Heads,
						Dist: &ast.Distribution{Base: call("Normal", s.Value, number("1"))}}
				}
			}
			return true
		}},
		{"generate", func(t *tree) bool {
			k, ok := t.statement()
			if !ok {
				return false
			}
			switch s := t.file.Stmts[k].(type) {
			case *ast.Draw:
				s.Generate = !s.Generate
			case *ast.Define:
				s.Generate = !s.Generate
			}
			return true
		}},
		{"factor", func(t *tree) bool {
			t.file.Stmts = append(slices.Clone(t.file.Stmts), &ast.Factor{Value: pick(t.r, t.extreme(),
				t.nested(&ast.Name{Name: t.nameInUse()}), ast.Expr(&ast.Name{Name: t.nameInUse()}))})
			return true
		}},
		{"cycle", func(t *tree) bool {
			d, ok := any1(t.r, slicesOf[ast.Define](t.file.Stmts))
			if ok && len(d.Heads) > 0 && d.Value != nil {
				d.Value = &ast.Binary{Op: "+", X: d.Value, Y: &ast.Name{Name: d.Heads[0].Name()}}
			}
			return ok
		}},
		{"data", dataChange},
	}
}

// dataChange changes a property of a data declaration, or its source.
func dataChange(t *tree) bool {
	data, ok := any1(t.r, slicesOf[ast.Data](t.file.Stmts))
	if !ok || len(data.Decls) == 0 {
		return false
	}
	d := data.Decls[t.r.IntN(len(data.Decls))]
	share := func() *ast.Number { return number(pick(t.r, "0.2", "0.5", "0", "1", "2")).(*ast.Number) }
	switch t.r.IntN(11) {
	case 0:
		data.From = nil
	case 1:
		data.Complete = !data.Complete
	case 2:
		data.HeldOut = share()
	case 3:
		d.Permute = share()
	case 4:
		d.Missing = !d.Missing
	case 5:
		d.Value = pick(t.r, nil, t.extreme(), ast.Expr(&ast.List{Items: []ast.Expr{t.extreme(), t.extreme()}}))
	case 6:
		d.Sets = append(slices.Clone(d.Sets), t.set())
	case 7:
		d.Sets = d.Sets[:max(0, len(d.Sets)-1)]
	case 8:
		d.Bounds = t.bounds()
	case 9:
		d.Type = &ast.Ident{Name: pick(t.r, "int", "real", "index")}
		d.TypeArg = pick(t.r, nil, t.set())
	default:
		d.MissingCode = t.extreme()
	}
	return true
}
