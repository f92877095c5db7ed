// Package topics describes the words of the language and the names that commands accept, with texts generated from the
// tables that define them. `ppl help` and editors show these texts.
//
//	for _, t := range topics.Distributions() {
//		fmt.Println(t.Line) // Normal(mean, sd)
//	}
//
// The texts name the sources of distributions. Those of statistics are Vehtari et al. 2021, Bayesian Analysis 16, and
// Margossian et al. 2024, Bayesian Analysis.
package topics

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ppl/app/devices"
	"ppl/docs"
	"ppl/infer/settings"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/stdlib"
)

// A Topic is a name with its description.
type Topic struct {
	Name string
	Line string // description in a list of topics
	Text string
}

// Distributions describes the distributions of the library.
func Distributions() (all []Topic) {
	dists := stdlib.Dists()
	for _, name := range slices.Sorted(maps.Keys(dists)) {
		d := dists[name]
		all = append(all, Topic{name, d.Signatures()[0], distributionText(d)})
	}
	r := DensityRule()
	return append(all, Topic{r.Name, r.Form, r.Form + "\n\n" + Sentence(r.Doc)})
}

// DensityRule returns the row of Density, which looks like a distribution but is a rule of the library.
func DensityRule() stdlib.Rule {
	rules := stdlib.Rules()
	return rules[slices.IndexFunc(rules, func(r stdlib.Rule) bool { return r.Name == "Density" })]
}

func distributionText(d *stdlib.Dist) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", strings.Join(d.Signatures(), "\n"), Sentence(d.Doc))
	for _, a := range distinctArgs(d) {
		fmt.Fprintf(&b, "  %-14s %s\n", a.Name, argumentText(a))
	}
	fmt.Fprintf(&b, "  %-14s %s\n", "draws", d.SupportText())
	for _, use := range uses(d) {
		fmt.Fprintf(&b, "\n%s", use)
	}
	return fmt.Sprintf("%s\nSource: %s.", strings.TrimSuffix(b.String(), "\n")+"\n", d.Source)
}

// distinctArgs returns the arguments of all forms, without repeated names.
func distinctArgs(d *stdlib.Dist) (all []stdlib.Arg) {
	for _, f := range d.Forms {
		for _, a := range f.Args {
			if !slices.ContainsFunc(all, func(b stdlib.Arg) bool { return a.Name == b.Name }) {
				all = append(all, a)
			}
		}
	}
	return all
}

func argumentText(a stdlib.Arg) string {
	text := a.Domain.String()
	if a.Domain.Kind.EventRank() == 0 {
		text = [...]string{"", "a vector, each element ", "a matrix, each element "}[a.Rank] + text
	}
	if a.Default != nil {
		text += fmt.Sprintf("; %g if not given", *a.Default)
	}
	return text
}

// uses describes what else a distribution supports besides x ~ D(…).
func uses(d *stdlib.Dist) (all []string) {
	if d.Improper {
		all = append(all, "Improper: nothing makes it integrate to 1, and nothing can be drawn from it.")
	}
	if d.HasCDF() {
		all = append(all, "Its distribution function is known: it may be truncated (`in a..b`), censored, and used "+
			"in cdf, logcdf and quantile.")
	}
	if d.Recentres() {
		all = append(all, "`noncentered` applies.")
	}
	if d.Enumerate != nil {
		all = append(all, "A discrete unknown with this distribution is summed out.")
	}
	return all
}

// Functions describes numeric functions, reductions, scans, functions with special rules, and functions written in the
// language, sorted by name. min and max appear twice.
func Functions() (all []Topic) {
	add := func(name, form, doc string) {
		all = append(all, Topic{name, form, form + "\n\n" + Sentence(doc)})
	}
	for _, f := range stdlib.Funcs() {
		add(f.Name, f.Signature(), f.Doc)
	}
	for _, r := range stdlib.Reductions() {
		add(r.Name, fmt.Sprintf("%s(x)  %s(i in N: x[i])", r.Name, r.Name), r.Doc+"; over "+emptyText(r))
	}
	for _, s := range stdlib.Scans() {
		add(s.Name, s.Name+"(x)", s.Doc+"; along the last axis of x")
	}
	for _, m := range stdlib.MatrixFuncs() {
		add(m.Name, m.Name+"(x)", m.Doc)
	}
	for _, r := range stdlib.Rules() {
		if r.Name != "Density" {
			add(r.Name, r.Form, r.Doc)
		}
	}
	all = append(all, preludeTopics()...)
	slices.SortFunc(all, func(a, b Topic) int {
		return strings.Compare(strings.ToLower(a.Line), strings.ToLower(b.Line))
	})
	return all
}

