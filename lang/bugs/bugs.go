// Package bugs converts models of BUGS and JAGS to models of ppl:
//
//	m, ds := bugs.Model(source.New("seeds.bug", text), data)
//	fmt.Print(m.Text)
//
// In BUGS as in ppl, statements define variables, and their order is irrelevant. So each relation becomes a statement,
// and the enclosing loops become the indices of its left side. The names in the data are data. If no data are given,
// variables that have a distribution and that nothing reads are assumed to be observed.
//
// The language is that of Spiegelhalter, Thomas, Best and Lunn 2003 (WinBUGS User Manual, version 1.4) and of Plummer
// 2017 (JAGS User Manual, version 4.3). I(,) is treated as the range of a distribution, like T(,).
package bugs

import (
	"fmt"
	"slices"
	"strings"

	"ppl/lang/diag"
	"ppl/lang/format"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// A Shape describes the data of one name.
type Shape struct {
	Dims    []int // length of each axis
	Missing bool  // some values are missing
}

// A Translation is the resulting model of ppl.
type Translation struct {
	Text    string
	Renamed map[string]string // maps data to their names in the model, if these differ
	Names   map[string]string // maps all variables to their names in the model, if these differ
}

// Model translates a model. data is nil if the data are not known. If there are errors, the text is empty.
func Model(src *source.File, data map[string]Shape) (*Translation, []diag.Diagnostic) {
	w := &writer{src: src, data: data, names: map[string]string{}, loopNames: map[string]string{},
		taken: reserved(), sizes: map[string]*sizes{},
		indices: map[string]operand{}, reads: map[string]int{}, whole: map[string]bool{}}
	tree := parsed(src, &w.diags)
	if tree == nil {
		return &Translation{}, w.diags.All()
	}
	w.collect(tree)
	text := w.text()
	out := &Translation{Renamed: map[string]string{}, Names: map[string]string{}}
	for name, other := range w.names {
		if name != other {
			out.Names[name] = other
			if _, mentioned := w.sizes[name]; mentioned && w.kinds[name] == isData {
				out.Renamed[name] = other
			}
		}
	}
	if w.diags.HasErrors() {
		return out, w.diags.All()
	}
	file, ds := parse.File(source.New("model.ppl", text))
	if diag.HasErrors(ds) {
		panic(fmt.Sprintf("internal error: the model of %s is not one of ppl: %v\n%s", src.Name, ds, text))
	}
	out.Text = format.File(file)
	return out, w.diags.All()
}

// reserved returns names that have a meaning in the language or are used by translations.
func reserved() map[string]bool {
	names := map[string]bool{}
	for _, word := range strings.Fields("data generate infer import in from return missing censored ordered zerosum " +
		"noncentered complete holdout columns by order pi inf true false factor at weight upto rounded index") {
		names[word] = true
	}
	for _, f := range functions {
		for _, word := range words.FindAllString(f.text, -1) {
			names[word] = true
		}
	}
	for _, word := range strings.Fields("sigmoid inv_cloglog Phi exp sqrt inverse") {
		names[word] = true
	}
	for _, d := range distributions {
		names[words.FindString(d.text)] = true
	}
	return names
}

// name returns the name that a variable of BUGS has in the model. Points become underscores.
func (w *writer) name(own string) string {
	if given, ok := w.names[own]; ok {
		return given
	}
	given := w.fresh(strings.TrimRight(strings.ReplaceAll(own, ".", "_"), "_"))
	w.names[own] = given
	return given
}

// fresh returns an unused name.
func (w *writer) fresh(like string) string {
	name := like
	for i := 2; w.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", like, i)
	}
	w.taken[name] = true
	return name
}

// sortedData returns the names of data, sorted by the number of axes and then by first mention.
func (w *writer) sortedData() []string {
	var out []string
	for _, name := range w.order {
		if w.kinds[name] == isData {
			out = append(out, name)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return w.axes[a] - w.axes[b] })
	return out
}
