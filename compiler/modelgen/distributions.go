package modelgen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ppl/lang/types"
	"ppl/stdlib"
)

// A distribution is a distribution with its arguments as text.
type distribution struct {
	text   string
	dist   *stdlib.Dist
	form   *stdlib.Form
	lo, hi int  // range of its values if they are integers
	values *set // for a Categorical, the set of its values
}

// fixed lists distributions whose arguments must have a special form, with these arguments as templates.
var fixed = map[string]string{"Uniform": "-{positive}, {positive}", "LogUniform": "0.2, 0.3 + {positive}",
	"TruncatedPowerLaw": "{real}, 0.2, 0.3 + {positive}", "DiscreteUniform": "0, 3", "Hypergeometric": "3, 4, 5",
	// Times shorter than the nondecision time would be impossible.
	"Wiener": "{positive}, 0, 0.02 + 0.96 * {unit}, {real}"}

// distribution picks one of the wanted distributions and writes its arguments.
func (w *writer) distribution(s scope, wanted func(*stdlib.Dist) bool) distribution {
	dists := stdlib.Dists()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(dists)) {
		if wanted(dists[name]) {
			names = append(names, name)
		}
	}
	d := dists[pick(w, names)]
	l := distribution{dist: d, form: &d.Forms[w.rand.IntN(len(d.Forms))]}
	if args, ok := fixed[d.Name]; ok {
		l.form = &d.Forms[0]
		l.text = d.Name + "(" + w.must(args, s) + ")"
	} else {
		l.text = w.arguments(&l, s)
	}
	l.lo, l.hi = w.integers(l)
	return l
}

func (w *writer) must(template string, s scope) string {
	for {
		if text := w.expand(template, s); text != "" {
			return text
		}
	}
}

// arguments writes arguments by position in the first form, otherwise usually by name.
func (w *writer) arguments(l *distribution, s scope) string {
	if len(l.form.Args) == 0 {
		return l.dist.Name
	}
	if s.axis == nil {
		s.axis = pick(w, w.sets)
	}
	if l.dist.Name == "Categorical" {
		l.values = s.axis
	}
	named := l.form != &l.dist.Forms[0] || w.chance(6)
	args := make([]string, len(l.form.Args))
	for i, a := range l.form.Args {
		args[i] = w.argument(l.dist, a, s)
		if named {
			args[i] = a.Name + " = " + args[i]
		}
	}
	return l.dist.Name + "(" + strings.Join(args, ", ") + ")"
}

// argument returns an expression in an argument's domain.
func (w *writer) argument(d *stdlib.Dist, a stdlib.Arg, s scope) string {
	switch {
	case a.Domain.Kind == types.Simplex:
		return w.make("simplex", s)
	case a.Domain.Kind == types.Ordered:
		return "[-0.7, 0.4 + " + w.make("positive", s) + "]"
	case a.Domain.Kind == types.Covariance:
		return w.covariance(s)
	case a.Domain.Kind == types.Interval && a.Rank == 1:
		return w.positiveVector(s)
	case a.Rank == 1:
		return w.make("vector", s)
	case a.Domain.Kind == types.IntRange:
		return "4"
	case a.Domain.Kind == types.Interval && a.Domain.Hi == 1:
		return "0.02 + 0.96 * " + w.make("unit", s) // values that round to 0 or 1 would make impossible models
	case a.Domain.Kind == types.Interval:
		return w.make("positive", s)
	}
	return w.make("real", s)
}

func (w *writer) positiveVector(s scope) string {
	axis := s.axis
	if w.chance(3) && axis.lo == 1 {
		return fmt.Sprintf("fill(%s, %s)", w.make("positive", s), axis.text)
	}
	name := w.bind(&s, axis)
	return fmt.Sprintf("[%s in %s: %s]", name, axis.text, w.make("positive", s))
}

// covariance returns a matrix that is positive definite whatever its random parts are.
func (w *writer) covariance(s scope) string {
	name, other, axis := w.name("i"), w.name("i"), s.axis.text
	return fmt.Sprintf("[%s in %s, %s in %s: (%s) * exp(-(%s - %s)^2) + (%s == %s ? %s : 0)]",
		name, axis, other, axis, w.make("positive", s), name, other, name, other, w.number(positive))
}

// integers returns the range of values for data of a distribution.
func (w *writer) integers(l distribution) (lo, hi int) {
	switch l.dist.Name {
	case "Bernoulli":
		return 0, 1
	case "Binomial", "BetaBinomial":
		return 0, 4
	case "DiscreteUniform", "Hypergeometric":
		return 0, 3
	case "OrderedLogistic", "OrderedProbit":
		return 1, 3
	case "Categorical":
		return l.values.lo, l.values.hi
	}
	return 0, 5
}

// continuous reports whether a distribution is continuous, proper and univariate.
func continuous(d *stdlib.Dist) bool {
	return d.Event == 0 && !d.Discrete() && !d.Improper
}

// observable reports whether a distribution is univariate and proper, with a support independent of its arguments.
func observable(d *stdlib.Dist) bool {
	return d.Event == 0 && !d.Improper && (d.Discrete() || !endsMove(d))
}

// endsMove reports whether the support of a distribution depends on its arguments.
func endsMove(d *stdlib.Dist) bool {
	return d.Forms[0].Bounds != nil || d.Name == "GeneralizedExtremeValue" // depends on the sign of shape
}

func drawable(d *stdlib.Dist) bool { return d.Event == 0 && !d.Improper }

func enumerable(d *stdlib.Dist) bool { return d.Event == 0 && d.Enumerate != nil }

// kind returns the kind of numbers that a distribution draws.
func (l distribution) kind() kind {
	switch {
	case l.dist.Discrete():
		return count
	case l.dist.Support == types.Interval && l.dist.Lo == 0 && l.dist.Hi == 1:
		return unit
	case l.dist.Support == types.Interval && l.dist.Lo == 0:
		return positive
	}
	return real
}

// value returns a literal in the distribution's support.
func (w *writer) value(l distribution) string {
	if l.dist.Discrete() {
		return fmt.Sprint(l.lo + w.rand.IntN(l.hi-l.lo+1))
	}
	v := w.number(l.kind())
	for l.dist.Name == "Wiener" && v == decimal(0) { // a response time is positive
		v = w.number(l.kind())
	}
	return v
}

// truncation returns a truncation of a distribution, or "" if it allows none.
func (w *writer) truncation(l distribution, s scope) string {
	if l.form.LogCDF == nil || l.form.LogCCDF == nil || endsMove(l.dist) {
		return ""
	}
	ends := map[kind][]string{
		real:     {"-3..3", "-2.5 - {positive}..inf", "-inf..2.5 + {positive}", "-4..3 + {unit}"},
		positive: {"0.1..inf", "0..4 + {positive}", "0.2 * {unit}..5"},
		unit:     {"0.05..0.95", "0..0.9 + {unit} / 10"},
		count:    {"0..6"},
	}
	return " in " + w.must(pick(w, ends[l.kind()]), s)
}
