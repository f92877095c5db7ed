package partition

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func tree(t *testing.T, paths ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range paths {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(p)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, p), []byte(p), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func named(t *testing.T, dir string, files []File) (names []string) {
	t.Helper()
	for _, f := range files {
		name, err := filepath.Rel(dir, f.Path)
		if err != nil || f.Size != int64(len(name)) {
			t.Fatalf("%s has size %d: %v", f.Path, f.Size, err)
		}
		names = append(names, name)
	}
	return names
}

// TestMatching: a pattern matches the same files as in a shell, also in several folders, and the files below matching
// folders. Hidden names are skipped.
func TestMatching(t *testing.T) {
	dir := tree(t, "part-10.csv", "part-2.csv", "part-1.txt", "_SUCCESS", ".part-3.csv.crc", "y=2/m=1/a.csv",
		"y=10/m=2/a.csv", "y=10/_temporary/b.csv", "y=10/b.csv", "z/y=3/deep/er/c.csv", "[odd].csv")
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		{"*.csv", []string{"[odd].csv", "part-2.csv", "part-10.csv"}},
		{"part-?.*", []string{"part-1.txt", "part-2.csv"}},
		{"part-[0-9][0-9].csv", []string{"part-10.csv"}},
		{"y=*/*.csv", []string{"y=10/b.csv"}},
		{"y=*/**/*.csv", []string{"y=2/m=1/a.csv", "y=10/b.csv", "y=10/m=2/a.csv"}},
		{"y=*", []string{"y=2/m=1/a.csv", "y=10/b.csv", "y=10/m=2/a.csv"}},
		{"**/c.csv", []string{"z/y=3/deep/er/c.csv"}},
		{"**/y=3/**", []string{"z/y=3/deep/er/c.csv"}},
		{"_*", []string{"_SUCCESS"}},
		{"y=10/_temp*/*", []string{"y=10/_temporary/b.csv"}},
		{"nothing/*", nil},
	} {
		found, err := Matching(dir+"/"+c.pattern, Local)
		if got := named(t, dir, found); !slices.Equal(got, c.want) || err != nil && c.want != nil {
			t.Errorf("%s: %q, %v; want %q", c.pattern, got, err, c.want)
		}
	}
	if _, err := Matching(dir+"/[", Local); err == nil {
		t.Error("a pattern that ends in a bracket is accepted")
	}
	found, err := Below(dir, func(name string) bool { return filepath.Ext(name) == ".csv" }, Local)
	want := []string{"[odd].csv", "part-2.csv", "part-10.csv", "y=2/m=1/a.csv", "y=10/b.csv", "y=10/m=2/a.csv",
		"z/y=3/deep/er/c.csv"}
	if got := named(t, dir, found); !slices.Equal(got, want) || err != nil {
		t.Errorf("below: %q, %v; want %q", got, err, want)
	}
	if got := found[3].Keys; !slices.Equal(got, []Key{{Name: "y", Value: "2"}, {Name: "m", Value: "1"}}) {
		t.Errorf("keys %v", got)
	}
}

// TestHere: patterns are relative to the working directory, in several spellings.
func TestHere(t *testing.T) {
	t.Chdir(tree(t, "a=1/x.csv", "_b/y.csv"))
	for _, pattern := range []string{"*/x.csv", "./*/x.csv", "**", "./a=1/../*/x.csv"} {
		found, err := Matching(pattern, Local)
		if len(found) != 1 || found[0].Path != "a=1/x.csv" || err != nil || len(found[0].Keys) != 1 {
			t.Errorf("%s: %v, %v", pattern, found, err)
		}
	}
	if found, err := Below(".", func(string) bool { return true }, Local); len(found) != 1 || err != nil {
		t.Errorf("%v, %v", found, err)
	}
}

// TestKeys: names of folders are unescaped, and one of them means a missing value.
func TestKeys(t *testing.T) {
	got := keysOf([]string{"a%3Db=x%2Fy z", "plain", "=3", "k=", "m=" + missingValue, "n=50%"})
	want := []Key{{Name: "a=b", Value: "x/y z"}, {Name: "k"}, {Name: "m", Value: missingValue, Missing: true},
		{Name: "n", Value: "50%"}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestOrder: files are sorted by the numbers in their names, in whatever order they were listed.
func TestOrder(t *testing.T) {
	want := []string{"a", "a/b", "a-1", "a1", "a01", "a2", "a10", "a10b", "a10c", "a12345678901234567890",
		"a12345678901234567891", "b"}
	for seed := range uint64(50) {
		got := slices.Clone(want)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		slices.SortFunc(got, compare)
		for i := range got {
			if natural(got[i], want[i]) != 0 {
				t.Fatalf("%q, want %q", got, want)
			}
		}
	}
}

// TestLinks: a link to a file is listed as a file. A link to a folder is an error, since it may form a cycle.
func TestLinks(t *testing.T) {
	dir := tree(t, "a.csv", "in/b.csv")
	if err := os.Symlink(filepath.Join(dir, "in/b.csv"), filepath.Join(dir, "c.csv")); err != nil {
		t.Skip(err)
	}
	found, err := Matching(dir+"/*.csv", Local)
	if err != nil || len(found) != 2 {
		t.Fatalf("%v, %v", found, err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	if _, err := Below(dir, func(string) bool { return true }, Local); err == nil {
		t.Error("a link to a folder is followed")
	}
}
