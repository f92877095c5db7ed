package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/lang/diag"
	"ppl/lang/format"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// A writer collects the parts of one model.
type writer struct {
	r           Request
	left, right *node
	family      family
	link        string
	sum         bool // contrasts that sum to 0
	residual    bool // the family has a residual for each row

	size    int    // rows
	rows    string // their set
	outcome response
	cuts    int    // of an ordered outcome
	cut     string // the name of these

	names    map[string]bool
	data     []declaration
	used     map[string]*Column
	numerics map[string]numeric
	factors  map[string]*factor

	defined    []string // quantities of the data
	statements []string // priors and effects
	generated  []string
	instead    map[string]string // priors that were asked for
	known      []string          // names that have a prior
}

func newWriter(r Request) *writer {
	w := &writer{r: r, names: reserved(), used: map[string]*Column{}, numerics: map[string]numeric{},
		factors: map[string]*factor{}, instead: map[string]string{}}
	for _, c := range r.Data.Columns {
		w.names[spelled(c.Name)] = true
		w.size = len(c.Values)
	}
	switch r.Contrasts {
	case "", "treatment":
	case "sum":
		w.sum = true
	default:
		panic(&Error{Message: fmt.Sprintf("there are no contrasts %q", r.Contrasts), Help: "take treatment or sum"})
	}
	for _, p := range r.Priors {
		name, prior, ok := strings.Cut(p, "=")
		if name, prior = strings.TrimSpace(name), strings.TrimSpace(prior); !ok || name == "" || prior == "" {
			panic(&Error{Message: fmt.Sprintf("the prior %q has no name and distribution", p),
				Help: "write NAME=DISTRIBUTION, as in b_x=Normal(0, 1), or b=Normal(0, 1) for all coefficients"})
		}
		w.instead[name] = prior
	}
	return w
}

// translate makes the model.
func (w *writer) translate() {
	f, err := parseFormula(w.r.Formula)
	if err != nil {
		panic(err)
	}
	if w.size == 0 {
		panic(&Error{Message: w.r.Data.Path + " has no rows"})
	}
	w.left, w.right = f.left, f.right
	w.rows = w.fresh("N")
	w.family, w.link = findFamily(w.r.Family)
	w.residual = slices.ContainsFunc(w.family.aux, func(a auxiliary) bool { return strings.Contains(a.prior, "{sd}") })
	w.respond()
	p := w.meanPredictor()
	w.observe(p)
	w.checkPriors()
	w.checkMissing()
}

// meanPredictor writes the linear predictor of the mean.
func (w *writer) meanPredictor() *predictor {
	p := &predictor{scale: 1}
	if sd := w.spread(); w.residual && w.link == "identity" {
		p.scale, p.words = sd, w.spreadWords()
	}
	special := func(n *node) bool { return n.op == opCall && n.text == "offset" }
	e := w.expander(special).expand(w.right)
	if p.centre = e.intercept(); !p.centre && w.family.takes == orderedOutcome {
		w.fail(w.right, "an ordered outcome has cut points in the place of an intercept", "leave out the 0 or -1")
	}
	w.population(p, e.terms)
	for _, n := range e.special {
		if len(n.args) != 1 {
			w.fail(n, "offset takes one column", "")
		}
		p.summands = append(p.summands, w.number(n.args[0]).name+"[i]")
	}
	for _, g := range e.groups {
		w.group(p, g)
	}
	if len(p.summands)+len(p.grouped) == 0 {
		p.summands = []string{"0"}
	}
	return p
}

// intercept writes the prior of the intercept, which is the predictor where centred quantities are at their means. Of
// an ordered outcome cut points take its place.
func (w *writer) intercept(p *predictor) {
	shift := strings.Join(p.shift, " - ")
	if w.family.takes == orderedOutcome {
		w.cut = w.fresh("cut")
		w.prior(w.cut, "cut", fmt.Sprintf("%s[1..%d]", w.cut, w.cuts), "Normal(0, 5) ordered", "")
		if shift != "" {
			w.generated = append(w.generated, fmt.Sprintf("%s[k in 1..%d] = %s[k] + %s", w.fresh("b_cut"), w.cuts,
				w.cut,
				strings.Join(p.shift, " + ")))
		}
		return
	}
	name := w.fresh("b_Intercept")
	if shift != "" {
		centred := w.fresh("Intercept")
		w.generated = append(w.generated, fmt.Sprintf("%s = %s - %s", name, centred, shift))
		name = centred
	}
	p.summands = append(p.summands, name)
	middle, words := w.middle()
	around := "2.5"
	if p.words != "" {
		around += " " + p.words
	}
	why := fmt.Sprintf("%s, %s", words, around)
	if words == "" {
		why = ""
	}
	w.prior(name, "Intercept", name, fmt.Sprintf("Normal(%s, %s)", rounded(middle),
		rounded(2.5*p.scale)), why)
}

