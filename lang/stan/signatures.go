package stan

import (
	"strings"
	"sync"
)

// signatureText lists the functions of Stan's library. A line has names, the classes of their arguments, and the
// result. A name may have several lines. Classes are:
//
//	i r v w m   int, real, vector, row_vector, matrix; r accepts an int, too
//	I           an int or an array of ints
//	R           like I, or a real, an array of reals, a vector or a row_vector
//	c           a vector or row_vector
//	d           a vector or matrix, such as the variances or the covariance
//	V           a vector or row_vector, or an array of either
//	l           any value with one axis of numbers
//	n           numbers in any form
//	a           any value
//	[]x         an array of x
//	f           a function of the program, by its name
//	...         any number of arguments of any type
//
// Results are types, or
//
//	1           the type of the first argument
//	array2      an array with 2 axes of the first argument, and so on
//	a           unknown
//	e           the type of an element of the first argument
//	map         the form of the argument with the most axes, with real elements
//	imap        like map, but with int elements if all arguments have these
const signatureText = `
abs n imap
fabs n map
acos acosh asin asinh atan atanh cbrt cos cosh digamma erf erfc exp exp2 expm1 inv inv_cloglog n map
inv_erfc inv_logit inv_Phi inv_sqrt inv_square lambert_w0 lambert_wm1 lgamma log log10 log1m n map
log1m_exp log1m_inv_logit log1p log1p_exp log2 log_inv_logit logit Phi Phi_approx sin sinh sqrt n map
square tan tanh tgamma trigamma n map
ceil floor round trunc n map
step n imap
int_step n i
is_inf is_nan r i
logical_negation n imap
add_diag m a m
symmetrize_from_lower_tri m m
algebra_solver algebra_solver_newton solve_newton solve_newton_tol solve_powell solve_powell_tol f ... v
append_array a a 1
append_col v v m
append_col m m m
append_col m v m
append_col v m m
append_col w w w
append_col r w w
append_col w r w
append_row w w m
append_row m m m
append_row m w m
append_row w m m
append_row v v v
append_row r v v
append_row v r v
atan2 beta bessel_first_kind bessel_second_kind binary_log_loss fdim fmod hypot falling_factorial n n map
gamma_p gamma_q lbeta lchoose ldexp lmgamma lmultiply log_diff_exp log_falling_factorial n n map
log_modified_bessel_first_kind log_rising_factorial modified_bessel_first_kind n n map
modified_bessel_second_kind multiply_log owens_t pow rising_factorial n n map
choose n n imap
fmax fmin n n map
max min i i i
max min r r r
max min []i i
max min l r
max min m r
block m i i i i m
cholesky_decompose m m
col m i v
column_stochastic_matrix m m
cols rows num_elements size a i
dims a []i
columns_dot_product m m w
columns_dot_product c c w
columns_dot_self m w
columns_dot_self c w
crossprod m m
csr_extract_u csr_extract_v m []i
csr_extract_w m v
csr_matrix_times_vector i i v []i []i v v
csr_to_dense_matrix i i v []i []i m
cumulative_sum l 1
cumulative_eval l 1
determinant log_determinant log_determinant_spd trace m r
diag_matrix v m
diag_post_multiply m c m
diag_pre_multiply c m m
diagonal m v
distance squared_distance l l r
dot_product l l r
dot_self l r
e pi sqrt2 log2 log10 machine_precision max_value positive_infinity negative_infinity not_a_number - r
get_real get_imag a r
eigenvalues_sym m v
eigenvectors_sym m m
singular_values m v
svd_U svd_V m m
qr_Q qr_R qr_thin_Q qr_thin_R m m
fma n n n map
generalized_inverse inverse inverse_spd m m
chol2inv m m
gp_exp_quad_cov cov_exp_quad gp_matern32_cov gp_matern52_cov gp_exponential_cov gp_dot_prod_cov ... m
gp_periodic_cov ... m
head tail a i 1
hmm_marginal m m v r
hmm_hidden_state_prob m m v m
hmm_latent_rng m m v []i
identity_matrix i m
zeros_vector ones_vector i v
zeros_row_vector ones_row_vector i w
zeros_array ones_array i []r
zeros_int_array ones_int_array i []i
one_hot_vector i i v
one_hot_row_vector i i w
one_hot_array i i []r
one_hot_int_array i i []i
uniform_simplex i v
linspaced_vector i r r v
linspaced_row_vector i r r w
linspaced_array i r r []r
linspaced_int_array i i i []i
integrate_1d f ... r
integrate_ode integrate_ode_rk45 integrate_ode_bdf integrate_ode_adams f ... [][]r
ode_rk45 ode_rk45_tol ode_bdf ode_bdf_tol ode_adams ode_adams_tol ode_ckrk ode_ckrk_tol ode_adjoint_tol_ctl f ... []v
dae dae_tol f ... []v
if_else i r r r
inc_beta r r r r
inv_inc_beta r r r r
kronecker_prod m m m
log_mix r r r r
log_mix l l r
log_mix l []l r
multinomial_rng multinomial_logit_rng dirichlet_multinomial_rng v i []i
log_softmax softmax v v
log_sum_exp r r r
log_sum_exp n r
logical_and logical_or logical_eq logical_neq logical_lt logical_lte logical_gt logical_gte r r i
map_rect f v []v [][]r [][]i v
matrix_exp m m
matrix_exp_multiply m m m
scale_matrix_exp_multiply r m m m
matrix_power m i m
mdivide_left mdivide_left_spd mdivide_left_tri_low m v v
mdivide_left mdivide_left_spd mdivide_left_tri_low m m m
mdivide_right mdivide_right_spd mdivide_right_tri_low w m w
mdivide_right mdivide_right_spd mdivide_right_tri_low m m m
mean prod l r
mean m r
prod []i i
norm1 norm2 l r
norm1 norm2 m r
multiply_lower_tri_self_transpose m m
quad_form m m m
quad_form m v r
quad_form_diag m c m
quad_form_sym m m m
quad_form_sym m v r
quantile l r r
quantile l l []r
rank l i i
reduce_sum reduce_sum_static f ... r
rep_array a i array1
rep_array a i i array2
rep_array a i i i array3
rep_matrix r i i m
rep_matrix c i m
rep_row_vector r i w
rep_vector r i v
reverse a 1
row m i w
rows_dot_product m m v
rows_dot_product c c v
rows_dot_self m v
rows_dot_self c v
sd variance l r
sd variance m r
segment a i i 1
sort_asc sort_desc a 1
sort_indices_asc sort_indices_desc a []i
sub_col m i i i v
sub_row m i i i w
sum []i i
sum l r
sum m r
svd a a
tcrossprod m m
to_array_1d []i []i
to_array_1d [][]i []i
to_array_1d [][][]i []i
to_array_1d n []r
to_array_2d m [][]r
to_int r i
to_int []r []i
to_matrix a m
to_matrix a ... m
to_row_vector n w
to_vector n v
target get_lp - r
trace_gen_quad_form m m m r
trace_quad_form m a r
transpose m m
transpose v w
transpose w v
cholesky_factor_corr_constrain ... m
stochastic_column_constrain ... m
multiply n n map
lower_bound_jacobian ... a
`

