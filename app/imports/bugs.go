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

// IsBUGS reports whether the file name is that of a BUGS or JAGS model.
func IsBUGS(model string) bool {
	return slices.Contains([]string{".bug", ".bugs", ".jags"}, filepath.Ext(model))
}

// BUGS translates a BUGS or JAGS model to the text of a ppl model.
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
		to.Note(fmt.Sprintf("the data `%s` are called `%s` in the model; pass them with --data '%[2]s=FILE#%[1]s'",
			name, other))
	}
	return m.Text, nil
}