// spread is the standard deviation of the outcome, on the scale of a lognormal one its logarithm's.
func (w *writer) spread() float64 {
	if w.outcome.column.Levels != nil {
		return 1
	}
	if s := sdOf(w.onScale()); s > 0 {
		return s
	}
	return 1
}

func (w *writer) onScale() []float64 {
	values := present(w.outcome.column.Values)
	if w.family.name == "lognormal" {
		for i, v := range values {
			values[i] = math.Log(v)
		}
	}
	return values
}

func (w *writer) spreadWords() string {
	if w.family.name == "lognormal" {
		return fmt.Sprintf("sd(log(%s))", w.outcome.name)
	}
	return fmt.Sprintf("sd(%s)", w.outcome.name)
}

// middle is the predictor at the mean of the outcome.
func (w *writer) middle() (value float64, words string) {
	if c := w.outcome.column; c.Levels != nil || w.outcome.trials != "" {
		return 0, ""
	}
	m := meanOf(w.onScale())
	of := map[string]func(float64) float64{
		"log": math.Log, "inverse": func(m float64) float64 { return 1 / m }, "sqrt": math.Sqrt,
		"1/mu^2": func(m float64) float64 { return 1 / (m * m) },
	}
	if w.family.name == "lognormal" {
		return m, fmt.Sprintf("mean(log(%s))", w.outcome.name)
	}
	if w.link == "identity" {
		return m, fmt.Sprintf("mean(%s)", w.outcome.name)
	}
	if f, ok := of[w.link]; ok && m > 0 && w.family.takes != binaryOutcome {
		words := map[string]string{"log": "log(mean(%s))", "inverse": "1 / mean(%s)", "sqrt": "sqrt(mean(%s))",
			"1/mu^2": "1 / mean(%s)^2"}[w.link]
		return f(m), fmt.Sprintf(words, w.outcome.name)
	}
	return 0, ""
}

// expander returns one for this formula.
func (w *writer) expander(special func(n *node) bool) *expander {
	return &expander{formula: w.r.Formula, special: special,
		refuse: func(n *node) (string, string) { return refused(n, variableForm) },
		all: func() (all terms) {
			for _, c := range w.r.Data.Columns {
				if w.used[c.Name] == nil {
					all = append(all, term{{op: opName, text: c.Name}})
				}
			}
			return all
		}}
}

// observe writes the linear predictor and the distribution of the outcome.
func (w *writer) observe(p *predictor) {
	y := w.outcome
	fill := map[string]string{"trials": y.trials, "cut": w.cut}
	for _, a := range w.family.aux {
		name := w.fresh(a.name)
		fill[a.name] = name
		prior := strings.ReplaceAll(a.prior, "{sd}", rounded(w.spread()))
		w.prior(name, a.name, name, prior, strings.ReplaceAll(a.why, "{sdwords}", w.spreadWords()))
	}
	for _, d := range w.family.define {
		fill[d.name] = w.fresh(d.name)
		w.statement(fill[d.name]+" = "+filled(d.text, fill), d.why)
	}
	name := "eta"
	if w.link == "identity" {
		name = "mu"
	}
	name = w.fresh(name)
	w.statements = append(w.statements, "")
	w.sumOf(name, p)
	text, direct := w.family.direct[w.link]
	if !direct {
		text = strings.ReplaceAll(w.family.dist, "{mean}", links()[w.link])
	}
	text = strings.ReplaceAll(text, "{eta}", name+"[i]")
	text = filled(text, fill)
	switch {
	case y.weights != "":
		if y.censored != "" || y.truncate != "" {
			w.fail(w.left, "weights cannot be combined with cens or trunc",
				"write the density in the model: y ~ Density(…)")
		}
		text = fmt.Sprintf("Density(%s[i] * logpdf(%s, %s[i]))", y.weights, text, y.name)
	case y.truncate != "":
		text += " in " + y.truncate
	}
	if y.censored != "" {
		text += " censored " + y.censored
	}
	w.statements = append(w.statements, fmt.Sprintf("%s[i in %s] ~ %s", y.name, w.rows, text))
}

