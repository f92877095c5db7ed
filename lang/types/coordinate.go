package types

// A Coordinate describes what one of a model's unconstrained coordinates is to the user. Where a transform is between
// coordinate and parameter, an end of the line is an end of the support.
//
//	s ~ HalfNormal(1)              {"s", true, false}, log s
//	p ~ Beta(2, 2)                 {"p", true, true}, logit p
//	b[i in 1..2] ~ Normal(0, s)    {"b[1]", false, false}, {"b[2]", false, false}
type Coordinate struct {
	Parameter    string // the element that it moves; the whole array where it moves several
	Lower, Upper bool   // whether the support ends below and above; with Upper alone the line is reversed
}

// Bounded reports whether the support has an end.
func (c Coordinate) Bounded() bool { return c.Lower || c.Upper }

// Goes says in words where the parameter goes with the coordinate, to infinity (up) or minus infinity.
func (c Coordinate) Goes(up bool) string {
	if c.Upper && !c.Lower {
		up = !up
	}
	switch {
	case up && c.Upper:
		return "the upper end of its support"
	case !up && c.Lower:
		return "the lower end of its support"
	case up:
		return "infinity"
	}
	return "minus infinity"
}
