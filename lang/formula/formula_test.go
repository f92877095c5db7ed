package formula_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/app"
	"ppl/app/notes"
	"ppl/compiler"
	"ppl/compiler/datasets/datafile"
	"ppl/lang/diag"
	"ppl/lang/format"
	"ppl/lang/formula"
	"ppl/lang/parse"
	"ppl/lang/source"
)

var update = flag.Bool("update", false, "rewrite the expected models")

// The data of testdata: sleepstudy.csv are the data of G. Belenky et al., Patterns of performance degradation and
// restoration during sleep restriction and subsequent recovery, Journal of Sleep Research 12 (2003) 1-12, days 0 to 9
// of 18 subjects, as in R's package lme4; warpbreaks.csv are those of L. Tippett, Technological Applications of
// Statistics (1950), as in R. terms.csv has invented data.

// read returns the columns of a file of testdata.
func read(t testing.TB, name string) formula.Table {
	t.Helper()
	path := filepath.Join("testdata", name)
	file, err := datafile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	table := formula.Table{Path: name}
	for _, a := range file.Columns() {
		table.Columns = append(table.Columns, formula.Column{Name: a.Name, Levels: a.Labels,
			Values: a.Values.Doubles()})
	}
	return table
}

// model returns the text of the model of a request, and ends the test if there is an error.
func model(t testing.TB, r formula.Request) string {
	t.Helper()
	text, err := formula.Model(r)
	if err != nil {
		t.Fatalf("%s: %v", r.Formula, err)
	}
	return text
}

// compile compiles a model with its data, and fails if there are warnings.
func compile(t testing.TB, text string) *compiler.Program {
	t.Helper()
	p, ds := compiler.Load(compiler.Request{Path: filepath.Join("testdata", "formula.ppl"), Text: text})
	for _, d := range ds {
		if d.Severity != diag.Note {
			var b strings.Builder
			diag.Render(&b, ds, false)
			t.Fatalf("%s\n%s", text, b.String())
		}
	}
	return p
}

// checkModel checks that a model is in canonical form, compiles without a warning, and has a finite density at draws
// from the prior.
func checkModel(t testing.TB, text string) {
	t.Helper()
	file, _ := parse.File(source.New("formula.ppl", text))
	if format.File(file) != text {
		t.Errorf("the model is not in its canonical form:\n%s", text)
	}
	if parts := compile(t, text).NotFinite(1); len(parts) > 0 {
		t.Errorf("the density is not finite in %v:\n%s", parts, text)
	}
}

