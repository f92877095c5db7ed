package infer

import "ppl/lang/types"

// A Symmetric target knows changes of its coordinates that leave its density as it is.
type Symmetric interface {
	Target
	Symmetries() types.Symmetries
}

// SymmetriesOf returns the symmetries of a target; none if it cannot have any.
func SymmetriesOf(t Target) types.Symmetries {
	if s, ok := t.(Symmetric); ok {
		return s.Symmetries()
	}
	return types.Symmetries{Dim: t.Dim()}
}
