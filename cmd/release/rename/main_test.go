package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func write(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A renamed module builds, and text that only resembles a package path is unchanged.
func TestRename(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{
		"go.mod":     "module ppl\n\ngo 1.21\n",
		"main.go":    "package main\n\nimport (\n\t\"fmt\"\n\n\t\"ppl/a\"\n)\n\nfunc main() { fmt.Println(a.Is) }\n",
		"a/a.go":     "package a\n\nimport \"strings\"\n\nvar Is = strings.HasPrefix(\"ppl/a\", \"ppl\")\n",
		"Makefile":   "LDFLAGS := -X ppl/a.Is=1 # in /home/ppl/a\n",
		"dist/a.go":  "package dist\n\nimport _ \"ppl/a\"\n",
		"a/notes.md": "\"ppl/a\"\n",
	})
	for _, to := range []string{"example.org/owner/ppl", "example.org/other/name"} {
		if n, err := rename(folder, to); n != 3 || err != nil {
			t.Fatalf("%s: %d files, %v", to, n, err)
		}
		build := exec.Command("go", "build", "-o", os.DevNull, ".")
		build.Dir = folder
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", to, err, out)
		}
	}
	for name, want := range map[string]string{
		"Makefile":   "LDFLAGS := -X example.org/other/name/a.Is=1 # in /home/ppl/a\n",
		"a/notes.md": "\"ppl/a\"\n", "dist/a.go": "package dist\n\nimport _ \"ppl/a\"\n"} {
		if got, err := os.ReadFile(filepath.Join(folder, name)); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := rename(folder, "no good"); err == nil {
		t.Error("a path with a blank is taken")
	}
}
