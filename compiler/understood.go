package compiler

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/types"
)

// Understood describes how a model and, if available, its data were understood, so that users can check what they
// wrote.
type Understood struct {
	Data       []DataUnderstood      `json:"data"`
	Parameters []ParameterUnderstood `json:"parameters"`
	Observed   []string              `json:"observed"` // for example y[i in N] ~ Normal(mu[i], s)
	Factors    []string              `json:"factors,omitempty"`
	Layers     []string              `json:"layers,omitempty"`
	Symmetries []string              `json:"symmetries,omitempty"` // for example: elements of `m` may change places
}

// DataUnderstood describes one data array. Fields that depend on values are set if the data are available.
type DataUnderstood struct {
	Name    string   `json:"name"`
	Axes    []string `json:"axes,omitempty"`
	Type    string   `json:"type"` // real, int, bool or index(J)
	Shape   []int    `json:"shape,omitempty"`
	From    string   `json:"from,omitempty"`
	Low     *float64 `json:"low,omitempty"`
	High    *float64 `json:"high,omitempty"`
	Missing int      `json:"missing,omitempty"`
	Groups  []Group  `json:"groups,omitempty"`  // for index(J), its elements in order
	Columns []string `json:"columns,omitempty"` // columns of the file that form a matrix
	known   bool
}

// A Group is an element of an index set, and the number of times it occurs in data.
type Group struct {
	Label string `json:"label"`
	Count int    `json:"count"`
}

// ParameterUnderstood describes one parameter or discrete unknown.
type ParameterUnderstood struct {
	Name    string   `json:"name"`
	Axes    []string `json:"axes,omitempty"`
	Shape   []int    `json:"shape,omitempty"`
	Support string   `json:"support"`
	Prior   []string `json:"prior"` // as written, one for each statement that draws elements
}

// Understand describes a checked model; p has its data, or is nil.
func Understand(m *model.Model, p *Program) Understood {
	u := Understood{Data: []DataUnderstood{}, Parameters: []ParameterUnderstood{}, Observed: []string{}}
	var d *dataset.Dataset
	if p != nil {
		d = p.Data()
	}
	for _, a := range m.Arrays {
		switch {
		case a.Role == model.Data || a.Missing:
			u.Data = append(u.Data, understoodData(a, d))
		case a.Role == model.Parameter || a.Role == model.Latent:
			u.Parameters = append(u.Parameters, understoodParameter(a, d))
		}
	}
	for _, t := range m.Terms {
		if t.Array.Factor {
			u.Factors = append(u.Factors, writtenFactor(t))
			continue
		}
		if t.Kind == model.Likelihood || t.Array.Missing && t.Kind != model.Generate {
			u.Observed = append(u.Observed, t.At.Text()+" ~ "+writtenDistribution(t))
		}
	}
	for _, l := range m.Layers {
		u.Layers = append(u.Layers, l.Text(func(s *model.Set) (int, bool) { return sizeOf(s, d) }))
	}
	if p != nil {
		for _, s := range p.Symmetries().Of {
			u.Symmetries = append(u.Symmetries, s.String())
		}
	}
	return u
}

// sizeOf returns the number of elements of a set if the model or its data determine it.
func sizeOf(s *model.Set, d *dataset.Dataset) (n int, ok bool) {
	if n, ok = s.ConstSize(); ok || d == nil {
		return n, ok
	}
	ends, ds := evaluate.SetBox(d, s)
	if len(ds) > 0 {
		return 0, false
	}
	return ends[1] - ends[0] + 1, true
}

func understoodData(a *model.Array, d *dataset.Dataset) DataUnderstood {
	u := DataUnderstood{Name: a.Name, Axes: axesOf(a), Type: a.Type.Elem.String()}
	switch {
	case a.IndexOf != nil:
		u.Type = "index(" + a.IndexOf.Name + ")"
	case a.Declared == types.Bool:
		u.Type = "bool"
	case a.NeedInt:
		u.Type = "int"
	}
	if d == nil {
		return u
	}
	x, ok := d.Arrays[a]
	if !ok {
		return u
	}
	u.known, u.Shape, u.From = true, x.Shape, x.Origin
	lo, hi := math.Inf(1), math.Inf(-1)
	if x.Stream != nil {
		lo, hi = x.Low.Value, x.High.Value
	}
	for _, v := range x.Values.All() {
		if math.IsNaN(v) {
			u.Missing++
		}
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
	}
	if lo <= hi && !math.IsInf(lo, 0) && !math.IsInf(hi, 0) {
		u.Low, u.High = &lo, &hi
	}
	u.groups(a, x, d)
	if len(a.Type.Axes) == 2 {
		if of, ok := a.Type.Axes[1].Hi.(*model.SizeOf); ok {
			u.Columns = d.Labels[of.Size]
		}
	}
	return u
}

// groups counts how often each element of an index set occurs.
func (u *DataUnderstood) groups(a *model.Array, x dataset.Array, d *dataset.Dataset) {
	if a.IndexOf == nil || x.Stream != nil {
		return
	}
	ends, ds := evaluate.SetBox(d, a.IndexOf)
	if len(ds) > 0 || ends[1] < ends[0] || ends[1]-ends[0] > x.Values.Len()+1000 {
		return
	}
	var names []string
	if of, ok := a.IndexOf.Hi.(*model.SizeOf); ok && ends[0] == 1 {
		names = d.Labels[of.Size]
	}
	u.Groups = make([]Group, ends[1]-ends[0]+1)
	for i := range u.Groups {
		u.Groups[i].Label = fmt.Sprint(ends[0] + i)
		if i < len(names) {
			u.Groups[i].Label = names[i]
		}
	}
	for _, v := range x.Values.All() {
		if i := v - float64(ends[0]); i >= 0 && i < float64(len(u.Groups)) {
			u.Groups[int(i)].Count++
		}
	}
}

