package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCycle checks a module with three files. Two of them use each other, by a method and by a field, and form a cycle.
// The third only uses another file, and is not part of it.
func TestCycle(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n",
		"a.go":   "package m\n\ntype A struct{ B *B }\n\nfunc (a *A) Twice() int { return 2 * a.B.n }\n",
		"b.go":   "package m\n\ntype B struct{ n int }\n\nfunc (b *B) Of() int {\n\treturn new(A).Twice()\n}\n",
		"c.go":   "package m\n\nfunc C(n int) int { return n + new(B).Of() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	all, err := load(dir)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	m := measure(all[0])
	if !slices.Equal(m.cycle, []string{"a.go", "b.go"}) || m.files != 3 || m.fields != 1 ||
		!slices.Equal(m.functions, []int{1, 3, 1}) {
		t.Errorf("%+v", m)
	}
	var b strings.Builder
	if err := report(&b, all); err != nil || !strings.Contains(b.String(), "largest cycle of files in a package  2") {
		t.Errorf("%v\n%s", err, &b)
	}
}

func TestLargestCycle(t *testing.T) {
	for _, c := range []struct {
		graph map[string][]string
		want  []string
	}{
		{nil, nil},
		{map[string][]string{"a": {"b"}, "b": {"c"}}, nil},
		{map[string][]string{"a": {"b"}, "b": {"a"}, "c": {"d"}, "d": {"e"}, "e": {"c", "a"}}, []string{"c", "d", "e"}},
		{map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"b"}}, []string{"a", "b", "c", "d"}},
	} {
		if got := largestCycle(c.graph); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.graph, got, c.want)
		}
	}
}
