package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/runtime/sys/files/filestest"
)

// TestReadsThatFail checks for each file that cannot be read, or only in part, that reading returns an error or the
// draws that were written.
func TestReadsThatFail(t *testing.T) {
	l := faultLayout(2)
	whole := filepath.Join(t.TempDir(), "m.run")
	if announced, err := beginning(filestest.New(filestest.Good), whole, l); err != nil || announced != allFaultDraws {
		t.Fatal(announced, err)
	}
	var names []string
	if err := filepath.WalkDir(whole, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(path, whole))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	refused, read := 0, 0
	for what, spoil := range filestest.ReadFaults() {
		for _, name := range names {
			text, err := os.ReadFile(whole + name)
			if err != nil {
				t.Fatal(err)
			}
			if err := spoil(whole + name); err != nil {
				t.Fatal(err)
			}
			switch err := readable(whole, l, allFaultDraws); {
			case err == nil:
				read++
			case strings.Contains(err.Error(), "is not what was appended"):
				t.Errorf("%s, %s: %v", name, what, err)
			default:
				refused++
			}
			if err := errors.Join(os.RemoveAll(whole+name), os.WriteFile(whole+name, text, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if needed := len(l.Posterior) + len(l.SampleStats); refused < needed*len(filestest.ReadFaults()) || read == 0 {
		t.Errorf("%d files refused, %d not needed", refused, read)
	}
	t.Logf("%d files, %d faults refused, %d without consequence", len(names), refused, read)
}
