// Package partition finds the files of a data set that consists of many files. Their order depends only on their names:
//
//	sales/*.csv       sales/part-2.csv, sales/part-10.csv
//	sales             sales/year=2024/a.parquet, sales/year=2025/a.parquet, with the key year of each
//
// In a pattern *, ? and [a-z] match within the name of a file or a folder, and ** matches any number of folders. Names
// that begin with . or _ are skipped, as by other programs, unless the pattern begins with the same character.
package partition

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A File is one file of a data set.
type File struct {
	Path string
	Size int64
	Keys []Key // keys of the folders that contain it, the outermost first
}

// A Key comes from the name of a folder, NAME=VALUE. It is a column of all rows below the folder.
type Key struct {
	Name, Value string
	Missing     bool
}

// missingValue is the text for a missing value in the name of a folder.
const missingValue = "__HIVE_DEFAULT_PARTITION__"

// IsPattern reports whether a path contains *, ? or [.
func IsPattern(path string) bool { return strings.ContainsAny(path, "*?[") }

// A Listing lists the files below a folder, with their sizes and full paths. It may skip folders for which `may`
// returns false; names are relative to the folder.
type Listing func(folder string, may func(names []string) bool) ([]File, error)

// Matching returns the files that match a pattern, and the files below folders that match it.
func Matching(pattern string, list Listing) ([]File, error) {
	root, parts := split(filepath.ToSlash(pattern))
	if _, err := path.Match(strings.Join(parts, "/"), ""); err != nil {
		return nil, err
	}
	found, err := list(root, func(names []string) bool { return match(parts, names, true) })
	return ordered(root, found, func(names []string) bool { return match(parts, names, false) }), err
}

// Below returns the files below a folder that `wants` selects by name.
func Below(folder string, wants func(name string) bool, list Listing) ([]File, error) {
	folder = path.Clean(filepath.ToSlash(folder))
	found, err := list(folder, func(names []string) bool { return !hidden(names[len(names)-1]) })
	return ordered(folder, found, func(names []string) bool {
		return !slices.ContainsFunc(names, hidden) && wants(names[len(names)-1])
	}), err
}

// ordered returns the files below a folder that `wants` selects, in order and with their keys.
func ordered(folder string, found []File, wants func(names []string) bool) (all []File) {
	for _, f := range found {
		names := namesFrom(folder, f.Path)
		if wants(names) {
			f.Keys = keysOf(names[:len(names)-1])
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b File) int { return compare(a.Path, b.Path) })
	return all
}

// namesFrom returns the names of the folders between a folder and a file below it, followed by the name of the file.
func namesFrom(folder, file string) []string {
	file = filepath.ToSlash(file)
	if folder != "." {
		file = strings.TrimPrefix(strings.TrimPrefix(file, folder), "/")
	}
	return strings.Split(file, "/")
}

// split divides a pattern into the folder before the first special character and the remaining parts.
func split(pattern string) (folder string, parts []string) {
	all := strings.Split(pattern, "/")
	at := slices.IndexFunc(all, IsPattern)
	folder = strings.Join(all[:at], "/")
	if folder == "" && at > 0 {
		return "/", all[at:]
	}
	return path.Clean(folder), all[at:]
}

// match reports whether names match a pattern or are below a folder that matches it. With prefix, it also reports
// whether files below the names may match.
func match(pattern, names []string, prefix bool) bool {
	switch {
	case len(pattern) == 0:
		return !slices.ContainsFunc(names, hidden)
	case pattern[0] == "**":
		return match(pattern[1:], names, prefix) ||
			len(names) > 0 && !hidden(names[0]) && match(pattern, names[1:], prefix)
	case len(names) == 0:
		return prefix
	case hidden(names[0]) && !hidden(pattern[0]):
		return false
	}
	same, _ := path.Match(pattern[0], names[0]) // the syntax of the pattern was checked before
	return same && match(pattern[1:], names[1:], prefix)
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// keysOf returns the keys of folders whose names are NAME=VALUE.
func keysOf(folders []string) (keys []Key) {
	for _, f := range folders {
		name, value, ok := strings.Cut(f, "=")
		if ok && name != "" {
			keys = append(keys, Key{unescaped(name), unescaped(value), value == missingValue})
		}
	}
	return keys
}

// unescaped decodes the characters that programs escape as % and two hexadecimal digits in names of folders.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if i+3 <= len(text) && text[i] == '%' {
			if c, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// compare orders paths by the names of their folders and files; sequences of digits are compared as numbers.
func compare(a, b string) int {
	return cmp.Or(slices.CompareFunc(strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/"),
		natural), strings.Compare(a, b))
}

func natural(a, b string) int {
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m > 0 && n > 0 {
			x, y := strings.TrimLeft(a[:m], "0"), strings.TrimLeft(b[:n], "0")
			if order := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); order != 0 {
				return order
			}
			a, b = a[m:], b[n:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns the number of digits at the start of a text.
func digits(text string) (n int) {
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n
}
