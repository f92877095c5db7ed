package store

import (
	"fmt"
	"slices"
	"strings"

	"ppl/lang/types"
)

// A Layout lists what a run stores: arrays with a row for each draw, and data, which are stored once.
type Layout struct {
	Chains      int              `json:"chains"`
	Posterior   []types.Variable `json:"posterior"`
	SampleStats []types.Variable `json:"sample_stats"`
	Observed    []Observed       `json:"observed_data"`
	Constant    []Observed       `json:"constant_data,omitempty"` // predictors
	LeftOut     []LeftOut        `json:"left_out,omitempty"`      // posterior variables that are not stored

	Sets []types.IndexSet `json:"index_sets,omitempty"` // index sets whose sizes depend on the data

	// Parameters names the variables of Posterior that are parameters, which vary between draws; nil if unknown.
	Parameters []string `json:"parameters,omitempty"`

	// LogPrior holds the log prior density of each parameter, LogLikelihood the log likelihood of each row of the data,
	// for each draw.
	LogPrior      []types.Variable `json:"log_prior,omitempty"`
	LogLikelihood []types.Variable `json:"log_likelihood,omitempty"`
	// TopLevel names the members of LogPrior whose priors depend on no other parameter.
	TopLevel []string `json:"top_level_priors,omitempty"`
	// Effects lists the variables of Posterior whose scale is a parameter. Exchangeable names those whose elements can
	// be permuted without changing the density.
	Effects      []types.Effect `json:"effects,omitempty"`
	Exchangeable []string       `json:"exchangeable,omitempty"`

	// Predictive lists replicates of the data, one for each draw of the posterior (see Extend).
	Predictive []types.Variable `json:"posterior_predictive,omitempty"`
	// GivenUnknowns names members of Predictive that depend on discrete unknowns, which are drawn given the data.
	GivenUnknowns []string `json:"given_unknowns,omitempty"`
	// LeftOutReplicates are further replicates of these members, drawn given only the parameters, for LOO-PIT. They are
	// in the same group.
	LeftOutReplicates []LeftOutReplicate `json:"left_out_replicates,omitempty"`
	// Predictions lists what is predicted at new data, for some draws of the posterior; PredictedAt holds these data
	// (see ExtendPredictions).
	Predictions     []types.Variable `json:"predictions,omitempty"`
	PredictedAt     []Observed       `json:"predictions_constant_data,omitempty"`
	Prior           []types.Variable `json:"prior,omitempty"` // set if the run sampled the prior
	PriorPredictive []types.Variable `json:"prior_predictive,omitempty"`
}

// A LeftOutReplicate is a replicate of the observed array named Of.
type LeftOutReplicate struct {
	types.Variable
	Of string `json:"of"`
}

// A LeftOut is a variable of the model that a run does not store, as requested.
type LeftOut struct {
	Name      string `json:"name"`
	Parameter bool   `json:"parameter,omitempty"`
}

// SetOf returns the index set whose element numbers the given data contain. ok is false if there is none.
func (l Layout) SetOf(data string) (set types.IndexSet, ok bool) {
	k := slices.IndexFunc(l.Sets, func(s types.IndexSet) bool { return slices.Contains(s.NumberedBy, data) })
	if k < 0 {
		return set, false
	}
	return l.Sets[k], true
}

// An Observed holds an array of the data, row-major.
type Observed struct {
	types.Variable
	Values []float64 `json:"-"`
}

// Names of the groups in the InferenceData schema.
const (
	posterior       = "posterior"
	sampleStats     = "sample_stats"
	observed        = "observed_data"
	constantData    = "constant_data"
	logPrior        = "log_prior"
	logLikelihood   = "log_likelihood"
	predictive      = "posterior_predictive"
	prior           = "prior"
	priorPredictive = "prior_predictive"
	predictions     = "predictions"
	predictedAt     = "predictions_constant_data"
)

// A column is an array with a row for each draw. All columns of a draw form one record of numbers.
type column struct {
	group string
	v     types.Variable
	at    int // position of its first element in the record
}

// columns returns the arrays with a row for each draw, in record order, and the length of a record.
func (l Layout) columns() (cs []column, width int) {
	for _, g := range l.groups() {
		for _, v := range g.variables {
			cs = append(cs, column{g.name, v, width})
			width += v.Size()
		}
	}
	return cs, width
}

// A streamedGroup is a group of arrays with a row for each draw.
type streamedGroup struct {
	name      string
	variables []types.Variable
}

// groups returns these groups, in record order.
func (l Layout) groups() []streamedGroup {
	return []streamedGroup{{posterior, l.Posterior}, {prior, l.Prior}, {priorPredictive, l.PriorPredictive},
		{predictive, l.allReplicates()}, {predictions, l.Predictions}, {logPrior, l.LogPrior},
		{logLikelihood, l.LogLikelihood}, {sampleStats, l.SampleStats}}
}

// allReplicates returns the variables of the group posterior_predictive.
func (l Layout) allReplicates() []types.Variable {
	all := slices.Clone(l.Predictive)
	for _, r := range l.LeftOutReplicates {
		all = append(all, r.Variable)
	}
	return all
}

