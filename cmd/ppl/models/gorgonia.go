//go:build !nogorgonia

package models

import (
	"ppl/app/fault"
	"ppl/autodiff/gorgonia"
	"ppl/cmd/ppl/terminal"
)

// printGorgonia prints the density as a Gorgonia graph, with the parameters as inputs.
func printGorgonia(c *terminal.Console, path string, data []string) error {
	p, err := load(c, path, data)
	if err != nil {
		return err
	}
	var outputs []gorgonia.Output
	for _, v := range p.Named() {
		outputs = append(outputs, gorgonia.Output{Name: v.Name, Node: v.Node})
	}
	g, err := gorgonia.Convert(outputs...)
	if err != nil {
		return fault.Of(err)
	}
	return g.WriteDot(c.Out)
}
