package ppl_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each row of the table of SECURITY.md, and each remark in brackets, names what holds it, and
// that is there: a test, a script of cmd/ppl, or a package that has tests.
func TestSecurityIsHeld(t *testing.T) {
	raw, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	if rows := heldRows(t, string(raw), 1); rows < 12 {
		t.Errorf("only %d rows were looked at", rows)
	}
	brackets := regexp.MustCompile(`\[([^\]]+)\]`).FindAllStringSubmatch(string(raw), -1)
	for _, m := range brackets {
		heldBy(t, m[1])
	}
	if len(brackets) < 4 {
		t.Errorf("only %d remarks in brackets", len(brackets))
	}
}

// Each row of the table of bench/SILENCE.md names the tests that hold it, and they are there.
func TestSilenceIsBroken(t *testing.T) {
	raw, err := os.ReadFile("bench/SILENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	if rows := heldRows(t, string(raw), 4); rows < 20 {
		t.Errorf("only %d rows were looked at", rows)
	}
}

// heldRows is how many rows of a table, the first column of which is a claim, name in a column what holds them.
func heldRows(t *testing.T, text string, column int) (rows int) {
	for _, line := range strings.Split(text, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "|") || len(cells) <= column || strings.HasPrefix(cells[column], "held by") {
			continue
		}
		rows++
		if heldBy(t, cells[column]) == 0 {
			t.Errorf("nothing is said to hold %q", cells[0])
		}
	}
	return rows
}

// heldBy is how many holders a text names in backticks; one that is not there is an error.
func heldBy(t *testing.T, text string) int {
	names := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1)
	for _, m := range names {
		switch name := m[1]; {
		case strings.HasPrefix(name, "Test"):
			if exec.Command("grep", "-rq", "--include=*_test.go", "func "+name+"(", ".").Run() != nil {
				t.Errorf("there is no test %s", name)
			}
		case strings.HasSuffix(name, ".txt"):
			if _, err := os.Stat("cmd/ppl/testdata/" + name); err != nil {
				t.Error(err)
			}
		default:
			tests, err := os.ReadDir(name)
			if err != nil || !strings.Contains(strings.Join(fileNames(tests), " "), "_test.go") {
				t.Errorf("package %s has no tests: %v", name, err)
			}
		}
	}
	return len(names)
}

func fileNames(entries []os.DirEntry) (names []string) {
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Only the packages that are listed start programs, and one opens connections, for data that users name.
func TestProgramsAndConnections(t *testing.T) {
	starts := []string{"runtime/native", "runtime/gpu/cuda", "runtime/gpu/cudasim", "runtime/parallel/mpi",
		"cmd/release"} // which is not a part of the program
	found := map[string]bool{}
	for _, dir := range []string{"app", "autodiff", "cmd", "compiler", "infer", "lang", "posterior", "runtime",
		"stdlib"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, i := range f.Imports {
				switch name := strings.Trim(i.Path.Value, `"`); {
				case name == "net" || strings.HasPrefix(name, "net/"):
					if !strings.HasPrefix(filepath.ToSlash(path), "runtime/sys/objects/") &&
						!strings.HasPrefix(filepath.ToSlash(path), "runtime/parallel/tcp/") {
						t.Errorf("%s imports %s", path, name)
					}
				case name == "os/exec":
					found[filepath.ToSlash(filepath.Dir(path))] = true
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if names := slices.Sorted(maps.Keys(found)); !slices.Equal(names, slices.Sorted(slices.Values(starts))) {
		t.Errorf("%v import os/exec, and not %v", names, starts)
	}
}
