package cache

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ppl/runtime/sys/files"
	"ppl/runtime/sys/files/filestest"
)

// TestEvict: the libraries used last stay, as many as fit, the newest whatever its size; so do compilations under way.
func TestEvict(t *testing.T) {
	c := &Cache{t.TempDir(), ".so", 250, files.Disk{}}
	put := func(name string, age time.Duration) string {
		path := filepath.Join(c.dir, name)
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("a-1.so", 3*time.Hour)
	old := put("b-2.so", 2*time.Hour)
	put("c-3.so", time.Hour)
	put("compile-dead", 2*time.Hour)
	put("compile-now", time.Minute)
	touch(old)
	newest := put("d-4.so", 0)
	c.evict(newest)
	var left []string
	for _, f := range append(c.list("*.so"), c.list("compile-*")...) {
		left = append(left, filepath.Base(f.path))
	}
	slices.Sort(left)
	if want := []string{"b-2.so", "compile-now", "d-4.so"}; !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
	c.size = 10
	c.evict(newest)
	if _, err := os.Stat(newest); err != nil || len(c.list("*.so")) != 1 {
		t.Errorf("the library just made is gone, or others are left: %v", c.list("*.so"))
	}
}

// Whatever call of the file system fails while a file is kept, it is found whole or not at all; once the fault is gone,
// it is kept.
func TestCacheOnABadDisk(t *testing.T) {
	for kind, plan := range map[string]func(int) filestest.Plan{
		"full": filestest.Full, "once": filestest.Once, "dead": filestest.Dead,
	} {
		failures := 0
		for at := 1; ; at++ {
			disk := filestest.New(plan(at))
			c := &Cache{t.TempDir(), ".so", 1000, disk}
			compile := func(path string) error { return files.Write(c.disk, path, []byte("one "), []byte("library")) }
			_, err := c.Store("key", compile)
			if err != nil {
				failures++
			}
			c.disk = files.Disk{}
			if path := c.Find("key"); path != "" {
				whole(t, path)
			} else if err == nil {
				t.Errorf("%s, call %d: stored and not found", kind, at)
			}
			if path, err := c.Store("key", compile); err != nil || c.Find("key") != path {
				t.Errorf("%s, call %d, and then a good disk: %v", kind, at, err)
			} else {
				whole(t, path)
			}
			if disk.Calls() < at {
				break
			}
		}
		if failures < 4 {
			t.Errorf("%s: only %d failures", kind, failures)
		}
	}
}

// A file that the system fails to read, or that is cut off, is not found, and kept again.
func TestReadsThatFail(t *testing.T) {
	for what, spoil := range filestest.ReadFaults() {
		c := &Cache{t.TempDir(), ".so", 1000, files.Disk{}}
		compile := func(path string) error { return files.Write(c.disk, path, []byte("one "), []byte("library")) }
		path, err := c.Store("key", compile)
		if err != nil {
			t.Fatal(err)
		}
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		if found := c.Find("key"); found != "" {
			t.Errorf("%s: found", what)
		}
		if path, err = c.Store("key", compile); err != nil || c.Find("key") != path {
			t.Errorf("%s, and then a good disk: %v", what, err)
		}
		whole(t, path)
	}
}

func whole(t *testing.T, path string) {
	t.Helper()
	if text, err := os.ReadFile(path); err != nil || string(text) != "one library" {
		t.Errorf("%s: %q, %v", path, text, err)
	}
}
