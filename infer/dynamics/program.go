package dynamics

import (
	"slices"

	"ppl/compiler/backend/lower"
)

// Program returns a rule's entries and those that all rules share, such as gradient and values.
func Program(r Rule, s System) []lower.Entry {
	entries := r.Entries(s)
	if len(s.Thermostats) > 0 {
		return append(entries, s.valuesEntry(), s.noisyEntry(NoisyGrad), s.climbEntry(), s.scoreEntry())
	}
	entries = append(entries, s.gradientEntry(), s.valuesEntry(), s.potentialEntry())
	entries = slices.Concat(entries, s.batchEntries(), s.exchangeEntries(r), s.modeJumpEntries(r),
		s.discontinuityEntries())
	return s.recorded(r, entries)
}