func (c column) key() string { return c.group + "/" + ArrayName(c.v.Name) }

// ArrayName returns the name of a variable's array. Since chain and draw are coordinates, variables with these names
// are stored as chain_ and draw_.
func ArrayName(name string) string {
	if name == "chain" || name == "draw" {
		return name + "_"
	}
	return name
}

// check returns an error for a layout that ppl would never write, which protects the reader from damaged and foreign
// files.
func (l Layout) check() error {
	if l.Chains < 1 || l.Chains > maxChains {
		return fmt.Errorf("%d chains", l.Chains)
	}
	for _, g := range l.groups() {
		if err := checkAll(g.variables); err != nil {
			return err
		}
	}
	for _, g := range l.constants() {
		if err := checkAll(variablesOf(g.arrays)); err != nil {
			return err
		}
	}
	return nil
}

// A constantGroup is a group of arrays that are written once.
type constantGroup struct {
	name   string
	arrays []Observed
}

func (l Layout) constants() []constantGroup {
	return []constantGroup{{observed, l.Observed}, {constantData, l.Constant}, {predictedAt, l.PredictedAt}}
}

func variablesOf(os []Observed) []types.Variable {
	vs := make([]types.Variable, len(os))
	for i, o := range os {
		vs[i] = o.Variable
	}
	return vs
}

func checkAll(vs []types.Variable) error {
	seen := map[string]bool{}
	for _, v := range vs {
		if err := checkVariable(v); err != nil {
			return err
		}
		if seen[ArrayName(v.Name)] {
			return fmt.Errorf("%q appears twice", v.Name)
		}
		seen[ArrayName(v.Name)] = true
	}
	return nil
}

// Larger numbers mean that the file is damaged.
const (
	maxChains = 1 << 20
	maxSize   = 1 << 36 // maximum number of elements of a variable
)

func checkVariable(v types.Variable) error {
	if v.Name == "" || strings.HasPrefix(v.Name, ".") || strings.ContainsAny(v.Name, `/\`+"\x00") {
		return fmt.Errorf("%q is not a variable's name", v.Name)
	}
	if len(v.First) > len(v.Shape) || len(v.Label) > len(v.Shape) {
		return fmt.Errorf("%s has coordinates for more axes than its shape has", v.Name)
	}
	size := 1
	for a, s := range v.Shape {
		if s < 0 || s > maxSize || (size > 0 && s > maxSize/size) {
			return fmt.Errorf("%s has the impossible shape %v", v.Name, v.Shape)
		}
		size *= s
		if l := v.LabelsOf(a); l != nil && len(l) != s {
			return fmt.Errorf("%s has %d labels for an axis of %d", v.Name, len(l), s)
		}
	}
	return nil
}

// An axis is a dimension of a group, with its coordinates: labels, or integers from first on.
type axis struct {
	name  string
	size  int
	first int
	label []string
}

func (a axis) same(b axis) bool {
	return a.size == b.size && a.first == b.first && slices.Equal(a.label, b.label)
}

// axes returns the names of each variable's dimensions, and the distinct dimensions. A dimension is named NAME_dim_0,
// as in ArviZ, if its own name is not a valid file name, if another dimension of the same variable has that name (which
// xarray rejects), or if another variable uses the name for a different dimension.
func axes(vs []types.Variable) (names [][]string, all []axis) {
	known := map[string]axis{}
	taken := map[string]bool{"chain": true, "draw": true}
	for _, v := range vs {
		taken[ArrayName(v.Name)] = true
	}
	for _, v := range vs {
		var dims []string
		for i := range v.Shape {
			a := axisOf(v, i)
			old, met := known[a.name]
			if taken[a.name] || slices.Contains(dims, a.name) || (met && !a.same(old)) {
				a.name = fmt.Sprintf("%s_dim_%d", v.Name, i)
				_, met = known[a.name]
			}
			if !met {
				known[a.name] = a
				all = append(all, a)
			}
			dims = append(dims, a.name)
		}
		names = append(names, dims)
	}
	return names, all
}

func axisOf(v types.Variable, i int) axis {
	a := axis{fmt.Sprintf("%s_dim_%d", v.Name, i), v.Shape[i], v.FirstOf(i), v.LabelsOf(i)}
	if i < len(v.Dims) && isFileName(v.Dims[i]) {
		a.name = v.Dims[i]
	}
	return a
}

// isFileName reports whether every file system accepts the name for a directory. For example, the index set of `x[t in
// 1..T/2]` has the name 1..T/2, which contains a separator.
func isFileName(name string) bool {
	const longest = 200 // in bytes; most file systems allow 255
	return name != "" && len(name) <= longest && !strings.ContainsAny(name, `/\:*?"<>|`)
}

// dimensions returns the attribute with which xarray names the axes of an array.
func dimensions(names ...string) attributes {
	return attributes{"_ARRAY_DIMENSIONS": append([]string{}, names...)}
}
