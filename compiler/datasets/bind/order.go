package bind

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/numerals"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// The labels of an index set are ordered as the model says (`index(K) order "low", "high"`), as ordered categories in a
// file, or as numbers and dates. Other texts are in alphabetical order; it is an error if the model depends on their
// order.

// orderOf sorts names; own is false if the order is only alphabetical.
func orderOf(names []string) (sorted []string, own bool) {
	sorted = slices.Clone(names)
	if by, ok := keysOf(names, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }); ok {
		sort.SliceStable(sorted, func(i, j int) bool { return by[sorted[i]] < by[sorted[j]] })
		return sorted, true
	}
	if by, ok := keysOf(names, daysOf); ok {
		sort.SliceStable(sorted, func(i, j int) bool { return by[sorted[i]] < by[sorted[j]] })
		return sorted, true
	}
	slices.Sort(sorted)
	return sorted, len(names) < 2
}

func daysOf(text string) (float64, error) {
	days, ok := numerals.Days(text)
	if !ok {
		return 0, strconv.ErrSyntax
	}
	return days, nil
}

// keysOf maps each name to a number; ok is false if a name has no number, or two names have the same one.
func keysOf(names []string, number func(string) (float64, error)) (by map[string]float64, ok bool) {
	by, seen := map[string]float64{}, map[float64]bool{}
	for _, name := range names {
		v, err := number(name)
		if err != nil || seen[v] {
			return nil, false
		}
		by[name], seen[v] = v, true
	}
	return by, len(names) > 0
}

// scales lists words with a customary order.
var scales = []string{
	"january february march april may june july august september october november december",
	"jan feb mar apr may jun jul aug sep oct nov dec",
	"monday tuesday wednesday thursday friday saturday sunday",
	"mon tue wed thu fri sat sun",
	"xxs xs s m l xl xxl xxxl",
	"tiny small medium large huge",
	"very low|low|moderate|medium|high|very high",
	"none|minimal|mild|moderate|severe|very severe",
	"never|almost never|rarely|seldom|sometimes|occasionally|often|frequently|usually|almost always|always",
	"strongly disagree|disagree|somewhat disagree|slightly disagree|neutral|neither agree nor disagree|undecided|" +
		"slightly agree|somewhat agree|agree|strongly agree",
	"very dissatisfied|dissatisfied|neutral|satisfied|very satisfied",
	"very unlikely|unlikely|neutral|likely|very likely",
	"very poor|poor|fair|average|good|very good|excellent",
	"not at all|a little|slightly|somewhat|moderately|quite|very|very much|extremely",
	"much worse|worse|same|better|much better",
	"first second third fourth fifth sixth seventh eighth ninth tenth",
	"winter spring summer autumn", "q1 q2 q3 q4", "i ii iii iv v vi vii viii ix x",
	"no yes", "false true", "control|placebo|low|medium|high", "before during after", "pre post",
}

// natural sorts names in the order that a reader expects, such as by numbers or months; ok is false if there is no such
// order.
func natural(names []string) (sorted []string, ok bool) {
	for _, list := range scales {
		separator := " "
		if strings.Contains(list, "|") {
			separator = "|"
		}
		words := strings.Split(list, separator)
		place := func(name string) int { return slices.Index(words, strings.ToLower(strings.TrimSpace(name))) }
		if !slices.ContainsFunc(names, func(name string) bool { return place(name) < 0 }) {
			sorted = slices.Clone(names)
			slices.SortStableFunc(sorted, func(a, b string) int { return place(a) - place(b) })
			return sorted, true
		}
	}
	by, ok := keysOf(names, firstNumber)
	if !ok {
		return nil, false
	}
	sorted = slices.Clone(names)
	sort.SliceStable(sorted, func(i, j int) bool { return by[sorted[i]] < by[sorted[j]] })
	return sorted, true
}

// firstNumber returns the first number in a text. A text that means "below" sorts before the number itself, and one
// that means "above" after it.
func firstNumber(text string) (float64, error) {
	at := strings.IndexAny(text, "0123456789")
	if at < 0 {
		return 0, strconv.ErrSyntax
	}
	end := at
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '.' && end+1 < len(text) &&
		text[end+1] >= '0' && text[end+1] <= '9') {
		end++
	}
	v, err := strconv.ParseFloat(text[at:end], 64)
	switch before := strings.ToLower(text[:at]); {
	case strings.ContainsAny(before, "<≤") || strings.Contains(before, "under") || strings.Contains(before, "below"):
		v -= 0.25
	case strings.ContainsAny(before, ">≥") || strings.Contains(before, "over") || strings.Contains(before, "above"):
		v += 0.25
	}
	return v, err
}

