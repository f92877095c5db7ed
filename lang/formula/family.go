package formula

import (
	"fmt"
	"slices"
	"strings"

	"ppl/lang/diag"
)

// An auxiliary is an additional parameter of a family. In its prior, {sd} is the standard deviation of the outcome, and
// in why, {sdwords} describes it. An auxiliary without a prior multiplies the expression after its name in braces; it
// is 1 unless the formula mentions it.
type auxiliary struct {
	name  string
	prior string
	why   string // comment on the prior

	link    string  // link of its predictor
	typical float64 // value at which its intercept is centred; 0: standard deviation of the outcome
	spread  float64 // prior standard deviation of its intercept, on the link scale
}

// A family is a distribution of the outcome under its name in R. In the text of a distribution, {mean} is the mean,
// {eta} the linear predictor, and {logits} the predictors of all categories. Other names in braces are auxiliaries,
// definitions, the cut points and the number of trials.
type family struct {
	name   string
	also   []string
	links  []string // the first one is the default
	dist   string
	direct map[string]string // distributions that take {eta} directly, by link
	aux    []auxiliary
	takes  outcome
	define []definition // definitions that the distribution uses

	categories bool // each category but the first has a predictor
	increasing bool // cut points are ordered
	logarithm  bool // mean and sigma describe the logarithm of the outcome
	hazard     bool // the predictor multiplies a hazard that is constant in intervals of time
}

// hasLevels reports whether the outcome is categorical or ordered.
func (f *family) hasLevels() bool { return f.takes == orderedOutcome || f.takes == categoryOutcome }

// A definition is a quantity that a distribution uses. Its text may contain names in braces. It has a value for each
// row if it reads a quantity that has one. With an axis, it has a value for each row and each element of the axis.
// Several definitions with the same name define parts of one array.
type definition struct{ name, axis, text, why string }

// An outcome describes the values that a family accepts.
type outcome int

const (
	realOutcome outcome = iota
	positiveOutcome
	countOutcome
	binaryOutcome
	trialsOutcome
	nonNegativeOutcome
	shareOutcome
	shareOrZeroOutcome
	orderedOutcome
	angleOutcome
	categoryOutcome
	talliesOutcome
)

func sigma() auxiliary {
	return auxiliary{"sigma", "Exponential(mean = {sd})", "{sdwords}", "log", 0, 1.5}
}

func shape() auxiliary { return auxiliary{"shape", "Exponential(1)", "", "log", 1, 1.5} }

func phi() auxiliary { return auxiliary{"phi", "Gamma(2, 0.1)", "mean 20", "log", 20, 1.5} }

func zi(why string) auxiliary { return auxiliary{"zi", "Beta(1, 1)", why, "logit", 0.5, 1.5} }

// disc returns the discrimination of ordered outcomes, the inverse of the scale of the latent variable.
func disc() auxiliary { return auxiliary{"disc", "", "", "log", 1, 1} }

func hu() auxiliary { return auxiliary{"hu", "Beta(1, 1)", "probability of zeros", "logit", 0.5, 1.5} }

// stops returns definitions of the log probability of each level in a sequential model: from the lowest level on, the
// outcome either stops at a level or passes it. The logit of stopping at level k is cut[k] - eta.
func stops() []definition {
	return []definition{
		{"steps", "k in 1..{cuts}",
			"log_sigmoid({disc}{cut}[k] - {disc}{eta}) + " +
				"sum(j in 1..k-1: log_sigmoid({disc}{eta} - {disc}{cut}[j]))", ""},
		{"steps", "{levels}", "sum(j in 1..{cuts}: log_sigmoid({disc}{eta} - {disc}{cut}[j]))", ""},
	}
}

