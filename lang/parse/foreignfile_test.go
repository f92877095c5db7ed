package parse_test

import (
	"strings"
	"testing"

	"ppl/lang/parse"
	"ppl/lang/source"
)

// foreignFiles are programs in other languages, with a word of the one diagnostic for each.
var foreignFiles = []struct{ name, text, says string }{
	{"stan", "data {\n  int<lower=0> N;\n  vector[N] y;\n}\nparameters {\n  real mu;\n}\n" +
		"model {\n  y ~ normal(mu, 1);\n}\n", "Stan"},
	{"stan with comments", "// eight schools\n\ntransformed data {\n  int K = 3; // size\n}\n", "Stan"},
	{"bugs", "model {\n  for (i in 1:N) {\n    y[i] ~ dnorm(mu, tau)\n  }\n  tau <- 1 / pow(s, 2)\n}\n", "BUGS"},
	{"jags with data", "data {\n  M <- max(x)\n}\nmodel {\n  y ~ dpois(lambda)\n}\n", "BUGS"},
	{"pymc", "import pymc as pm\n\nwith pm.Model() as m:\n    mu = pm.Normal(\"mu\", 0, 1)\n", "Python"},
	{"numpyro", "def model(y):\n    mu = sample('mu', dist.Normal(0, 1))\n", "Python"},
	{"brms", "library(brms)\nfit <- brm(y ~ x, data = d)\n", "R program"},
}

func TestForeignFiles(t *testing.T) {
	for _, f := range foreignFiles {
		_, ds := parse.File(source.New("m.ppl", f.text))
		if len(ds) != 1 || !strings.Contains(ds[0].Message, f.says) || ds[0].Help == "" {
			t.Errorf("%s: %v", f.name, ds)
		}
	}
}

// One line of another language in a model of ppl is reported with the advice for that line.
func TestForeignLines(t *testing.T) {
	for _, text := range []string{
		"parameters {\nreturn 1\n}", "mu <- rnorm(1)\n", "y[N] ~ Normal(0, 1);\nmu ~ Normal(0 1)\n", "with x: 3\nz = 1",
		"with Model() as m:\nmu ~ Normal(0, 1)",
	} {
		_, ds := parse.File(source.New("m.ppl", text))
		for _, d := range ds {
			if strings.Contains(d.Message, "not a model of ppl") {
				t.Errorf("%q: %v", text, ds)
			}
		}
	}
}
