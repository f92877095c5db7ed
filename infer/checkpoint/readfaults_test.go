package checkpoint

import (
	"os"
	"path/filepath"
	"testing"

	"ppl/runtime/sys/files"
	"ppl/runtime/sys/files/filestest"
)

// TestReadsThatFail checks that Read uses the previous checkpoint if the newest cannot be read completely, and returns
// an error and no state if there is no previous one.
func TestReadsThatFail(t *testing.T) {
	for what, spoil := range filestest.ReadFaults() {
		dir := t.TempDir()
		for _, state := range []string{"first", "second"} {
			if err := Write(files.Disk{}, dir, state); err != nil {
				t.Fatal(err)
			}
		}
		if err := spoil(filepath.Join(dir, File)); err != nil {
			t.Fatal(err)
		}
		any := func(string) error { return nil }
		state, _, note, err := Read(files.Disk{}, dir, any)
		if err != nil || state != "first" || note == "" && what != "gone" {
			t.Errorf("%s: %q, note %q, %v", what, state, note, err)
		}
		if err := os.RemoveAll(filepath.Join(dir, before)); err != nil {
			t.Fatal(err)
		}
		if state, _, _, err := Read(files.Disk{}, dir, any); err == nil || state != "" {
			t.Errorf("%s, and no checkpoint before: %q, %v", what, state, err)
		}
	}
}
