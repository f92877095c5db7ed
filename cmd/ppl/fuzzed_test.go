package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/cmd/ppl/terminal"

	"github.com/rogpeppe/go-internal/txtar"
)

// Models that once made ppl crash or exhaust the memory are accepted or rejected. `make fuzz-models` adds to them.
func TestFuzzed(t *testing.T) {
	files, err := filepath.Glob("testdata/fuzzed/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no models", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			models, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := txtar.Write(models, dir); err != nil {
				t.Fatal(err)
			}
			model, out := filepath.Join(dir, "model.ppl"), filepath.Join(dir, "run")
			for _, warmup := range []string{"0", "12"} {
				goesThrough(t, "check", model)
				if goesThrough(t, "sample", model, "--device", "host", "--draws", "5", "--chains", "2", "--seed", "1",
					"--quiet", "--overwrite", "--warmup", warmup, "--out", out) {
					goesThrough(t, "predict", out)
				}
			}
		})
	}
}

// goesThrough carries out a command, fails the test on an internal error, and reports whether the command succeeded.
func goesThrough(t *testing.T, args ...string) bool {
	t.Helper()
	var said bytes.Buffer
	code := run(context.Background(), args, terminal.Plain(&said, &said))
	if strings.Contains(said.String(), "internal error") {
		t.Errorf("ppl %s\n%s", strings.Join(args, " "), &said)
	}
	return code == terminal.CodeDone
}

// goesThrough relies on this message for internal errors; here a writer panics.
func TestFuzzedSeesAPanic(t *testing.T) {
	var said bytes.Buffer
	c := terminal.Plain(panics{}, &said)
	if code := run(context.Background(), []string{"version"}, c); code != terminal.CodeFailed ||
		!strings.Contains(said.String(), "internal error") {
		t.Errorf("code %d: %s", code, &said)
	}
}

type panics struct{}

func (panics) Write([]byte) (int, error) { panic(os.ErrInvalid) }
