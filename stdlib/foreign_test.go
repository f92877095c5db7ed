package stdlib

import (
	"regexp"
	"strings"
	"testing"
)

// What stands for a name of another language is made of names that this library has.
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
		"weibull_lccdf": "log1m(cdf(Weibull(…), x))", "poisson_rng": "generate x ~ Poisson(…)", "inv_logit": "sigmoid(x)", "wiener": "Wiener",
	} {
		if got, ok := Foreign(name); !ok || got != want {
			t.Errorf("%s: `%s`, want `%s`", name, got, want)
		}
	}
	for _, name := range []string{"Normal", "sigma", "wiener_process", "x_lpdf"} {
		if got, ok := Foreign(name); ok {
			t.Errorf("%s: `%s`, want nothing", name, got)
		}
	}
}
