package formula_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/lang/diag"
	"ppl/lang/formula"
)

// TestMistakes checks that each mistake is reported, with a text that the message contains.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ formula, family, want string }{
		{"y ~ xx", "", "`xx` is not a column of terms.csv"},
		{"y ~ x + 1 | g", "", "`|` needs parentheses"},
		{"y ~ x | g", "", "`|` needs parentheses"},
		{"y ~ x + I(2 * x)", "", "`I(2 * x)` is collinear with another: `I(2 * x)` is a multiple of `x`"},
		{"y ~ x + n + I(x + 2 * n + 1)", "", "is a linear combination of `the intercept`, `x` and `n`"},
		{"y ~ I(x - x)", "", "has no effect that can be estimated"},
		{"y ~ I(x / x)", "", "has one value in all rows"},
		{"y ~ f + I(f == 'b')", "", "is a multiple of `f b`"},
		{"y ~ f:h", "", "is a linear combination of `the intercept`"},
		{"y ~ one", "", "`one` has one level"},
		{"y ~ (1 | one)", "", "`one` has only one level"},
		{"y ~ (1 | row)", "", "has a level for each of the 48 rows"},
		{"y ~ x", "poison", "did you mean poisson?"},
		{"y ~ x", "binomial(logitt)", "has no link"},
		{"y ~ x", "categorical", "numbers that are not whole"},
		{"y ~ x", "multinomial", "write cbind(a, b, c) ~ x"},
		{"y ~ x", "poisson", "`y` is 5.66 in row 1"},
		{"m | trials(n) ~ x", "binomial", "successes (`m`)"},
		{"n ~ x", "binomial", "needs the number of trials"},
		{"n | trials(m) ~ x", "poisson", "trials() and cbind() need a family"},
		{"gaps ~ x", "", "`gaps` has no value in 2 of 48 rows (the first is row 3)"},
		{"y ~ gaps", "", "--omit leaves such rows out"},
		{"y + x ~ n", "", "a formula has one outcome"},
		{"log(y) ~ x", "", "lognormal has the same coefficients"},
		{"f ~ x", "", "`f` has texts"},
		{"grade ~ x", "cumulative", `factor(grade, levels = c("high", "low", "mid"))`},
		{"stars ~ 0 + x", "cumulative", "cut points"},
		{`y ~ relevel(f, ref = "z")`, "", "`f` has no level \"z\""},
		{`y ~ factor(f, levels = c("a", "b"))`, "", "`levels` does not contain the level \"c\" of `f`"},
		{"y ~ I(f == 'zz')", "", "`f` has no level \"zz\""},
		{"y ~ y", "", "`y` is the outcome"},
		{"y ~ x^2", "", "write the power as I(x^2)"},
		{"y ~ (x + z + n + m + f + g + h + share + angle + stars)^9", "", "take a lower power"},
		{"y ~ x / 2", "", "the number 2 is not a term"},
		{"y ~ x +", "", "ends too early"},
		{"y ~ (x", "", "ends too early"},
		{"y ~ 0 + x", "cox", "a hazard has a level for each interval"},
		{"y | cens(cens) ~ x", "cox", "supports only right censoring"},
		{"y | weights(n) ~ x", "cox", "does not support weights"},
		{"y ~ x, shape ~ z", "cox", "this family has no such parameters"},
		{"y ~ x $ n", "", "cannot be parsed from here on"},
		{"y ~ x n", "", "a name with spaces in backquotes"},
		{"bf(y ~ x, shape ~ z)", "", "the family gaussian has no parameter `shape`"},
		{"y ~ x, sigma ~ z", "poisson", "this family has no such parameters"},
		{"bf(y ~ x, speed ~ z)", "", "`speed` is not a parameter of any family"},
		{"bf(y ~ a * x, nl = TRUE)", "", "a nonlinear formula"},
		{"bf(y ~ x, 2)", "", "`2` cannot be an argument of bf"},
		{"bf(x ~ y) + z", "", "`z` is not a formula"},
		{"mvbind(y, z) ~ x + (1 |p| g), set_rescor(TRUE)", "student", "only between outcomes of the family gaussian"},
		{"y ~ mi(x)", "", "add one, as in y ~ mi(x), x | mi() ~ 1"},
		{"y ~ mi(x), x ~ z", "", "the formula of `x` has no mi()"},
		{"y | mi(z) ~ x", "", "mi() of an outcome takes no argument"},
		{"gaps ~ x", "", "as in y ~ mi(x), x | mi() ~ z"},
		{"y ~ mo(x)", "", "mo() takes whole numbers or ordered levels"},
		{"y ~ mo(f)", "", "the order of the levels of `f` is not specified"},
		{"y ~ mo(one)", "", "has one level"},
		{"y ~ me(x)", "", "write me(x, error)"},
		{"y ~ me(x, z)", "", "the standard error is 0 in row"},
		{"y ~ s(x, z)", "", "`s` of several columns"},
		{"y ~ s(h)", "", "has texts"},
		{"y ~ s(z)", "", "a curve needs at least 4"},
		{"y ~ s(x, k = 2)", "", "from 3 to 500"},
		{"y ~ s(x, bs = \"cc\")", "", "`s` cannot have bs"},
		{"y ~ s()", "", "needs a column"},
		{"y ~ x - s(x)", "", "cannot be subtracted"},
		{"y ~ x:s(x)", "", "cannot be used in this place"},
		{"y | se(z) ~ x", "", "the standard error is 0 in row"},
		{"n | se(m) ~ x", "poisson", "se() needs a family with the parameter sigma"},
		{"y | rate(n) ~ x", "", "take --family poisson"},
		{"y ~ x, y ~ z", "", "the outcome of two formulas"},
		{"y ~ x + (1 | g | h | f)", "", "a group term must be of the form"},
		{"y ~ x, set_rescor(2)", "", "is not TRUE or FALSE"},
		{"y ~ x ~ n", "", "a formula has one `~`"},
		{"~ x", "", "the outcome before `~` is missing"},
		{"bf(y ~ a * x, a ~ 1, nl = TRUE)", "", "a nonlinear formula cannot be translated"},
		{"bf(y ~ x, link = 3)", "", "`link = 3` cannot be an argument of bf"},
		{"y ~ (0 + x)", "", "0 must be a separate term"},
		{"y ~ \"x\"", "", "is a text, not a term"},
		{"y ~ (x + n)^21", "", "an integer from 1 to 20"},
		{"cbind(n, m, z) ~ x", "binomial", "cbind with 3 columns needs the family multinomial"},
		{"f ~ x", "bernoulli", "has 3 levels, and an outcome of the family bernoulli has two"},
		{"y | cbind(z) ~ x", "", "`cbind(z)` cannot be used after the bar"},
		{"n | trials(m) + mi() ~ x", "binomial", "mi() does not support outcomes with trials"},
		{"y ~ poly(x, 0)", "", "the degree of a polynomial must be at least 1"},
		{"y ~ factor(f, labels = f, levels = f)", "", "has arguments that are not supported"},
		{"y | trunc(lb = 0) ~ x", "cox", "does not support trunc"},
		{"bf(y | weights(n) ~ x) + bf(x ~ z) + set_rescor(TRUE)", "", "without a bar as in `y | weights(n)`"},
		{"y x", "", "no `~` between an outcome and predictors"},
		{"", "", "no `~` between an outcome and predictors"},
		{"y ~ log(z)", "", "is not finite in row"},
		{"y ~ poly(z, 2)", "", "different values"},
		{"y ~ squared(x)", "", "there is no function `squared`"},
		{"y ~ x + (1 | share)", "", "not whole"},
		{"y ~ x - offset(n)", "", "cannot be subtracted"},
		{"bf(stars ~ x, disc ~ f)", "cumulative", "an intercept of `disc`"},
		{"y | cens(known) ~ x", "", "write cens(known, upper)"},
		{"y | cens(known, x) ~ x", "", "is empty"},
		{"y | cens(known, top) ~ x", "cox", "only right censoring"},
		{"y | cens(n) ~ x", "", "none, right, left or interval"},
	} {
		text, err := formula.Model(formula.Request{Formula: c.formula, Family: c.family, Data: flawed(t)})
		if err == nil {
			t.Errorf("%s, family %q: no mistake is found:\n%s", c.formula, c.family, text)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, family %q: %v\nwant %s", c.formula, c.family, err, c.want)
		}
	}
}