// models are requests whose models are compared with testdata/models.txt.
func models() []formula.Request {
	sleep := func(f string) formula.Request {
		return formula.Request{Formula: f, Data: formula.Table{Path: "sleepstudy.csv"}}
	}
	warp := func(f, family, contrasts string) formula.Request {
		return formula.Request{Formula: f, Family: family, Contrasts: contrasts,
			Data: formula.Table{Path: "warpbreaks.csv"}}
	}
	terms := func(f, family string, priors ...string) formula.Request {
		return formula.Request{Formula: f, Family: family, Priors: priors, Data: formula.Table{Path: "terms.csv"}}
	}
	return []formula.Request{
		sleep("Reaction ~ Days + (1 + Days | Subject)"),
		sleep("Reaction ~ Days + (1 | Subject)"),
		sleep("Reaction ~ Days + (Days || Subject)"),
		sleep("Reaction ~ Days + I(Days^2) + (0 + Days | Subject)"),
		sleep("Reaction ~ 1 + (1 | Subject) + (1 | Days)"),
		warp("breaks ~ wool * tension", "", ""),
		warp("breaks ~ wool + tension", "poisson", "sum"),
		warp(`breaks ~ relevel(tension, ref = "L") + (1 | wool:tension)`, "negbinomial", ""),
		terms("y ~ x * f", ""),
		terms("y ~ 0 + f + x:f", ""),
		terms("y ~ (x + f + h)^2 - x:h", "student"),
		terms("y ~ poly(x, 2) + log(n) + scale(m)", ""),
		terms("y ~ x + offset(log(n)) + (1 | g/h)", "gamma"),
		terms("y ~ . - share - angle - grade - alive - cens - f - g - h - known - top", "lognormal"),
		terms("y ~ f + (0 + f | g)", "skew_normal"),
		terms("z ~ x + f", "bernoulli"),
		terms("alive ~ x + (1 | g)", "bernoulli(probit)", "b=StudentT(3, 0, 2)", "sd=HalfNormal(1)"),
		terms("n | trials(m) ~ x + (1 | g:h)", "binomial"),
		terms("cbind(n, m) ~ f", "beta_binomial"),
		terms("n ~ x", "zero_inflated_poisson"),
		terms("n ~ x + f", "geometric"),
		terms("share ~ x + (1 | g)", "beta"),
		terms("angle ~ x", "von_mises"),
		terms(`factor(grade, levels = c("low", "mid", "high")) ~ x + f + (1 | g)`, "cumulative"),
		terms("stars ~ x", "cumulative(probit)"),
		terms("y | cens(cens) ~ x", "weibull"),
		terms("y | trunc(lb = 0, ub = 20) ~ x", ""),
		terms("y | weights(n) ~ x", ""),
		terms("y ~ I(x > 2) + I(f == 'b')", "exponential"),
		terms("y ~ x", "inverse.gaussian"),
		terms("n ~ x", "hurdle_negbinomial"),
		terms("y ~ x + (1 | g)", "gen_extreme_value"),
		terms("y ~ x", "exgaussian"),
		terms("y ~ stars + factor(stars) + x - stars", ""),
		terms("y ~ x + (1 |p| g), sigma ~ f + (1 |p| g)", ""),
		terms("bf(y ~ x, sigma ~ z, nu = 4)", "student"),
		terms("mvbind(y, share) ~ x + (1 + x |p| g)", ""),
		terms("bf(y ~ z, family = lognormal) + bf(n ~ x + (1 | g), family = poisson)", ""),
		terms("y ~ mi(x) + f, x | mi() ~ z", ""),
		terms("y ~ me(x, n) * z", ""),
		terms(`y ~ mo(stars) * h + mo(factor(grade, levels = c("low", "mid", "high")))`, ""),
		terms("n | rate(m) ~ s(x) + s(y, k = 6, by = h)", "negbinomial"),
		terms("y ~ gp(x, by = f) + f", ""),
		terms("y | se(n, sigma = TRUE) ~ 1 + (1 | g)", ""),
		terms("f ~ x + (1 | g)", "categorical"),
		terms("cbind(n, m, stars) ~ x", "multinomial"),
		terms("stars ~ x", "sratio"),
		terms("y | cens(z) ~ x + (1 | g)", "cox"),
		terms("y ~ x, alpha ~ z, sigma ~ x", "skew_normal"),
		warp("breaks ~ wool * tension + (wool | tension)", "", "sum"),
		terms("bf(stars ~ x) + lf(disc ~ 0 + f, cmc = FALSE)", "cumulative"),
		terms("y | cens(known, top) + weights(n) ~ x", ""),
	}
}

// TestModels compares the text of models, which are printed one after another.
func TestModels(t *testing.T) {
	var b strings.Builder
	for _, r := range models() {
		r.Data = read(t, r.Data.Path)
		text := model(t, r)
		checkModel(t, text)
		b.WriteString(text + "\n----\n\n")
	}
	golden := filepath.Join("testdata", "models.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("other models than in %s; go test -update writes it, and git diff shows them:\n%s", golden, b.String())
	}
}

// A term that is written twice is one term.
func TestRepeatedTerms(t *testing.T) {
	for _, f := range []string{"y ~ s(x)", "y ~ gp(x)", "y ~ mo(stars)", "y ~ x + f"} {
		once := model(t, formula.Request{Formula: f, Data: read(t, "terms.csv")})
		_, right, _ := strings.Cut(f, "~")
		twice := model(t, formula.Request{Formula: f + " +" + right, Data: read(t, "terms.csv")})
		if twice = strings.Replace(twice, f+" +"+right, f, 1); twice != once {
			t.Errorf("%s +%s is another model:\n%s", f, right, twice)
		}
	}
}

// TestFamilies writes a model of every family with every link.
func TestFamilies(t *testing.T) {
	outcomes := map[string]string{"binomial": "n | trials(m)", "beta_binomial": "n | trials(m)", "bernoulli": "z",
		"beta": "share", "cumulative": "stars", "von_mises": "angle", "poisson": "n", "negbinomial": "n",
		"geometric":             "n",
		"zero_inflated_poisson": "n", "zero_inflated_negbinomial": "n", "zero_inflated_binomial": "n | trials(m)",
		"categorical": "f", "multinomial": "cbind(n, m)", "sratio": "stars", "acat": "stars",
		"zero_inflated_beta": "share", "hurdle_poisson": "n", "hurdle_negbinomial": "n"}
	for _, family := range formula.Families() {
		y, ok := outcomes[family]
		if !ok {
			y = "y"
		}
		checkModel(t, model(t, formula.Request{Formula: y + " ~ x + h + (1 | g)", Family: family,
			Data: read(t, "terms.csv")}))
	}
}

