// Package known has reference values of special functions, computed with mpmath, for tests.
package known

import (
	_ "embed"
	"fmt"
	"strings"
)

// A Point is an argument of a function and the function's value there.
type Point struct{ X, Want float64 }

//go:embed values.txt
var text string

// Points returns the points of values.txt by the name of the op. The script values.py writes that file.
func Points() (map[string][]Point, error) {
	all := map[string][]Point{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "=") {
			continue
		}
		var name string
		var p Point
		if _, err := fmt.Sscan(line, &name, &p.X, &p.Want); err != nil {
			return nil, fmt.Errorf("values.txt: %q: %w", line, err)
		}
		all[name] = append(all[name], p)
	}
	return all, nil
}
