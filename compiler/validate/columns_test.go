package validate_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/compiler/compilertest"
)

// wants compiles models and checks that the messages contain a text or, if that is empty, that they do not have the
// code.
func wants(t *testing.T, code string, cases [][2]string) {
	t.Helper()
	for _, c := range cases {
		got := compilertest.Messages(t, c[0])
		if c[1] == "" && strings.Contains(got, code) || !strings.Contains(got, c[1]) {
			t.Errorf("%s\n%s\nwant %q", c[0], got, c[1])
		}
	}
}

// TestUnusedLimits checks the warning for limits given for each row that have no effect, because they are the bounds
// between which a value lies.
func TestUnusedLimits(t *testing.T) {
	t.Parallel()
	const head = "data lo[N] = [1, 2, 0, 3], hi[N] = [2, 4, 3, 3], y[N]%s\nm ~ Normal(0, 5)\n"
	model := func(y, statement string) string { return fmt.Sprintf(head, y) + statement }
	const each = "y[i in N] ~ Normal(m, 1) censored lo[i]..hi[i]\n"
	wants(t, "W30", [][2]string{
		{model(" = [1.5, 3, 1, 3]", each), "counts as observed exactly"},
		{model(" missing -9 = [-9, -9, -9, 3]", each), "3 missing values are left out"},
		{model(" missing -9 = [1.5, -9, 1, -9]", each), "1 missing value is left out"},
		{model(" missing -9 = [2, -9, 1, -9]", each), ""}, // one value is equal to its limit
		{model(" = [1, 2, 0, 3]", each), "every value of `y` lies at its lower limit"},
		{model(" = [2, 4, 3, 3]", each), "every value of `y` lies at its upper limit"},
		{model(" = [1, 3, 3, 3]", each), ""},
		{model(" = [1.5, 3, 1, 3]", "y[i in N] ~ Normal(m, 1) censored 0..hi[i]\n"), ""},
		{model(" = [1.5, 3, 1, 3]", "y[i in N] ~ Normal(m, 1) censored lo[i]..inf\n"), ""},
		{model(" = [1.5, 3, 1, 3]", "y[i in N] ~ Normal(m, 1) censored -5..5\n"), ""},
		{model(" = [1.5, 3, 1, 3]", "lo[i in N] ~ Normal(m, 1) upto hi[i]\ny ~ Normal(m, 1)\n"), ""},
		{model(" = [1.5, 3, 1, 3]", "lo[i in N] ~ Normal(m, 1) censored lo[i]..hi[i]\ny ~ Normal(m, 1)\n"),
			"`lo[i] ~ … upto hi[i]`"},
		{model(" = [1, 3, 1, 3]", "y[i in N] ~ Poisson(exp(m)) censored lo[i] - 0.5..hi[i] + 0.5\n"), "W30"},
		{"data lo[N] = [1, 2], hi[N] = [2, 4]\nm ~ Normal(0, 5)\ny[i in N] ~ Normal(m, 1) censored lo[i]..hi[i]\n",
			"observe the lower end: `lo[i] ~ … upto hi[i]`"},
		{"data died[N] = [1, 1, 0], time[N] = [1, 3, 2]\ns ~ HalfNormal(1)\nlimit[i in N] = died[i] == 1 ? inf : " +
			"time[i]\ntime[i in N] ~ Weibull(1, s) censored 0..limit[i]\n", ""},
	})
}

// TestConstantPredictors checks that a predictor that is constant over the rows causes a warning, and that other
// constant expressions do not.
func TestConstantPredictors(t *testing.T) {
	t.Parallel()
	const head = "data x[N] = [2, 2, 2], z[N] = [1, 2, 4], y[N] = [1, 2, 4]\na, b ~ Normal(0, 5)\n"
	wants(t, "W31", [][2]string{
		{head + "y[i in N] ~ Normal(a + b * x[i], 1)\n", "the predictor `x[i]` is 2 in all rows"},
		{head + "y ~ Normal(a + x * b, 1)\n", "the predictor `x` is 2 in all rows"},
		{head + "y[i in N] ~ Normal(a - b * log(x[i]), 1)\n", "the predictor `log(x[i])`"},
		{head + "mu[i in N] = a + b * x[i]\ny ~ Normal(mu, 1)\n", "the predictor `x[i]`"},
		{head + "y[i in N] ~ Poisson(exp(a + b * x[i]))\n", "the predictor `x[i]`"},
		{head + "y[i in N] ~ Normal(a + b * (x[i] - mean(x)), 1)\n", "the data do not inform `b`"},
		{head + "s[i in N] = (x[i] - mean(x)) / sd(x)\ny[i in N] ~ Normal(a + b * s[i], 1)\n",
			"`s[i]` is not a number"},
		{head + "y[i in N] ~ Normal(a + b * z[i] * x[i], 1)\n", ""},
		{head + "y[i in N] ~ Normal(a + b * x[i] * z[i], 1)\n", ""},
		{head + "y[i in N] ~ Normal(a + b * (x[i] - z[i]), 1)\n", ""},
		{head + "y[i in N] ~ Normal(b * x[i], 1) weight x[i]\na ~ Normal(1, 1)\n", ""},
		{head + "y[i in N] ~ Normal(a + b * z[i], x[i])\n", ""},
		{head + "y[i in N] ~ Poisson(x[i] * exp(a + b * z[i]))\n", ""},
		{head + "y[i in N] ~ Normal(a + b * x[1], 1)\n", ""},
	})
}

