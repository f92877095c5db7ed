package stdlib

import (
	"regexp"
	"strings"
	"testing"
)

// The distributions of the Stan Functions Reference 2.36, part "distributions", and of numpyro.distributions 0.16, by
// their names there. Foreign has the ppl code for each, or unlike the reason why there is none.
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

// unlike maps the distributions that ppl does not have to the reason.
var unlike = map[string]string{
	"gaussian_dlm_obs": "a linear state space model is written as the recurrence that it is, its states " +
		"as parameters",
	"GaussianStateSpace": "a linear state space model is written as the recurrence that it is, its states " +
		"as parameters",
	"EulerMaruyama":       "a diffusion in steps is written as the recurrence that it is",
	"CirculantNormal":     "needs the fast Fourier transform, which is none of our ops; MvNormal has its law",
	"GaussianCopula":      "a law whose argument is a law; Density(…) has it, of logpdf, cdf and inv_Phi",
	"GaussianCopulaBeta":  "a law whose argument is a law; Density(…) has it, of logpdf, cdf and inv_Phi",
	"TruncatedPolyaGamma": "the auxiliary variable of a Gibbs sampler",
	"ProjectedNormal": "of interest above two dimensions through a Bessel function of half-integer " +
		"order; no row yet",
	"SineBivariateVonMises": "its normaliser is a series of products of Bessel functions; no row yet, Density(…) has " +
		"it for fixed concentrations",
	"SineSkewed": "a law whose argument is a law; Density(…) has it",
}

// TestCatalogue: every distribution of Stan and NumPyro is a row or a form here, with the arguments that Foreign names,
// or has a reason.
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

// The functions of the Stan Functions Reference 2.36, chapters "real-valued basic functions" and "matrix operations",
// that are not operators and not distributions.
const stanFunctions = `abs int_step inv inv_sqrt inv_square fdim fmin fmax fmod floor ceil round trunc sqrt cbrt square exp exp2 log log2 log10 pow
hypot cos sin tan acos asin atan atan2 cosh sinh tanh acosh asinh atanh logit inv_logit inv_cloglog inv_erfc erf erfc Phi inv_Phi Phi_approx binary_log_loss owens_t
beta inc_beta inv_inc_beta lbeta tgamma lgamma digamma trigamma lmgamma gamma_p gamma_q choose bessel_first_kind bessel_second_kind modified_bessel_first_kind
log_modified_bessel_first_kind modified_bessel_second_kind falling_factorial lchoose log_falling_factorial rising_factorial log_rising_factorial
expm1 fma ldexp lambert_w0 lambert_wm1 lmultiply log1p log1m log1p_exp log1m_exp log_diff_exp log_mix log_sum_exp log_inv_logit log_inv_logit_diff log1m_inv_logit
num_elements rows cols dot_product columns_dot_product rows_dot_product dot_self columns_dot_self rows_dot_self tcrossprod crossprod quad_form quad_form_diag quad_form_sym
trace_quad_form trace_gen_quad_form multiply_lower_tri_self_transpose diag_pre_multiply diag_post_multiply
min max sum prod mean variance sd norm1 norm2 distance squared_distance quantile
rep_vector rep_row_vector rep_matrix symmetrize_from_lower_tri add_diag diagonal diag_matrix identity_matrix linspaced_array linspaced_int_array linspaced_vector
linspaced_row_vector one_hot_vector ones_vector ones_array ones_row_vector zeros_vector zeros_array zeros_row_vector uniform_simplex
col row block sub_col sub_row head tail segment append_col append_row softmax log_softmax cumulative_sum
gp_exp_quad_cov gp_dot_prod_cov gp_exponential_cov gp_matern32_cov gp_matern52_cov gp_periodic_cov
mdivide_left_tri_low mdivide_right_tri_low mdivide_left mdivide_right mdivide_left_spd mdivide_right_spd matrix_exp matrix_exp_multiply scale_matrix_exp_multiply
matrix_power trace determinant log_determinant log_determinant_spd inverse inverse_spd chol2inv generalized_inverse eigenvalues eigenvectors eigenvalues_sym eigenvectors_sym
qr_thin_Q qr_thin_R qr_Q qr_R cholesky_decompose singular_values svd_U svd_V sort_asc sort_desc sort_indices_asc sort_indices_desc rank reverse
to_matrix to_vector to_row_vector to_array_1d csr_extract csr_to_dense_matrix csr_matrix_times_vector`

// lacking maps the functions that ppl does not have to the reason.
var lacking = map[string]string{
	"owens_t": sparing, "lambert_wm1": sparing, "bessel_first_kind": sparing,
	"bessel_second_kind":             sparing,
	"modified_bessel_second_kind":    sparing,
	"modified_bessel_first_kind":     "of order 0 it is in VonMises; no function yet",
	"log_modified_bessel_first_kind": "of order 0 it is in VonMises; no function yet",
	"generalized_inverse": "of full rank it is inverse_spd(transpose(X) @ X) @ transpose(X); of another " +
		"rank it has no gradient",
	"svd_U":       "eigenvectors(X @ transpose(X)) where that is enough",
	"svd_V":       "eigenvectors(transpose(X) @ X) where that is enough",
	"csr_extract": sparse, "csr_to_dense_matrix": sparse, "csr_matrix_times_vector": sparse,
}

const (
	sparing = "seen in no model that we know of"
	sparse  = "a sparse product is a sum over its entries: sum(k in K: …) with subscripts from data"
)

// TestFunctionCatalogue checks that every function of Stan is a function of ppl, has ppl code in Foreign, or is in
// lacking.
func TestFunctionCatalogue(t *testing.T) {
	for _, name := range strings.Fields(stanFunctions) {
		_, foreign := Foreign(name)
		_, excused := lacking[name]
		if have := foreign || ourFunction(name); have == excused {
			t.Errorf("%s: there %t, excused %t", name, have, excused)
		}
	}
}

func ourFunction(name string) bool {
	for _, r := range Rules() {
		if r.Name == name {
			return true
		}
	}
	return Funcs()[name] != nil || Reductions()[name] != nil || Scans()[name] != nil || MatrixFuncs()[name] != nil ||
		strings.Contains(Prelude, "\n"+name+"(")
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

// unwritable names a distribution or named argument in code that ppl does not have. It returns "" if there is none, and
// for definitions (x = e) and Density.
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
