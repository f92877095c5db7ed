package bind

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/numerals"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/numbers"
)

// Numbers in an index(J) column are codes of groups if nothing else determines the number of groups: the distinct codes
// are the groups, in ascending order, and each code is the label of its group. For example,
//
//	data zip[N]: index(J)      zip: 94110, 10001, 94110      J = 2, zip = [2, 1, 2], a[10001] and a[94110]
//
// Codes 1 to J without a gap are positions and have no labels. The same holds for all codes if J is known (`J = 33`,
// `data J`, an axis of data), or if the model calculates with the elements of J, as in a[t-1] or b * t. For a file that
// is not read into memory, the pass over the file collects the distinct codes, if they are not too many.

// counted reports whether names are just the numbers 1, 2, ….
func counted(names []string) bool {
	for i, name := range names {
		if name != strconv.Itoa(i+1) {
			return false
		}
	}
	return true
}

// ofCodes labels the elements of a set by the codes of groups.
func (l *labels) ofCodes(s *model.Size, raw map[*model.Array]*content.Array, z *sizes) {
	if _, known := l.d.Sizes[s]; known {
		return
	}
	var arrays []*model.Array
	for _, a := range l.d.Model.Arrays {
		if raw[a] != nil && sizeOf(a.IndexOf) == s {
			arrays = append(arrays, a)
		}
	}
	codes, ok := codesOfGroups(arrays, raw)
	if !ok || len(codes) == 0 || countsWith(l.d.Model, s) {
		return
	}
	l.codes(s, arrays, codes, raw, z)
}

// codesOfGroups returns the distinct numbers in arrays, in ascending order. ok is false if some are not codes, or if
// the distinct numbers are not known.
func codesOfGroups(arrays []*model.Array, raw map[*model.Array]*content.Array) (codes []float64, ok bool) {
	for _, a := range arrays {
		x := raw[a]
		if x.Labels != nil {
			return nil, false
		}
		values, ok := codesIn(x)
		if !ok {
			return nil, false
		}
		for _, v := range values.All() {
			switch {
			case math.IsNaN(v):
			case v != math.Trunc(v) || math.Abs(v) > largestCode:
				return nil, false
			default:
				codes = append(codes, v)
			}
		}
		codes = append(codes, x.LevelCodes...)
	}
	slices.Sort(codes)
	return slices.Compact(codes), true
}

// codesIn returns the values of an array or, for a file on disk, the distinct values; ok is false if they are unknown.
func codesIn(x *content.Array) (values numbers.List, ok bool) {
	if x.Rows == nil {
		return x.Values, true
	}
	values = numbers.Of(distinctOf(x)...)
	return values, !values.None()
}

// spellings returns the texts of codes in files, which may have leading zeros.
func spellings(arrays []*model.Array, raw map[*model.Array]*content.Array) (all numerals.Zeros) {
	for _, a := range arrays {
		x, written := raw[a], map[float64]string(nil)
		if x.Zeros != nil {
			written = x.Zeros.Written
			all.Twice = cmp.Or(all.Twice, x.Zeros.Twice)
		}
		values, _ := codesIn(x)
		for _, v := range values.All() {
			if text := written[v]; text != "" {
				all.Add(text, v)
			} else if !math.IsNaN(v) {
				all.Add(strconv.FormatFloat(v, 'f', -1, 64), v)
			}
		}
	}
	return all
}

// largestCode bounds the integers that float64 represents exactly.
const largestCode = 1 << 53

// codes labels the elements of a set, and replaces codes in arrays by positions.
func (l *labels) codes(s *model.Size, arrays []*model.Array, codes []float64, raw map[*model.Array]*content.Array,
	z *sizes) {
	texts := l.textsOf(codes, arrays, raw)
	if l.known.elements(s) != nil {
		l.asKnown(s, texts, arrays[0])
	}
	all := l.withKnown(s, texts, arrays[0])
	declared := slices.ContainsFunc(arrays, func(a *model.Array) bool { return raw[a].LevelCodes != nil })
	if counted(all) && l.known.elements(s) == nil && !declared {
		return
	}
	first := arrays[0]
	z.learn(s, len(all), "the codes of `"+first.Name+"`", first.At)
	if counted(all) {
		return
	}
	place, number := map[string]int{}, map[float64]float64{}
	for i, text := range all {
		place[text] = i + 1
	}
	for i, text := range texts {
		number[codes[i]] = float64(place[text])
	}
	for _, a := range arrays {
		y := *raw[a]
		if y.Rows != nil {
			y.Numbers = number
			raw[a] = &y
			continue
		}
		y.Values = y.Values.Map(func(v float64) float64 {
			if math.IsNaN(v) {
				return v
			}
			return number[v]
		})
		raw[a] = &y
		l.setValues(a, y.Values)
	}
	l.name(s, all, "the codes of `"+first.Name+"`", first)
	l.ordered[s] = true
	if l.known == nil {
		l.diags.Notef(diag.ObservedGroups, first.At, "%s = %d: the codes of `%s` that occur, %s, are the groups; give "+
			"`data %s` if codes count all groups from 1", s.Name, len(all), first.Name, codeRange(all), s.Name)
	}
}

