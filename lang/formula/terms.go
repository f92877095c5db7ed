package formula

import (
	"fmt"
	"slices"

	"ppl/lang/diag"
)

// A form is a function that a formula may call, or one that is refused with advice on what to write in the model
// instead.
type form struct {
	name    string
	example string // a formula with it, for data with the columns y, x, z, n, f, g
	role    role
	instead string // for a refused form: what to write
}

type role int

const (
	variableForm role = iota // computes a column, or names groups
	termForm                 // a separate term, such as offset(x)
	outcomeForm              // on the left side, after `|`, or around outcomes
	refusedForm
)

// forms lists the functions in formulas of R, lme4, rstanarm and brms.
func forms() []form {
	return []form{
		{"I", "y ~ I(x^2)", variableForm, ""},
		{"log", "y ~ log(n)", variableForm, ""},
		{"log2", "y ~ log2(n)", variableForm, ""},
		{"log10", "y ~ log10(n)", variableForm, ""},
		{"log1p", "y ~ log1p(n)", variableForm, ""},
		{"exp", "y ~ exp(x)", variableForm, ""},
		{"expm1", "y ~ expm1(x)", variableForm, ""},
		{"sqrt", "y ~ sqrt(n)", variableForm, ""},
		{"abs", "y ~ abs(x)", variableForm, ""},
		{"sin", "y ~ sin(x)", variableForm, ""},
		{"cos", "y ~ cos(x)", variableForm, ""},
		{"tan", "y ~ tan(x)", variableForm, ""},
		{"tanh", "y ~ tanh(x)", variableForm, ""},
		{"plogis", "y ~ plogis(x)", variableForm, ""},
		{"qlogis", "y ~ qlogis(I(n / 100))", variableForm, ""},
		{"scale", "y ~ scale(x)", variableForm, ""},
		{"center", "y ~ center(x)", variableForm, ""},
		{"poly", "y ~ poly(x, 2)", variableForm, ""},
		{"factor", "y ~ factor(n)", variableForm, ""},
		{"as.factor", "y ~ as.factor(n)", variableForm, ""},
		{"ordered", `y ~ ordered(f, levels = c("b", "a"))`, variableForm, ""},
		{"relevel", `y ~ relevel(f, ref = "b")`, variableForm, ""},
		{"mo", "y ~ mo(n)", variableForm, ""},
		{"me", "y ~ me(x, n)", variableForm, ""},
		{"mi", "y ~ mi(x), x | mi() ~ z", variableForm, ""},
		{"offset", "y ~ x + offset(z)", termForm, ""},
		{"s", "y ~ s(x, by = f)", termForm, ""},
		{"gp", "y ~ gp(x)", termForm, ""},
		{"bf", "bf(y ~ x, sigma ~ f)", outcomeForm, ""},
		{"mvbind", "mvbind(y, z) ~ x", outcomeForm, ""},
		{"set_rescor", "bf(y ~ x) + bf(z ~ n) + set_rescor(FALSE)", outcomeForm, ""},
		{"se", "y | se(n) ~ x", outcomeForm, ""},
		{"rate", "n | rate(m) ~ f", outcomeForm, ""},
		{"trials", "n | trials(m) ~ x", outcomeForm, ""},
		{"cbind", "cbind(n, z) ~ x", outcomeForm, ""},
		{"weights", "y | weights(n) ~ x", outcomeForm, ""},
		{"cens", "y | cens(z) ~ x", outcomeForm, ""},
		{"trunc", "y | trunc(lb = 0) ~ x", outcomeForm, ""},

		{"t2", "y ~ t2(x, z)", refusedForm, "in the model, write a Gaussian process of two columns with " +
			"rbf; ppl help rbf"},
		{"te", "y ~ te(x, z)", refusedForm, "in the model, write a Gaussian process of two columns with " +
			"rbf; ppl help rbf"},
		{"ti", "y ~ ti(x, z)", refusedForm, "in the model, write a Gaussian process of two columns with " +
			"rbf; ppl help rbf"},
		{"mmc", "y ~ (1 + mmc(x, z) | g)", refusedForm, "in the model, add the effects of the groups of a row"},
		{"cs", "y ~ cs(x)", refusedForm, "in the model, write a Bernoulli outcome for each threshold"},
		{"ar", "y ~ x + ar(p = 1)", refusedForm, "in the model, write y[t in 2..T] ~ Normal(mu[t] + phi * (y[t-1] - " +
			"mu[t-1]), sigma)"},
		{"ma", "y ~ x + ma(q = 1)", refusedForm, "in the model, write error[t] = y[t] - mean_y[t] as a recurrence, " +
			"as in lang/REFERENCE.md under The past"},
		{"arma", "y ~ x + arma(p = 1)", refusedForm, "in the model, write a recurrence, as in lang/REFERENCE.md " +
			"under The past"},
		{"car", "y ~ x + car(z)", refusedForm, "in the model, write the effects as CAR or ICAR; ppl help CAR"},
		{"sar", "y ~ x + sar(z)", refusedForm, "in the model, write the effects as CAR or ICAR; ppl help CAR"},
		{"cosy", "y ~ x + cosy(z)", refusedForm, "write the correlation as a group effect, (1 | group)"},
		{"unstr", "y ~ x + unstr(z, g)", refusedForm, "in the model, write the rows of a group as one MvNormal with " +
			"an LKJ correlation"},
		{"fcor", "y ~ x + fcor(z)", refusedForm, "in the model, write y ~ MvNormal(mu, C)"},
		{"ns", "y ~ ns(x, 3)", refusedForm, "write s(x), or poly(x, 3)"},
		{"bs", "y ~ bs(x, 3)", refusedForm, "write s(x), or poly(x, 3)"},
		{"gr", "y ~ (1 | gr(g, cov = A))", refusedForm,
			"write the covariance in the model: r[J] ~ MvNormal(fill(0, J), sd^2 * A)"},
		{"mm", "y ~ (1 | mm(g, f))", refusedForm,
			"add the effects of the groups of a row in the model: (r[g1[i]] + r[g2[i]]) / 2"},
		{"subset", "y | subset(z) ~ x", refusedForm, "leave out the rows in the data"},
		{"dec", "y | dec(z) ~ x", refusedForm, "in the model, write y[i in N] ~ Wiener(…); ppl help Wiener"},
		{"cat", "y | cat(z) ~ x", refusedForm, "leave it out; the number of categories is that of the column's levels"},
		{"thres", "y | thres(3) ~ x", refusedForm, "leave it out; the number of thresholds is " +
			"that of the column's levels, less one"},
		{"vint", "y | vint(z) ~ x", refusedForm, "write the distribution in the model: y ~ Density(…)"},
		{"vreal", "y | vreal(z) ~ x", refusedForm, "write the distribution in the model: y ~ Density(…)"},
		{"Surv", "Surv(y, z) ~ x", refusedForm, "write y | cens(censored) ~ x with the family cox, " +
			"weibull or exponential; ppl help survival"},
		{"nl", "y ~ nl(x)", refusedForm, "write the curve in the model: y[i in N] ~ Normal(a * exp(-b * x[i]), sigma)"},
	}
}

// findForm returns the form with a name.
func findForm(name string) (form, bool) {
	all := forms()
	k := slices.IndexFunc(all, func(f form) bool { return f.name == name })
	if k < 0 {
		return form{}, false
	}
	return all[k], true
}

// refused returns the reason why a call cannot have any of the given roles, and advice. Both are "" if it can.
func refused(n *node, as ...role) (why, help string) {
	f, ok := findForm(n.text)
	switch {
	case !ok:
		var names []string
		for _, f := range forms() {
			names = append(names, f.name)
		}
		help = diag.MeantAmong(names, "`%s`", n.text, "make a column of it in the data, or define it in the model")
		return fmt.Sprintf("there is no function `%s` for formulas", n.text), help
	case f.role == refusedForm:
		return fmt.Sprintf("a formula cannot have `%s`", n.text), f.instead
	case !slices.Contains(as, f.role):
		return fmt.Sprintf("`%s` cannot be used in this place", n.text), "it is used as in " + f.example
	}
	return "", ""
}
