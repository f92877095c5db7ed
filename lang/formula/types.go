package formula

// A hazard is that of a piecewise exponential model. It is constant in each of several time intervals. The exponential
// of the predictor multiplies it, as in Cox's model (Friedman, Piecewise exponential models for survival data with
// covariates, Annals of Statistics 10 (1982) 101-113).
type hazard struct {
	starts  []float64 // starts of the intervals, the first at 0
	levels  string    // name of the log hazards of the intervals
	events  string    // 1 if row i is an event, and otherwise 0, as an expression; "" if all rows are events
	isEvent []bool    // for each row; nil if all rows are events
}

// sharedEffects are correlated effects of one grouping: those of one term, or of several terms with the same id.
type sharedEffects struct {
	key     string
	name    string // name of the array of effects
	cor     string
	columns string // names of the grouping columns, joined
	sets    []string
	effects []effect
	sds     []string
}

// An effect of a group is an intercept, or the coefficient of a quantity.
type effect struct {
	label  string  // label in names such as sd_Subject__Days
	at     string  // the quantity at row i; "" for an intercept
	spread float64 // sd of the quantity, by which the prior's scale is divided; 1 if there is none
	words  string  // this division in comments, such as " / sd(x)"
	number string  // name of the quantity, if it is a numeric column
}

// A specification is the part of a formula about one outcome: `y ~ x`, or bf(y ~ x, sigma ~ z, family = student).
type specification struct {
	left, right *node
	parameters  map[string]*node // right sides of the formulas of other parameters
	fixed       map[string]*node // values of parameters that the formula fixes
	contrasted  map[string]bool  // parameters ("": mean) whose factors have a reference level even without an intercept
	family      string           // "" means the family of the request
}

// A sum is a parameter of the distribution with a value for each row, which a predictor determines. Its definition is
// written after the priors of all predictors.
type sum struct {
	name string
	of   string // the inverse link as a function of {eta}, such as exp({eta})
	p    *predictor
}

// An equation is one outcome of the model, with its distribution and the predictors of the distribution's parameters.
type equation struct {
	*writer
	*specification
	name     string // name of the outcome in coefficient names; "" if it is the only outcome
	family   family
	link     string
	residual bool // the family has a residual standard deviation
	outcome  response
	joint    bool     // the outcome is one column of several that are drawn jointly
	levels   []string // levels of a categorical outcome
	cut      string   // name of the cut points of an ordered outcome
	hazard   hazard   // used by families with a hazard
	sums     []sum
}
