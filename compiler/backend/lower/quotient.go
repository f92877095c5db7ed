package lower

import (
	"ppl/autodiff"
)

// recordUses records facts about a node as a user of others, which the rewriting of those nodes needs.
func (vs *values) recordUses(n autodiff.Node) {
	vs.recordShort(n)
	vs.noteQuotients(n)
}

func (vs *values) noteQuotients(n autodiff.Node) {
	switch n.Op().Kind {
	case autodiff.OpDiv:
		vs.divided[narrowest(n.Args()[1])]++
	case autodiff.OpFloor, autodiff.OpCeil, autodiff.OpRound, autodiff.OpMod, autodiff.OpEq, autodiff.OpLt,
		autodiff.OpLe:
		for _, a := range n.Args() {
			vs.exact[narrowest(a)] = true
		}
	case autodiff.OpScan:
		for _, inner := range n.Op().Body.Next.Graph().Nodes() {
			vs.noteQuotients(inner)
		}
	}
}
