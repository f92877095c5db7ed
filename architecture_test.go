package ppl_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func architecture(t *testing.T) string {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A block is a fenced block of a document: its language, what follows on that line, and its text.
type block struct{ language, info, text string }

func blocks(document string) (all []block) {
	fence := regexp.MustCompile("(?ms)^```(\\w+) ([^\n]+)\n(.*?)^```$")
	for _, m := range fence.FindAllStringSubmatch(document, -1) {
		all = append(all, block{m[1], m[2], m[3]})
	}
	return all
}

// Every output shown in ARCHITECTURE.md is what the command before it prints, in full or consecutive lines of it.
func TestArchitectureOutputs(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "ppl")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/ppl").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	outputs := 0
	for _, b := range blocks(architecture(t)) {
		if b.language != "text" {
			if err := os.WriteFile(filepath.Join(dir, b.info), []byte(b.text), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		outputs++
		words := strings.Fields(b.info)
		if words[0] != "ppl" {
			t.Fatalf("%q is not a command of ppl", b.info)
		}
		command := exec.Command(binary, words[1:]...)
		command.Dir = dir
		printed, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v", b.info, err)
		}
		if !shows(b.text, string(printed)) {
			t.Errorf("`%s` does not print what ARCHITECTURE.md shows:\n%s\nbut:\n%s", b.info, b.text, printed)
		}
	}
	if outputs < 6 {
		t.Errorf("only %d outputs: a stage is missing", outputs)
	}
}

// shows reports whether a text is consecutive whole lines of an output.
func shows(text, printed string) bool { return strings.Contains("\n"+printed, "\n"+text) }

// The comparison itself must be able to fail.
func TestShows(t *testing.T) {
	for text, want := range map[string]bool{"b\n": true, "a\nb\n": true, "a\n": true, "c\n": false, "ab\n": false} {
		if shows(text, "a\nb\n") != want {
			t.Errorf("shows(%q) is %v", text, !want)
		}
	}
}

// The map of packages in ARCHITECTURE.md names every package.
func TestArchitectureMap(t *testing.T) {
	text := architecture(t)
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, "ppl/")
		if name == "ppl" || strings.HasPrefix(name, "experiments/") {
			continue
		}
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("the map of packages does not name %s", name)
		}
	}
}
