package datafile

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"

	"ppl/runtime/sys/memory"
)

// Reading damaged files never panics: every binary file truncated at random positions, and with random bytes changed.
func TestDamagedFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.*")
	if err != nil || len(paths) < 5 {
		t.Fatal("no files", err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			Parse(path, text[:r.IntN(len(text))])
			broken := append([]byte(nil), text...)
			for range 1 + r.IntN(3) {
				broken[r.IntN(len(broken))] = byte(r.IntN(256))
			}
			Parse(path, broken)
		}
	}
}

// Reading Arrow files in which one byte is changed, or that are truncated there, takes little memory, for every byte:
// counts and sizes are compared with the length of the file before memory is allocated for them.
func TestDamagedArrow(t *testing.T) {
	files, refused, most := 0, 0, uint64(0)
	for _, path := range []string{"mixed.feather", "mixed.arrow", "mixed.arrows", "lists.arrow"} {
		text, err := os.ReadFile("testdata/" + path)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range text {
			for _, other := range []byte{0, 0xff, b ^ 0x80} {
				broken := append([]byte(nil), text...)
				broken[i] = other
				taken, err := allocated(path, broken)
				if files++; taken > 2*memory.LeastForReading {
					t.Fatalf("%s with %#x for %#x at %d takes %d bytes", path, other, b, i, taken)
				}
				if err != nil && strings.Contains(err.Error(), "holds at least") {
					refused++
				}
				most = max(most, taken)
			}
			if _, err := allocated(path, text[:i]); err == nil && path != "mixed.arrows" {
				t.Fatalf("%s is read from its first %d bytes", path, i)
			}
		}
	}
	if files < 20000 || refused == 0 {
		t.Fatalf("of %d files, %d claim more than fits", files, refused)
	}
	t.Logf("%d files, of which %d claim more than fits; one takes %d bytes at most", files, refused, most)
}

// Reading Parquet files in which one byte is changed takes little memory, whatever sizes their pages, lists and runs
// declare. A file of a user, with one byte of an LZ4 page changed, took 32 GB in an earlier version.
func TestDamagedParquet(t *testing.T) {
	files, most, step := 0, uint64(0), 17
	if os.Getenv("PPL_SLOW") != "" {
		step = 1
	}
	for _, path := range []string{"mixed.parquet", "dates.parquet", "packed1.parquet", "packed2.parquet"} {
		text, err := os.ReadFile("testdata/" + path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(text); i += step {
			for _, other := range []byte{0, 0xff, 0x7f, text[i] ^ 0x80} {
				broken := append([]byte(nil), text...)
				broken[i] = other
				taken, err := allocated(path, broken)
				if files++; taken > 2*memory.LeastForReading {
					t.Fatalf("%s with %#x for %#x at %d takes %d bytes", path, other, text[i], i, taken)
				}
				if err != nil && !strings.HasPrefix(err.Error(), path) {
					t.Errorf("an error does not begin with the file's name: %v", err)
				}
				most = max(most, taken)
			}
		}
	}
	t.Logf("%d files; one takes %d bytes at most", files, most)
	text, err := os.ReadFile("testdata/lz4_one_byte.parquet")
	if err != nil {
		t.Fatal(err)
	}
	taken, err := allocated("lz4_one_byte.parquet", text)
	if taken > memory.LeastForReading || err == nil || !strings.Contains(err.Error(), "cannot be decompressed") {
		t.Errorf("%d bytes were taken: %v", taken, err)
	}
}

// Parquet files with each codec and encoding that pandas, Polars and DuckDB write, in pages of both versions, are read
// correctly.
func TestPackedParquet(t *testing.T) {
	for _, path := range []string{"packed1.parquet", "packed2.parquet"} {
		f, err := Read("testdata/" + path)
		if err != nil {
			t.Error(err)
			continue
		}
		towns := []string{"Oslo", "Bergen", "Voss"}
		for i := range 40 {
			gap := f.Arrays["gaps"].Values.At(i)
			if f.Arrays["plain"].Values.At(i) != float64(i)/7 || f.Arrays["delta"].Values.At(i) != float64(i) ||
				f.Arrays["split"].Values.At(i) != float64(i)/3 || gap != float64(i) && !(i%4 == 0 && gap != gap) ||
				f.Arrays["shared"].Labels[i] != fmt.Sprintf("name%03d", i) ||
				f.Arrays["truth"].Values.At(i) != float64(map[bool]int{true: 1}[i%3 == 0]) ||
				f.Arrays["dict"].Labels[int(f.Arrays["dict"].Values.At(i))-1] != towns[i%3] {
				t.Fatalf("%s: row %d is not what was written", path, i+1)
			}
		}
	}
}

// allocated returns the bytes that reading a file allocates, under the smallest memory limit.
func allocated(path string, text []byte) (uint64, error) {
	taken := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(taken)
	before := taken[0].Value.Uint64()
	_, err := parseContents(path, text, RowCache{}.memory())
	metrics.Read(taken)
	return taken[0].Value.Uint64() - before, err
}

// If rows of an array are longer than the file or the memory, ByRows returns an error before it allocates memory for a
// row.
func TestDeclaredRows(t *testing.T) {
	dir := t.TempDir()
	idx := func(sizes ...uint32) string {
		text := "\x00\x00\x08" + string(byte(len(sizes)))
		for _, n := range sizes {
			text += string(binary.BigEndian.AppendUint32(nil, n))
		}
		return text + strings.Repeat("\x01", 100)
	}
	cache := RowCache{Bound: 1 << 30, Dir: filepath.Join(dir, "rows")}
	for name, text := range map[string]string{
		"x-idx3-ubyte": idx(3, 1<<31-1, 1<<31-1), "wide-idx3-ubyte": idx(3, 1<<16, 1<<8),
		"x-idx3-ubyte.gz": zipped(t, idx(3, 1<<31-1, 1<<31-1)),
		"x.npy": npy("{'descr': '<f8', 'fortran_order': False, "+
			"'shape': (3, 4294967296, 4294967296), }", 100),
		"memory-idx3-ubyte.gz": zipped(t, idx(1, 1<<11, 1<<11)+strings.Repeat("\x01", 1<<22)),
	} {
		path := written(t, dir, name, text)
		taken := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
		metrics.Read(taken)
		before := taken[0].Value.Uint64()
		_, err := cache.ByRows(path)
		metrics.Read(taken)
		want := "does not fit into it"
		if strings.HasPrefix(name, "memory") {
			want = "takes more than the"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if n := taken[0].Value.Uint64() - before; n > 8<<20 {
			t.Errorf("%s: %d bytes were taken", name, n)
		}
	}
}
