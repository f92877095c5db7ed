package cache

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestEvict: the libraries used last stay, as many as fit, the newest whatever its size; so do compilations under way.
func TestEvict(t *testing.T) {
	c := &Cache{t.TempDir(), ".so", 250}
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
