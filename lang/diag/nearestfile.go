package diag

import (
	"os"
	"path/filepath"
	"strings"
)

// NearestFile returns the file, or directory, that a path which is not there may mean: of those in its directory that
// fit, the one of the same name but for the ending, or else the one with the nearest name.
func NearestFile(path string, fits func(path string) bool) (string, bool) {
	dir, base := filepath.Split(filepath.Clean(path))
	entries, err := os.ReadDir(filepath.Clean(dir)) // of "" that is "."
	if err != nil {
		return "", false
	}
	var names, stems []string
	for _, e := range entries {
		if fits(filepath.Join(dir, e.Name())) {
			names, stems = append(names, e.Name()), append(stems, stem(e.Name()))
		}
	}
	for i, s := range stems {
		if s == stem(base) && names[i] != base {
			return filepath.Join(dir, names[i]), true
		}
	}
	if near, ok := Nearest(stem(base), stems); ok {
		for i, s := range stems {
			if s == near {
				return filepath.Join(dir, names[i]), true
			}
		}
	}
	return "", false
}

// stem returns a name without its ending.
func stem(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }
