package stdlib

import "strings"

// Foreign returns the ppl code that replaces a name of another modelling language or of NumPy. It helps users who type
// that name. ok is false if no such language uses the name. The names are those of the Stan Functions Reference 2.36,
// PyMC 5, NumPyro 0.16 and scipy.special.
func Foreign(name string) (code string, ok bool) {
	if code, ok = foreign[name]; ok {
		return code, true
	}
	if code, ok = foreign[strings.ToLower(name)]; ok { // Bernoulli_logit is found as bernoulli_logit
		return code, true
	}
	if code, ok = sameName(name); ok {
		return code, true
	}
	for _, s := range foreignSuffixes {
		base, found := strings.CutSuffix(name, s.suffix)
		if law, known := foreignDistribution(base); found && known {
			return strings.ReplaceAll(s.code, "D", law), true
		}
	}
	return "", false
}

// ForeignCall returns what Foreign returns, for a name that is called. Some function names are names of distributions
// too; for these it returns the function.
func ForeignCall(name string) (code string, ok bool) {
	if code, ok = foreignCalls[name]; ok {
		return code, true
	}
	return Foreign(name)
}

var foreignCalls = map[string]string{
	"logistic": "sigmoid(x)", "gamma": "exp(lgamma(x))", "beta": "exp(lbeta(a, b))",
	"z": standardized, "zscore": standardized, "scale": standardized, "standardize": standardized,
	"center": centered, "centre": centered,
}

// These expressions replace functions of other languages that standardise and centre columns.
const (
	standardized = "(x[i] - mean(x)) / sd(x)"
	centered     = "x[i] - mean(x)"
)

// foreignSuffixes lists the suffixes of Stan's functions of a distribution, with ppl code for each. D in the code is
// replaced by the distribution.
var foreignSuffixes = []struct{ suffix, code string }{
	{"_lpdf", "logpdf(D, x)"}, {"_lpmf", "logpdf(D, x)"}, {"_lupdf", "logpdf(D, x)"}, {"_lupmf", "logpdf(D, x)"},
	{"_lcdf", "logcdf(D, x)"}, {"_cdf", "cdf(D, x)"}, {"_lccdf", "log1m(cdf(D, x))"},
	{"_rng", "generate x ~ D"},
}

// foreignDistribution returns the ppl distribution for a foreign name, with its arguments.
func foreignDistribution(name string) (string, bool) {
	code, ok := foreign[name]
	if !ok {
		code, ok = sameName(name)
	}
	if ok && !strings.Contains(code, "(") {
		code += "(…)"
	}
	return code, ok
}

// sameName returns the distribution whose name differs from name only in case and underscores.
func sameName(name string) (string, bool) {
	plain := strings.ToLower(strings.ReplaceAll(name, "_", ""))
	for d := range Dists() {
		if strings.ToLower(d) == plain && d != name {
			return d, true
		}
	}
	return "", false
}

