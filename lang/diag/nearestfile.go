package diag

import (
	"os"
	"path/filepath"
	"strings"
)

// NearestFile returns a file or directory that a nonexistent path may mean, among the entries of the path's directory
// for which fits returns true. It prefers an entry that differs only in the extension, and otherwise uses Nearest. It
// returns false if there is no such entry.
func NearestFile(path string, fits func(path string) bool) (string, bool) {
	dir, base := filepath.Split(filepath.Clean(path))
	entries, err := os.ReadDir(filepath.Clean(dir)) // the directory "" is "."
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

// stem returns a name without its extension.
func stem(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }
