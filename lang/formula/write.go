package formula

import (
	"fmt"
	"slices"
	"strings"

	"ppl/lang/diag"
	"ppl/lang/format"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// A writer collects the parts of one model.
type writer struct {
	r         Request
	sum       bool // use contrasts that sum to 0
	equations []*equation

	size int    // number of rows
	rows string // index set of the rows

	names    map[string]bool // names that are in use or reserved
	data     []declaration
	used     map[string]*Column // columns that the model uses, by name
	numerics map[string]numeric // quantities by their text in the formula
	factors  map[string]*factor // factors by their text in the formula
	shared   []*sharedEffects

	defined    []string // definitions of quantities of the data
	statements []string // priors and effects
	generated  []string
	instead    map[string]string // maps names to the priors that the request gives
	known      []string          // names that have a prior
	asNumbers  []string          // comments on columns that may be meant as levels
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
		name, prior = strings.TrimSpace(name), strings.TrimSpace(prior)
		if !ok || name == "" || prior == "" {
			panic(&Error{Message: fmt.Sprintf("the prior %q is not of the form NAME=DISTRIBUTION", p),
				Help: "write it as in b_x=Normal(0, 1), or b=Normal(0, 1) for all coefficients"})
		}
		w.instead[name] = prior
	}
	return w
}

// filled replaces names in braces.
func filled(text string, names map[string]string) string {
	for name, value := range names {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// widest is the greatest length of a statement. Longer sums are split.
const widest = 118

// writeSum defines a function of a predictor over the rows. If the statement is too long, it splits the sum into
// population effects and group effects.
func (w *writer) writeSum(name, of string, p *predictor) {
	head := fmt.Sprintf("%s[i in %s] = ", name, w.rows)
	whole := head + strings.ReplaceAll(of, "{eta}", strings.Join(slices.Concat(p.summands, p.grouped), " + "))
	if len(whole) > widest {
		parts := append(w.parts("population", p.summands), w.parts("groups", p.grouped)...)
		whole = head + strings.ReplaceAll(of, "{eta}", strings.Join(parts, " + "))
	}
	w.statements = append(w.statements, whole)
}

// parts splits a sum into definitions that fit into one line each if possible, and returns them at row i. It returns a
// single summand unchanged.
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

// prior writes a prior, with the comment why. If the request has a prior for the name or for its class, prior writes
// that one without a comment.
func (w *writer) prior(name, class, left, prior, why string) {
	w.priorWith(name, class, left, prior, "", why)
}

// priorWith is like prior, and adds a modifier to either prior.
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

// checkPriors reports an error for requested priors of names that do not exist.
func (w *writer) checkPriors() {
	slices.Sort(w.known)
	w.known = slices.Compact(w.known)
	for name := range w.instead {
		if slices.Contains(w.known, name) {
			continue
		}
		help := "it has " + diag.And(w.known)
		if near, ok := diag.Nearest(name, w.known); ok {
			help = diag.Meant("%s", near) + " It has " + diag.And(w.known)
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

// failTerm reports an error about a term. It marks the term's last variable.
func (w *writer) failTerm(t term, message, help string) {
	n := t[len(t)-1]
	w.fail(n, fmt.Sprintf("the term `%s` %s", t, message), help)
}

// text returns the model in canonical form.
func (w *writer) text() string {
	lines := []string{"# " + strings.Join(strings.Fields(w.r.Formula), " ")}
	for _, e := range w.equations {
		of := ""
		if e.name != "" {
			of = e.outcome.column.Name + ": "
		}
		lines = append(lines, fmt.Sprintf("# %sfamily %s, link %s", of, e.family.name, e.link))
	}
	lines = append(lines, "# default priors are weakly informative, and wide on the scale of the data")
	lines = append(lines, w.asNumbers...)
	lines = append(append(lines, ""), w.dataStatements()...)
	lines = append(append(lines, ""), w.defined...)
	if len(w.defined) > 0 {
		lines = append(lines, "")
	}
	lines = append(lines, w.statements...)
	if len(w.generated) > 0 {
		lines = append(lines, "",
			"# results that the model does not read: intercepts of R, at which all predictors are 0")
	}
	for _, g := range w.generated {
		lines = append(lines, "generate "+g)
	}
	text := strings.Join(lines, "\n") + "\n"
	file, ds := parse.File(source.New("formula.ppl", text))
	if diag.HasErrors(ds) {
		if len(w.instead) > 0 {
			panic(&Error{Message: "a prior cannot be parsed: " + ds[0].Message,
				Help: "write NAME=DISTRIBUTION, as in b_x=Normal(0, 1)"})
		}
		panic(fmt.Sprintf("the model of a formula does not parse: %s\n%s", ds[0].Message, text))
	}
	return format.File(file)
}

// dataStatements declares the columns, several in one statement if possible. A column with another name in the file
// gets a separate statement. The statement that declares a matrix also names its columns.
func (w *writer) dataStatements() (lines []string) {
	columns := ""
	for _, d := range w.data {
		if len(d.columns) > 0 {
			columns = " columns " + strings.Join(d.columns, ", ")
		}
	}
	complete := ""
	if w.r.Omit {
		complete = " complete"
	}
	var together []string
	flush := func() {
		if len(together) > 0 {
			lines = append(lines, fmt.Sprintf("data %s from %q%s%s", strings.Join(together, ", "), w.r.Data.Path,
				columns, complete))
			together, columns = nil, ""
		}
	}
	for _, d := range w.data {
		text := d.text(w.rows)
		if d.column != "" {
			flush()
			if w.r.Omit {
				panic(&Error{Message: fmt.Sprintf("`%s` cannot have the same name in the model, and --omit does not "+
					"support renamed columns", d.column), Help: "rename or copy the column in the data"})
			}
			lines = append(lines, fmt.Sprintf("data %s from %q", text, w.r.Data.Path+"#"+d.column))
			continue
		}
		line := fmt.Sprintf("data %s, %s from %q%s", strings.Join(together, ", "), text, w.r.Data.Path, columns)
		if !w.r.Omit && len(together) > 0 && len(line) > widest+2 {
			flush()
		}
		together = append(together, text)
	}
	flush()
	return lines
}
