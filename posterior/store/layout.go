package store

import (
	"fmt"
	"slices"
	"strings"

	"ppl/lang/types"
)

// A Layout says what a run keeps: of every draw the arrays of the streamed groups, once the observed data.
type Layout struct {
	Chains      int              `json:"chains"`
	Posterior   []types.Variable `json:"posterior"`
	SampleStats []types.Variable `json:"sample_stats"`
	Observed    []Observed       `json:"observed_data"`
	Constant    []Observed       `json:"constant_data,omitempty"` // predictors
	LeftOut     []LeftOut        `json:"left_out,omitempty"`      // of the posterior: what the run does not keep

	Sets []types.IndexSet `json:"index_sets,omitempty"` // whose sizes the data give

	// names of Posterior that are parameters: their draws differ; nil if a run did not say
	Parameters []string `json:"parameters,omitempty"`

	// log densities of each draw: of the prior by parameter, of the likelihood by row of the data
	LogPrior      []types.Variable `json:"log_prior,omitempty"`
	LogLikelihood []types.Variable `json:"log_likelihood,omitempty"`
	// of LogPrior: those that read no other parameter
	TopLevel []string `json:"top_level_priors,omitempty"`
	// of Posterior: those with a scale that is a parameter, and those whose elements can change places
	Effects      []types.Effect `json:"effects,omitempty"`
	Exchangeable []string       `json:"exchangeable,omitempty"`

	// replicates of the data, one for each draw of the posterior (Extend)
	Predictive []types.Variable `json:"posterior_predictive,omitempty"`
	// names of Predictive that are drawn given discrete unknowns, which are drawn given the data
	GivenUnknowns []string `json:"given_unknowns,omitempty"`
	// replicates of the rows of these that are drawn given the parameters alone, for LOO-PIT, in the same group
	LeftOutReplicates []LeftOutReplicate `json:"left_out_replicates,omitempty"`
	// what is predicted at new data, for some draws of the posterior, and these data (ExtendPredictions)
	Predictions     []types.Variable `json:"predictions,omitempty"`
	PredictedAt     []Observed       `json:"predictions_constant_data,omitempty"`
	Prior           []types.Variable `json:"prior,omitempty"` // of a run that draws from the prior
	PriorPredictive []types.Variable `json:"prior_predictive,omitempty"`
}

// A LeftOutReplicate replicates the observed array Of.
type LeftOutReplicate struct {
	types.Variable
	Of string `json:"of"`
}

// A LeftOut is an array that the model saves, and that a run was asked not to keep.
type LeftOut struct {
	Name      string `json:"name"`
	Parameter bool   `json:"parameter,omitempty"`
}

// SetOf returns the index set whose elements some data name by number; ok is false if there is none.
func (l Layout) SetOf(data string) (set types.IndexSet, ok bool) {
	k := slices.IndexFunc(l.Sets, func(s types.IndexSet) bool { return slices.Contains(s.NumberedBy, data) })
	if k < 0 {
		return set, false
	}
	return l.Sets[k], true
}

// An Observed array is data of the model, row-major.
type Observed struct {
	types.Variable
	Values []float64 `json:"-"`
}

// Names of groups in the InferenceData schema.
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

// A column is an array with a row for every draw. A draw is kept as one record of numbers, the columns side by side.
type column struct {
	group string
	v     types.Variable
	at    int // where its elements begin in the record
}

// columns lists the streamed arrays in the order in which a record holds them, and the record's length.
func (l Layout) columns() (cs []column, width int) {
	for _, g := range l.groups() {
		for _, v := range g.variables {
			cs = append(cs, column{g.name, v, width})
			width += v.Size()
		}
	}
	return cs, width
}

// A streamedGroup has arrays with a row for every draw.
type streamedGroup struct {
	name      string
	variables []types.Variable
}

// groups returns the streamed groups, in the order in which a record holds them.
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

// ArrayName returns the name of a variable in the store, where chain and draw are coordinates: chain_ and draw_ for
// variables of these names.
func ArrayName(name string) string {
	if name == "chain" || name == "draw" {
		return name + "_"
	}
	return name
}

// check finds what no compiler of ours would write; it guards the reader against damaged and foreign files.
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

// A constantGroup has arrays that are written once.
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

// More than these is damage.
const (
	maxChains = 1 << 20
	maxSize   = 1 << 36 // elements of one variable
)

func checkVariable(v types.Variable) error {
	if v.Name == "" || strings.HasPrefix(v.Name, ".") || strings.ContainsAny(v.Name, `/\`+"\x00") {
		return fmt.Errorf("%q is not a variable's name", v.Name)
	}
	if len(v.First) > len(v.Shape) || len(v.Label) > len(v.Shape) {
		return fmt.Errorf("%s has more index names than axes", v.Name)
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

// An axis is a dimension of a group with its coordinate.
type axis struct {
	name  string
	size  int
	first int
	label []string
}

func (a axis) same(b axis) bool {
	return a.size == b.size && a.first == b.first && slices.Equal(a.label, b.label)
}

// axes names the dimensions of a group's variables, for each variable in turn, and lists the distinct ones. An axis is
// called NAME_dim_0, as ArviZ does, if its name is not a file name, if it is that of another dimension of the same
// variable, which xarray refuses, or if another variable means something else by it.
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

// isFileName reports whether a directory of that name can be made on every system. The set of `x[t in 1..T/2]` is
// called 1..T/2, which would be a directory in another.
func isFileName(name string) bool {
	const longest = 200 // bytes; most file systems take 255
	return name != "" && len(name) <= longest && !strings.ContainsAny(name, `/\:*?"<>|`)
}
