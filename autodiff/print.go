package autodiff

import (
	"fmt"
	"io"
	"strings"
)

// Print writes the nodes on which roots depend, one per line in order of creation: %12 = mul %3 %7 : [8].
func (g *Graph) Print(w io.Writer, roots ...Node) error {
	var text strings.Builder
	for _, n := range g.ancestors(roots) {
		text.WriteString(line(n))
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// Needed returns nodes of one graph and all nodes on which they depend, in order of creation: arguments come first.
func Needed(roots ...Node) []Node {
	if len(roots) == 0 {
		return nil
	}
	return roots[0].Graph().ancestors(roots)
}

// ancestors returns roots and all nodes on which they depend, in order of creation.
func (g *Graph) ancestors(roots []Node) []Node {
	needed := make([]bool, len(g.nodes))
	for _, r := range roots {
		needed[r.id] = true
	}
	for i := len(needed) - 1; i >= 0; i-- {
		for _, a := range g.nodes[i].args {
			needed[a.id] = needed[a.id] || needed[i]
		}
	}
	var out []Node
	for i, n := range g.nodes {
		if needed[i] {
			out = append(out, n)
		}
	}
	return out
}

func line(n Node) string {
	text := fmt.Sprintf("%v = %v", n, n.op)
	for _, a := range n.args {
		text += " " + a.String()
	}
	for _, a := range n.op.Attributes() {
		text += " " + a
	}
	return text + fmt.Sprintf(" : %v\n", n.Shape()) + n.op.Body.text()
}

// text returns the step of a Scan, indented. Its nodes are numbered separately.
func (b *Body) text() string {
	if b == nil {
		return ""
	}
	var text strings.Builder
	for _, n := range b.Next.Graph().ancestors([]Node{b.Next}) {
		text.WriteString("    " + line(n))
	}
	return text.String() + fmt.Sprintf("    next %v\n", b.Next)
}

// Attributes returns the fields that distinguish ops of one kind, except shapes, as Print writes them.
func (o *Op) Attributes() []string {
	switch o.Kind {
	case OpConst:
		return []string{fmt.Sprint(o.Value)}
	case OpInput:
		if o.Given {
			return []string{o.Name, "given"}
		}
		return []string{o.Name}
	case OpData:
		return []string{o.Name}
	case OpNoise:
		return []string{o.Name, fmt.Sprintf("site=%d", o.Site)}
	case OpAddressed:
		return []string{fmt.Sprintf("site=%d", o.Site)}
	case OpShuffle:
		return []string{fmt.Sprintf("rows=%d", o.Rows)}
	case OpSlice, OpPad:
		return []string{fmt.Sprintf("lo=%v hi=%v", o.Lo, o.Hi)}
	}
	return append(o.axes(), o.flags()...)
}

func (o *Op) axes() []string {
	if len(o.Axes) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("axes=%v", o.Axes)}
}

func (o *Op) flags() []string {
	var out []string
	for _, f := range []struct {
		set  bool
		name string
	}{{o.Reverse, "reverse"}, {o.TransA, "transA"}, {o.TransB, "transB"}} {
		if f.set {
			out = append(out, f.name)
		}
	}
	return out
}
