// Package partition finds the files of a data set that lies in many files, in an order that depends on their names
// alone:
//
//	sales/*.csv       sales/part-2.csv, sales/part-10.csv
//	sales             sales/year=2024/a.parquet, sales/year=2025/a.parquet, with the key year of each
//
// In a pattern *, ? and [a-z] match within the name of a file or a folder, and ** any number of folders. Names that
// begin with . or _ are left out, as other programs do, unless the pattern begins so too.
package partition

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A File is one of a data set.
type File struct {
	Path string
	Size int64
	Keys []Key // of the folders on the way to it, from the outermost
}

// A Key is the name of a folder, NAME=VALUE: a column of all rows below it.
type Key struct {
	Name, Value string
	Missing     bool
}

// missingValue is the value of a folder with rows whose key is missing.
const missingValue = "__HIVE_DEFAULT_PARTITION__"

// IsPattern reports whether a path has characters that match others.
func IsPattern(path string) bool { return strings.ContainsAny(path, "*?[") }

// A Listing lists the files below a folder, with their sizes and whole paths. It may leave out folders, given by their
// names from that one, that may not hold what is wanted.
type Listing func(folder string, may func(names []string) bool) ([]File, error)

// Matching returns the files that match a pattern, and those below folders that do.
func Matching(pattern string, list Listing) ([]File, error) {
	root, parts := split(filepath.ToSlash(pattern))
	if _, err := path.Match(strings.Join(parts, "/"), ""); err != nil {
		return nil, err
	}
	found, err := list(root, func(names []string) bool { return match(parts, names, true) })
	return ordered(root, found, func(names []string) bool { return match(parts, names, false) }), err
}

// Below returns the files below a folder that a test wants, which is given a name.
func Below(folder string, wants func(name string) bool, list Listing) ([]File, error) {
	folder = path.Clean(filepath.ToSlash(folder))
	found, err := list(folder, func(names []string) bool { return !hidden(names[len(names)-1]) })
	return ordered(folder, found, func(names []string) bool {
		return !slices.ContainsFunc(names, hidden) && wants(names[len(names)-1])
	}), err
}

// ordered returns the files below a folder that are wanted, in their order and with their keys.
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

// namesFrom returns the names of the folders from one to a file below it, and that of the file.
func namesFrom(folder, file string) []string {
	file = filepath.ToSlash(file)
	if folder != "." {
		file = strings.TrimPrefix(strings.TrimPrefix(file, folder), "/")
	}
	return strings.Split(file, "/")
}

// split cuts a pattern into the folder that it names and what follows.
func split(pattern string) (folder string, parts []string) {
	all := strings.Split(pattern, "/")
	at := slices.IndexFunc(all, IsPattern)
	folder = strings.Join(all[:at], "/")
	if folder == "" && at > 0 {
		return "/", all[at:]
	}
	return path.Clean(folder), all[at:]
}

// match reports whether names are those of a pattern or lie below it; with a prefix also whether they may lead there.
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
	same, _ := path.Match(pattern[0], names[0]) // the pattern was checked
	return same && match(pattern[1:], names[1:], prefix)
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// keysOf returns the keys of folders.
func keysOf(folders []string) (keys []Key) {
	for _, f := range folders {
		name, value, ok := strings.Cut(f, "=")
		if ok && name != "" {
			keys = append(keys, Key{unescaped(name), unescaped(value), value == missingValue})
		}
	}
	return keys
}

// unescaped has the characters that programs write into names of folders as % and two digits.
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

// compare orders paths by the names of their folders, in which runs of digits count as numbers.
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

// digits counts those that a text begins with.
func digits(text string) (n int) {
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n
}
