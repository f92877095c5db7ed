package infer

import (
	"slices"

	"ppl/lang/types"
)

// DrawStats holds the statistics of one draw. A sampler fills in the ones that it stores (see KeepStatistics). Events
// between two stored draws count for the later draw.
type DrawStats struct {
	LogPrior   float64 // log prior density of the unconstrained coordinates, with the log-Jacobian
	LogLik     float64 // log likelihood of all data; an estimate if the sampler uses minibatches
	AcceptRate float64 // mean acceptance probability of the trajectories since the previous draw
	StepSize   float64 // step size in whitened coordinates
	TreeDepth  int     // number of doublings of the last trajectory
	Steps      float64 // number of steps since the previous draw, one gradient each
	Diverging  bool    // whether a trajectory since the previous draw diverged
	Energy     float64 // the Hamiltonian at the end of the last trajectory at temperature 1, before any exchange
	Replica    int     // the walker of the ladder that produced the draw
	LogQ       float64 // log density of the draw under the approximation it was drawn from
}

// A statistic is a number that is stored with each draw.
type statistic struct {
	types.Variable
	of func(d *DrawStats) float64
}

// statistics returns the table of all statistics that samplers store with draws. A name has the same type and meaning
// for all samplers. If ArviZ has a name for a statistic, it is used.
func statistics() []statistic {
	logDensity := func(d *DrawStats) float64 { return d.LogPrior + d.LogLik }
	logLik := func(d *DrawStats) float64 { return d.LogLik }
	return []statistic{
		{types.Variable{Name: "lp", Doc: "log density of the draw: log_prior + log_lik"}, logDensity},
		{types.Variable{Name: "lp_estimate", Doc: "log_prior + log_lik_estimate"}, logDensity},
		{types.Variable{Name: "log_prior", Doc: "log prior density of the sampler's unconstrained coordinates, with " +
			"the log-Jacobian"}, func(d *DrawStats) float64 { return d.LogPrior }},
		{types.Variable{Name: "log_lik", Doc: "log likelihood of all data; the group log_likelihood has it by row"},
			logLik},
		{types.Variable{Name: "log_lik_estimate", Doc: "log likelihood of all data, estimated from the rows of a " +
			"minibatch"}, logLik},
		{types.Variable{Name: "acceptance_rate", Doc: "mean acceptance probability of the trajectories since the " +
			"previous draw"}, func(d *DrawStats) float64 { return d.AcceptRate }},
		{types.Variable{Name: "step_size", Doc: "step size in whitened coordinates"},
			func(d *DrawStats) float64 { return d.StepSize }},
		{types.Variable{Name: "tree_depth", Int: true, Doc: "doublings of the last trajectory"},
			func(d *DrawStats) float64 { return float64(d.TreeDepth) }},
		{types.Variable{Name: "n_steps", Int: true, Doc: "steps taken since the previous draw, one gradient each"},
			func(d *DrawStats) float64 { return d.Steps }},
		{types.Variable{Name: "diverging", Bool: true, Doc: "whether a trajectory since the previous draw diverged: " +
			"its energy error was large, or it reached a point at which the density is not finite"}, diverging},
		{types.Variable{Name: "energy", Doc: "the Hamiltonian at the end of the last trajectory at temperature 1, " +
			"before any exchange"}, func(d *DrawStats) float64 { return d.Energy }},
		{types.Variable{Name: "replica", Int: true, Doc: "the walker of the ladder that produced the draw"},
			func(d *DrawStats) float64 { return float64(d.Replica) }},
		{types.Variable{Name: "log_q", Doc: "log density of the approximation that the draw comes from"},
			func(d *DrawStats) float64 { return d.LogQ }},
	}
}

func diverging(d *DrawStats) float64 {
	if d.Diverging {
		return 1
	}
	return 0
}

// Statistics lists the statistics that a sampler stores with each draw:
//
//	kept := infer.KeepStatistics("lp", "log_prior", "log_lik")
//	err := recorder.Begin(kept.Variables())
//	err = recorder.Draw(chain, values, kept.Append(room[:0], infer.DrawStats{LogPrior: …, LogLik: …}))
type Statistics []statistic

// KeepStatistics returns the statistics with these names. An unknown name panics.
func KeepStatistics(names ...string) Statistics {
	table := statistics()
	out := make(Statistics, len(names))
	for k, name := range names {
		i := slices.IndexFunc(table, func(v statistic) bool { return v.Name == name })
		if i < 0 {
			panic("internal error: there is no statistic " + name)
		}
		out[k] = table[i]
	}
	return out
}

// Variables returns the descriptions of the statistics, for Recorder.Begin.
func (s Statistics) Variables() []types.Variable {
	out := make([]types.Variable, len(s))
	for k, v := range s {
		out[k] = v.Variable
	}
	return out
}

// Append appends the statistics of a draw to a slice, in the order of Variables.
func (s Statistics) Append(to []float64, d DrawStats) []float64 {
	for _, v := range s {
		to = append(to, v.of(&d))
	}
	return to
}
