//go:build unix

package securedir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// base returns a directory with safe parents. It is below /tmp, which has the sticky bit.
func base(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := Dir(filepath.Join(dir, "probe")); err != nil {
		t.Skipf("no safe directory to begin with: %v", err)
	}
	return dir
}

func mode(t *testing.T, path string, m os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, m); err != nil {
		t.Fatal(err)
	}
}

// TestDir checks that Dir creates a directory with its parents, with mode 0700, and accepts it afterwards.
func TestDir(t *testing.T) {
	dir := filepath.Join(base(t), "a", "b")
	for range 2 {
		if err := Dir(dir); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestUnsafe checks that a directory is refused, with the reason, if others can write to it or to a parent.
func TestUnsafe(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string) (at string)
		says  string
	}{
		"the directory is open": {func(t *testing.T, dir string) string {
			mode(t, dir, 0o755)
			return dir
		}, "is open to other users"},
		"a parent can be written by all": {func(t *testing.T, dir string) string {
			mode(t, filepath.Dir(dir), 0o777)
			return filepath.Dir(dir)
		}, "can be changed by other users"},
		"a parent can be written by a group": {func(t *testing.T, dir string) string {
			mode(t, filepath.Dir(filepath.Dir(dir)), 0o770)
			return filepath.Dir(filepath.Dir(dir))
		}, "can be changed by other users"},
	} {
		dir := filepath.Join(base(t), "ppl", "native", "deep")
		if err := Dir(dir); err != nil {
			t.Fatal(err)
		}
		at := c.spoil(t, dir)
		var unsafe Unsafe
		if err := Dir(dir); !errors.As(err, &unsafe) || unsafe.Path != at || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStickyAndLinks checks that a directory of this user in one with the sticky bit is accepted, and that a link is
// judged by its target.
func TestStickyAndLinks(t *testing.T) {
	top := base(t)
	shared := filepath.Join(top, "shared")
	if err := os.Mkdir(shared, 0o700); err != nil {
		t.Fatal(err)
	}
	mode(t, shared, 0o777|os.ModeSticky)
	if err := Dir(filepath.Join(shared, "mine")); err != nil {
		t.Error(err)
	}
	open := filepath.Join(top, "open")
	if err := os.MkdirAll(filepath.Join(open, "target"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(top, "link")
	if err := os.Symlink(filepath.Join(open, "target"), link); err != nil {
		t.Fatal(err)
	}
	if err := Dir(link); err != nil {
		t.Error(err)
	}
	mode(t, open, 0o777)
	if err := Dir(link); err == nil {
		t.Error("a link into a directory that others can change is taken")
	}
}

// TestOfAnotherUser checks that a directory of another user is refused.
func TestOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory away")
	}
	top := base(t)
	theirs := filepath.Join(top, "ppl")
	if err := os.Mkdir(theirs, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(theirs, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{theirs, filepath.Join(theirs, "native")} {
		if err := Dir(dir); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
