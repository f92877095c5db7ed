package bugs

// A distribution describes the ppl form of a BUGS distribution with n arguments. In text, $1 is the first argument in
// the order of BUGS. own is the number of axes of one value, and whole reports whether values are integers.
type distribution struct {
	n     int
	text  string
	own   int
	whole bool
}

// distributions maps names of BUGS and JAGS to ppl (Spiegelhalter et al. 2003, WinBUGS User Manual, appendix I; Plummer
// 2017, JAGS User Manual, section 9.2). Normal, lognormal and t distributions of BUGS have a precision instead of a
// standard deviation.
var distributions = map[string]distribution{
	"dbern":       {1, "Bernoulli($1)", 0, true},
	"dbeta":       {2, "Beta($1, $2)", 0, false},
	"dbetabin":    {3, "BetaBinomial($3, $1, $2)", 0, true},
	"dbin":        {2, "Binomial($2, $1)", 0, true},
	"dbinom":      {2, "Binomial($2, $1)", 0, true},
	"dcat":        {1, "Categorical($1)", 0, true},
	"dchisq":      {1, "ChiSquare($1)", 0, false},
	"dchisqr":     {1, "ChiSquare($1)", 0, false},
	"ddexp":       {2, "Laplace($1, 1 / $2)", 0, false},
	"ddirch":      {1, "Dirichlet($1)", 1, false},
	"ddirich":     {1, "Dirichlet($1)", 1, false},
	"dexp":        {1, "Exponential($1)", 0, false},
	"dflat":       {0, "Flat", 0, false},
	"dgamma":      {2, "Gamma($1, $2)", 0, false},
	"dlnorm":      {2, "LogNormal($1, 1 / sqrt($2))", 0, false},
	"dlogis":      {2, "Logistic($1, 1 / $2)", 0, false},
	"dmnorm":      {2, "MvNormal($1, prec = $2)", 1, false},
	"dmnorm.vcov": {2, "MvNormal($1, $2)", 1, false},
	"dmt":         {3, "MvStudentT($3, $1, inverse($2))", 1, false},
	"dmulti":      {2, "Multinomial($2, $1)", 1, true},
	"dnegbin":     {2, "NegBinomial(size = $2, p = $1)", 0, true},
	"dnorm":       {2, "Normal($1, precision = $2)", 0, false},
	"dpar":        {2, "Pareto($2, $1)", 0, false},
	"dpois":       {1, "Poisson($1)", 0, true},
	"dt":          {3, "StudentT($3, $1, 1 / sqrt($2))", 0, false},
	"dunif":       {2, "Uniform($1, $2)", 0, false},
	"dweib":       {2, "Weibull($1, $2^(-1 / $1))", 0, false},
	"dweibull":    {2, "Weibull($1, $2^(-1 / $1))", 0, false},
	"dwish":       {2, "Wishart($2, inverse($1))", 2, false},
}

// A function describes the ppl form of a BUGS function with n arguments.
type function struct {
	n    int
	text string
}

// functions maps functions of BUGS and JAGS to ppl. $1 is the first argument.
var functions = map[string]function{
	"abs": {1, "abs($1)"}, "arccos": {1, "acos($1)"}, "arcsin": {1, "asin($1)"}, "arctan": {1, "atan($1)"},
	"acos": {1, "acos($1)"}, "asin": {1, "asin($1)"}, "atan": {1, "atan($1)"}, "cos": {1, "cos($1)"},
	"sin": {1, "sin($1)"}, "tan": {1, "tan($1)"}, "cosh": {1, "cosh($1)"}, "sinh": {1, "sinh($1)"},
	"tanh": {1, "tanh($1)"}, "cloglog": {1, "cloglog($1)"}, "icloglog": {1, "inv_cloglog($1)"},
	"equals": {2, "$1 == $2"}, "exp": {1, "exp($1)"}, "ilogit": {1, "sigmoid($1)"}, "inprod": {2, "$1 @ $2"},
	"inverse": {1, "inverse($1)"}, "log": {1, "log($1)"}, "logdet": {1, "log_determinant($1)"},
	"logfact": {1, "lgamma($1 + 1)"}, "loggam": {1, "lgamma($1)"}, "logit": {1, "logit($1)"},
	"max": {-1, "max"}, "mean": {1, "mean($1)"}, "min": {-1, "min"}, "phi": {1, "Phi($1)"},
	"pow": {2, "$1^$2"}, "probit": {1, "inv_Phi($1)"}, "prod": {1, "prod($1)"}, "round": {1, "round($1)"},
	"sd": {1, "sd($1)"}, "sqrt": {1, "sqrt($1)"}, "step": {1, "$1 >= 0"}, "sum": {1, "sum($1)"},
	"t": {1, "transpose($1)"}, "trunc": {1, "trunc($1)"}, "ifelse": {3, "$1 ? $2 : $3"},
	"var": {1, "var($1)"}, "sort": {1, "sort($1)"},
}

// links maps the functions that may be on the left side to their inverses.
var links = map[string]string{"log": "exp($1)", "logit": "sigmoid($1)", "cloglog": "inv_cloglog($1)",
	"probit": "Phi($1)"}

// onLink has the distributions for which ppl accepts a linear predictor instead of its inverse link: the first argument
// of dbern, dbin and dpois.
var onLink = map[string]struct{ link, text string }{
	"dbern": {"logit", "Bernoulli(logits = $1)"}, "dbin": {"logit", "Binomial($2, logits = $1)"},
	"dbinom": {"logit", "Binomial($2, logits = $1)"}, "dpois": {"log", "Poisson(log = $1)"}}
