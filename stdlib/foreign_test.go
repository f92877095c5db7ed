package stdlib

import (
	"regexp"
	"strings"
	"testing"
)

// The ppl code for a name of another language uses only names of this library.
func TestForeignNamesOurs(t *testing.T) {
	called := regexp.MustCompile(`([A-Za-z_]\w*)\(`)
	language := map[string]bool{"u": true}
	known := func(name string) bool {
		return language[name] || Dists()[name] != nil || ourFunction(name)
	}
	for name, code := range foreign {
		if known(name) {
			t.Errorf("`%s` is ours too", name)
		}
		for _, m := range called.FindAllStringSubmatch(code, -1) {
			if !known(m[1]) {
				t.Errorf("%s: there is no `%s`", name, m[1])
			}
		}
		if !strings.ContainsAny(code, " ([") && Dists()[code] == nil && !strings.ContainsAny(code, "^!") {
			t.Errorf("%s: there is no distribution `%s`", name, code)
		}
	}
}

func TestForeign(t *testing.T) {
	for name, want := range map[string]string{
		"normal": "Normal", "student_t": "StudentT", "HALFNORMAL": "HalfNormal", "inv_gamma": "InverseGamma",
		"normal_lpdf": "logpdf(Normal(…), x)", "bernoulli_logit_lpmf": "logpdf(Bernoulli(logits = eta), x)",
		"weibull_lccdf": "log1m(cdf(Weibull(…), x))", "poisson_rng": "generate x ~ Poisson(…)",
		"inv_logit": "sigmoid(x)", "wiener": "Wiener",
	} {
		if got, ok := Foreign(name); !ok || got != want {
			t.Errorf("%s: `%s`, want `%s`", name, got, want)
		}
	}
	for name, want := range map[string]string{"logistic": "sigmoid(x)", "normal": "Normal", "expit": "sigmoid(x)"} {
		if got, ok := ForeignCall(name); !ok || got != want {
			t.Errorf("%s, called: `%s`, want `%s`", name, got, want)
		}
	}
	for _, name := range []string{"Normal", "sigma", "wiener_process", "x_lpdf"} {
		if got, ok := Foreign(name); ok {
			t.Errorf("%s: `%s`, want nothing", name, got)
		}
	}
}

// TestForeignArgument checks that argument names in the documentation of other systems are mapped to the corresponding
// arguments. Rows of the tables must name distributions and arguments that exist, and no argument that the distribution
// has itself.
func TestForeignArgument(t *testing.T) {
	for _, c := range [][3]string{
		{"Normal", "sigma", "sd"}, {"Normal", "loc", "mu"}, {"Normal", "scale", "sd"}, {"Normal", "tau", "precision"},
		{"StudentT", "df", "nu"},
		{"Cauchy", "alpha", "loc"}, {"Cauchy", "beta", "scale"}, {"Gamma", "alpha", "shape"}, {"Gamma", "beta", "rate"},
		{"InverseGamma", "beta", "scale"},
		{"Beta", "alpha", "a"}, {"Beta", "concentration0", "b"}, {"Weibull", "beta", "scale"}, {"LogLogistic", "alpha",
			"scale"}, {"Laplace", "b", "scale"},
		{"Bernoulli", "probs", "p"}, {"Binomial", "total_count", "n"}, {"Poisson", "mu", "rate"},
		{"NegBinomial", "alpha", "size"}, {"NegBinomial", "mu", "mean"},
		{"Uniform", "low", "lo"}, {"MvNormal", "scale_tril", "chol"}, {"MvNormal", "covariance_matrix", "cov"},
		{"Dirichlet", "a", "concentration"},
		{"LKJ", "concentration", "eta"}, {"OrderedLogistic", "cutpoints", "cut"}, {"VonMises", "concentration",
			"kappa"}, {"Exponential", "scale", "mean"},
	} {
		if got, ok := ForeignArgument(Dists()[c[0]], c[1]); !ok || got != c[2] {
			t.Errorf("%s(%s): %q, want %q", c[0], c[1], got, c[2])
		}
	}
	if got, ok := ForeignArgument(Dists()["Bernoulli"], "sigma"); ok {
		t.Errorf("Bernoulli has no scale, but sigma is answered with %s", got)
	}
	known := map[string]bool{}
	for name, d := range Dists() {
		for _, f := range d.Forms {
			for _, a := range f.Args {
				known[a.Name], known[name+"."+a.Name] = true, true
			}
		}
	}
	for name, own := range foreignArguments {
		for _, a := range own {
			if !known[a] {
				t.Errorf("%s stands for %s, which no distribution has", name, a)
			}
		}
	}
	for of, own := range foreignOf {
		if !known[of[0]+"."+own[0]] || known[of[0]+"."+of[1]] {
			t.Errorf("%v stands for %v", of, own)
		}
	}
}
