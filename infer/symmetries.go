package infer

import "ppl/lang/types"

// A Symmetric target has known transformations of its coordinates that preserve its density.
type Symmetric interface {
	Target
	Symmetries() types.Symmetries
}

// SymmetriesOf returns the symmetries of a target. The result is empty if the target is not Symmetric.
func SymmetriesOf(t Target) types.Symmetries {
	if s, ok := t.(Symmetric); ok {
		return s.Symmetries()
	}
	return types.Symmetries{Dim: t.Dim()}
}