// An estimate is what R finds for a formula by least squares or maximum likelihood, in the order of the model; elements
// of reference levels are 0.
type estimate struct {
	formula, family string // the family sum is gaussian with contrasts that sum to 0
	flat            string // the priors that are flat
	want            map[string][]float64
}

// estimates are those of lm, if no family is named, and of the function of R that a comment names.
func estimates() []estimate {
	return []estimate{
		{"y ~ x * f + h", "", "b Intercept sigma", map[string][]float64{"b_Intercept": {2.63629}, "b_x": {0.97901},
			"b_f": {0, 1.70305, -0.41347}, "b_h": {0, -0.21002}, "b_x_f": {0, -0.14280, -0.09684}}},
		{"y ~ f * h + poly(x, 2)", "", "b Intercept sigma", map[string][]float64{
			"b_Intercept": {5.09151}, "b_f": {0, 0.85166, -1.17977},
			"b_h": {0, -0.97189}, "b_poly_x_1": {6.20310}, "b_poly_x_2": {0.53588},
			"b_f_h": {0, 0, 0, 1.15732, 0, 1.11172}}},
		{"y ~ 0 + f + x:f", "", "b sigma", map[string][]float64{"b_f": {2.52494, 4.35259, 2.19177},
			"b_x_f": {0.98210, 0.78116, 0.84837}}},
		{"y ~ (x + f + h)^2", "", "b Intercept sigma", map[string][]float64{
			"b_Intercept": {3.16631}, "b_x": {0.90428},
			"b_f": {0, 1.26507, -0.88419}, "b_h": {0, -1.20881}, "b_x_f": {0, -0.23016, -0.15929},
			"b_x_h": {0, 0.12168}, "b_f_h": {0, 0, 0, 1.20404, 0, 1.15901}}},
		{"y ~ f/h + log(n)", "", "b Intercept sigma", map[string][]float64{
			"b_Intercept": {3.64500}, "b_f": {0, 0.58268, -1.65280},
			"b_log_n": {0.56961}, "b_f_h": {0, -1.11395, 0, 0.63492, 0, 1.11799}}},
		{"y ~ x:z + x + z - 1", "", "b sigma", map[string][]float64{
			"b_x": {1.90851}, "b_z": {3.59143}, "b_x_z": {-1.11375}}},
		{`y ~ relevel(f, ref = "b") * x`, "", "b Intercept sigma", map[string][]float64{"b_Intercept": {4.35259},
			"b_relevel_f_ref_b": {0, -1.82765, -2.16082}, "b_x": {0.78116},
			"b_x_relevel_f_ref_b": {0, 0.20094, 0.06721}}},
		// the differences of the means of ordered levels, which increase
		{"y ~ mo(step)", "", "bsp_mostep Intercept sigma", map[string][]float64{
			"b_Intercept": {3.51200}, "bsp_mostep": {2.4810769 / 3},
			"simo_mostep": {0.758 / 2.4810769, 0.946 / 2.4810769, 0.7770769 / 2.4810769}}},
		// gls of nlme, with varExp and varIdent, by maximum likelihood
		{"y ~ x + f, sigma ~ z", "", "b Intercept", map[string][]float64{"b_Intercept": {2.73067}, "b_x": {0.88098},
			"b_f": {0, 1.40602, -0.61104}, "b_sigma_Intercept": {-0.22496}, "b_sigma_z": {0.00601}}},
		{"bf(y ~ x, sigma ~ f)", "", "b Intercept", map[string][]float64{"b_Intercept": {2.52717}, "b_x": {0.88348},
			"b_sigma_Intercept": {-0.20318}, "b_sigma_f": {0, 0.83030, -0.10216}}},
		// lm with two outcomes: the correlation and the standard deviations of the residuals
		{"mvbind(y, z) ~ x + f", "", "b Intercept sigma", map[string][]float64{
			"b_y_Intercept": {2.73367}, "b_z_x": {-0.02591},
			"b_y_f": {0, 1.40535, -0.61238}, "b_z_f": {0, 0.00238, -0.37158}, "sigma_y": {0.80126},
			"sigma_z": {0.46272}, "rescor": {1, 0.33551, 0.33551, 1}}},
		// rma of metafor, without and with variance between studies
		{"y | se(I(n / 10)) ~ x", "", "b Intercept", map[string][]float64{
			"b_Intercept": {2.17166}, "b_x": {1.29716}}},
		{"y | se(I(n / 10), sigma = TRUE) ~ x", "", "b Intercept sigma", map[string][]float64{
			"b_Intercept": {2.42829}, "b_x": {1.16383},
			"sigma": {0.60657}}},
		// glm with an offset
		{"n | rate(y) ~ f", "poisson", "b Intercept", map[string][]float64{
			"b_Intercept": {1.23097}, "b_f": {0, -0.20570, 0.16653}}},
		// lm of the logarithms of values above 0, and glm of the indicator of zeros
		{"q ~ x, hu ~ x", "hurdle_lognormal", "b Intercept sigma", map[string][]float64{
			"b_Intercept": {1.08734}, "b_x": {0.19899},
			"b_hu_Intercept": {-2.65945}, "b_hu_x": {0.67729}}},
		// glm of counts in intervals, with an offset for the time in each (survSplit of survival)
		{"y ~ x + f", "cox", "b level", map[string][]float64{"b_x": {-1.18929}, "b_f": {0, -1.92158, 0.97611}}},
		// multinom of nnet
		{"f ~ x + z", "categorical", "b Intercept", map[string][]float64{
			"b_mub_Intercept": {-0.16974}, "b_mub_x": {0.07717},
			"b_mub_z": {0.01093}, "b_muc_Intercept": {0.62191}, "b_muc_x": {0.07573}, "b_muc_z": {-1.56615}}},
		{"cbind(n, m, stars) ~ x", "multinomial", "b Intercept", map[string][]float64{"b_mum_Intercept": {0.66493},
			"b_mum_x": {-0.08351}, "b_mustars_Intercept": {-1.45571}, "b_mustars_x": {-0.10085}}},
		// lm with contr.sum
		{"y ~ f * h + x", "sum", "b Intercept sigma", map[string][]float64{"b_Intercept": {3.05450},
			"b_f": {-0.26630, 1.14148, -0.87518}, "b_h": {0.10439, -0.10439}, "b_x": {0.85407},
			"b_f_h": {0.37866, -0.37866, -0.18796, 0.18796, -0.19070, 0.19070}}},
		// survreg of survival, with intervals and with weights
		{"y | cens(known, top) ~ x", "", "b Intercept sigma", map[string][]float64{
			"b_Intercept": {3.62126}, "b_x": {0.66707}, "sigma": {1.27387}}},
		{"y | cens(known, top) ~ x", "lognormal", "b Intercept sigma", map[string][]float64{
			"b_Intercept": {1.25549}, "b_x": {0.14902}, "sigma": {0.26991}}},
		// clm of ordinal, whose scale is 1 / disc
		{"bf(stars ~ x, disc ~ 0 + f) + lf(disc ~ 0 + f, cmc = FALSE)", "cumulative", "b cut", map[string][]float64{
			"b_cut": {-1.51916, 0.00518, 0.93456, 2.47260}, "b_x": {0.32632}, "b_disc_f": {0, -0.82744, -0.67713}}},
		// vglm of VGAM, with sratio and with acat(reverse = TRUE), whose coefficients of x have the other sign
		{"stars ~ x", "sratio", "b cut", map[string][]float64{
			"b_cut": {-0.94927, -0.85497, -0.83027, 0.19788}, "b_x": {0.12598}}},
		{"stars ~ x", "acat", "b cut", map[string][]float64{
			"b_cut": {0.37833, 0.43771, -0.16164, 0.10824}, "b_x": {0.08954}}},
	}
}

