//go:build unix

package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ppl/runtime/sys/files"
)

// TestOnlyRegularFiles checks that regular files and links to them are read, and that pipes, devices and directories
// are refused at once.
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

// TestMisplaced checks that the error names what blocks the path of a file, and differs from an error of the disk.
func TestMisplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m.run")
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{os.Mkdir(dir, 0o700), os.Symlink("loop", at("loop")), os.Mkdir(at("folder"), 0o700),
		os.WriteFile(at("file"), nil, 0o600), os.Symlink("/etc", at("out")), os.Mkdir(at("folder/taken"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	below := files.Disk{}.Below(dir)
	read := func(path string) error { _, err := files.Read(path, 10); return err }
	write := func(path string) error { return files.Replace(below, path, nil) }
	for _, test := range []struct {
		do         func(path string) error
		name, want string
	}{
		{read, "loop", "is a link that leads to itself"}, {read, "loop/x", "is a link that leads to itself"},
		{read, "file/x", "lies below a file"}, {write, "file/x", "lies below a file that is not a directory"},
		{write, "loop/x", "is a"}, {write, "out/x", "is reached by a link out of its directory"},
		{write, "none/x", "cannot be written: its directory does not exist"},
		{write, "folder/taken", "is a directory, and should be a file"},
	} {
		err := test.do(at(test.name))
		if !errors.As(err, new(files.Misplaced)) || !strings.Contains(err.Error(), at(test.name)) ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	if err := read(at("none")); errors.As(err, new(files.Misplaced)) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is missing: %v", err)
	}
}
