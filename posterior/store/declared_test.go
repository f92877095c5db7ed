package store

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
)

// redeclare changes the shape and the chunks that the documents of a run declare for an array.
func redeclare(t *testing.T, dir, key string, chunks func(shape []int) []int, shape ...int) {
	t.Helper()
	edit := func(file string, change func(doc map[string]any)) {
		text, err := os.ReadFile(filepath.Join(dir, file))
		var doc map[string]any
		if err == nil {
			err = json.Unmarshal(text, &doc)
		}
		if err != nil {
			t.Fatal(err)
		}
		change(doc)
		if text, err = json.Marshal(doc); err == nil {
			err = os.WriteFile(filepath.Join(dir, file), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	group, name, _ := strings.Cut(key, "/")
	own := shape
	if group == posterior {
		own = shape[2:]
	}
	edit(layoutFile, func(doc map[string]any) {
		for _, v := range doc[group].([]any) {
			if v := v.(map[string]any); v["name"] == name {
				v["shape"], v["dims"], v["first"], v["label"] = own, nil, nil, nil
			}
		}
	})
	edit(".zmetadata", func(doc map[string]any) {
		a := doc["metadata"].(map[string]any)[key+"/.zarray"].(map[string]any)
		a["shape"], a["chunks"] = shape, chunks(shape)
	})
}

// TestDeclaredSizes checks that a run whose documents declare more than its files can hold, or than fits into memory,
// is refused before that memory is allocated: opening and reading it allocate less than a megabyte.
func TestDeclaredSizes(t *testing.T) {
	whole := func(shape []int) []int { return shape }
	byDraw := func(shape []int) []int { return append([]int{1, 1}, shape[2:]...) }
	before := debug.SetMemoryLimit(24 << 30)
	defer debug.SetMemoryLimit(before)
	for name, test := range map[string]struct {
		key    string
		chunks func([]int) []int
		shape  []int
		want   string
	}{
		"elements beyond memory": {"posterior/theta", byDraw, []int{2, 20, 60_000_000_000}, "memory limit of 25.8 GB"},
		"more chunks than files": {"posterior/theta", byDraw, []int{2, 20, 100_000_000}, "declares 40 chunks"},
		"data beyond memory":     {"constant_data/x", whole, []int{60_000_000_000}, "memory limit of 25.8 GB"},
		"data beyond the file":   {"constant_data/x", whole, []int{500_000_000}, "cannot hold"},
		"data in more chunks": {"constant_data/x", func([]int) []int { return []int{4} }, []int{500_000_000},
			"declares 125000000 chunks"},
	} {
		dir := boundRun(t, 1, []float64{1, 2, 3})
		if err := allOf(dir); err != nil {
			t.Fatal(err)
		}
		redeclare(t, dir, test.key, test.chunks, test.shape...)
		taken := allocatedBy(func() {
			err := allOf(dir)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%s: %v, want %q", name, err, test.want)
			}
			if !errors.As(err, new(ErrDamaged)) && !errors.As(err, new(ErrMemory)) {
				t.Errorf("%s: the error is a %T", name, err)
			}
		})
		if taken > 1<<20 {
			t.Errorf("%s: %d bytes were taken", name, taken)
		}
	}
}

func allocatedBy(do func()) uint64 {
	taken := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(taken)
	before := taken[0].Value.Uint64()
	do()
	metrics.Read(taken)
	return taken[0].Value.Uint64() - before
}

// TestNeedMemory checks that more quantities than fit into memory are refused.
func TestNeedMemory(t *testing.T) {
	before := debug.SetMemoryLimit(1 << 30)
	defer debug.SetMemoryLimit(before)
	r := &Run{Dir: "m.run"}
	if err := r.NeedMemory(1<<20, 1<<10); err != nil {
		t.Error(err)
	}
	for _, n := range []int{1<<20 + 1, math.MaxInt} {
		if err := r.NeedMemory(n, 1<<10); err == nil || !strings.Contains(err.Error(), "m.run: ") {
			t.Errorf("%d: %v", n, err)
		}
	}
}