func understoodParameter(a *model.Array, d *dataset.Dataset) ParameterUnderstood {
	u := ParameterUnderstood{Name: a.Name, Axes: axesOf(a), Support: supportOf(a)}
	if d != nil {
		if v, ds := evaluate.Describe(d, a); len(ds) == 0 {
			u.Shape = v.Shape
		}
	}
	for _, p := range a.Pieces {
		if p.Term != nil {
			u.Prior = append(u.Prior, writtenDistribution(p.Term))
		}
	}
	return u
}

// supportOf describes the values that a parameter can take.
func supportOf(a *model.Array) string {
	for _, p := range a.Pieces {
		t := p.Term
		switch {
		case t == nil || t.Dist == nil:
		case t.Ordered:
			return "increasing"
		case t.ZeroSum:
			return "of sum 0"
		case t.Dist.Event > 0 && t.In == nil:
			return t.Dist.SupportText()
		}
	}
	r := a.Type.Range
	text := fmt.Sprintf("%v in %s..%s", a.Type.Elem, evaluate.EndText(r.Lo), evaluate.EndText(r.Hi))
	return strings.TrimSuffix(text, " in -inf..inf")
}

// writtenFactor returns a factor statement on one line, and the part of the density to which it belongs.
func writtenFactor(t *model.Term) string {
	part := "prior"
	if t.Kind == model.Likelihood {
		part = "likelihood"
	}
	text := strings.TrimPrefix(strings.Join(strings.Fields(t.At.Text()), " "), "factor")
	return strings.TrimSpace(text) + " (" + part + ")"
}

// writtenDistribution returns a statement's distribution as written, on one line.
func writtenDistribution(t *model.Term) string {
	text := t.At.File.Text[t.At.End:]
	_, text, _ = strings.Cut(text, "~")
	depth, end := 0, len(text)
	for i, r := range text {
		switch {
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth--
		}
		if depth == 0 && (r == '\n' || r == '#') {
			end = i
			break
		}
	}
	return strings.Join(strings.Fields(text[:end]), " ")
}

func axesOf(a *model.Array) (names []string) {
	for _, s := range a.Type.Axes {
		names = append(names, s.Name)
	}
	return names
}

// Lines describes the model in lines of text.
func (u Understood) Lines() (lines []string) {
	for _, x := range u.Data {
		if x.known {
			lines = append(lines, "data        "+x.text())
		}
	}
	for _, x := range u.Parameters {
		lines = append(lines, fmt.Sprintf("parameter   %s: %s; %s", withAxes(x.Name, x.Axes, x.Shape), x.Support,
			strings.Join(x.Prior, " and ")))
	}
	for _, x := range u.Factors {
		lines = append(lines, "factor      "+x)
	}
	for _, x := range u.Observed {
		lines = append(lines, "observed    "+x)
	}
	lines = append(lines, u.Layers...)
	for _, x := range u.Symmetries {
		lines = append(lines, "symmetry    "+x+"; each draw has one of the equivalent forms, chosen at random")
	}
	return lines
}

func (x DataUnderstood) text() string {
	s := withAxes(x.Name, x.Axes, x.Shape) + ": " + x.Type
	switch {
	case x.Groups != nil:
		s += ", " + groupsText(x.Groups)
	case len(x.Shape) == 0 && x.Low != nil:
		s += fmt.Sprintf(" = %.6g", *x.Low)
	case x.Low != nil:
		s += fmt.Sprintf(" from %.6g to %.6g", *x.Low, *x.High)
	}
	if len(x.Columns) > 0 {
		s += ", columns " + strings.Join(few(x.Columns), ", ")
	}
	if x.Missing > 0 {
		s += fmt.Sprintf(", %d missing", x.Missing)
	}
	return s
}

// groupsText lists the sizes of up to six groups. For more groups it gives their number, the two largest, the smallest,
// and the number of empty groups.
func groupsText(groups []Group) string {
	label := func(g Group) string { return fmt.Sprintf("%s (%d)", g.Label, g.Count) }
	if len(groups) <= 6 {
		var all []string
		for _, g := range groups {
			all = append(all, label(g))
		}
		return strings.Join(all, ", ")
	}
	by := slices.Clone(groups)
	slices.SortStableFunc(by, func(g, h Group) int { return h.Count - g.Count })
	text := fmt.Sprintf("%d groups: %s, %s, … %s", len(groups), label(by[0]), label(by[1]), label(by[len(by)-1]))
	empty := 0
	for _, g := range groups {
		if g.Count == 0 {
			empty++
		}
	}
	if empty > 0 {
		text += fmt.Sprintf("; %d without data", empty)
	}
	return text
}

// withAxes returns a name with its axes, and their sizes if known: a[J = 85].
func withAxes(name string, axes []string, shape []int) string {
	if len(axes) == 0 {
		return name
	}
	var parts []string
	for k, a := range axes {
		if k < len(shape) && fmt.Sprint(shape[k]) != a && "1.."+fmt.Sprint(shape[k]) != a {
			a = fmt.Sprintf("%s = %d", a, shape[k])
		}
		parts = append(parts, a)
	}
	return name + "[" + strings.Join(parts, ", ") + "]"
}

func few(names []string) []string {
	if len(names) > 8 {
		return append(slices.Clone(names[:8]), fmt.Sprintf("… (%d)", len(names)))
	}
	return names
}
