package bind

import (
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// The elements of a set of constant size, index(3) or index(J) with J = 3, are numbers. Texts in data over it are
// numbered in the order given by the model or the file, or converted if they are integers. Otherwise they are an error:
// in alphabetical order, new data with other texts would get other numbers.

// constantSets numbers the texts of data over sets of constant size.
func (l *labels) constantSets(raw map[*model.Array]*content.Array) {
	done := map[string]bool{}
	for _, a := range l.d.Model.Arrays {
		if s := a.IndexOf; raw[a] == nil || s == nil || sizeOf(s) != nil || !isOne(s.Lo) || done[s.Key] {
			continue
		}
		done[a.IndexOf.Key] = true
		var arrays, texts []*model.Array
		for _, b := range l.d.Model.Arrays {
			if raw[b] == nil || b.IndexOf == nil || !b.IndexOf.Same(a.IndexOf) {
				continue
			}
			arrays = append(arrays, b)
			if raw[b].Labels != nil {
				texts = append(texts, b)
			}
		}
		if names, by := l.declaredOrder(a.IndexOf.Same); by != nil {
			l.constantOrder(arrays, names, by, raw)
		} else if len(texts) > 0 {
			l.constantTexts(arrays, texts, raw)
		}
	}
}

// constantOrder numbers data in the order given by the model.
func (l *labels) constantOrder(arrays []*model.Array, names []string, by *model.Array,
	raw map[*model.Array]*content.Array) {
	n, ds := evaluate.SetSize(l.d, by.IndexOf)
	l.diags.Add(ds...)
	if len(ds) > 0 {
		return
	}
	if n != len(names) {
		l.diags.Errorf(diag.UnknownOrder, by.At, "the order of `%s` has %d elements, and %s has %d", by.Name,
			len(names), by.IndexOf.Name, n).Help("list each element once")
		return
	}
	l.byOrder(arrays, names, by, raw)
}

// constantTexts numbers texts that the model does not order.
func (l *labels) constantTexts(arrays, texts []*model.Array, raw map[*model.Array]*content.Array) {
	first := texts[0]
	if len(texts) < len(arrays) {
		other := arrays[slices.IndexFunc(arrays, func(b *model.Array) bool { return !slices.Contains(texts, b) })]
		l.diags.Errorf(diag.SizesDiffer, other.At, "`%s` holds numbers (%s) and `%s` names (%s), but both are "+
			"index(%s)", other.Name, raw[other].Origin, first.Name, raw[first].Origin, first.IndexOf.Name).
			Help("use names in both arrays, or numbers in both").Related(first.At, "the names")
		return
	}
	names := l.inFiles(texts, raw)
	if n, ds := evaluate.SetSize(l.d, first.IndexOf); names != nil && len(ds) == 0 && len(names) == n {
		places := map[string]float64{}
		for i, name := range names {
			places[name] = float64(i + 1)
		}
		l.renumber(texts, places, raw)
		return
	}
	names = nil
	for _, a := range texts {
		names = append(names, raw[a].Labels...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if places := wholeNumbers(names); places != nil {
		l.renumber(texts, places, raw)
		return
	}
	l.noNumbers(first, names)
}

// wholeNumbers converts texts to integers; it returns nil if some are not integers.
func wholeNumbers(names []string) map[string]float64 {
	places := map[string]float64{}
	for _, name := range names {
		n, err := strconv.Atoi(name)
		if err != nil {
			return nil
		}
		places[name] = float64(n)
	}
	return places
}

// noNumbers reports an error for texts that nothing maps to numbers.
func (l *labels) noNumbers(a *model.Array, names []string) {
	list, ok := natural(names)
	if !ok {
		list = names
	}
	quoted := make([]string, len(list))
	for i, name := range list {
		quoted[i] = strconv.Quote(name)
	}
	l.diags.Errorf(diag.UnknownOrder, a.At, "`%s` has texts (%s), and index(%s) has numbers: which text "+
		"is which number?", a.Name, strings.Join(shorten(names), ", "), a.IndexOf.Name).
		Help("give their order, `%[1]s: index(%[2]s) order %[3]s`; or name the set, `%[1]s: index(J)`, and give J no "+
			"size: its elements keep the names", declared(a), a.IndexOf.Name, strings.Join(quoted, ", "))
}

// renumber replaces texts by their numbers in places.
func (l *labels) renumber(texts []*model.Array, places map[string]float64, raw map[*model.Array]*content.Array) {
	for _, a := range texts {
		x := raw[a]
		y := *x
		if x.Rows != nil {
			place := map[string]int{}
			for name, n := range places {
				place[name] = int(n)
			}
			y.Codes = map[int][]float64{x.Columns[0]: codesByRows(x, place)}
			raw[a] = &y
			continue
		}
		y.Labels, y.Values = nil, x.Values.Map(func(v float64) float64 {
			if v != v {
				return v
			}
			return places[x.Labels[int(v)-1]]
		})
		raw[a] = &y
		l.setValues(a, y.Values)
	}
}
