//go:build unix

package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ppl/runtime/sys/files"
)

// Only regular files are read, and links to them; what never begins or never ends is refused at once.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		syscall.Mkfifo(at("pipe"), 0o600), os.Symlink(at("pipe"), at("to pipe")),
		os.Symlink("/dev/zero", at("to zero")),
		os.Mkdir(at("folder"), 0o700), os.WriteFile(at("file"), []byte("text"), 0o600),
		os.Symlink(at("file"), at("to file")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{at("pipe"): "a named pipe", at("to pipe"): "a named pipe",
		"/dev/zero": "a device", at("to zero"): "a device", at("folder"): "a directory"} {
		_, err := files.Read(path, 1<<20)
		if !errors.As(err, new(files.NotRegular)) || !strings.Contains(err.Error(), path+" is "+want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{at("file"), at("to file")} {
		if text, err := files.Read(path, 4); err != nil || string(text) != "text" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
		if _, err := files.Read(path, 3); !errors.As(err, new(files.TooLarge)) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := files.Read("/proc/self/status", 10); !errors.As(err, new(files.TooLarge)) {
		if _, gone := os.Stat("/proc/self/status"); gone == nil { // its size is said to be 0
			t.Error(err)
		}
	}
}