// TestManyLevels checks that terms and outcomes with very many levels are refused before they need much memory.
func TestManyLevels(t *testing.T) {
	const rows = 200000
	g, x, levels := make([]float64, rows), make([]float64, rows), make([]string, rows)
	for i := range g {
		g[i], x[i], levels[i] = float64(i+1), math.Sin(float64(i)), fmt.Sprintf("u%06d", i)
	}
	table := formula.Table{Path: "t.csv", Columns: []formula.Column{{Name: "x", Values: x},
		{Name: "g", Values: g, Levels: levels}, {Name: "y", Values: x}}}
	for _, c := range []struct{ formula, family, want string }{
		{"y ~ g", "", "would have 200000 coefficients"}, {"y ~ g", "", "write a group term, (1 | g)"},
		{"y ~ (1 | g)", "", "has a level for each of the 200000 rows"},
		{"y ~ (g | x)", "", "would have 200000 coefficients"},
		{"g ~ x", "categorical", "`g` has 200000 levels"}, {"y ~ mo(g)", "", "the order of the levels"},
		{"y ~ s(x, by = g)", "", "has 200000 levels"},
	} {
		if _, err := formula.Model(formula.Request{Formula: c.formula, Family: c.family, Data: table}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.formula, err, c.want)
		}
	}
}

