package dynamics

// Traits are what the host has to know of a rule.
type Traits struct {
	// Corrected: trajectories are accepted or rejected, so that the density must be known exactly; the host sets Cool.
	Corrected bool
	// Friction: the rule reads the buffer of that name, which the host sets.
	Friction bool
	// Flagged: not every trajectory ends at a draw; the buffer Counts says which do.
	Flagged bool
	// Carried are lane buffers of size 1 that belong to the rung: they change lanes when rungs do.
	Carried []string
}

// Row is a rule with the settings that the literature or our measurements recommend.
type Row struct {
	Name string // as in `dynamics = …`
	Rule Rule
}

// Rows lists the rules that can be asked for by name.
func Rows() []Row {
	return []Row{
		{"hmc", HMC{Jitter: 0.1, Careful: 0.2}},
		{"nosehoover", NoseHoover{Mass: 10}},
		{"sgld", SGLD{}},
		{"sghmc", SGHMC{}},
		{"sgnht", SGNHT{Mass: 1}},
		{"reld", RELD{}},
		{"reld-paper", RELD{Printed: true}},
		{"tacthmc", TACTHMC{Hottest: 16}},
		{"csgld", Cyclical{Inner: SGLD{}, Length: 1600, Explore: 0.25, Peak: 2}},
		{"csghmc", Cyclical{Inner: SGHMC{}, Length: 1600, Explore: 0.25, Peak: 2}},
		{"renhd-paper", SGNHT{Mass: 1, Reset: true}},
	}
}

// Named is the rule of a name, or nil.
func Named(name string) Rule {
	for _, r := range Rows() {
		if r.Name == name {
			return r.Rule
		}
	}
	return nil
}
