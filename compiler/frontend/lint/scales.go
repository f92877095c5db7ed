package lint

import (
	"fmt"
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

// otherScales warns about arguments on a different scale than their distribution expects. Such a model compiles, but
// its results are wrong:
//
//	y ~ Normal(mu, sigma^2)              a variance as the argument `sd`
//	k ~ Poisson(log = exp(a + b * x))    the exponential function is applied twice
//	t ~ Exponential(scale)               a scale, according to its name, as the argument `rate`
func otherScales(m *model.Model, diags *diag.List) {
	for _, t := range m.Terms {
		if t.Dist == nil || t.Kind == model.Generate {
			continue
		}
		for k, x := range t.Args {
			slip := scaled{dist: t.Dist, form: t.Form, Arg: t.Form.Args[k], x: x, value: definedAs(x), all: m.Terms}
			for _, s := range scaleSlips {
				if what, help := s(slip); what != "" {
					diags.Warnf(diag.WrongScale, x.Info().At, "%s", what).Help("%s", help)
					break
				}
			}
		}
	}
}

// A scaled is an argument of a distribution: as written (x), and with the definition that it names substituted (value).
// all lists all terms of the model.
type scaled struct {
	dist *stdlib.Dist
	form *stdlib.Form
	stdlib.Arg
	x, value model.Expr
	all      []*model.Term
}

func (a scaled) text() string { return a.x.Info().At.Text() }

// takes returns a clause for messages: which argument the distribution expects.
func (a scaled) takes() string { return fmt.Sprintf("`%s` takes `%s` here", a.dist.Name, a.Name) }

// instead returns advice to pass text as the argument name if the distribution has it, or else to write otherwise.
func (a scaled) instead(name, text, otherwise string) string {
	for _, f := range a.dist.Forms {
		if slices.ContainsFunc(f.Args, func(b stdlib.Arg) bool { return b.Name == name }) {
			before := ""
			if f.Args[0].Name != name {
				before = "…, "
			}
			return fmt.Sprintf("write `%s(%s%s = %s)`", a.dist.Name, before, name, text)
		}
	}
	return "write `" + otherwise + "`"
}

// scaleSlips lists the checks, one for each kind of mistake. what is empty if there is no mistake.
var scaleSlips = []func(scaled) (what, help string){
	squareForSD, inverseForSD, vagueGammaForSD, wishartForCovariance, expOfPositive, linkedTwice, linkInShape,
	otherName, meanElsewhere,
}

// squareForSD detects sigma^2 instead of a standard deviation.
func squareForSD(a scaled) (what, help string) {
	base := squareOf(a.value)
	if a.Name != "sd" || !positiveUnknown(base) {
		return "", ""
	}
	s := base.Info().At.Text()
	return fmt.Sprintf("`%s` is a square, a variance, but %s", a.value.Info().At.Text(), a.takes()),
		"write `" + s + "`, or " + strings.TrimPrefix(a.instead("var", a.text(), s), "write ")
}

// inverseForSD detects 1 / sigma^2, or 1 / tau with a Gamma prior of tau, instead of a standard deviation.
func inverseForSD(a scaled) (what, help string) {
	under := inverseOf(a.value)
	if a.Name != "sd" || under == nil {
		return "", ""
	}
	if positiveUnknown(squareOf(under)) {
		return fmt.Sprintf("`%s` is a precision, but %s", a.value.Info().At.Text(), a.takes()),
			a.instead("precision", a.text(), "1 / sqrt("+a.text()+")")
	}
	if priorOf(under, "Gamma") != nil {
		s := under.Info().At.Text()
		return fmt.Sprintf("`%s` is a variance if `%s` is a precision, but %s", a.value.Info().At.Text(), s, a.takes()),
			a.instead("precision", s, "1 / sqrt("+s+")")
	}
	return "", ""
}

// vague is the largest shape and rate for which a Gamma prior counts as the usual vague prior of a precision.
const vague = 0.1

// vagueGammaForSD detects tau ~ Gamma(0.001, 0.001), a prior for precisions in BUGS, used for a standard deviation.
func vagueGammaForSD(a scaled) (what, help string) {
	t := priorOf(a.value, "Gamma")
	if a.Name != "sd" || t == nil || t.Form.Args[1].Name != "rate" {
		return "", ""
	}
	for _, x := range t.Args {
		if n, ok := x.(*model.Num); !ok || n.Value > vague {
			return "", ""
		}
	}
	return fmt.Sprintf("the prior of `%s` is one of precisions in BUGS and JAGS, but %s", a.text(), a.takes()),
		a.instead("precision", a.text(), "1 / sqrt("+a.text()+")")
}

// wishartForCovariance detects a Wishart matrix, a prior of precision matrices, used as a covariance.
func wishartForCovariance(a scaled) (what, help string) {
	if a.Name != "cov" || priorOf(a.value, "Wishart") == nil {
		return "", ""
	}
	return fmt.Sprintf("the prior of `%s` is one of precision matrices in BUGS and JAGS, but %s", a.text(), a.takes()),
		a.instead("prec", a.text(), "inverse("+a.text()+")") + ", or draw a covariance from InverseWishart"
}

// expOfPositive detects exp(sigma) of a parameter that is already positive.
func expOfPositive(a scaled) (what, help string) {
	exp, ok := a.value.(*model.Apply)
	if !ok || exp.Name != "exp" || a.Domain.Lo < 0 || a.Domain.Kind != types.Interval || !positiveUnknown(exp.Args[0]) {
		return "", ""
	}
	s := exp.Args[0].Info().At.Text()
	return fmt.Sprintf("`%s` is positive, so `%s` is at least 1", s, a.value.Info().At.Text()),
		fmt.Sprintf("write `%s`, or give it a prior on the whole line, such as `%s ~ Normal(0, 1)`", s, s)
}

// intoUnit lists functions from the real line into 0..1.
var intoUnit = []string{"sigmoid", "Phi", "inv_cloglog"}

// linkedTwice detects a value that is already transformed, although the distribution or a link function expects any
// real number.
func linkedTwice(a scaled) (what, help string) {
	call, isCall := a.value.(*model.Apply)
	said := fmt.Sprintf("`%s` is transformed twice: ", a.text())
	switch {
	case a.Name == "logits" && isCall && slices.Contains(intoUnit, call.Name):
		return said + a.takes() + ", which may be any number, and converts it to a probability",
			"leave `" + call.Name + "` out, or " + a.instead("p", a.text(), call.Args[0].Info().At.Text())
	case a.Name == "log" && isCall && call.Name == "exp":
		return said + a.takes() + ", which may be any number, and applies `exp`", "leave `exp` out"
	case a.Name == "log" && positiveUnknown(a.value) && a.Rank == 0:
		return fmt.Sprintf("`%s` is positive, but %s, the logarithm, which may be any number", a.text(), a.takes()),
			fmt.Sprintf("write `%s(%s)`, without `log =`", a.dist.Name, a.text())
	case a.Name == "logits" && a.Rank == 0 && model.ParameterOf(a.value) != nil && withinUnit(a.value):
		return fmt.Sprintf("`%s` is in 0..1, but %s, the logit, which may be any number", a.text(), a.takes()),
			fmt.Sprintf("write `%s(%s)`, without `logits =`", a.dist.Name, a.text())
	case isCall && slices.Contains(intoUnit, call.Name) && withinUnit(call.Args[0]) && !call.Static:
		s := call.Args[0].Info().At.Text()
		return fmt.Sprintf("`%s` is in 0..1 already, so `%s` is far from both ends", s, call.Info().At.Text()),
			fmt.Sprintf("write `%s` without `%s`", s, call.Name)
	}
	return "", ""
}

// linkInShape detects a probability used as a shape, if the distribution has another form with a mean.
func linkInShape(a scaled) (what, help string) {
	call, ok := a.value.(*model.Apply)
	if !ok || !slices.Contains(intoUnit, call.Name) || a.Domain.Hi <= 1 || a.dist.Forms[0].Args[0].Name != a.Name {
		return "", ""
	}
	for _, f := range a.dist.Forms {
		if f.Args[0].Name == "mean" && f.Args[0].Domain.Hi <= 1 && len(f.Args) > 1 {
			return fmt.Sprintf("`%s` is in 0..1 as a mean is, but %s, a shape", a.text(), a.takes()),
				fmt.Sprintf("write `%s(mean = %s, %s = …)`", a.dist.Name, a.text(), f.Args[1].Name)
		}
	}
	return "", ""
}

// A misnomer is a name that contradicts the meaning of the argument for which it is used.
type misnomer struct {
	arg       string   // the argument of the distribution
	names     []string // the name equals one of these, or has it as its first or last word
	is        string   // the quantity that the name suggests
	form      string   // the argument that fits the name, if the distribution has it
	otherwise string   // the expression to write if it does not; % is the name
}

var misnomers = []misnomer{
	{"sd", []string{"var", "variance", "sigma2", "sigmasq", "sigma_sq", "sigma_squared", "s2", "sd2"}, "a variance",
		"var", "sqrt(%)"},
	{"sd", []string{"prec", "precision"}, "a precision", "precision", "1 / sqrt(%)"},
	{"var", []string{"sd", "sigma", "se"}, "a standard deviation", "sd", "%^2"},
	{"precision", []string{"sd", "sigma", "se"}, "a standard deviation", "sd", "1 / %^2"},
	{"rate", []string{"scale"}, "a scale", "scale", "1 / %"},
	{"rate", []string{"mean"}, "a mean", "mean", "1 / %"},
	{"rate", []string{"sd", "sigma"}, "a standard deviation", "sd", "1 / %"},
	{"scale", []string{"rate"}, "a rate", "rate", "1 / %"},
	{"mean", []string{"rate"}, "a rate", "rate", "1 / %"},
	{"shape", []string{"scale"}, "a scale", "", ""},
	{"shape", []string{"mean", "mu"}, "a mean", "mean", "%"},
}

// otherName detects a value whose name suggests another quantity: Exponential(scale), Normal(mu, sigma2).
func otherName(a scaled) (what, help string) {
	name := plainName(a.x)
	if name == "" || a.Name == name || a.dist.Discrete() {
		return "", ""
	}
	for _, n := range misnomers {
		if n.arg != a.Name || !slices.ContainsFunc(n.names, func(word string) bool { return named(name, word) }) {
			continue
		}
		help := a.instead(n.form, a.text(), strings.ReplaceAll(n.otherwise, "%", a.text()))
		if n.form == "" {
			help = "write the arguments in the order of the distribution"
		}
		return fmt.Sprintf("the name `%s` suggests %s, but %s", a.text(), n.is, a.takes()),
			help + "; if the argument is right, rename it"
	}
	return "", ""
}

// meanElsewhere detects a parameter used as a rate (1 / mean) here and as the mean of other data.
func meanElsewhere(a scaled) (what, help string) {
	p := model.ParameterOf(a.x)
	if p == nil || a.Name != "rate" || a.dist.Discrete() {
		return "", ""
	}
	for _, t := range a.all {
		for k, x := range t.Args {
			if name := t.Form.Args[k].Name; t.Kind == model.Likelihood && model.ParameterOf(x) == p &&
				(name == "mu" || name == "mean" || name == "loc") {
				return fmt.Sprintf("`%s` is the mean of `%s`, but %s", p.Name, t.Array.Name, a.takes()),
					a.instead("mean", a.text(), "1 / "+a.text())
			}
		}
	}
	return "", ""
}

// named reports whether a word is the entire name, or its first or last part at an underscore.
func named(name, word string) bool {
	return name == word || strings.HasPrefix(name, word+"_") || strings.HasSuffix(name, "_"+word)
}

// plainName returns the name of the array if x is an array or is subscripted from one, otherwise "".
func plainName(x model.Expr) string {
	if sub, ok := x.(*model.Subscript); ok {
		x = sub.X
	}
	if ref, ok := x.(*model.Ref); ok {
		return ref.Array.Name
	}
	return ""
}

// definedAs returns the value of the definition that an expression names. For an element of an expression it returns
// that expression, otherwise x.
func definedAs(x model.Expr) model.Expr {
	if def := model.DefinitionOf(x); def != nil && len(def.Pieces) == 1 && def.Pieces[0].Value != nil {
		return def.Pieces[0].Value
	}
	if sub, ok := x.(*model.Subscript); ok && plainName(x) == "" {
		return sub.X // an element of an expression
	}
	return x
}

// squareOf returns y if x is y^2, y * y or square(y), otherwise nil.
func squareOf(x model.Expr) model.Expr {
	f, ok := x.(*model.Apply)
	if !ok {
		return nil
	}
	switch n := len(f.Args); {
	case f.Name == "square":
		return f.Args[0]
	case n == 2 && (f.Name == "^" || f.Name == "pow") && isValue(f.Args[1], 2):
		return f.Args[0]
	case n == 2 && f.Name == "*" && model.SameForm(f.Args[0], f.Args[1]):
		return f.Args[0]
	}
	return nil
}

// inverseOf returns y if x is 1 / y or inv(y), otherwise nil.
func inverseOf(x model.Expr) model.Expr {
	f, ok := x.(*model.Apply)
	switch {
	case ok && f.Name == "inv":
		return f.Args[0]
	case ok && f.Name == "/" && isValue(f.Args[0], 1):
		return f.Args[1]
	}
	return nil
}

func isValue(x model.Expr, value float64) bool {
	n, ok := x.(*model.Num)
	return ok && n.Value == value
}

// positiveUnknown reports whether an expression is a parameter, or an element of one, that is never negative.
func positiveUnknown(x model.Expr) bool {
	if x == nil {
		return false
	}
	p := model.ParameterOf(x)
	return p != nil && p.Type.Range.Lo >= 0
}

func withinUnit(x model.Expr) bool {
	r := x.Info().Type.Range
	return r.Lo >= 0 && r.Hi <= 1
}

// priorOf returns the term that draws the parameter x if it has the named distribution, or nil.
func priorOf(x model.Expr, dist string) *model.Term {
	p := model.ParameterOf(x)
	if p == nil || len(p.Pieces) != 1 || p.Pieces[0].Term == nil {
		return nil
	}
	if t := p.Pieces[0].Term; t.Dist != nil && t.Dist.Name == dist {
		return t
	}
	return nil
}

// correlations returns the name of a correlation matrix that is passed as a covariance, or "" if there is none.
func correlations(m *model.Model) string {
	for _, t := range m.Terms {
		for k, x := range t.Args {
			if t.Form.Args[k].Name == "cov" && priorOf(x, "LKJ") != nil {
				return model.ParameterOf(x).Name
			}
		}
	}
	return ""
}
