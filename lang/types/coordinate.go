package types

// A Coordinate describes an unconstrained coordinate of a model in terms of the user's parameter. If there is a
// transform between them, an infinite value of the coordinate is an end of the parameter's support.
//
//	s ~ HalfNormal(1)              {"s", true, false}, log s
//	p ~ Beta(2, 2)                 {"p", true, true}, logit p
//	b[i in 1..2] ~ Normal(0, s)    {"b[1]", false, false}, {"b[2]", false, false}
type Coordinate struct {
	Parameter    string // element that it changes, or the entire array if it changes several
	Lower, Upper bool   // whether the support has these ends; with Upper alone, the coordinate is reversed
}

// Bounded reports whether the support has an end.
func (c Coordinate) Bounded() bool { return c.Lower || c.Upper }

// Goes describes the limit of the parameter as the coordinate tends to infinity (up) or minus infinity.
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