// withDerived adds columns computed from others: q is y, but 0 in some rows; step is x in four levels.
func withDerived(table formula.Table) formula.Table {
	column := func(name string) []float64 {
		k := slices.IndexFunc(table.Columns, func(c formula.Column) bool { return c.Name == name })
		return table.Columns[k].Values
	}
	x, q, step := column("x"), slices.Clone(column("y")), make([]float64, len(column("x")))
	for i, h := range column("h") {
		if h == 1 && x[i] > 2 {
			q[i] = 0
		}
		for _, cut := range []float64{math.Inf(-1), 1.2, 2, 2.8} {
			if x[i] > cut {
				step[i]++
			}
		}
	}
	table.Columns = append(slices.Clone(table.Columns), formula.Column{Name: "q", Values: q},
		formula.Column{Name: "step", Values: step})
	return table
}

// writeTable writes a table to a file, and returns its path.
func writeTable(t *testing.T, table formula.Table) string {
	t.Helper()
	var b strings.Builder
	for k, c := range table.Columns {
		b.WriteString(map[bool]string{true: ",", false: ""}[k > 0] + c.Name)
	}
	for i := range table.Columns[0].Values {
		for k, c := range table.Columns {
			b.WriteString(map[bool]string{true: ",", false: "\n"}[k > 0])
			if v := c.Values[i]; c.Levels != nil {
				b.WriteString(c.Levels[int(v)-1])
			} else {
				fmt.Fprint(&b, v)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, []byte(b.String()+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// With flat priors the posterior mode of the coefficients is the estimate of least squares or of maximum likelihood.
func TestEstimates(t *testing.T) {
	for _, c := range estimates() {
		table := withDerived(read(t, "terms.csv"))
		table.Path = writeTable(t, table)
		r := formula.Request{Formula: c.formula, Family: c.family, Data: table}
		if c.family == "sum" {
			r.Family, r.Contrasts = "", "sum"
		}
		for _, class := range strings.Fields(c.flat) {
			prior := "Flat"
			switch {
			case class == "sigma":
				prior = "Flat in 0..inf"
			case r.Contrasts == "sum":
				prior = "Normal(0, 1e5)"
			}
			r.Priors = append(r.Priors, class+"="+prior)
		}
		text := model(t, r)
		got := mode(t, text)
		for name, values := range c.want {
			if len(got[name]) != len(values) {
				t.Errorf("%s: %s has %d elements, want %d\n%s", c.formula, name, len(got[name]), len(values), text)
				continue
			}
			for k, v := range values {
				if !(math.Abs(got[name][k]-v) < 1e-3) {
					t.Errorf("%s: %s element %d is %.5f, want %.5f by R", c.formula, name, k+1, got[name][k], v)
				}
			}
		}
	}
}

// mode returns the values of all saved quantities at the posterior mode.
func mode(t testing.TB, text string) map[string][]float64 {
	t.Helper()
	search := app.NewSearch(filepath.Join("testdata", "formula.ppl"))
	search.Text, search.Options.Seed = text, 1
	found, err := app.FindMode(context.Background(), search, notes.None{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	values := map[string][]float64{}
	rest := found.Result.Values
	for _, v := range found.Program.Saved() {
		size := 1
		for _, n := range v.Shape {
			size *= n
		}
		values[v.Name], rest = rest[:size], rest[size:]
	}
	return values
}

// TestSleepstudy compares the posterior with published estimates for this example (D. Bates et al., Fitting Linear
// Mixed-Effects Models Using lme4, Journal of Statistical Software 67 (2015)): by REML fixed effects 251.405 and
// 10.467, standard deviations of subjects 24.74 and 5.92, of residuals 25.59. Posterior means differ from these by the
// skewness of the posterior and by priors: spreads of 18 subjects by some 10 %, and fixed effects by less than a fifth
// of their standard errors, 6.8 and 1.55.
func TestSleepstudy(t *testing.T) {
	if testing.Short() {
		t.Skip("samples for some seconds")
	}
	request := app.NewRequest(filepath.Join("testdata", "formula.ppl"))
	request.Text = model(t, formula.Request{Formula: "Reaction ~ Days + (1 + Days | Subject)",
		Data: read(t, "sleepstudy.csv")})
	request.Seed, request.Draws, request.Dir = 1, 1000, filepath.Join(t.TempDir(), "sleep.run")
	run, err := app.Sample(context.Background(), request, notes.None{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct{ value, within float64 }{
		"b_Intercept": {251.405, 0.2 * 6.8}, "b_Days": {10.467, 0.2 * 1.55}, "sigma": {25.59, 1},
		"sd_Subject__Intercept": {24.74, 4}, "sd_Subject__Days": {5.92, 1},
	} {
		draws, err := run.Draws(name)
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Concat(draws...)
		mean := 0.0
		for _, v := range all {
			mean += v / float64(len(all))
		}
		if !(math.Abs(mean-want.value) < want.within) {
			t.Errorf("the mean of %s is %.4g; lme4 has %g, and it should be within %g", name, mean, want.value,
				want.within)
		}
	}
}