// TestDatesAsNumbers checks that dates written as numbers cause a note, and that numbers that are not dates do not.
func TestDatesAsNumbers(t *testing.T) {
	t.Parallel()
	model := func(values string, more string) string {
		return "data day[N]" + more + " = [" + values + "], y[N] = [" + strings.Repeat("1, ",
			strings.Count(values, ",")) + "2]\na, b ~ Normal(0, 5)\n" +
			map[bool]string{true: "y[i in N] ~ Normal(a + b * day[i], 1)\n",
				false: "c[D] ~ Normal(a, b^2)\ny[i in N] ~ Normal(c[day[i]], 1)\n"}[more == ""]
	}
	months := "202011, 202012, 202101, 202102, 202103, 202104, 202105, 202106, 202107, 202108, 202109, 202110"
	wants(t, "W32", [][2]string{
		{model("20210131, 20210201, 20210202", ""),
			"YYYYMMDD: 20210131 is 2021-01-31), whose differences are not days"},
		{model("31012021, 1022021, 2022021", ""), "DDMMYYYY: 31012021 is 2021-01-31"},
		{model("1312021, 2012021, 2022021", ""), "MMDDYYYY: 1312021 is 2021-01-31"},
		{model(months, ""), "YYYYMM: 202011 is 2020-11), whose differences are not months"},
		{model("20210131, 20210201, 20210202", ": index(D)"), "and the groups are numbered"},
		{model("20210131, 20210231, 20210202", ""), ""}, // 31 February
		{model("20210131, 20210131, 20210131", ""), ""},
		{model("20210131.5, 20210201, 20210202", ""), ""},
		{model("200101, 200205, 200309", ""), ""},
		{model("18672, 18673, 18674", ""), ""},
		{model("1612051200, 1612137600, 1612224000", ""), ""},
		{model("2019, 2020, 2021", ": index(D)"), ""},
	})
}

// TestAnglesInDegrees checks that the message about angles in degrees explains the conversion to radians.
func TestAnglesInDegrees(t *testing.T) {
	t.Parallel()
	outcome := func(values string) string {
		return "data a[N] = [" + values + "]\nm ~ Uniform(-pi, pi)\na ~ VonMises(m, 2)\n"
	}
	mean := func(m string) string {
		return "data a[N] = [0, 2, 1], b[N] = [10, 0, 350]\nu ~ Uniform(0, 360)\nv ~ Uniform(-pi, pi)\n" +
			"w ~ Uniform(0, 2 * pi)\nomega ~ Uniform(0, 1)\na[i in N] ~ VonMises(" + m + ", 2)\n"
	}
	wants(t, "W19", [][2]string{
		{outcome("0, 360"), "angles in degrees"}, {outcome("-180, 180"), "angles in degrees"},
		{outcome("20, 90"), "`angle = [i in N: (a[i] > 180 ? a[i] - 360 : a[i]) * pi / 180]`"},
		{outcome("0, 3, 6.28"), "`angle = [i in N: (a[i] > pi ? a[i] - 2 * pi : a[i])]`"},
		{outcome("-3.1, 0, 3.1"), ""},
		{"data b[N] = [0, 270, 90]\na = [i in N: (b[i] > 180 ? b[i] - 360 : b[i]) * pi / 180]\n" +
			"m ~ Uniform(-pi, pi)\na ~ VonMises(m, 2)\n", ""},
		{mean("b[i]"), "`b` has absolute values up to 350"}, {mean("v + b[i]"), "write `b[i] * pi / 180`"},
		{mean("v - b[i]"), "`b` has absolute values up to 350"}, {mean("u"), "`u` is in 0..360, several turns"},
		{mean("b[i] * pi / 180"), ""}, {mean("v"), ""}, {mean("w"), ""}, {mean("omega * b[i]"), ""},
	})
}

// TestTotals checks the warning about rows that are the sum of all others, whichever column shows it.
func TestTotals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model := func(label string, last float64) string {
		path := filepath.Join(dir, fmt.Sprintf("%s %v.csv", label, last))
		table := fmt.Sprintf("store,price,y\nnorth,1,1.5\n%s,2,%v\nsouth,2,2.25\nwest,3,4\n", label, last)
		if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("data store[N]: index(S), price[N], y[N] from %q\na[S] ~ Normal(0, 1)\nb ~ Normal(0, 1)\n"+
			"y[i in N] ~ Normal(a[store[i]] + b * price[i], 1)\n", path)
	}
	wants(t, "W33", [][2]string{
		{model("Total", 7.75), `"Total" is a group of`}, {model("GRAND TOTAL", 7.75), "W33"},
		{model("All", 7.75), "(row 2, "}, {model("Sum", 7.75*(1+1e-9)), "W33"},
		{model("Total", 3), ""}, {model("All", math.Pi), ""}, {model("east", 7.75), ""},
	})
}
