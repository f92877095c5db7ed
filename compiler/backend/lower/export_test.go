package lower

import "ppl/compiler/backend/ir"

// InLayout is Program with a given layout of lanes.
func InLayout(entries []Entry, l ir.Layout) (*ir.Program, error) { return programIn(entries, l, false) }
