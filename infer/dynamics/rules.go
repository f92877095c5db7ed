package dynamics

// Traits are what the host has to know of a rule.
type Traits struct {
	// Corrected: trajectories are accepted or rejected, so that the density must be known exactly; the host sets Cool.
	Corrected bool
	// Friction: the rule reads the buffer of that name, which the host sets.
	Friction bool
	// Density: a step reads the log density where it begins.
	Density bool
	// Flagged: not every trajectory ends at a draw; the buffer Counts says which do.
	Flagged bool
	// Carried are lane buffers of size 1 that belong to the rung: they change lanes when rungs do.
	Carried []string
}

// A Row is a rule that can be asked for by name, with the settings that the literature or our measurements recommend.
// The name is that of the rule. Help, the checker of settings and the samplers by name are made from these rows.
type Row struct {
	Rule    Rule
	Doc     string
	Sampler Use
}

// Use says what a rule's name means where a sampler is asked for.
type Use int

// Uses of a rule as a sampler.
const (
	DynamicsOnly Use = iota // there is no sampler of that name
	Alone                   // one walker a chain, without a ladder
	OnLadder                // replica exchange around the rule
)

// Rows lists the rules.
func Rows() []Row {
	return []Row{
		{HMC{Jitter: 0.1, Careful: 0.2}, "Hamiltonian Monte Carlo without a ladder", Alone},
		{NoseHoover{Mass: 10}, "the Nosé-Hoover thermostat in its symmetric splitting, that of renhd", DynamicsOnly},
		{SGLD{}, "stochastic gradient Langevin dynamics", Alone},
		{SGHMC{}, "stochastic gradient Hamiltonian Monte Carlo", Alone},
		{SGNHT{Mass: 1}, "stochastic gradient Nosé-Hoover thermostat", Alone},
		{RELD{}, "replica exchange around Langevin dynamics", OnLadder},
		{RELD{Printed: true}, "Langevin dynamics with the temperature of the published formula", DynamicsOnly},
		{TACTHMC{Hottest: 16}, "continuously tempered Hamiltonian Monte Carlo with thermostats", Alone},
		{Cyclical{Inner: SGLD{}, Length: 1600, Explore: 0.25, Peak: 2}, "cyclical SGLD", Alone},
		{Cyclical{Inner: SGHMC{}, Length: 1600, Explore: 0.25, Peak: 2}, "cyclical SGHMC", Alone},
		{SGNHT{Mass: 1, Reset: true}, "the thermostat of RENHD as published, put back at each trajectory",
			DynamicsOnly},
	}
}

// Names lists the names of the rules, in the order of the table.
func Names() []string {
	var names []string
	for _, r := range Rows() {
		names = append(names, r.Rule.Name())
	}
	return names
}

// Named returns the rule of a name, or nil.
func Named(name string) Rule {
	for _, r := range Rows() {
		if r.Rule.Name() == name {
			return r.Rule
		}
	}
	return nil
}
