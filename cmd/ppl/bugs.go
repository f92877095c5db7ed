package main

import (
	"math"
	"path/filepath"
	"slices"

	"ppl/app/fault"
	"ppl/lang/bugs"
	"ppl/lang/source"
)

// isBUGS reports whether a model is one of BUGS or JAGS.
func isBUGS(model string) bool {
	return slices.Contains([]string{".bug", ".bugs", ".jags"}, filepath.Ext(model))
}

// importBUGS is the text of a model of BUGS as one of ppl. What is wrong with it is printed.
func (c *console) importBUGS(path string, data []string) (string, error) {
	text, err := source.ReadModel(path)
	if err != nil {
		return "", fault.Wrong(err)
	}
	known, err := stanData(data)
	if err != nil {
		return "", err
	}
	var shapes map[string]bugs.Shape
	if known != nil {
		shapes = map[string]bugs.Shape{}
	}
	for name, a := range known {
		shapes[name] = bugs.Shape{Dims: a.Dims, Missing: slices.ContainsFunc(a.Values, math.IsNaN)}
	}
	m, ds := bugs.Model(source.New(path, text), shapes)
	if err := c.diagnose(ds); err != nil {
		return "", err
	}
	for name, other := range m.Renamed {
		c.notef("note: the data `%s` are called `%s` in the model: --data '%[2]s=FILE#%[1]s'", name, other)
	}
	return m.Text, nil
}