// families returns the distributions that a formula can have.
func families() []family {
	return []family{
		{name: "gaussian", also: []string{"normal"}, links: []string{"identity", "log", "inverse"},
			dist: "Normal({mean}, {sigma})", aux: []auxiliary{sigma()}},
		{name: "student", also: []string{"student_t"}, links: []string{"identity", "log", "inverse"},
			dist: "StudentT({nu}, {mean}, {sigma})",
			aux:  []auxiliary{{"nu", "Gamma(2, 0.1)", "degrees of freedom: mean 20", "log", 20, 1}, sigma()}},
		{name: "skew_normal", links: []string{"identity"},
			dist: "SkewNormal({mean} - {omega} * {delta} * sqrt(2 / pi), {omega}, {alpha})",
			aux: []auxiliary{sigma(), {"alpha", "Normal(0, 4)", "skewness: 0 is the normal distribution",
				"identity", 1, 4}},
			define: []definition{{"delta", "", "{alpha} / sqrt(1 + {alpha}^2)", ""},
				{"omega", "", "{sigma} / sqrt(1 - 2 / pi * {delta}^2)", "so that sigma is the standard deviation"}}},
		{name: "lognormal", links: []string{"identity"}, dist: "LogNormal({mean}, {sigma})", takes: positiveOutcome,
			aux: []auxiliary{sigma()}, logarithm: true},
		{name: "gamma", links: []string{"log", "inverse", "identity"}, dist: "Gamma(mean = {mean}, shape = {shape})",
			takes: positiveOutcome, aux: []auxiliary{shape()}},
		{name: "weibull", links: []string{"log", "identity"}, takes: positiveOutcome,
			dist: "Weibull({shape}, {mean} / exp(lgamma(1 + 1 / {shape})))", aux: []auxiliary{shape()}},
		{name: "exponential", links: []string{"log", "inverse", "identity"}, dist: "Exponential(mean = {mean})",
			takes: positiveOutcome},
		{name: "inverse.gaussian", also: []string{"inverse_gaussian"}, links: []string{"log", "1/mu^2", "inverse"},
			dist: "InverseGaussian({mean}, {shape})", takes: positiveOutcome, aux: []auxiliary{shape()}},
		{name: "poisson", links: []string{"log", "identity", "sqrt"}, dist: "Poisson({mean})",
			direct: map[string]string{"log": "Poisson(log = {eta})"}, takes: countOutcome},
		{name: "negbinomial", also: []string{"neg_binomial_2", "negative_binomial"},
			links: []string{"log", "identity", "sqrt"}, dist: "NegBinomial({mean}, {shape})", takes: countOutcome,
			direct: map[string]string{"log": "NegBinomial(log = {eta}, size = {shape})"}, aux: []auxiliary{shape()}},
		{name: "geometric", links: []string{"log", "identity"}, dist: "Geometric(1 / (1 + {mean}))",
			takes:  countOutcome,
			direct: map[string]string{"log": "Geometric(logits = -{eta})"}},
		{name: "binomial", links: []string{"logit", "probit", "cloglog", "log"}, dist: "Binomial({trials}, {mean})",
			direct: map[string]string{"logit": "Binomial({trials}, logits = {eta})"}, takes: trialsOutcome},
		{name: "bernoulli", links: []string{"logit", "probit", "cloglog", "log"}, dist: "Bernoulli({mean})",
			direct: map[string]string{"logit": "Bernoulli(logits = {eta})"}, takes: binaryOutcome},
		{name: "beta", links: []string{"logit", "probit", "cloglog"},
			dist:  "Beta(mean = {mean}, concentration = {phi})",
			takes: shareOutcome, aux: []auxiliary{phi()}},
		{name: "beta_binomial", links: []string{"logit", "probit", "cloglog"}, takes: trialsOutcome,
			dist: "BetaBinomial({trials}, mean = {mean}, concentration = {phi})", aux: []auxiliary{phi()}},
		{name: "cumulative", links: []string{"logit", "probit"}, takes: orderedOutcome, increasing: true,
			aux: []auxiliary{disc()}, direct: map[string]string{
				"logit":  "OrderedLogistic({disc}{eta}, {disc}{cut})",
				"probit": "OrderedProbit({disc}{eta}, {disc}{cut})"}},
		{name: "von_mises", links: []string{"tan_half"}, dist: "VonMises({mean}, {kappa})", takes: angleOutcome,
			aux: []auxiliary{{"kappa", "Gamma(2, 0.01)", "mean 200", "log", 2, 1.5}}},
		{name: "zero_inflated_poisson", links: []string{"log"}, dist: "ZeroInflatedPoisson({zi}, {mean})",
			direct: map[string]string{"log": "ZeroInflatedPoisson({zi}, log = {eta})"}, takes: countOutcome,
			aux: []auxiliary{zi("probability of zeros that are not counts")}},
		{name: "zero_inflated_negbinomial", links: []string{"log"}, takes: countOutcome,
			dist:   "ZeroInflatedNegBinomial({zi}, {mean}, {shape})",
			direct: map[string]string{"log": "ZeroInflatedNegBinomial({zi}, log = {eta}, size = {shape})"},
			aux:    []auxiliary{zi("probability of zeros that are not counts"), shape()}},
		{name: "zero_inflated_binomial", links: []string{"logit", "probit", "cloglog"}, takes: trialsOutcome,
			dist:   "ZeroInflated({zi}, Binomial({trials}, {mean}))",
			direct: map[string]string{"logit": "ZeroInflated({zi}, Binomial({trials}, logits = {eta}))"},
			aux:    []auxiliary{zi("probability of zeros that are not counts")}},
		{name: "zero_inflated_beta", links: []string{"logit", "probit", "cloglog"}, takes: shareOrZeroOutcome,
			dist: "Hurdle({zi}, Beta(mean = {mean}, concentration = {phi}))",
			aux:  []auxiliary{zi("probability of zeros"), phi()}},
		{name: "hurdle_poisson", links: []string{"log"}, dist: "Hurdle({hu}, Poisson({mean}))", takes: countOutcome,
			direct: map[string]string{"log": "Hurdle({hu}, Poisson(log = {eta}))"}, aux: []auxiliary{hu()}},
		{name: "hurdle_negbinomial", links: []string{"log"}, takes: countOutcome,
			dist:   "Hurdle({hu}, NegBinomial({mean}, {shape}))",
			direct: map[string]string{"log": "Hurdle({hu}, NegBinomial(log = {eta}, size = {shape}))"},
			aux:    []auxiliary{hu(), shape()}},
		{name: "hurdle_gamma", links: []string{"log", "inverse", "identity"}, takes: nonNegativeOutcome,
			dist: "Hurdle({hu}, Gamma(mean = {mean}, shape = {shape}))", aux: []auxiliary{hu(), shape()}},
		{name: "hurdle_lognormal", links: []string{"identity"}, takes: nonNegativeOutcome, logarithm: true,
			dist: "Hurdle({hu}, LogNormal({mean}, {sigma}))", aux: []auxiliary{hu(), sigma()}},
		{name: "sratio", also: []string{"cratio"}, links: []string{"logit"}, takes: orderedOutcome,
			dist: "Categorical(logits = {steps})", aux: []auxiliary{disc()}, define: stops()},
		{name: "acat", links: []string{"logit"}, takes: orderedOutcome, dist: "Categorical(logits = {steps})",
			aux: []auxiliary{disc()}, define: []definition{
				{"steps", "k in 1..{levels}", "sum(j in 1..k-1: {disc}{eta} - {disc}{cut}[j])", ""}}},
		{name: "categorical", links: []string{"logit"}, takes: categoryOutcome, categories: true,
			dist: "Categorical(logits = {logits})"},
		{name: "multinomial", links: []string{"logit"}, takes: talliesOutcome, categories: true,
			dist: "Multinomial({trials}, logits = {logits})"},
		{name: "cox", links: []string{"log"}, takes: positiveOutcome, hazard: true},
		{name: "exgaussian", links: []string{"identity", "log", "inverse"},
			dist: "ExpModNormal({mean} - {beta}, {sigma}, 1 / {beta})",
			aux: []auxiliary{sigma(),
				{"beta", "Exponential(mean = {sd})", "mean of the exponential part", "log", 0, 1.5}}},
		{name: "gen_extreme_value", also: []string{"gev"}, links: []string{"identity", "log", "inverse"},
			dist: "GeneralizedExtremeValue({mean}, {sigma}, {xi})",
			aux: []auxiliary{sigma(), {"xi", "Normal(0, 0.3)", "shape: 0 is the Gumbel distribution", "identity", 1,
				0.3}}},
	}
}

