//go:build !nogorgonia

package main

import (
	"ppl/app/fault"
	"ppl/autodiff/gorgonia"
)

// printGorgonia prints a graph whose inputs are the parameters.
func printGorgonia(c *console, path string, data []string) error {
	p, err := c.loaded(path, data)
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
	return g.WriteDot(c.out)
}