// filled puts names in the place of those in braces.
func filled(text string, names map[string]string) string {
	for name, value := range names {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// widest is the length of a statement from which on a sum is cut into parts.
const widest = 118

// sumOf defines the predictor over the rows: in one statement or, if that is long, the effects of the population and of
// groups apart.
func (w *writer) sumOf(name string, p *predictor) {
	head := fmt.Sprintf("%s[i in %s] = ", name, w.rows)
	whole := head + strings.Join(slices.Concat(p.summands, p.grouped), " + ")
	if len(whole) > widest {
		parts := append(w.parts("population", p.summands), w.parts("groups", p.grouped)...)
		whole = head + strings.Join(parts, " + ")
	}
	w.statements = append(w.statements, whole)
}

// parts defines sums that fit into a line each, and returns them at row i. One summand is left as it is.
func (w *writer) parts(name string, summands []string) (parts []string) {
	if len(summands) < 2 {
		return summands
	}
	for len(summands) > 0 {
		part := w.fresh(name)
		head := fmt.Sprintf("%s[i in %s] = ", part, w.rows)
		n := 1
		for n < len(summands) && len(head)+len(strings.Join(summands[:n+1], " + ")) <= widest {
			n++
		}
		w.statements = append(w.statements, head+strings.Join(summands[:n], " + "))
		parts, summands = append(parts, part+"[i]"), summands[n:]
	}
	return parts
}

// prior writes a prior, or the one that was asked for: of the name, or else of its class.
func (w *writer) prior(name, class, left, prior, why string) {
	w.priorWith(name, class, left, prior, "", why)
}

// priorWith is prior with a modifier that stays.
func (w *writer) priorWith(name, class, left, prior, modifier, why string) {
	w.known = append(w.known, name, class)
	for _, asked := range []string{name, class} {
		if other, ok := w.instead[asked]; ok {
			prior, why = other, ""
			break
		}
	}
	w.statement(left+" ~ "+prior+modifier, why)
}

// checkPriors refuses priors of names that are not there.
func (w *writer) checkPriors() {
	slices.Sort(w.known)
	w.known = slices.Compact(w.known)
	for name := range w.instead {
		if slices.Contains(w.known, name) {
			continue
		}
		help := "it has " + diag.And(w.known)
		if near, ok := diag.Nearest(name, w.known); ok {
			help = fmt.Sprintf("did you mean %s? %s", near, "It has "+diag.And(w.known))
		}
		panic(&Error{Message: fmt.Sprintf("the model has no parameter %q to give a prior", name), Help: help})
	}
}

func (w *writer) statement(text, why string) {
	if why != "" {
		text += "  # " + why
	}
	w.statements = append(w.statements, text)
}

func (w *writer) comment(text string) { w.statements = append(w.statements, "# "+text) }

func (w *writer) fail(n *node, message, help string) {
	panic(&Error{Formula: w.r.Formula, At: n.at, End: trimmedEnd(w.r.Formula, n), Message: message, Help: help})
}

// failTerm marks a term by its last variable.
func (w *writer) failTerm(t term, message, help string) {
	n := t[len(t)-1]
	w.fail(n, fmt.Sprintf("the term `%s` %s", t, message), help)
}

// text puts the model together in its canonical form.
func (w *writer) text() string {
	lines := []string{"# " + w.r.Formula, fmt.Sprintf("# family %s, link %s", w.family.name, w.link), ""}
	lines = append(lines, w.dataStatements()...)
	lines = append(append(lines, ""), w.defined...)
	if len(w.defined) > 0 {
		lines = append(lines, "")
	}
	lines = append(lines, w.statements...)
	if len(w.generated) > 0 {
		lines = append(lines, "", "# where all predictors are 0, as in R")
	}
	for _, g := range w.generated {
		lines = append(lines, "generate "+g)
	}
	text := strings.Join(lines, "\n") + "\n"
	file, ds := parse.File(source.New("formula.ppl", text))
	if diag.HasErrors(ds) {
		if len(w.instead) > 0 {
			panic(&Error{Message: "a prior is not written as the language has it: " + ds[0].Message,
				Help: "write NAME=DISTRIBUTION, as in b_x=Normal(0, 1)"})
		}
		panic(fmt.Sprintf("the model of a formula does not parse: %s\n%s", ds[0].Message, text))
	}
	return format.File(file)
}

// dataStatements declares the columns: together, as far as a line goes, and each that has another name in the file in a
// statement of its own.
func (w *writer) dataStatements() (lines []string) {
	from := fmt.Sprintf("%q", w.r.Data.Path)
	complete := ""
	if w.r.Omit {
		complete = " complete"
	}
	var together []string
	flush := func() {
		if len(together) > 0 {
			lines = append(lines, fmt.Sprintf("data %s from %s%s", strings.Join(together, ", "), from, complete))
			together = nil
		}
	}
	for _, d := range w.data {
		text := fmt.Sprintf("%s[%s]", d.name, w.rows)
		if d.typ != "" {
			text += ": " + d.typ
		}
		if d.column != "" {
			flush()
			if w.r.Omit {
				panic(&Error{Message: fmt.Sprintf("`%s` is used with two types, or has a name of the language, and "+
					"rows "+
					"cannot be left out then", d.column), Help: "copy or rename the column in the data"})
			}
			lines = append(lines, fmt.Sprintf("data %s from %q", text, w.r.Data.Path+"#"+d.column))
			continue
		}
		if !w.r.Omit && len(together) > 0 && len("data from "+from)+len(strings.Join(together,
			", "))+len(text) > widest {
			flush()
		}
		together = append(together, text)
	}
	flush()
	return lines
}