// flawed is terms.csv with columns that cannot be used.
func flawed(t *testing.T) formula.Table {
	table := read(t, "terms.csv")
	gaps, row, one := slices.Clone(table.Columns[0].Values), make([]float64, 48), make([]float64, 48)
	gaps[2], gaps[7] = math.NaN(), math.NaN()
	for i := range row {
		row[i], one[i] = float64(i), 1
	}
	table.Columns = append(table.Columns, formula.Column{Name: "gaps", Values: gaps},
		formula.Column{Name: "row", Values: row}, formula.Column{Name: "one", Levels: []string{"all"}, Values: one})
	return table
}

// TestNames writes models of columns that have names of the language, or of parameters.
func TestNames(t *testing.T) {
	for _, c := range []struct{ formula, family string }{
		{"mu ~ x + data + mean + Intercept + i + N", ""}, {"mu ~ x + (1 | sigma)", ""}, {"eta ~ x", "poisson"},
		{"cut ~ x + Intercept", "cumulative"}, {"mu ~ x + omega", "skew_normal"}, {"mu ~ delta", "skew_normal"},
	} {
		table := read(t, "terms.csv")
		x := table.Columns[1].Values
		for _, name := range []string{"mu", "data", "mean", "Intercept", "i", "N", "omega", "delta"} {
			values := slices.Clone(x)
			for i := range values {
				values[i] += math.Sin(float64(i*len(name)) + float64(name[0]))
			}
			table.Columns = append(table.Columns, formula.Column{Name: name, Values: values})
		}
		for _, name := range []string{"sigma", "eta", "cut"} {
			stars := slices.Clone(table.Columns[13].Values)
			table.Columns = append(table.Columns, formula.Column{Name: name, Values: stars})
		}
		table.Path = "names.csv"
		text := model(t, formula.Request{Formula: c.formula, Family: c.family, Data: table})
		if m, ds := compiler.CheckText("names.ppl", text); m == nil || diag.HasErrors(ds) {
			t.Errorf("%s: %v\n%s", c.formula, ds, text)
		}
	}
}

// TestFlags checks the messages for mistakes in the fields of a request other than the formula.
func TestFlags(t *testing.T) {
	for _, c := range []struct {
		change func(r *formula.Request)
		want   string
	}{
		{func(r *formula.Request) { r.Contrasts = "helmert" }, "take treatment or sum"},
		{func(r *formula.Request) { r.Priors = []string{"b_xx=Normal(0, 1)"} }, "did you mean b_x?"},
		{func(r *formula.Request) { r.Priors = []string{"b_x"} }, "not of the form NAME=DISTRIBUTION"},
		{func(r *formula.Request) { r.Priors = []string{"b_x=Normal(0"} }, "a prior cannot be parsed"},
		{func(r *formula.Request) { r.Data.Columns = nil }, "has no rows"},
	} {
		r := formula.Request{Formula: "y ~ x", Data: read(t, "terms.csv")}
		c.change(&r)
		if _, err := formula.Model(r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

// FuzzModel checks that no formula makes Model panic, as it would if the text that it writes could not be parsed.
func FuzzModel(f *testing.F) {
	for _, r := range models() {
		f.Add(r.Formula, r.Family)
	}
	table := read(f, "terms.csv")
	f.Fuzz(func(t *testing.T, text, family string) {
		_, err := formula.Model(formula.Request{Formula: text, Family: family, Data: table})
		if e := (*formula.Error)(nil); err != nil && !errors.As(err, &e) {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// TestMetaAnalysis checks that each row can be a group if se() gives the standard deviations of all residuals, and that
// this is a mistake if sigma is estimated too.
func TestMetaAnalysis(t *testing.T) {
	for text, ok := range map[string]bool{"y | se(n) ~ 1 + (1 | row)": true,
		"y | se(n, sigma = TRUE) ~ 1 + (1 | row)": false} {
		if _, err := formula.Model(formula.Request{Formula: text, Data: flawed(t)}); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestColumnWithoutValues checks that a column in which all values are missing has no levels.
func TestColumnWithoutValues(t *testing.T) {
	none, y := []float64{math.NaN(), math.NaN()}, []float64{1, 2}
	table := formula.Table{Path: "t.csv", Columns: []formula.Column{{Name: "x", Values: none}, {Name: "y", Values: y}}}
	for _, text := range []string{"y ~ factor(x)", "y ~ (1 | x)"} {
		_, err := formula.Model(formula.Request{Formula: text, Data: table})
		if err == nil || !strings.Contains(err.Error(), "`x` has no values") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