// densityText lists densities. A line has a name, whether values are real (f) or counts (m), the class of the value,
// and those of the arguments. Final letters name related functions: c for cdf, lcdf and lccdf; g for rng; o if rng
// returns one value for any arguments.
const densityText = `
bernoulli m I R cg
bernoulli_logit m I R g
bernoulli_logit_glm m I m R c g
beta f R R R cg
beta_binomial m I I R R cg
beta_neg_binomial m I R R R cg
beta_proportion f R R R cg
binomial m I I R cg
binomial_logit m I I R g
binomial_logit_glm m I I m R c
categorical m I v go
categorical_logit m I v go
categorical_logit_glm m I m v m
cauchy f R R R cg
chi_square f R R cg
dirichlet f V V go
dirichlet_multinomial m []i v
discrete_range m I I I cg
double_exponential f R R R cg
exp_mod_normal f R R R R cg
exponential f R R cg
frechet f R R R cg
gamma f R R R cg
gaussian_dlm_obs f m m m d m v m
gumbel f R R R cg
hypergeometric m i i i i go
inv_chi_square f R R cg
inv_gamma f R R R cg
inv_wishart f m r m go
inv_wishart_cholesky f m r m go
lkj_corr f m r go
lkj_corr_cholesky f m r go
lkj_cov f m v v r
logistic f R R R cg
loglogistic f R R R cg
lognormal f R R R cg
matrix_normal_prec f m m m m
multi_gp f m m v
multi_gp_cholesky f m m v
multi_normal f V V m go
multi_normal_cholesky f V V m go
multi_normal_prec f V V m go
multi_student_t f V r V m go
multi_student_t_cholesky f V r V m go
multinomial m []i v
multinomial_logit m []i v
neg_binomial m I R R cg
neg_binomial_2 m I R R cg
neg_binomial_2_log m I R R g
neg_binomial_2_log_glm m I m R c R
normal f R R R cg
normal_id_glm f R m R c R
ordered_logistic m I R V go
ordered_logistic_glm m I m v v
ordered_probit m I R V go
pareto f R R R cg
pareto_type_2 f R R R R cg
poisson m I R cg
poisson_log m I R g
poisson_log_glm m I m R c
poisson_binomial m I V cg
rayleigh f R R cg
scaled_inv_chi_square f R R R cg
skew_double_exponential f R R R R cg
skew_normal f R R R R cg
std_normal f R cg
student_t f R R R R cg
uniform f R R R cg
von_mises f R R R cg
weibull f R R R cg
wiener f R R R R R
wishart f m r m go
wishart_cholesky f m r m go
hmm_marginal f m m v
`

