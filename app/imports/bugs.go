package imports

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/lang/bugs"
	"ppl/lang/source"
)

// IsBUGS reports whether a model is one of BUGS or JAGS.
func IsBUGS(model string) bool {
	return slices.Contains([]string{".bug", ".bugs", ".jags"}, filepath.Ext(model))
}

// BUGS returns the text of a model of BUGS as one of ppl.
func BUGS(path string, data []string, to notes.Notes) (string, error) {
	text, err := source.ReadModel(path)
	if err != nil {
		return "", fault.Wrong(err)
	}
	known, err := dataOf(data)
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
	if err := notes.Diagnose(to, ds); err != nil {
		return "", err
	}
	for name, other := range m.Renamed {
		to.Note(fmt.Sprintf("the data `%s` are called `%s` in the model: --data '%[2]s=FILE#%[1]s'", name, other))
	}
	return m.Text, nil
}
