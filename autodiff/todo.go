package autodiff

import (
	"errors"

	"gorgonia.org/gorgonia"
)

func Grad(y Node, xs ...Node) []Node                              { panic("todo") }
func (o *Op) DiffWRT(n int) []bool                                { return make([]bool, n) }
func (o *Op) SymDiff(gorgonia.Nodes, *gorgonia.Node, *gorgonia.Node) (gorgonia.Nodes, error) {
	return nil, errors.New("todo")
}
func (o *Op) Do(...gorgonia.Value) (gorgonia.Value, error) { return nil, errors.New("todo") }
