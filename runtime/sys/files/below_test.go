package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/runtime/sys/files"
)

// planted returns a directory with links to a file and a directory outside of it, as files, temporary files and parent
// directories.
func planted(t *testing.T) (dir, victim, outside string) {
	t.Helper()
	top := t.TempDir()
	dir, victim, outside = filepath.Join(top, "m.run"), filepath.Join(top, "bashrc"), filepath.Join(top, "home")
	for _, err := range []error{
		os.Mkdir(dir, 0o700), os.Mkdir(outside, 0o700), os.WriteFile(victim, []byte("mine"), 0o600),
		os.WriteFile(filepath.Join(outside, "kept"), []byte("mine"), 0o600),
		os.Symlink(victim, filepath.Join(dir, "file")), os.Symlink(victim, filepath.Join(dir, "file.partial")),
		os.Symlink(filepath.Join(outside, "new"), filepath.Join(dir, "dangling.partial")),
		os.Symlink(outside, filepath.Join(dir, "folder")), os.Symlink("../home", filepath.Join(dir, "relative")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir, victim, outside
}

// untouched checks that the files outside are unchanged.
func untouched(t *testing.T, what, victim, outside string) {
	t.Helper()
	text, err := os.ReadFile(victim)
	entries, err2 := os.ReadDir(outside)
	if err != nil || err2 != nil || string(text) != "mine" || len(entries) != 1 || entries[0].Name() != "kept" {
		t.Errorf("%s: outside there are %q and %d files: %v %v", what, text, len(entries), err, err2)
	}
}

// attempts returns all ways to write with a System, at each planted link.
func attempts(dir string) map[string]func(d files.System) error {
	all := map[string]func(d files.System) error{}
	for _, name := range []string{"file", "dangling", "folder", "folder/x", "folder/kept", "relative/kept",
		"folder/more/x"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		for kind, do := range map[string]func(d files.System) error{
			"Replace":        func(d files.System) error { return files.Replace(d, path, []byte("theirs")) },
			"ReplaceQuickly": func(d files.System) error { return files.ReplaceQuickly(d, path, []byte("theirs")) },
			"Write":          func(d files.System) error { return files.Write(d, path, []byte("theirs")) },
			"Mkdir":          func(d files.System) error { return d.Mkdir(path, 0o777) },
			"MkdirAll":       func(d files.System) error { return d.MkdirAll(path, 0o777) },
			"Remove":         func(d files.System) error { return d.Remove(path) },
			"RemoveAll":      func(d files.System) error { return d.RemoveAll(path) },
			"Rename": func(d files.System) error {
				return errors.Join(os.WriteFile(dir+"/own", nil, 0o600), d.Rename(filepath.Join(dir, "own"), path))
			},
			"CreateTemp": func(d files.System) error {
				f, err := d.CreateTemp(path, "x-*")
				if err == nil {
					err = f.Close()
				}
				return err
			},
			"MkdirTemp": func(d files.System) error {
				_, err := d.MkdirTemp(path, "x-*")
				return err
			},
			"Batch": func(d files.System) error {
				b := files.NewBatch(d, dir)
				return b.Close(b.Replace(path, []byte("theirs")))
			},
		} {
			all[kind+" "+name] = do
		}
	}
	return all
}

// TestLinksLeadNowhere checks that no way of writing through Below changes files outside the directory, and that some
// do without Below.
func TestLinksLeadNowhere(t *testing.T) {
	escaped := 0
	for what := range attempts("") {
		dir, victim, outside := planted(t)
		_ = attempts(dir)[what](files.Disk{}.Below(dir)) // it may be refused
		untouched(t, what, victim, outside)
	}
	for what := range attempts("") { // the planted fault: without Below some lead out
		dir, victim, outside := planted(t)
		_ = attempts(dir)[what](files.Disk{})
		text, _ := os.ReadFile(victim)
		if entries, _ := os.ReadDir(outside); string(text) != "mine" || len(entries) != 1 {
			escaped++
		}
	}
	if escaped < 10 {
		t.Errorf("only %d of %d ways lead out without Below: the links are not what they should be", escaped,
			len(attempts("")))
	}
}

// TestOutsideOfBelow checks that a path that is not below the directory is refused.
func TestOutsideOfBelow(t *testing.T) {
	dir := t.TempDir()
	d := files.Disk{}.Below(filepath.Join(dir, "a"))
	if err := d.MkdirAll(filepath.Join(dir, "a"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "b", "a/../b", "ab"} {
		if err := files.Write(d, filepath.Join(dir, path), nil); err == nil || !strings.Contains(err.Error(), "below") {
			t.Errorf("%q: %v", path, err)
		}
	}
	if err := files.Write(d, filepath.Join(dir, "a", "b", "..", "c"), nil); err != nil {
		t.Error(err)
	}
}

// TestCreateReplaces checks that Create replaces a file, and a link without following it.
func TestCreateReplaces(t *testing.T) {
	for name, d := range map[string]func(dir string) files.System{
		"disk": func(string) files.System { return files.Disk{} }, "below": files.Disk{}.Below,
	} {
		dir, victim, outside := planted(t)
		for range 2 {
			if err := files.Write(d(dir), filepath.Join(dir, "file"), []byte("theirs")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		untouched(t, name, victim, outside)
		if info, err := os.Lstat(filepath.Join(dir, "file")); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	d := files.Disk{}.Below(filepath.Join(t.TempDir(), "gone"))
	if _, err := d.Create(filepath.Join("gone", "x")); err == nil {
		t.Error("a file was made in a directory that is not there")
	}
	if err := d.Remove(filepath.Join(t.TempDir(), "gone")); !errors.Is(err, fs.ErrNotExist) && err == nil {
		t.Error(err)
	}
}

// TestTemporaryNames checks that a temporary file has a name below the directory, by which it can be removed.
func TestTemporaryNames(t *testing.T) {
	dir := t.TempDir()
	d := files.Disk{}.Below(dir)
	f, err := d.CreateTemp(dir, "a-*.txt")
	if err != nil {
		t.Fatal(err)
	}
	name := f.Name()
	if matched, _ := filepath.Match(filepath.Join(dir, "a-?*.txt"), name); !matched {
		t.Errorf("%s is not a name as asked for", name)
	}
	made, err := d.MkdirTemp(dir, "b-")
	if err := errors.Join(err, f.Close(), d.Remove(name), d.RemoveAll(made)); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%d files are left, %v", len(entries), err)
	}
}
