package stdlib

import (
	"regexp"
	"strings"
	"testing"
)

// The distributions of the Stan Functions Reference 2.36, part "distributions", and of numpyro.distributions 0.16, by their names there. Foreign says how ppl
// has each, or unlike says why it has not.
const (
	stanDists = `bernoulli bernoulli_logit bernoulli_logit_glm
binomial binomial_logit binomial_logit_glm beta_binomial hypergeometric categorical categorical_logit categorical_logit_glm discrete_range
ordered_logistic ordered_logistic_glm ordered_probit
neg_binomial neg_binomial_2 neg_binomial_2_log neg_binomial_2_log_glm poisson poisson_log poisson_log_glm beta_neg_binomial
multinomial multinomial_logit dirichlet_multinomial
normal std_normal normal_id_glm exp_mod_normal skew_normal student_t cauchy double_exponential logistic gumbel skew_double_exponential
lognormal chi_square inv_chi_square scaled_inv_chi_square exponential gamma inv_gamma weibull frechet rayleigh loglogistic
pareto pareto_type_2 wiener beta beta_proportion von_mises uniform
multi_normal multi_normal_prec multi_normal_cholesky multi_gp multi_gp_cholesky multi_student_t multi_student_t_cholesky gaussian_dlm_obs
dirichlet lkj_corr lkj_corr_cholesky wishart wishart_cholesky inv_wishart inv_wishart_cholesky`

	numpyroDists = `AsymmetricLaplace AsymmetricLaplaceQuantile Beta BetaProportion CAR Cauchy Chi2 CirculantNormal Dirichlet EulerMaruyama Exponential Gamma
GaussianCopula GaussianCopulaBeta GaussianRandomWalk GaussianStateSpace Gompertz Gumbel HalfCauchy HalfNormal InverseGamma Kumaraswamy LKJ LKJCholesky Laplace Levy
LogNormal LogUniform Logistic LowRankMultivariateNormal MatrixNormal MultivariateNormal MultivariateStudentT Normal Pareto RelaxedBernoulli RelaxedBernoulliLogits
SoftLaplace StudentT TruncatedCauchy TruncatedNormal TruncatedPolyaGamma Uniform Weibull Wishart WishartCholesky ZeroSumNormal
Bernoulli BernoulliLogits BernoulliProbs BetaBinomial Binomial BinomialLogits BinomialProbs Categorical CategoricalLogits CategoricalProbs DirichletMultinomial
DiscreteUniform GammaPoisson Geometric GeometricLogits GeometricProbs Multinomial MultinomialLogits MultinomialProbs NegativeBinomial NegativeBinomial2
NegativeBinomialLogits NegativeBinomialProbs OrderedLogistic Poisson ZeroInflatedDistribution ZeroInflatedNegativeBinomial2 ZeroInflatedPoisson
MixtureGeneral MixtureSameFamily ProjectedNormal SineBivariateVonMises SineSkewed VonMises
LeftTruncatedDistribution RightTruncatedDistribution TruncatedDistribution TwoSidedTruncatedDistribution DoublyTruncatedPowerLaw LowerTruncatedPowerLaw
LeftCensoredDistribution RightCensoredDistribution Delta ImproperUniform Unit`
)

// unlike are those that ppl has no row for, and why.
var unlike = map[string]string{
	"gaussian_dlm_obs":      "a linear state space model is written as the recurrence that it is, its states as parameters",
	"GaussianStateSpace":    "a linear state space model is written as the recurrence that it is, its states as parameters",
	"EulerMaruyama":         "a diffusion in steps is written as the recurrence that it is",
	"CirculantNormal":       "needs the fast Fourier transform, which is none of our ops; MvNormal has its law",
	"GaussianCopula":        "a law whose argument is a law; Density(…) has it, of logpdf, cdf and inv_Phi",
	"GaussianCopulaBeta":    "a law whose argument is a law; Density(…) has it, of logpdf, cdf and inv_Phi",
	"TruncatedPolyaGamma":   "the auxiliary variable of a Gibbs sampler",
	"ProjectedNormal":       "of interest above two dimensions through a Bessel function of half-integer order; no row yet",
	"SineBivariateVonMises": "its normaliser is a series of products of Bessel functions; no row yet, Density(…) has it for fixed concentrations",
	"SineSkewed":            "a law whose argument is a law; Density(…) has it",
}

// TestCatalogue: every distribution of Stan and NumPyro is a row or a form here, with the arguments that Foreign names, or has a reason.
func TestCatalogue(t *testing.T) {
	for _, name := range strings.Fields(stanDists + " " + numpyroDists) {
		code, known := ours(name)
		switch _, excused := unlike[name]; {
		case known && excused:
			t.Errorf("%s is `%s` and has a reason not to be", name, code)
		case !known && !excused:
			t.Errorf("%s: neither a row nor a reason", name)
		case known:
			if fault := unwritable(code); fault != "" {
				t.Errorf("%s: `%s`: %s", name, code, fault)
			}
		}
	}
	for _, bad := range []string{"Bernouli(p)", "Normal(mu, variance = v)", "Normal"} {
		if (unwritable(bad) == "") != (bad == "Normal") {
			t.Errorf("`%s` passes for code or does not", bad)
		}
	}
}

func ours(name string) (code string, ok bool) {
	if Dists()[name] != nil {
		return name, true
	}
	return Foreign(name)
}

var (
	lawCall  = regexp.MustCompile(`\b([A-Z]\w+)(?:\(([^()]*(?:\([^()]*\)[^()]*)*)\))?`)
	argNamed = regexp.MustCompile(`\b(\w+) = `)
)

// unwritable says which law or named argument in code there is not; definitions (x = e) and Density pass.
func unwritable(code string) string {
	for _, call := range lawCall.FindAllStringSubmatch(code, -1) {
		d := Dists()[call[1]]
		if d == nil && call[1] != "Density" {
			return "no distribution " + call[1]
		}
		for _, arg := range argNamed.FindAllStringSubmatch(call[2], -1) {
			if d != nil && !takes(d, arg[1]) {
				return "no argument " + arg[1]
			}
		}
	}
	return ""
}

func takes(d *Dist, arg string) bool {
	for _, f := range d.Forms {
		for _, a := range f.Args {
			if a.Name == arg {
				return true
			}
		}
	}
	return false
}