// declaredOrder returns the order that the model gives to the elements of a set, and the array whose declaration
// contains it, or nil.
func (l *labels) declaredOrder(over func(*model.Set) bool) (names []string, by *model.Array) {
	for _, a := range l.d.Model.Arrays {
		switch {
		case len(a.Order) == 0 || a.IndexOf == nil || !over(a.IndexOf):
		case by == nil:
			names, by = a.Order, a
		case !slices.Equal(names, a.Order):
			l.diags.Errorf(diag.UnknownOrder, a.At, "`%s` and `%s` give the elements of %s different orders", by.Name,
				a.Name, a.IndexOf.Name).
				Help("remove one of them").Related(by.At, "the other order")
		}
	}
	return names, by
}

// inFiles returns the order of ordered categories in the files of some arrays. It returns nil if none of the arrays has
// ordered categories, or if another array has a label that is not one of them.
func (l *labels) inFiles(arrays []*model.Array, raw map[*model.Array]*content.Array) (names []string) {
	var by *model.Array
	for _, a := range arrays {
		x := raw[a]
		switch {
		case !x.Ordered:
		case by == nil || subsequence(names, x.Labels):
			names, by = x.Labels, a
		case !subsequence(x.Labels, names):
			l.diags.Errorf(diag.UnknownOrder, a.At, "`%s` (%s) and `%s` (%s) have ordered categories in "+
				"different orders", a.Name, x.Origin, by.Name, raw[by].Origin).Related(by.At, "the other order")
		}
	}
	for _, a := range arrays {
		if by != nil && !raw[a].Ordered && slices.ContainsFunc(raw[a].Labels, func(s string) bool {
			return !slices.Contains(names, s)
		}) {
			return nil
		}
	}
	return names
}

// subsequence reports whether the list all contains the elements of part in the same order.
func subsequence(part, all []string) bool {
	for _, s := range part {
		at := slices.Index(all, s)
		if at < 0 {
			return false
		}
		all = all[at+1:]
	}
	return true
}

// refuseOrder reports an error if the model depends on the order of texts without a defined order.
func (l *labels) refuseOrder(s *model.Size, names []string, a *model.Array) {
	if l.known != nil {
		return
	}
	o := findReads(l.d.Model, s)
	if len(o.reads) == 0 {
		l.warnPlace(o, s.Name, names, a)
		return
	}
	l.orderNeeded(o.reads[0], s.Name, names, a)
}

// warnPlace warns if a model reads an element of a set by its number, since the number depends on alphabetical order.
func (l *labels) warnPlace(o *orderFinder, set string, names []string, a *model.Array) {
	for _, p := range o.places {
		if p.number == last {
			p.number = len(names)
		}
		if p.number < 1 || p.number > len(names) {
			continue
		}
		name := names[p.number-1]
		report, instead := l.diags.Warnf, "write "+strconv.Quote(name)+" in its place, or "
		if p.head { // a reference level, which output names
			report, instead = l.diags.Notef, ""
		}
		report(diag.TextByNumber, p.at, "element %d of %s is %q here, as texts are in alphabetical order: %s", p.number,
			set, name, strings.Join(shorten(names), ", ")).
			Help("%sgive the order: `%s: index(%s) order …`", instead, declared(a), set).
			Related(a.At, "the texts")
		return
	}
}

// orderNeeded reports an error for a model that depends on the order of elements.
func (l *labels) orderNeeded(read orderRead, set string, names []string, a *model.Array) {
	list, ok := natural(names)
	advice := "such as"
	if !ok {
		list, advice = names, "as it is meant:"
	}
	quoted := make([]string, len(list))
	for i, name := range list {
		quoted[i] = strconv.Quote(name)
	}
	l.diags.Errorf(diag.UnknownOrder, read.at, "the model depends on the order of the elements of %s, which are "+
		"texts (%s): %s", set, strings.Join(shorten(names), ", "), read.what).
		Help("give their order in the model, %s `%s: index(%s) order %s`", advice, declared(a), set,
			strings.Join(quoted, ", ")).Related(a.At, "the texts")
}
