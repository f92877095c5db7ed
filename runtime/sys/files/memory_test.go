package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestMemoryIsLikeTheDisk makes random calls on a disk and in memory, and checks that the same calls fail, and that the
// files and their contents are equal.
func TestMemoryIsLikeTheDisk(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		root, memory := t.TempDir(), &Memory{}
		if err := memory.MkdirAll(root, 0o777); err != nil {
			t.Fatal(err)
		}
		failures := 0
		for step := range 80 {
			call := randomCall(r, root)
			onDisk, inMemory := call.on(Disk{}), call.on(memory)
			missing := errors.Is(onDisk, fs.ErrNotExist) == errors.Is(inMemory, fs.ErrNotExist) || call.names > 1
			if (onDisk == nil) != (inMemory == nil) || !missing {
				t.Fatalf("seed %d, step %d, %s: on the disk %v, in memory %v", seed, step, call.name, onDisk, inMemory)
			}
			if onDisk != nil {
				failures++
			}
		}
		if a, b := contents(t, Disk{}, root), contents(t, memory, root); a != b {
			t.Fatalf("seed %d: on the disk\n%s\nin memory\n%s", seed, a, b)
		}
		if failures == 0 {
			t.Errorf("seed %d: no call has failed", seed)
		}
	}
}

type fileCall struct {
	name  string
	on    func(System) error
	names int // of files; which of two is missing is not compared
}

// randomCall returns a random call on one of a few paths, so that files often exist.
func randomCall(r *rand.Rand, root string) fileCall {
	path := func() string {
		at := root
		for range 1 + r.IntN(3) {
			at = filepath.Join(at, string(rune('a'+r.IntN(3))))
		}
		return at
	}
	a, b, n, k := path(), path(), r.IntN(50), r.IntN(20)
	text := bytes.Repeat([]byte{byte('0' + r.IntN(10))}, n)
	switch r.IntN(7) {
	case 0:
		return fileCall{"mkdir " + a, func(s System) error { return s.Mkdir(a, 0o777) }, 1}
	case 1:
		return fileCall{"mkdirall " + a, func(s System) error { return s.MkdirAll(a, 0o777) }, 1}
	case 2:
		return fileCall{"remove " + a, func(s System) error { return s.Remove(a) }, 1}
	case 3:
		return fileCall{"removeall " + a, func(s System) error { return s.RemoveAll(a) }, 1}
	case 4:
		return fileCall{fmt.Sprintf("rename %s %s", a, b), func(s System) error { return s.Rename(a, b) }, 2}
	}
	return fileCall{"write " + a, func(s System) error {
		f, err := s.Create(a)
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		_, second := f.WriteAt([]byte("xyz"), int64(k))
		_, third := f.Seek(2, io.SeekStart)
		_, fourth := f.Write([]byte("!"))
		return errors.Join(err, second, third, fourth, f.Close())
	}, 1}
}

// contents lists all files below a directory, with their contents.
func contents(t *testing.T, on System, dir string) string {
	t.Helper()
	entries, err := on.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := on.Stat(path)
		if err != nil || info.IsDir() != e.IsDir() {
			t.Fatal(path, err)
		}
		if e.IsDir() {
			out += path + "/\n" + contents(t, on, path)
			continue
		}
		text, err := ReadOn(on, nil, path, 1<<20)
		if err != nil || info.Size() != int64(len(text)) {
			t.Fatal(path, info.Size(), len(text), err)
		}
		out += fmt.Sprintf("%s %q\n", path, text)
	}
	return out
}

// TestMemoryStaysInMemory checks that Memory writes nothing to the disk.
func TestMemoryStaysInMemory(t *testing.T) {
	t.Chdir(t.TempDir())
	m := &Memory{}
	if err := errors.Join(m.MkdirAll("a/b", 0o777), Replace(m, "a/b/c", []byte("text"))); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadOn(m, nil, "a/b/c", 100); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if entries, err := os.ReadDir("."); len(entries) > 0 || err != nil {
		t.Errorf("%v, %v", entries, err)
	}
}
