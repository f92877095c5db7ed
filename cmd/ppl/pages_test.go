package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ppl/docs/pagerun"
)

// lightPages lists the pages whose commands every test run carries out. make slow runs those of all pages.
func lightPages() []string { return []string{"tutorial.md", "with/csv.md"} }

// The commands of the site's pages run, in the order of each page, with the files of the page and of the examples.
func TestCommandsOfPages(t *testing.T) {
	endAgain()
	dir, commands := t.TempDir(), 0
	pages := os.DirFS("../../docs/pages")
	err := fs.WalkDir(pages, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(pages, name)
		if err != nil {
			return err
		}
		page, err := pagerun.Expand(string(text), readRepository)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		script, n := pageScript(page)
		commands += n
		if n == 0 || !slices.Contains(lightPages(), name) && os.Getenv("PPL_SLOW") == "" {
			return nil
		}
		file := filepath.Join(dir, strings.ReplaceAll(strings.TrimSuffix(name, ".md"), "/", "-")+".txt")
		return os.WriteFile(file, []byte(script), 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	if commands < 30 {
		t.Errorf("only %d blocks of commands seen", commands)
	}
	testscript.Run(t, testscript.Params{Dir: dir, Setup: copyExamples})
}

func readRepository(path string) (string, error) {
	text, err := os.ReadFile(filepath.Join("../..", path))
	return string(text), err
}

// pageScript converts a page to a script: the files of its blocks, then its commands, run by sh.
func pageScript(page string) (script string, commands int) {
	var lines, files strings.Builder
	for _, b := range pagerun.Blocks(page) {
		switch {
		case b.Commands():
			commands++
			name := fmt.Sprintf("block%d.sh", commands)
			fmt.Fprintf(&lines, "exec sh -e %s\n", name)
			fmt.Fprintf(&files, "-- %s --\n%s", name, b.Text)
		case b.File != "":
			fmt.Fprintf(&files, "-- %s --\n%s", b.File, b.Text)
		}
	}
	return lines.String() + files.String(), commands
}

// copyExamples copies the models and data of the examples, except files that the page itself has.
func copyExamples(e *testscript.Env) error {
	for _, ending := range []string{"ppl", "csv", "json"} {
		files, err := filepath.Glob("../../examples/*." + ending)
		if err != nil {
			return err
		}
		for _, f := range files {
			to := filepath.Join(e.WorkDir, filepath.Base(f))
			if _, err := os.Stat(to); err == nil {
				continue
			}
			text, err := os.ReadFile(f)
			if err == nil {
				err = os.WriteFile(to, text, 0o666)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
