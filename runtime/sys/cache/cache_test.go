package cache

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"ppl/runtime/sys/files"
	"ppl/runtime/sys/files/filestest"
)

// TestEvict checks that the most recently used files remain, as many as fit, the newest whatever its size, and
// unfinished files of running compilations.
func TestEvict(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, age time.Duration) string {
		path := filepath.Join(dir, name)
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
	put("compile-now", time.Second)
	Touch(old)
	newest := put("d-4.so", 0)
	check := func(most int64, want ...string) {
		t.Helper()
		Evict(files.Disk{}, dir, most, newest)
		var left []string
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			left = append(left, e.Name())
		}
		if !slices.Equal(left, want) {
			t.Errorf("left %v, want %v", left, want)
		}
	}
	check(250, "b-2.so", "compile-now", "d-4.so")
	check(10, "compile-now", "d-4.so")
}

// TestParts checks that the size set by the user is the limit of each part whose default is not smaller, and that Clear
// leaves files that are in use.
func TestParts(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for text, want := range map[string][2]int64{
		"": {256 << 20, 64 << 30}, "20GB": {256 << 20, 20e9}, "1MB": {1e6, 1e6},
	} {
		t.Setenv(SizeVariable, text)
		native, err := PartOf(Native).Limit()
		rows, err2 := PartOf(Rows).Limit()
		if native != want[0] || rows != want[1] || err != nil || err2 != nil {
			t.Errorf("%q: %d and %d, %v", text, native, rows, err)
		}
	}
	t.Setenv(SizeVariable, "large")
	if _, err := PartOf(Rows).Limit(); err == nil {
		t.Error("large is a size")
	}
	rows := PartOf(Rows)
	if err := os.MkdirAll(rows.Dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.rows4", "b.rows3", "converting-1"} {
		if err := os.WriteFile(filepath.Join(rows.Dir(), name), make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := rows.Use(); got != (Use{2, 300, 1}) {
		t.Errorf("%+v", got)
	}
	if err := rows.Clear(); err != nil {
		t.Fatal(err)
	}
	if got := rows.Use(); got != (Use{0, 100, 1}) {
		t.Errorf("after: %+v", got)
	}
}

// TestCacheOnABadDisk checks for a failure of any file system call during Store that the file is then found complete or
// not at all, and that Store succeeds without the fault.
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

// TestReadsThatFail checks that a file that cannot be read or is cut off is not found, and can be stored again.
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

// TestEvictCountsSpaceOnDisk checks that a sparse file counts with the space that it takes: next to one of a gigabyte,
// of which a block is allocated, an older file fits into a megabyte. It is removed if the newest file takes two
// megabytes.
func TestEvictCountsSpaceOnDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems may not make sparse files")
	}
	dir := t.TempDir()
	newest, older := filepath.Join(dir, "newest"), filepath.Join(dir, "older")
	if err := os.WriteFile(older, make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(newest, make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(newest, 1<<30); err != nil {
		t.Fatal(err)
	}
	Evict(files.Disk{}, dir, 1<<20, newest)
	if _, err := os.Stat(older); err != nil {
		t.Errorf("what is not allocated counts: %v", err)
	}
	if err := os.WriteFile(newest, make([]byte, 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	Evict(files.Disk{}, dir, 1<<20, newest)
	if _, err := os.Stat(older); err == nil {
		t.Error("what is allocated does not count")
	}
}
