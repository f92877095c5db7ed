package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ppl/runtime/sys/files"
	"ppl/runtime/sys/files/filestest"
)

// TestBatch checks for a failure of any call that each file of a batch has its old or its new text, and that no other
// files remain. Without an error all files must have the new text.
func TestBatch(t *testing.T) {
	for name, plan := range map[string]func(int) filestest.Plan{"full": filestest.Full, "once": filestest.Once} {
		for at := 1; ; at++ {
			disk := filestest.New(plan(at))
			dir, err := replaced(t, disk)
			told := err != nil
			if told != (disk.Broke() > 0) {
				t.Fatalf("%s at %d: %d calls failed, told: %v", name, at, disk.Broke(), err)
			}
			lookAt(t, fmt.Sprint(name, " at ", at), dir, told)
			if disk.Broke() == 0 {
				break
			}
		}
	}
}

// replaced replaces three files in a batch.
func replaced(t *testing.T, disk files.System) (dir string, err error) {
	dir = t.TempDir()
	batch := files.NewBatch(disk, dir)
	for i := range 3 {
		path := filepath.Join(dir, fmt.Sprint(i))
		if e := os.WriteFile(path, []byte("old"), 0o666); e != nil {
			t.Fatal(e)
		}
		if err == nil {
			err = batch.Replace(path, []byte("new"))
		}
	}
	return dir, batch.Close(err)
}

func lookAt(t *testing.T, what, dir string, failed bool) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%s: %d files, %v", what, len(entries), err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || string(text) != "new" && !(failed && string(text) == "old") {
			t.Errorf("%s: %s has %q, %v", what, e.Name(), text, err)
		}
	}
}
