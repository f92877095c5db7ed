package dynamics

// A Row is a rule that users can choose by its name, with the settings recommended by the literature or by our
// measurements. The help texts, the checks of settings, and the samplers that are named after rules are generated from
// these rows.
type Row struct {
	Rule    Rule
	Doc     string
	Sampler Use
}

// Use states whether a rule's name is also the name of a sampler.
type Use int

// Uses of a rule as a sampler.
const (
	DynamicsOnly Use = iota // no sampler has this name
	Alone                   // one walker per chain, without a ladder
	OnLadder                // replica exchange with this rule
)

// Rows returns the table of rules.
func Rows() []Row {
	return []Row{
		{HMC{Jitter: 0.1, Careful: 0.2}, "Hamiltonian Monte Carlo without a ladder", Alone},
		{NoseHoover{Mass: 10}, "the Nosé-Hoover thermostat with symmetric splitting, as in renhd", DynamicsOnly},
		{SGLD{}, "stochastic gradient Langevin dynamics", Alone},
		{SGHMC{}, "stochastic gradient Hamiltonian Monte Carlo", Alone},
		{SGNHT{Mass: 1}, "stochastic gradient Nosé-Hoover thermostat", Alone},
		{RELD{}, "replica exchange with Langevin dynamics", OnLadder},
		{RELD{Printed: true}, "Langevin dynamics with the temperature of the published formula", DynamicsOnly},
		{TACTHMC{Hottest: 16}, "continuously tempered Hamiltonian Monte Carlo with thermostats", Alone},
		{Cyclical{Inner: SGLD{}, Length: 1600, Explore: 0.25, Peak: 2}, "cyclical SGLD", Alone},
		{Cyclical{Inner: SGHMC{}, Length: 1600, Explore: 0.25, Peak: 2}, "cyclical SGHMC", Alone},
		{SGNHT{Mass: 1, Reset: true}, "the thermostat of RENHD as published, reset at each trajectory",
			DynamicsOnly},
	}
}

// Names returns the names of the rules, in the order of the table.
func Names() []string {
	var names []string
	for _, r := range Rows() {
		names = append(names, r.Rule.Name())
	}
	return names
}

// Named returns the rule with this name, or nil.
func Named(name string) Rule {
	for _, r := range Rows() {
		if r.Rule.Name() == name {
			return r.Rule
		}
	}
	return nil
}