// links maps each link to the mean as an expression of the linear predictor {eta}.
func links() map[string]string {
	return map[string]string{
		"identity": "{eta}", "log": "exp({eta})", "inverse": "1 / {eta}",
		"sqrt": "{eta}^2", "1/mu^2": "1 / sqrt({eta})", "logit": "sigmoid({eta})",
		"probit": "Phi({eta})", "cloglog": "inv_cloglog({eta})", "tan_half": "2 * atan({eta})",
	}
}

// Families returns the names of the families that a formula can have.
func Families() (names []string) {
	for _, f := range families() {
		names = append(names, f.name)
	}
	return names
}

// findFamily returns the family and the link of a text such as binomial or binomial(probit). The default link is the
// family's first; an empty text means gaussian.
func findFamily(text string) (family, string) {
	name, chosen, _ := strings.Cut(strings.TrimSpace(text), "(")
	name = strings.ToLower(strings.TrimSpace(name))
	chosen = strings.TrimSuffix(strings.TrimSpace(chosen), ")")
	if _, after, ok := strings.Cut(chosen, "="); ok {
		chosen = after
	}
	chosen = strings.Trim(strings.TrimSpace(chosen), `"'`)
	if name == "" {
		name = "gaussian"
	}
	for _, f := range families() {
		if f.name != name && !slices.Contains(f.also, name) {
			continue
		}
		if chosen == "" {
			chosen = f.links[0]
		}
		if !slices.Contains(f.links, chosen) {
			panic(&Error{Message: fmt.Sprintf("the family %s has no link %q", f.name, chosen),
				Help: "its links are " + diag.And(f.links)})
		}
		return f, chosen
	}
	panic(&Error{Message: fmt.Sprintf("there is no family %q", name),
		Help: diag.MeantAmong(Families(), "%s", name, "families are "+diag.And(Families()))})
}
