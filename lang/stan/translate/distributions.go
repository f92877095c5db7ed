package translate

// A distribution describes the ppl form of a Stan distribution. In text, $1 is the first argument in Stan's order.
// kinds has a letter for each argument: s for a number, which may differ between elements; v for a vector, which may
// differ between vectors; m for a matrix. own is the number of axes of one value. support is the support as a ppl
// range, or "" for all reals. needs has a character for each argument: + if it must be positive, 1 if it must be
// between 0 and 1, . if all values are allowed.
type distribution struct {
	text    string
	kinds   string
	needs   string
	own     int
	support string
	around0 bool // symmetric about its first argument (student_t: the second)
}

// distributions maps Stan's names to ppl's distributions.
var distributions = map[string]distribution{
	"bernoulli":         {text: "Bernoulli($1)", kinds: "s", needs: "1"},
	"bernoulli_logit":   {text: "Bernoulli(logits = $1)", kinds: "s"},
	"beta":              {text: "Beta($1, $2)", kinds: "ss", needs: "++", support: "0..1"},
	"beta_binomial":     {text: "BetaBinomial($1, $2, $3)", kinds: "sss", needs: ".++"},
	"beta_neg_binomial": {text: "BetaNegBinomial($1, $2, $3)", kinds: "sss", needs: "+++"},
	"beta_proportion": {text: "Beta(mean = $1, concentration = $2)", kinds: "ss", needs: "1+",
		support: "0..1"},
	"binomial":                 {text: "Binomial($1, $2)", kinds: "ss", needs: ".1"},
	"binomial_logit":           {text: "Binomial($1, logits = $2)", kinds: "ss"},
	"categorical":              {text: "Categorical($1)", kinds: "v"},
	"categorical_logit":        {text: "Categorical(logits = $1)", kinds: "v"},
	"cauchy":                   {text: "Cauchy($1, $2)", kinds: "ss", needs: ".+", around0: true},
	"chi_square":               {text: "ChiSquare($1)", kinds: "s", needs: "+", support: "0..inf"},
	"dirichlet":                {text: "Dirichlet($1)", kinds: "v", own: 1},
	"dirichlet_multinomial":    {text: "DirichletMultinomial($x, $1)", kinds: "v", own: 1},
	"discrete_range":           {text: "DiscreteUniform($1, $2)", kinds: "ss"},
	"double_exponential":       {text: "Laplace($1, $2)", kinds: "ss", needs: ".+", around0: true},
	"exp_mod_normal":           {text: "ExpModNormal($1, $2, $3)", kinds: "sss", needs: ".++"},
	"exponential":              {text: "Exponential($1)", kinds: "s", needs: "+", support: "0..inf"},
	"frechet":                  {text: "Frechet($1, $2)", kinds: "ss", needs: "++", support: "0..inf"},
	"gamma":                    {text: "Gamma($1, $2)", kinds: "ss", needs: "++", support: "0..inf"},
	"gumbel":                   {text: "Gumbel($1, $2)", kinds: "ss", needs: ".+"},
	"hypergeometric":           {text: "Hypergeometric($1, $2, $3)", kinds: "sss"},
	"inv_chi_square":           {text: "InverseChiSquare($1)", kinds: "s", needs: "+", support: "0..inf"},
	"inv_gamma":                {text: "InverseGamma($1, $2)", kinds: "ss", needs: "++", support: "0..inf"},
	"inv_wishart":              {text: "InverseWishart($1, $2)", kinds: "sm", own: 2},
	"inv_wishart_cholesky":     {text: "InverseWishartCholesky($1, chol = $2)", kinds: "sm", own: 2},
	"lkj_corr":                 {text: "LKJ($1)", kinds: "s", needs: "+", own: 2},
	"lkj_corr_cholesky":        {text: "LKJCholesky($1)", kinds: "s", needs: "+", own: 2},
	"logistic":                 {text: "Logistic($1, $2)", kinds: "ss", needs: ".+", around0: true},
	"loglogistic":              {text: "LogLogistic($1, $2)", kinds: "ss", needs: "++", support: "0..inf"},
	"lognormal":                {text: "LogNormal($1, $2)", kinds: "ss", needs: ".+", support: "0..inf"},
	"multi_normal":             {text: "MvNormal($1, $2)", kinds: "vm", own: 1},
	"multi_normal_cholesky":    {text: "MvNormal($1, chol = $2)", kinds: "vm", own: 1},
	"multi_normal_prec":        {text: "MvNormal($1, prec = $2)", kinds: "vm", own: 1},
	"multi_student_t":          {text: "MvStudentT($1, $2, $3)", kinds: "svm", needs: "+", own: 1},
	"multi_student_t_cholesky": {text: "MvStudentT($1, $2, chol = $3)", kinds: "svm", needs: "+", own: 1},
	"multinomial":              {text: "Multinomial($x, $1)", kinds: "v", own: 1},
	"multinomial_logit":        {text: "Multinomial($x, logits = $1)", kinds: "v", own: 1},
	"neg_binomial":             {text: "NegBinomial(shape = $1, rate = $2)", kinds: "ss", needs: "++"},
	"neg_binomial_2":           {text: "NegBinomial($1, $2)", kinds: "ss", needs: "++"},
	"neg_binomial_2_log":       {text: "NegBinomial(log = $1, $2)", kinds: "ss", needs: ".+"},
	"normal":                   {text: "Normal($1, $2)", kinds: "ss", needs: ".+", around0: true},
	"ordered_logistic":         {text: "OrderedLogistic($1, $2)", kinds: "sv"},
	"ordered_probit":           {text: "OrderedProbit($1, $2)", kinds: "sv"},
	"pareto":                   {text: "Pareto($1, $2)", kinds: "ss", needs: "++"},
	"pareto_type_2":            {text: "ParetoType2($1, $2, $3)", kinds: "sss", needs: ".++"},
	"poisson":                  {text: "Poisson($1)", kinds: "s", needs: "+"},
	"poisson_log":              {text: "Poisson(log = $1)", kinds: "s"},
	"rayleigh":                 {text: "Rayleigh($1)", kinds: "s", needs: "+", support: "0..inf"},
	"scaled_inv_chi_square":    {text: "ScaledInverseChiSquare($1, $2)", kinds: "ss", needs: "++", support: "0..inf"},
	"skew_double_exponential":  {text: "AsymmetricLaplace($1, $2, quantile = $3)", kinds: "sss", needs: ".+1"},
	"skew_normal":              {text: "SkewNormal($1, $2, $3)", kinds: "sss", needs: ".+"},
	"std_normal":               {text: "Normal(0, 1)", kinds: "", around0: true},
	"student_t":                {text: "StudentT($1, $2, $3)", kinds: "sss", needs: "+.+", around0: true},
	"uniform":                  {text: "Uniform($1, $2)", kinds: "ss"},
	"von_mises":                {text: "VonMises($1, $2)", kinds: "ss", needs: ".+"},
	"weibull":                  {text: "Weibull($1, $2)", kinds: "ss", needs: "++", support: "0..inf"},
	"wiener":                   {text: "Wiener($1, $2, $3, $4)", kinds: "ssss", needs: "++1"},
	"wishart":                  {text: "Wishart($1, $2)", kinds: "sm", own: 2},
	"wishart_cholesky":         {text: "WishartCholesky($1, chol = $2)", kinds: "sm", own: 2},
}

// linearModels maps the densities of generalised linear models to the density of which alpha + x * beta is a parameter.
var linearModels = map[string]string{"bernoulli_logit_glm": "bernoulli_logit", "normal_id_glm": "normal",
	"poisson_log_glm": "poisson_log", "neg_binomial_2_log_glm": "neg_binomial_2_log",
	"binomial_logit_glm": "binomial_logit", "ordered_logistic_glm": "ordered_logistic",
	"categorical_logit_glm": "categorical_logit"}