// textsOf returns the texts of codes: dates, or numbers as the files write them.
func (l *labels) textsOf(codes []float64, arrays []*model.Array, raw map[*model.Array]*content.Array) []string {
	texts, written := make([]string, len(codes)), spellings(arrays, raw)
	for i, v := range codes {
		texts[i] = cmp.Or(written.Written[v], strconv.FormatFloat(v, 'f', -1, 64))
		if raw[arrays[0]].Days {
			texts[i] = numerals.DateOf(v)
		}
	}
	if twice := written.Twice; twice[0] != "" {
		code := diag.ObservedGroups
		if l.known != nil {
			code = "" // notes about new data have no code
		}
		l.diags.Warnf(code, arrays[0].At, "`%s` has both %s and %s, which are the same number: both are read "+
			"as group %s",
			arrays[0].Name, twice[0], twice[1], twice[1]).
			Help("if they are two groups, put a letter before each code; if they are one, write it in one way")
	}
	return texts
}

// asKnown replaces the spelling of a code by the run's spelling of the same number.
func (l *labels) asKnown(s *model.Size, texts []string, a *model.Array) {
	known := map[float64]string{}
	for _, name := range l.known.elements(s) {
		if v, err := strconv.ParseFloat(name, 64); err == nil {
			known[v] = name
		}
	}
	for i, text := range texts {
		v, err := strconv.ParseFloat(text, 64)
		if name := known[v]; err == nil && name != "" && name != text {
			l.diags.Notef("", a.At, "group %s of `%s` is group %s of the run: the codes are the same number", text,
				a.Name, name)
			texts[i] = name
		}
	}
}

// codeRange lists codes for a message; a long list is shortened.
func codeRange(names []string) string {
	if len(names) > 6 {
		names = append(append(slices.Clone(names[:3]), "…"), names[len(names)-1])
	}
	text := ""
	for i, n := range names {
		if i > 0 {
			text += ", "
		}
		text += n
	}
	return text
}

func (l *labels) setValues(a *model.Array, values numbers.List) {
	x := l.d.Arrays[a]
	x.Values = values
	l.d.Arrays[a] = x
}

// withKnown returns the elements of the run followed by new ones, and adds a note about the new ones.
func (l *labels) withKnown(s *model.Size, names []string, a *model.Array) []string {
	known := l.known.elements(s)
	if known == nil {
		return names
	}
	all, isKnown := slices.Clone(known), map[string]bool{}
	for _, n := range known {
		isKnown[n] = true
	}
	var fresh []string
	for _, n := range names {
		if !isKnown[n] {
			fresh = append(fresh, n)
		}
	}
	if len(fresh) > 0 {
		text := "`" + a.Name + "` has a group that the run does not know, " + fresh[0]
		if len(fresh) > 1 {
			text = "`" + a.Name + "` has groups that the run does not know, " + codeRange(fresh)
		}
		l.diags.Notef("", a.At, "%s: %s", text, l.known.Others)
	}
	return append(all, fresh...)
}

// countsWith reports whether a model uses the elements of a set as numbers: in arithmetic or comparisons with an index,
// in a constant subscript, or in a range.
func countsWith(m *model.Model, s *model.Size) (found bool) {
	over := func(set *model.Set) bool {
		of, ok := set.Hi.(*model.SizeOf)
		return ok && of.Size == s
	}
	var visit func(x model.Expr, subscript bool)
	visit = func(x model.Expr, subscript bool) {
		switch x := x.(type) {
		case nil:
			return
		case *model.IndexVar:
			found = found || !subscript && over(x.Index.Set)
		case *model.Vector:
			axes := x.X.Info().Type.Axes
			found = found || x.Name != "softmax" && len(axes) > 0 && over(axes[len(axes)-1])
		case *model.Apply:
			if slices.ContainsFunc(x.Args, func(y model.Expr) bool { _, is := y.(*model.Label); return is }) {
				return // compared with a label
			}
			for _, y := range x.Args {
				found = found || numbering(y, s) && !numbering(otherThan(x.Args, y), s)
			}
		case *model.Subscript:
			visit(x.X, false)
			for k, sub := range x.Subs {
				axes := x.X.Info().Type.Axes
				if _, number := sub.At.(*model.Num); number && k < len(axes) && over(axes[k]) ||
					sub.Range != nil && over(sub.Range) && !isOne(sub.Range.Lo) {
					found = true
				}
				visit(sub.At, true)
			}
			return
		}
		for _, y := range x.Children() {
			visit(y, false)
		}
	}
	for _, a := range m.Arrays {
		for _, p := range a.Pieces {
			visit(p.Value, false)
		}
	}
	for _, t := range m.Terms {
		for _, x := range t.Exprs() {
			visit(x, false)
		}
	}
	return found
}

// numbering reports whether an expression is data of type index over a set.
func numbering(x model.Expr, s *model.Size) bool {
	if sub, ok := x.(*model.Subscript); ok {
		x = sub.X
	}
	ref, ok := x.(*model.Ref)
	return ok && ref.Array.IndexOf != nil && sizeOf(ref.Array.IndexOf) == s
}

// otherThan returns the first operand that is not x, or nil.
func otherThan(xs []model.Expr, x model.Expr) model.Expr {
	for _, y := range xs {
		if y != x {
			return y
		}
	}
	return nil
}
