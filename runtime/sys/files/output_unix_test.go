//go:build unix

package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func says(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// TestOutput checks that Output replaces a link without following it, keeps the mode of a file, leaves the old file if
// writing fails, and refuses a directory.
func TestOutput(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("mine"), []byte("mine"), 0o640), os.Symlink(at("mine"), at("link")),
		Output(at("new"), says("new")), Output(at("link"), says("page"))); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(at("mine")); err != nil || string(text) != "mine" {
		t.Errorf("the link was followed: %q, %v", text, err)
	}
	if to, err := Followed(at("link")); err != nil || to != at("link") { // it is a file now
		t.Error(to, err)
	}
	broken := errors.New("broken")
	if err := Output(at("mine"), func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if err := Output(at("mine"), says("other")); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(at("mine"))
	if info, e := os.Stat(at("mine")); err != nil || e != nil || string(text) != "other" || info.Mode() != 0o640 {
		t.Errorf("%q %v %v", text, info, err)
	}
	if err := Output(os.DevNull, says("nothing")); err != nil {
		t.Error(err)
	}
	if err := Output(dir, says("")); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestFollowed checks that links of this user are followed to their end, and those of another user are not.
func TestFollowed(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for i := range 3 {
		if err := os.Symlink(fmt.Sprint(i+1), at(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if to, err := Followed(at("0")); err != nil || to != at("3") {
		t.Errorf("%s, %v", to, err)
	}
	if err := os.Symlink("loop", at("loop")); err != nil {
		t.Fatal(err)
	}
	if _, err := Followed(at("loop")); err == nil {
		t.Error("a loop has no end")
	}
	if os.Getuid() != 0 {
		t.Skip("only root can give a link away")
	}
	if err := os.Lchown(at("1"), 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if _, err := Followed(at("0")); err == nil || !strings.Contains(err.Error(), at("1")) {
		t.Error(err)
	}
}
