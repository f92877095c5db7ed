package datafile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"ppl/compiler/datasets/datafile/content"
	"ppl/runtime/sys/memory"
)

// small is a cache with the smallest memory limit.
var small = RowCache{Memory: memory.LeastForReading}

// expanded returns a compressed text: head, followed by at least times repetitions of more.
func expanded(t *testing.T, head, more string, times int) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(head))
	block := bytes.Repeat([]byte(more), 1<<16/len(more))
	for n := 0; err == nil && n < times*len(more); n += len(block) {
		_, err = z.Write(block)
	}
	if err != nil || z.Close() != nil {
		t.Fatal("cannot compress")
	}
	return b.String()
}

func zippedArray(t *testing.T, numbers int) string {
	t.Helper()
	return archiveOf(t, "x.npy", npy(fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }", numbers),
		8*numbers))
}

func constantColumn(t *testing.T, rows int) string {
	t.Helper()
	type row struct {
		X int64 `parquet:"x,delta"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b)
	block := make([]row, 1<<16)
	for n := 0; n < rows; n += len(block) {
		if _, err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A small compressed file whose contents do not fit into memory gives an error, without much memory being allocated:
// for large numbers of fields, lines, columns, names and characters.
func TestExpandingFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"x.csv.gz":       expanded(t, "x\n", "0\n", 1<<20),
		"wide.tsv.gz":    expanded(t, "x\n", "0\t", 1<<21),
		"columns.csv.gz": expanded(t, "x", ",x", 1<<18),
		"text.csv.gz":    expanded(t, "x\n", "a", 16<<20),
		"x.json.gz":      expanded(t, `{"x": [0`, ",0", 1<<20),
		"labels.json.gz": expanded(t, `{"x": [""`, `,""`, 1<<20),
		"nested.json.gz": expanded(t, `{"x": [[0]`, `,[0]`, 1<<20),
		"names.json.gz":  expanded(t, `{"x": 0`, `,"x":0`, 1<<18),
		"lines.json.gz":  expanded(t, `{`, "\n", 4<<20),
		"text.json.gz":   expanded(t, `{"x": "`, "a", 16<<20),
		"x.npz":          zippedArray(t, 4<<20),
		"x.zip":          archiveOf(t, "x.csv", "x\n"+strings.Repeat("0\n", 1<<20)),
		"long.zip":       archiveOf(t, "x.csv", "x\n"+strings.Repeat("a", 16<<20)),
		"x.parquet":      constantColumn(t, 2<<20),
	} {
		if len(text) > 1<<20 {
			t.Errorf("%s has %d bytes: it is not small", name, len(text))
		}
		taken, err := allocated(written(t, dir, name, text), []byte(text))
		if err == nil || !strings.Contains(err.Error(), name+" holds at least") {
			t.Errorf("%s: %v", name, err)
		}
		if taken > 4<<20 {
			t.Errorf("%s: %d bytes were taken to refuse it", name, taken)
		}
	}
	// Files of the same kinds that fit into memory are read.
	for name, text := range map[string]string{
		"fits.csv.gz": expanded(t, "x\n", "0\n", 1<<16), "fits.npz": zippedArray(t, 1<<10),
		"fits.parquet": constantColumn(t, 1<<16),
	} {
		if _, err := small.Whole(written(t, dir, name, text)); err != nil {
			t.Error(err)
		}
	}
}

// Named pipes and devices are not read, except pipes from a shell.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	pictures := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(pictures, "pipe.png"), 0o600); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{
		pipe: "is a named pipe", "/dev/zero": "is a device", dir: "is a named pipe",
		pictures: "must not contain links or special files",
	} {
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	// A pipe that a shell passes as /dev/fd/N is read.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		defer w.Close()
		_, _ = w.WriteString(`{"x": [1, 2]}`)
	}()
	f, err := Read(fmt.Sprintf("/dev/fd/%d", r.Fd()))
	if err != nil || f.Arrays["x"].Values.Len() != 2 {
		t.Errorf("%v, %v", f, err)
	}
}

// Control characters and line ends in names and labels are escaped.
func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"Ærø":              "Ærø",
		"a\nb":             `a\nb`,
		"\x1b[31mred":      `\x1b[31mred`,
		"a\u202eb":         `a\u202eb`,
		"bell\a":           `bell\a`,
		"broken \xff":      `broken \xff`,
		"zero\u200dwidth":  "zero\u200dwidth",
		"next\u2028line":   `next\u2028line`,
		"a non\u00a0break": "a non\u00a0break",
	} {
		if got := content.Visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	f, err := Parse("x.csv", []byte("\"a\x1b[2J\",g\n1,\"two\nlines\"\n2,plain\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{`a\x1b[2J`, "g"}, f.Order); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"plain", `two\nlines`}, f.Arrays["g"].Labels); d != "" {
		t.Error(d)
	}
}

// Integers with more digits than a float64 represents are texts in a table, and an error in JSON.
func TestLongCodes(t *testing.T) {
	f, err := Parse("x.csv", []byte("id,n\n9007199254740993,9007199254740992\n9007199254740992,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"9007199254740992", "9007199254740993"}, f.Arrays["id"].Labels); d != "" {
		t.Error(d)
	}
	if f.Arrays["n"].Labels != nil {
		t.Error("2^53 is read as a text")
	}
	f, err = Parse("x.json", []byte(`{"id": [9007199254740993]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Arrays["id"].Unread; err == nil ||
		!strings.Contains(err.Error(), "x.json:1:9: 9007199254740993 has more digits") {
		t.Error(err)
	}
}
