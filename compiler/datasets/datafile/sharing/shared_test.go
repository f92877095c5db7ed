package sharing

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/numbers"
	"ppl/runtime/sys/files"
	"ppl/runtime/sys/files/filestest"
)

// placeIn returns a place in a new folder of a disk.
func placeIn(t *testing.T, disk files.System) Place {
	dir := filepath.Join(t.TempDir(), "rows")
	return Place{Dir: dir, Name: "shared-x", Bound: 1 << 30, Disk: disk.Below(dir)}
}

// store writes lists to a place, without a room for long ones.
func store(p Place, about []byte, lists []numbers.List) ([]numbers.List, error) {
	room, err := p.Room()
	if err != nil {
		return nil, err
	}
	return room.Store(about, lists)
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// What one process leaves, others find, to the last bit, also after the file has lost its name.
func TestShare(t *testing.T) {
	s := placeIn(t, files.Disk{})
	if _, _, err := s.Load(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before: %v", err)
	}
	missing := math.Float64frombits(0x7ff8000000000abc)
	lists := []numbers.List{numbers.Of(1, math.Copysign(0, -1), missing), numbers.Of([]float64{}...),
		numbers.OfBytes([]byte{3, 0, 255}), numbers.Of(math.Inf(1))}
	first, err := store(s, []byte("about"), lists)
	if err != nil {
		t.Fatal(err)
	}
	about, other, err := s.Load()
	if err != nil || string(about) != "about" {
		t.Fatal(string(about), err)
	}
	s.Remove()
	if left, _ := os.ReadDir(s.Dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	for i, want := range lists {
		if !sameBits(first[i].Doubles(), want.Doubles()) || !sameBits(other[i].Doubles(), want.Doubles()) ||
			other[i].None() || (other[i].Bytes() == nil) != (want.Bytes() == nil) {
			t.Errorf("array %d: %v and %v, want %v", i, first[i], other[i], want)
		}
	}
}

// A file that was cut short is not taken.
func TestSharedCutShort(t *testing.T) {
	s := placeIn(t, files.Disk{})
	if _, err := store(s, nil, []numbers.List{numbers.Of(1, 2), numbers.OfBytes([]byte{3})}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Dir, s.Name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range text {
		if err := os.WriteFile(path, text[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Load(); err == nil {
			t.Fatalf("%d of %d bytes are taken", n, len(text))
		}
	}
}

// TestDamagedHeader checks that a header whose lists are outside of the file, or between two numbers, is refused.
func TestDamagedHeader(t *testing.T) {
	s := placeIn(t, files.Disk{})
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, h := range []header{
		{At: []int64{-64}, Lengths: []int{1}},
		{At: []int64{math.MaxInt64 - 7}, Lengths: []int{1}},
		{At: []int64{64}, Lengths: []int{-1}},
		{At: []int64{64}, Lengths: []int{math.MaxInt/8 + 2}},
		{At: []int64{65}, Lengths: []int{1}},
		{At: []int64{64}, Lengths: []int{1, 1}},
	} {
		h.Bytes = make([]bool, len(h.At))
		var head bytes.Buffer
		if err := gob.NewEncoder(&head).Encode(h); err != nil {
			t.Fatal(err)
		}
		text := make([]byte, startOfNumbers+64)
		binary.LittleEndian.PutUint64(text, uint64(len(text)))
		binary.LittleEndian.PutUint64(text[8:], uint64(head.Len()))
		if err := os.WriteFile(s.path(), append(text, head.Bytes()...), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Load(); err == nil || !strings.Contains(err.Error(), "is damaged") {
			t.Errorf("%+v: %v", h, err)
		}
	}
}

// Whichever call of the disk fails, nothing is shared and nothing is left.
func TestShareOnFullDisk(t *testing.T) {
	for at := 1; ; at++ {
		disk := filestest.New(filestest.Full(at))
		s := placeIn(t, disk)
		_, err := store(s, nil, []numbers.List{numbers.Of(1, 2)})
		if disk.Broke() == 0 {
			if err != nil || at < 3 {
				t.Errorf("at %d: %v", at, err)
			}
			return
		}
		if _, _, absent := s.Load(); err == nil || !errors.Is(absent, fs.ErrNotExist) {
			t.Errorf("at %d: %v, then %v", at, err, absent)
		}
	}
}
