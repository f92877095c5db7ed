package stdlib

import "slices"

// ForeignArgument returns the argument of distribution d that another modelling language calls name. ok is false if
// there is none. The names are those of the Stan Functions Reference 2.36, PyMC 5, NumPyro 0.16 and scipy.stats.
func ForeignArgument(d *Dist, name string) (argument string, ok bool) {
	for _, own := range append(foreignOf[[2]string{d.Name, name}], foreignArguments[name]...) {
		for _, f := range d.Forms {
			if slices.ContainsFunc(f.Args, func(a Arg) bool { return a.Name == own }) {
				return own, true
			}
		}
	}
	return "", false
}

// foreignArguments maps argument names of other languages to candidate names in ppl. The first one that the
// distribution has is used.
var foreignArguments = map[string][]string{
	"mu": {"mu", "loc", "mean", "rate"}, "mean": {"mu", "loc"}, "loc": {"mu"}, "location": {"loc", "mu"},
	"m": {"mu", "loc"}, "xi": {"loc"},
	"sigma": {"sd", "scale"}, "scale": {"sd", "chol"}, "std": {"sd", "scale"}, "stddev": {"sd", "scale"},
	"s": {"sd", "scale"}, "omega": {"scale"},
	"variance": {"var"}, "sigma2": {"var"}, "tau": {"precision", "prec"}, "prec": {"precision"},
	"lam": {"rate", "shape", "precision"}, "lambda": {"rate", "shape"}, "intensity": {"rate"}, "inv_scale": {"rate"},
	"log_rate": {"log"},
	"alpha":    {"shape", "a", "concentration", "size", "loc"}, "beta": {"rate", "b", "scale"}, "a": {"concentration",
		"shape"}, "b": {"scale", "rate"},
	"k": {"shape"}, "theta": {"p", "scale"}, "concentration1": {"a"}, "concentration0": {"b"},
	"kappa": {"concentration", "asymmetry"},
	"nu":    {"mean"}, "df": {"nu"}, "dof": {"nu"}, "phi": {"size", "concentration"}, "dispersion": {"size"},
	"concentration": {"size", "kappa", "eta", "shape"},
	"probs":         {"p"}, "prob": {"p"}, "logit_p": {"logits"}, "logit": {"logits"}, "total_count": {"n"},
	"trials": {"n"}, "N": {"n"},
	"lower": {"lo"}, "low": {"lo"}, "min": {"lo"}, "upper": {"hi"}, "high": {"hi"}, "max": {"hi"},
	"covariance_matrix": {"cov"}, "covariance": {"cov"}, "Sigma": {"cov", "scale"}, "V": {"scale"}, "S": {"scale"},
	"scale_matrix": {"scale"},
	"scale_tril":   {"chol"}, "L": {"chol"}, "cholesky": {"chol"}, "precision_matrix": {"prec"}, "Omega": {"corr"},
	"correlation": {"corr"},
	"rowcov":      {"row_cov"}, "colcov": {"col_cov"}, "scale_tril_row": {"row_chol"},
	"scale_tril_column": {"col_chol"},
	"cutpoints":         {"cut"}, "c": {"cut"}, "predictor": {"eta"}, "q": {"quantile"}, "adj_matrix": {"adj"},
	"W":    {"adj", "cov_factor"},
	"conc": {"kappa", "concentration"},
}

// foreignOf maps a distribution and a foreign argument name to the ppl argument, if the general table would be wrong.
var foreignOf = map[[2]string][]string{
	{"LogLogistic", "alpha"}: {"scale"}, {"LogLogistic", "beta"}: {"shape"}, {"LogLogistic", "c"}: {"shape"},
	{"GeneralizedNormal", "alpha"}: {"scale"}, {"GeneralizedNormal", "beta"}: {"shape"}, {"Pareto", "m"}: {"scale"},
	{"Pareto", "b"}:           {"shape"},
	{"ParetoType2", "lambda"}: {"scale"}, {"Weibull", "k"}: {"shape"}, {"Weibull", "lam"}: {"scale"},
	{"Weibull", "concentration"}: {"shape"},
	{"Wiener", "alpha"}:          {"boundary"}, {"Wiener", "tau"}: {"nondecision"}, {"Wiener", "beta"}: {"bias"},
	{"Wiener", "delta"}: {"drift"},
	{"CAR", "alpha"}:    {"correlation"}, {"CAR", "tau"}: {"precision"},
	{"CAR", "conditional_precision"}: {"precision"},
	{"NegBinomial", "n"}:             {"size"}, {"NegBinomial", "total_count"}: {"size"},
	{"NegBinomial", "alpha"}: {"size"}, {"Exponential", "scale"}: {"mean"},
}
