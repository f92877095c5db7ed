package gorgonia

import (
	"fmt"
	"io"
	"strings"
)

// WriteDot prints the graph for Graphviz, in order of creation: arguments are below the nodes computed from them.
// (Gorgonia's own printers name nodes by their addresses, and one of them drops an argument that is used twice.)
//
//	digraph {
//		n0 [label="x\n[2]", style=filled, fillcolor=lightyellow]
//		n1 [label="exp\n[2]"]
//		n0 -> n1
//	}
func (g *Graph) WriteDot(w io.Writer) error {
	var b strings.Builder
	b.WriteString("digraph {\n\trankdir=BT\n\tnode [shape=box]\n")
	for _, n := range g.Expr.AllNodes() {
		label, style := fmt.Sprint(n.Op()), ""
		if n.Op() == nil {
			label, style = n.Name(), ", style=filled, fillcolor=lightyellow"
		} else if g.Outputs[n.Name()] == n {
			style = ", style=filled, fillcolor=lightblue"
		}
		fmt.Fprintf(&b, "\tn%d [label=%q%s]\n", n.ID(), label+"\n"+fmt.Sprint([]int(n.Shape())), style)
		args := g.Expr.From(n.ID())
		several := args.Len() > 1
		for k := 0; args.Next(); k++ {
			fmt.Fprintf(&b, "\tn%d -> n%d", args.Node().ID(), n.ID())
			if several {
				fmt.Fprintf(&b, " [headlabel=%d]", k)
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}