// A signature is one line of signatureText.
type signature struct {
	args   []string
	result string
}

// A density is one line of densityText.
type density struct {
	counts    bool
	value     string
	args      []string
	cdf, rng  bool
	oneResult bool
}

var signatures = sync.OnceValue(func() map[string][]signature {
	all := map[string][]signature{}
	for _, line := range strings.Split(strings.TrimSpace(signatureText), "\n") {
		words := strings.Fields(line)
		n := len(words)
		first := n - 1
		for first > 0 && isClass(words[first-1]) && len(words[first-1]) > 0 && first-1 > 0 {
			first--
		}
		s := signature{words[first : n-1], words[n-1]}
		if len(s.args) == 1 && s.args[0] == "-" {
			s.args = nil
		}
		for _, name := range words[:first] {
			all[name] = append(all[name], s)
		}
	}
	return all
})

// isClass reports whether a word of a line is the class of an argument. The only function with a name of one letter is
// e, which is not a class.
func isClass(word string) bool {
	word = strings.ReplaceAll(word, "[]", "")
	return word == "..." || word == "-" || len(word) == 1 && strings.Contains("irvwmIRcdVlnaf", word)
}

var densities = sync.OnceValue(func() map[string]density {
	all := map[string]density{}
	for _, line := range strings.Split(strings.TrimSpace(densityText), "\n") {
		words := strings.Fields(line)
		d := density{counts: words[1] == "m", value: words[2], args: words[3:]}
		if last := words[len(words)-1]; len(words) > 3 && !isClass(last) || last == "cg" || last == "g" {
			d.args = words[3 : len(words)-1]
			d.cdf, d.rng = strings.Contains(last, "c"), strings.Contains(last, "g")
			d.oneResult = strings.Contains(last, "o")
		}
		all[words[0]] = d
	}
	return all
})

// fits reports whether an argument of type t belongs to a class.
func fits(class string, t Type) bool {
	if !t.Known() {
		return true
	}
	if inner, ok := strings.CutPrefix(class, "[]"); ok {
		return t.Depth > 0 && fits(inner, t.Element())
	}
	switch class {
	case "i":
		return t.Int()
	case "r":
		return t.Scalar()
	case "v":
		return t.Equal(vector)
	case "w":
		return t.Equal(rowVector)
	case "m":
		return t.Equal(matrix)
	case "c":
		return t.Equal(vector) || t.Equal(rowVector)
	case "d":
		return t.Equal(vector) || t.Equal(matrix)
	case "I":
		return t.Word == "int"
	case "R":
		return t.Scalar() || t.Word == "int" || t.Word == "real" || t.Equal(vector) || t.Equal(rowVector)
	case "V":
		return t.Word == "vector" || t.Word == "row_vector"
	case "l":
		return t.Axes() == 1
	case "n":
		return t.Word != "tuple" && t.Word != "void"
	case "a":
		return t.Word != "void"
	}
	return false
}