var foreign = map[string]string{
	// Distributions under other names.
	"chi_squared": "ChiSquare", "ChiSquared": "ChiSquare", "Chi2": "ChiSquare",
	"double_exponential": "Laplace", "skew_double_exponential": "AsymmetricLaplace",
	"inv_chi_square": "InverseChiSquare", "scaled_inv_chi_square": "ScaledInverseChiSquare",
	"inv_gamma": "InverseGamma", "inv_wishart": "InverseWishart", "inv_wishart_cholesky": "InverseWishartCholesky",
	"multi_student_t": "MvStudentT", "MultivariateStudentT": "MvStudentT", "Wald": "InverseGaussian",
	"GEV": "GeneralizedExtremeValue", "genextreme": "GeneralizedExtremeValue", "gev": "GeneralizedExtremeValue",
	"gen_extreme_value": "GeneralizedExtremeValue",
	"GPD":               "GeneralizedPareto", "genpareto": "GeneralizedPareto", "pareto_type_2": "ParetoType2",
	"multi_normal": "MvNormal", "MultivariateNormal": "MvNormal",
	"NegativeBinomial": "NegBinomial", "NegativeBinomial2": "NegBinomial",
	"ZeroInflatedNegativeBinomial": "ZeroInflatedNegBinomial",
	"ExGaussian":                   "ExpModNormal", "ImproperUniform": "Flat",

	"InvGamma": "InverseGamma", "InvWishart": "InverseWishart", "InvGaussian": "InverseGaussian",
	"NormalInverseGaussian": "InverseGaussian", "Gaussian": "Normal", "gaussian": "Normal", "Norm": "Normal",
	"N":   "Normal",
	"Exp": "Exponential", "Unif": "Uniform", "Bern": "Bernoulli", "Binom": "Binomial", "NegBinom": "NegBinomial",
	"T": "StudentT", "Student": "StudentT", "student": "StudentT", "Multinom": "Multinomial", "Dir": "Dirichlet",

	// Distributions and functions of JAGS and BUGS.
	"dnorm": "Normal(mu, precision = tau)", "dlnorm": "LogNormal(mu, 1 / sqrt(tau))", "dunif": "Uniform(a, b)",
	"dgamma": "Gamma(shape, rate)", "dexp": "Exponential(rate)", "dbeta": "Beta(a, b)", "dbern": "Bernoulli(p)",
	"dbin": "Binomial(n, p)", "dbinom": "Binomial(n, p)", "dpois": "Poisson(lambda)", "dcat": "Categorical(p)",
	"dmulti": "Multinomial(n, p)", "ddirch": "Dirichlet(alpha)", "ddirich": "Dirichlet(alpha)",
	"dt": "StudentT(nu, mu, 1 / sqrt(tau))", "dweib": "Weibull(v, lambda^(-1 / v))",
	"dnegbin": "NegBinomial(size = r, p = p)", "ddexp": "Laplace(mu, 1 / tau)", "dchisqr": "ChiSquare(k)",
	"dlogis": "Logistic(mu, 1 / tau)", "dmnorm": "MvNormal(mu, prec = Omega)", "dwish": "Wishart(k, inverse(R))",
	"dinterval": "y ~ Normal(mu, sd) censored a..b", "dflat": "Flat", "ilogit": "sigmoid(x)", "equals": "x == y",
	"icloglog": "1 - exp(-exp(x))", "inprod": "x @ y",

	// Distributions that ppl writes as a parametrisation or special case of another.
	"std_normal": "Normal(0, 1)", "HalfFlat": "Flat in 0..inf", "discrete_range": "DiscreteUniform(lo, hi)",
	"TruncatedNormal": "Normal(mu, sd) in a..b", "Truncated": "Normal(mu, sd) in a..b",
	"Censored":        "Normal(mu, sd) censored a..b",
	"bernoulli_logit": "Bernoulli(logits = eta)", "BernoulliLogits": "Bernoulli(logits = eta)",
	"BernoulliLogit": "Bernoulli(logits = eta)",
	"binomial_logit": "Binomial(n, logits = eta)", "BinomialLogits": "Binomial(n, logits = eta)",
	"categorical_logit": "Categorical(logits = eta)", "CategoricalLogits": "Categorical(logits = eta)",
	"multinomial_logit": "Multinomial(n, logits = eta)", "MultinomialLogits": "Multinomial(n, logits = eta)",
	"poisson_log": "Poisson(log = eta)", "neg_binomial": "NegBinomial(shape = a, rate = b)",
	"neg_binomial_2": "NegBinomial(mean = mu, size = phi)", "neg_binomial_2_log": "NegBinomial(log = eta, size = phi)",
	"beta_proportion":   "Beta(mean = mu, concentration = kappa)",
	"BetaProportion":    "Beta(mean = mu, concentration = kappa)",
	"multi_normal_prec": "MvNormal(mu, prec = P)", "multi_normal_cholesky": "MvNormal(mu, chol = L)",
	"lkj_corr": "LKJ(eta)", "LKJCorr": "LKJ(eta)", "lkj_corr_cholesky": "LKJCholesky(eta)",
	"LKJCholeskyCov": "Omega[D, D] ~ LKJ(eta)`, and `MvNormal(mu, sd = tau, corr = Omega)",
	"quad_form_diag": "MvNormal(mu, sd = tau, corr = Omega)",
	"normal_id_glm":  "Normal(alpha + X @ beta, sigma)", "bernoulli_logit_glm": "Bernoulli(logits = alpha + X @ beta)",
	"poisson_log_glm":           "Poisson(log = alpha + X @ beta)",
	"neg_binomial_2_log_glm":    "NegBinomial(log = alpha + X @ beta, size = phi)",
	"categorical_logit_glm":     "Categorical(logits = alpha + X[n] @ beta)",
	"ordered_logistic_glm":      "OrderedLogistic(X @ beta, cut)",
	"binomial_logit_glm":        "Binomial(n, logits = alpha + X @ beta)",
	"multi_student_t_cholesky":  "MvStudentT(nu, mu, chol = L)",
	"multi_gp":                  "MvNormal(0, cov = K / w[d])",
	"multi_gp_cholesky":         "MvNormal(0, chol = L / sqrt(w[d]))",
	"AsymmetricLaplaceQuantile": "AsymmetricLaplace(loc, scale, quantile = q)",
	"RelaxedBernoulliLogits":    "RelaxedBernoulli(temperature, logits = eta)",
	"LowRankMultivariateNormal": "MvNormal(mu, cov_factor = W, cov_diag = v)",
	"ZeroSumNormal":             "x[K] ~ Normal(0, sd) zerosum",
	"BernoulliProbs":            "Bernoulli(p)", "BinomialProbs": "Binomial(n, p)",
	"CategoricalProbs": "Categorical(p)", "MultinomialProbs": "Multinomial(n, p)",
	"GeometricProbs": "Geometric(p)", "GeometricLogits": "Geometric(logits = eta)",
	"GammaPoisson":                  "NegBinomial(shape = a, rate = b)",
	"NegativeBinomialProbs":         "NegBinomial(size = r, p = q)",
	"NegativeBinomialLogits":        "NegBinomial(size = r, logits = eta)",
	"ZeroInflatedNegativeBinomial2": "ZeroInflatedNegBinomial(gate, mean = mu, size = phi)",
	"ZeroInflatedDistribution":      "y[n] ~ Density(log_mix(gate, y[n] == 0 ? 0 : -inf, logpdf(Poisson(rate), y[n])))",
	"DoublyTruncatedPowerLaw":       "TruncatedPowerLaw(alpha, lo, hi)",
	"LowerTruncatedPowerLaw":        "Pareto(scale = lo, shape = -alpha - 1)",
	"TruncatedCauchy":               "Cauchy(loc, scale) in a..b", "TruncatedDistribution": "Normal(mu, sd) in a..b",
	"TwoSidedTruncatedDistribution": "Normal(mu, sd) in a..b",
	"LeftTruncatedDistribution":     "Normal(mu, sd) in a..inf",
	"RightTruncatedDistribution":    "Normal(mu, sd) in -inf..b",
	"LeftCensoredDistribution":      "Normal(mu, sd) censored a..inf",
	"RightCensoredDistribution":     "Normal(mu, sd) censored -inf..b",
	"Potential":                     "x ~ Density(e)", "Unit": "x ~ Density(e)", "CustomDist": "x ~ Density(e)",
	"factor": "x ~ Density(e)", "Deterministic": "generate x = e",
	"deterministic": "generate x = e", "Delta": "x = e", "DiracDelta": "x = e",
	"Mixture":           "z[n in N] ~ Categorical(w)` and `y[n in N] ~ Normal(mu[z[n]], sd)",
	"MixtureGeneral":    "z[n in N] ~ Categorical(w)` and `y[n in N] ~ Normal(mu[z[n]], sd)",
	"MixtureSameFamily": "z[n in N] ~ Categorical(w)` and `y[n in N] ~ Normal(mu[z[n]], sd)",
	"AR":                "y[t in 2..T] ~ Normal(phi * y[t-1], sd)",

	// Functions.
	"lambert_w0": "lambert_w(x)", "lambertw": "lambert_w(x)",
	"log_sum_exp": "logsumexp(x), of two logaddexp(x, y)", "inv_logit": "sigmoid(x)", "expit": "sigmoid(x)",
	"log_inv_logit": "log_sigmoid(x)", "log1m_inv_logit": "log_sigmoid(-x)", "log_expit": "log_sigmoid(x)",
	"rep_vector": "fill(v, N)", "rep_row_vector": "fill(v, N)", "rep_matrix": "fill(v, N, M)",
	"rep_array":    "fill(v, N)",
	"zeros_vector": "fill(0, N)", "ones_vector": "fill(1, N)", "ones": "fill(1, N)", "zeros": "fill(0, N)",
	"full":             "fill(v, N)",
	"linspaced_vector": "[i in N: a + (b - a) * (i - 1) / (N - 1)]",
	"linspace":         "[i in N: a + (b - a) * (i - 1) / (N - 1)]",
	"arange":           "[i in N: i]", "linspaced_int_array": "[i in N: i]",
	"dot_product": "x @ y", "dot_self": "sum(square(x))", "matmul": "X @ b",
	"columns_dot_product": "[k in K: dot(X[_, k], Y[_, k])]",
	"rows_dot_product":    "[n in N: dot(X[n], Y[n])]", "crossprod": "transpose(X) @ X",
	"tcrossprod":                        "X @ transpose(X)",
	"multiply_lower_tri_self_transpose": "L @ transpose(L)", "elt_multiply": "x * y", "elt_divide": "x / y",
	"columns_dot_self": "[k in K: sum(square(X[_, k]))]", "rows_dot_self": "[n in N: sum(square(X[n]))]",
	"symmetrize_from_lower_tri": "[i in N, j in N: X[max(i, j), min(i, j)]]", "one_hot_vector": "[i in N: i == k]",
	"uniform_simplex":      "fill(1 / K, K)",
	"linspaced_array":      "[i in N: a + (b - a) * (i - 1) / (N - 1)]",
	"linspaced_row_vector": "[i in N: a + (b - a) * (i - 1) / (N - 1)]",
	"ones_array":           "fill(1, N)", "ones_row_vector": "fill(1, N)", "zeros_array": "fill(0, N)",
	"zeros_row_vector": "fill(0, N)", "sub_row": "X[i, j..j+m-1]",
	"diag_pre_multiply":  "[i in K, j in K: tau[i] * L[i, j]]",
	"diag_post_multiply": "[i in K, j in K: L[i, j] * tau[j]]",
	"diag_matrix":        "diag(v)", "identity_matrix": "diagonal(1, N)", "eye": "diagonal(1, N)",
	"det": "determinant(X)", "slogdet": "log_determinant(X)", "logdet": "log_determinant(X)", "expm": "matrix_exp(X)",
	"chol2inv": "inverse_spd(L @ transpose(L))", "cholesky_decompose": "cholesky(X)",
	"eigenvalues_sym": "eigenvalues(X)", "eigenvectors_sym": "eigenvectors(X)",
	"eigh": "eigenvalues(X), eigenvectors(X)", "eigvalsh": "eigenvalues(X)",
	"mdivide_left": "inverse(A) @ b", "mdivide_left_spd": "inverse_spd(A) @ b",
	"mdivide_left_tri_low": "inverse(L) @ b", "solve": "inverse(A) @ b",
	"mdivide_right": "b @ inverse(A)", "mdivide_right_spd": "b @ inverse_spd(A)",
	"mdivide_right_tri_low": "b @ inverse(L)",
	"matrix_exp_multiply":   "matrix_exp(A) @ B", "scale_matrix_exp_multiply": "matrix_exp(t * A) @ B",
	"matrix_power": "A @ A @ …",
	"quad_form":    "transpose(B) @ A @ B", "quad_form_sym": "transpose(B) @ A @ B",
	"trace_quad_form":     "trace(transpose(B) @ A @ B)",
	"trace_gen_quad_form": "trace(D @ transpose(B) @ A @ B)", "squared_distance": "distance(x, y)^2",
	"norm2": "norm(x)", "norm1": "sum(abs(x))",
	"qr_thin_R": "transpose(cholesky(transpose(X) @ X))", "qr_R": "transpose(cholesky(transpose(X) @ X))",
	"qr_thin_Q":       "X @ inverse(transpose(cholesky(transpose(X) @ X)))",
	"qr_Q":            "X @ inverse(transpose(cholesky(transpose(X) @ X)))",
	"singular_values": "sqrt(eigenvalues(transpose(X) @ X))", "svdvals": "sqrt(eigenvalues(transpose(X) @ X))",
	"gp_matern32_cov": "matern32(x, alpha, rho)", "gp_matern52_cov": "matern52(x, alpha, rho)",
	"gp_exponential_cov": "matern12(x, alpha, rho)",
	"gp_periodic_cov":    "periodic(x, alpha, rho, period)",
	"gp_dot_prod_cov":    "[i in N, j in N: sigma^2 + x[i] * x[j]]", "Matern32": "matern32(x, alpha, rho)",
	"Matern52": "matern52(x, alpha, rho)",
	"add_diag": "C + diagonal(e, N)", "outer": "[i in N, j in M: x[i] * y[j]]",
	"to_vector":     "[i in N, j in M: …] as it is: distributions and arithmetic take arrays of any rank",
	"to_array_1d":   "x as it is: there is one kind of array",
	"to_row_vector": "x as it is: there is one kind of array", "to_matrix": "[i in N, j in M: …]",
	"append_row": "concat(x, y)", "append_col": "concat(x, y)", "append_array": "concat(x, y)",
	"concatenate": "concat(x, y)", "stack": "concat(x, y)",
	"head": "x[1..n]", "segment": "x[i..i+n-1]", "sub_col": "X[i..i+n-1, j]", "col": "X[_, j]", "row": "X[i]",
	"block": "X[i..i+n-1, j..j+m-1]",
	"tail":  "x[N-n+1..N]", "reverse": "[i in N: x[N+1-i]]",
	"rows": "N, the name of the axis", "cols": "N, the name of the axis", "size": "N, the name of the axis",
	"num_elements": "N, the name of the axis", "len": "N, the name of the axis", "shape": "N, the name of the axis",
	"cumulative_sum": "cumsum(x)", "variance": "var(x)", "std": "sd(x)", "fmax": "max(x, y)", "fmin": "min(x, y)",
	"maximum": "max(x, y)", "minimum": "min(x, y)", "fabs": "abs(x)", "power": "x^y", "logical_not": "!x",
	"tgamma": "exp(lgamma(x))", "gamma_fn": "exp(lgamma(x))", "gammaln": "lgamma(x)", "betaln": "lbeta(a, b)",
	"binomial_coefficient_log": "lchoose(n, k)", "choose": "exp(lchoose(n, k))", "multiply_log": "xlogy(x, y)",
	"lmultiply": "xlogy(x, y)",
	"fdim":      "max(x - y, 0)", "fmod": "x - y * trunc(x / y)", "exp2": "2^x", "fma": "x * y + z", "ldexp": "x * 2^n",
	"inv_erfc":        "-inv_Phi(x / 2) / sqrt(2)",
	"binary_log_loss": "-logpdf(Bernoulli(p), y)", "log_inv_logit_diff": "log_diff_exp(log_sigmoid(x), log_sigmoid(y))",
	"inc_beta": "cdf(Beta(a, b), x)", "betainc": "cdf(Beta(a, b), x)", "inv_inc_beta": "quantile(Beta(a, b), p)",
	"betaincinv": "quantile(Beta(a, b), p)",
	"gamma_p":    "cdf(Gamma(a, 1), x)", "gammainc": "cdf(Gamma(a, 1), x)", "gamma_q": "1 - cdf(Gamma(a, 1), x)",
	"gammaincc": "1 - cdf(Gamma(a, 1), x)",
	"ndtr":      "Phi(x)", "log_ndtr": "log_Phi(x)", "ndtri": "inv_Phi(p)", "norm_ppf": "inv_Phi(p)",
	"erfinv":                "inv_erf(x)",
	"lmgamma":               "n * (n - 1) / 4 * log(pi) + sum(j in 1..n: lgamma(x + (1 - j) / 2))",
	"multigammaln":          "n * (n - 1) / 4 * log(pi) + sum(j in 1..n: lgamma(x + (1 - j) / 2))",
	"falling_factorial":     "exp(lgamma(x + 1) - lgamma(x - n + 1))",
	"log_falling_factorial": "lgamma(x + 1) - lgamma(x - n + 1)",
	"rising_factorial":      "exp(log_rising_factorial(x, n))", "poch": "exp(log_rising_factorial(x, n))",
	"inv_sqrt": "1 / sqrt(x)", "inv_square": "1 / square(x)", "Phi_approx": "Phi(x)",
	"ifelse":  "c ? a : b",
	"if_else": "c ? a : b", "where": "c ? a : b", "switch": "c ? a : b", "int_step": "x > 0", "step": "x >= 0",
	"gp_exp_quad_cov": "rbf(x, alpha, rho)", "cov_exp_quad": "rbf(x, alpha, rho)", "ExpQuad": "rbf(x, alpha, rho)",
	"integrate_ode": "u'(t) = …", "integrate_ode_rk45": "u'(t) = …", "integrate_ode_bdf": "u'(t) = …",
	"ode_rk45": "u'(t) = …",
	"ode_bdf":  "u'(t) = …", "ode_adams": "u'(t) = …", "ode_ckrk": "u'(t) = …", "odeint": "u'(t) = …",
	"sort_asc": "sort(x)", "sort_desc": "-sort(-x)", "percentile": "quantile(x, p / 100)", "which_max": "argmax(x)",
	"which_min": "argmin(x)", "nanmedian": "median(x)", "sorted": "sort(x)",
	"sort_indices_asc": "[k in N: argmax(rank(x) == k)]", "argsort": "[k in N: argmax(rank(x) == k)]",
	"sort_indices_desc": "[k in N: argmax(rank(-x) == k)]",
	// Functions of R.
	"c": "[x, y, …]", "rep": "fill(x, N)", "plogis": "sigmoid(x)",
	"qlogis": "logit(p)", "pnorm": "Phi(x)", "qnorm": "inv_Phi(p)",
	"std_normal_rng": "generate x ~ Normal(0, 1)",
}
