package datafile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/compiler/datasets/datafile/remote"
	"ppl/compiler/datasets/partition"
)

// folderStore is an object store with one bucket, b, whose objects are the files of a folder. It counts the bytes that
// are read.
type folderStore struct {
	dir  string
	read *int64
}

type storedFile struct {
	of   folderStore
	text []byte
}

func (f storedFile) Size() int64     { return int64(len(f.text)) }
func (f storedFile) Version() string { return fmt.Sprint(len(f.text)) }
func (f storedFile) ReadAt(p []byte, at int64) (int, error) {
	*f.of.read += int64(len(p))
	return strings.NewReader(string(f.text)).ReadAt(p, at)
}

func (s folderStore) Open(url string) (remote.StoredFile, error) {
	_, key, ok := strings.Cut(url, "://b/")
	text, err := os.ReadFile(filepath.Join(s.dir, key))
	if !ok || err != nil {
		return nil, errors.Join(fs.ErrNotExist, err)
	}
	return storedFile{s, text}, nil
}

func (s folderStore) List(prefix string) (all []partition.File, err error) {
	err = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		key, err := filepath.Rel(s.dir, path)
		if url := "s3://b/" + key; strings.HasPrefix(url, prefix) {
			info, _ := d.Info()
			all = append(all, partition.File{Path: url, Size: info.Size()})
		}
		return err
	})
	return all, err
}

// Reading files from a store gives the same arrays as reading them from this machine, in memory and by rows.
func TestDistantParts(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 63))
		table, dir := randomTable(r), t.TempDir()
		for i, part := range table.cuts(r) {
			folder := filepath.Join(dir, "in", fmt.Sprintf("k=%d", i/2))
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			order := r.Perm(len(table.names))
			if i == 0 {
				slices.Sort(order)
			}
			writePart(t, r, folder, fmt.Sprintf("part-%d", i), part, order)
		}
		want, err := Read(dir + "/in")
		cache := DefaultRowCache()
		cache.Distant = folderStore{dir, new(int64)}
		cache.Dir, cache.Bound = filepath.Join(t.TempDir(), "rows"), 1<<30
		for _, url := range []string{"s3://b/in", "s3://b/in/", "s3://b/in/**", "s3://b/in/k=*/part-?.*"} {
			got, failed := cache.Whole(url)
			if (err == nil) != (failed == nil) {
				t.Fatalf("seed %d, %s: %v, and %v", seed, url, err, failed)
			}
			if err != nil {
				continue
			}
			if d := cmp.Diff(want, got, asOne()); d != "" {
				t.Fatalf("seed %d, %s: %s", seed, url, d)
			}
		}
		if err != nil {
			continue
		}
		byRows, err := cache.ByRows("s3://b/in")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range want.Order {
			if a := want.Arrays[name]; a.Unread == nil {
				if d := cmp.Diff(a.Values.Doubles(), readBack(t, byRows.Arrays[name]), asOne()); d != "" {
					t.Fatalf("seed %d, %s by rows: %s", seed, name, d)
				}
			}
		}
	}
}

// Reading one column of a Parquet file in a store does not read the pages of other columns.
func TestDistantColumns(t *testing.T) {
	table, kinds := cutTable{names: []string{"a", "b", "c", "d"}}, []string{"real", "real", "real", "real"}
	r := rand.New(rand.NewPCG(1, 64))
	for range 80_000 {
		var row []string
		for range kinds {
			row = append(row, fmt.Sprint(r.NormFloat64()))
		}
		table.rows = append(table.rows, row)
	}
	dir, read := t.TempDir(), new(int64)
	text := parquetOf(t, table, kinds, 1<<30)
	written(t, dir, "x.parquet", text)
	cache := DefaultRowCache()
	cache.Distant = folderStore{dir, read}
	f, err := cache.Open("s3://b/x.parquet")
	if err != nil {
		t.Fatal(err)
	}
	if *read > 2*remote.EndRange {
		t.Errorf("%d bytes are read of the metadata", *read)
	}
	if a := f.Find("a"); a.Unread != nil || a.Values.Len() != len(table.rows) {
		t.Fatal(a.Unread)
	}
	if most := int64(len(text)) * 7 / 10; *read > most {
		t.Errorf("%d bytes of %d are read for one column of four", *read, len(text))
	}
}

// URLs are not read unless network access is allowed. The error for a missing object is fs.ErrNotExist.
func TestNotReached(t *testing.T) {
	for _, url := range []string{"s3://b/x.csv", "gs://b/*.csv", "https://example.org/x.csv", "http://[", "s3://b/in"} {
		_, err := Read(url)
		if err == nil || !strings.Contains(err.Error(), "--allow-network") {
			t.Errorf("%s: %v", url, err)
		}
		if size, large := DefaultRowCache().Large(url); size != 0 || large {
			t.Errorf("%s: %d, %v", url, size, large)
		}
	}
	cache := DefaultRowCache()
	cache.Distant = folderStore{t.TempDir(), new(int64)}
	for _, url := range []string{"s3://b/x.csv", "s3://b/*.csv", "s3://b/in", "https://b/x.csv"} {
		if _, err := cache.Whole(url); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
