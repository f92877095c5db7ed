package checkpoint

import (
	"os"
	"path/filepath"
	"testing"

	"ppl/runtime/sys/files"
	"ppl/runtime/sys/files/filestest"
)

// A checkpoint that cannot be read, or only in part, is replaced by the one before; without that there is
// an error, and never another state.
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
