//go:build unix

package files_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ppl/runtime/sys/files"
)

// TestRemoveAbandoned checks that temporary files of a killed process are removed, and that those of a running process,
// new ones and other files remain.
func TestRemoveAbandoned(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a [cache]") // a name that is a pattern itself
	if os.Getenv("PPL_TEST_HOLDS") != "" {
		holdForEver(t, os.Getenv("PPL_TEST_HOLDS"))
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	killed := exec.Command(os.Args[0], "-test.run=^TestRemoveAbandoned$")
	killed.Env = append(os.Environ(), "PPL_TEST_HOLDS="+dir)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, filepath.Join(dir, "ready"))
	for _, name := range []string{"converting-new", "shared-link", "other", "compile-x/draft"} {
		makeFile(t, filepath.Join(dir, name))
	}
	for _, name := range []string{"converting-held", "other", "compile-x", "ready"} {
		age(t, filepath.Join(dir, name))
	}
	check := func(when string, want ...string) {
		t.Helper()
		files.RemoveAbandoned(dir, "converting-*", "compile-*")
		if got := names(t, dir); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	check("while the process lives", "converting-held", "converting-new", "other", "ready", "shared-link")
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	check("after it was killed", "converting-new", "other", "ready", "shared-link")
}

func holdForEver(t *testing.T, dir string) {
	f, err := files.Disk{}.Create(filepath.Join(dir, "converting-held"))
	if err != nil {
		t.Fatal(err)
	}
	files.Hold(f)
	makeFile(t, filepath.Join(dir, "ready"))
	time.Sleep(time.Minute)
}

func makeFile(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func age(t *testing.T, path string) {
	t.Helper()
	then := time.Now().Add(-2 * time.Minute)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func waitFor(t *testing.T, path string) {
	t.Helper()
	for range 1000 {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s never appeared", path)
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, strings.TrimSpace(e.Name()))
	}
	return all
}