func emptyText(r *stdlib.Reduction) string {
	switch {
	case r.Empty != r.Empty:
		return "an empty set an error"
	case r.Range(stdlib.Range{Lo: 0, Hi: 1}, -1).Int:
		return fmt.Sprintf("an empty set %t", r.Empty == 1)
	}
	return "an empty set " + strings.ToLower(strings.TrimPrefix(fmt.Sprint(r.Empty), "+"))
}

// preludeTopics describes the functions and layers written in the language, using the comment above each.
func preludeTopics() (all []Topic) {
	file, _ := parse.File(source.New("prelude.ppl", stdlib.Prelude))
	for _, st := range file.Stmts {
		var h *ast.Head
		switch st := st.(type) {
		case *ast.Define:
			h = st.Heads[0]
		case *ast.Draw:
			h = st.Heads[0]
		}
		if h != nil && h.HasParams {
			all = append(all, Topic{h.Name(), h.Span().Text(), h.Span().Text() + "\n\n" +
				commentAbove(file, st.Span()) + "\n\n    " + strings.ReplaceAll(st.Span().Text(), "\n", "\n    ")})
		}
	}
	return all
}

// commentAbove returns the text of the comment lines directly above a statement.
func commentAbove(file *ast.File, at source.Span) string {
	above := map[int]string{}
	for _, c := range file.Comments {
		above[c.Span().Line()] = strings.TrimSpace(strings.TrimPrefix(c.Text, "#"))
	}
	var lines []string
	for n := at.Line() - 1; above[n] != ""; n-- {
		lines = append(lines, above[n])
	}
	slices.Reverse(lines)
	return strings.Join(lines, " ")
}

// Settings describes the settings of samplers.
func Settings() (all []Topic) {
	for _, name := range settings.Names() {
		doc := settings.Doc(name)
		all = append(all, Topic{name, fmt.Sprintf("%-10s %s", name, doc),
			fmt.Sprintf("infer renhd(%s = …)   ppl sample --set %s=…\n\n%s", name, name, Sentence(doc))})
	}
	return all
}

// Devices describes the devices.
func Devices() (all []Topic) {
	for _, d := range devices.All() {
		all = append(all, Topic{d.Name, fmt.Sprintf("%-10s %s", d.Name, d.Doc),
			fmt.Sprintf("ppl sample --device %s\n\n%s", d.Name, Sentence(d.Doc))})
	}
	return all
}

// Codes describes the codes of diagnostics.
func Codes() (all []Topic) {
	for _, e := range diag.Catalogue() {
		code := string(e.Code)
		all = append(all, Topic{code, code + "  " + e.Title, code + ": " + e.Title + "\n\n" + docs.Plain(e.Body)})
	}
	return all
}

// Guides returns the guides for users of other systems, or with particular kinds of data.
func Guides() (all []Topic) {
	for _, g := range docs.Guides() {
		all = append(all, Topic{g.Name, fmt.Sprintf("%-12s %s", g.Name, g.Title), g.Title + "\n\n" +
			docs.Plain(g.Body)})
	}
	return all
}

// Sentence capitalises the first word, unless it is a name of the language, and adds a full stop.
func Sentence(s string) string {
	if first, _, _ := strings.Cut(s, " "); strings.ToLower(first) == first &&
		strings.Trim(first, "abcdefghijklmnopqrstuvwxyz:") == "" && len(first) > 1 {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return strings.TrimSuffix(s, ".") + "."
}
