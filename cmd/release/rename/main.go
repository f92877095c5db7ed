// Command rename changes the path of the module, so that `go install` finds the module once it is published:
//
//	go run ./cmd/release/rename -module host/owner/ppl .
//
// It changes go.mod, imports and package names in Go files, and linker flags in scripts. The output is formatted. The
// command can be run again with another path.
package main

import (
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

func main() {
	to := flag.String("module", "", "the new `path` of the module, such as host/owner/ppl")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: rename -module PATH FOLDER")
		os.Exit(2)
	}
	changed, err := rename(flag.Arg(0), *to)
	if err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
	fmt.Printf("%d files name the module %s\n", changed, *to)
}

// rename changes the module path in a folder, and returns the number of files changed.
func rename(folder, to string) (changed int, err error) {
	if err := module.CheckPath(to); err != nil {
		return 0, err
	}
	from, err := setModule(filepath.Join(folder, "go.mod"), to)
	if err != nil {
		return 0, err
	}
	paths, err := written(folder)
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return changed, err
		}
		renamed, err := replaced(path, text, from, to)
		if err != nil {
			return changed, fmt.Errorf("%s: %w", path, err)
		}
		if slices.Equal(text, renamed) {
			continue
		}
		if err := os.WriteFile(path, renamed, 0o666); err != nil { // keeps the file mode
			return changed, err
		}
		changed++
	}
	return changed, nil
}

// setModule sets the module path in go.mod, and returns the old one.
func setModule(path, to string) (from string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	file, err := modfile.Parse(path, text, nil)
	if err != nil {
		return "", err
	}
	from = file.Module.Mod.Path
	if err := file.AddModuleStmt(to); err != nil {
		return "", err
	}
	text, err = file.Format()
	if err != nil {
		return "", err
	}
	return from, os.WriteFile(path, text, 0o666)
}

// written lists the Go files and scripts below a folder, without build outputs and installed modules.
func written(folder string) (paths []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "dist", "node_modules"}, d.Name()):
			return filepath.SkipDir
		case d.Type().IsRegular() && (slices.Contains([]string{".go", ".sh"}, filepath.Ext(path)) ||
			d.Name() == "Makefile"):
			paths = append(paths, path)
		}
		return nil
	})
	return paths, err
}

// replaced returns the text of a file with the path replaced. Package names occur at the beginning of strings and in
// linker flags.
func replaced(path string, text []byte, from, to string) ([]byte, error) {
	names := regexp.MustCompile("([\"`]|-X )" + regexp.QuoteMeta(from) + "/")
	renamed := names.ReplaceAll(text, []byte("${1}"+to+"/"))
	if filepath.Ext(path) != ".go" || slices.Equal(text, renamed) {
		return renamed, nil
	}
	return format.Source(renamed)
}
