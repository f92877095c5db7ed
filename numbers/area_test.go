package numbers

import (
	"errors"
	"math"
	"testing"
)

// heapRoom is a Room in memory, of which writes can fail; it counts the bytes that are released.
type heapRoom struct {
	full     int // number of bytes after which writes fail
	refuses  bool
	written  int
	released int
}

type heapArea struct {
	room *heapRoom
	all  []byte
}

func (r *heapRoom) Take(bytes int) (Area, bool) { return &heapArea{r, asRaw(bytes)}, !r.refuses }

// asRaw returns bytes that begin where float64s may begin.
func asRaw(bytes int) []byte { return Of(make([]float64, bytes/8+1)...).Raw()[:bytes] }

func (a *heapArea) Bytes() []byte       { return a.all }
func (a *heapArea) Release(part []byte) { a.room.released += len(part) }

func (a *heapArea) WriteAt(p []byte, at int64) (int, error) {
	if a.room.written += len(p); a.room.written > a.room.full {
		return 0, errors.New("full")
	}
	return copy(a.all[at:], p), nil
}

// What is built in a room reads as what is built on the heap, also if some write to the room fails.
func TestBuilderInRoom(t *testing.T) {
	const n = 3*blockLength + 3
	for name, at := range map[string]func(i int) float64{
		"bytes":   func(i int) float64 { return float64(i % 251) },
		"doubles": func(i int) float64 { return math.Sin(float64(i)) },
		"doubles after bytes": func(i int) float64 {
			if i < blockLength+5 {
				return float64(i % 7)
			}
			return -float64(i)
		},
		"a double at the end": func(i int) float64 { return float64(i/(n-1)) / 2 },
	} {
		build := func(room Room) List {
			b := Builder{Room: room}
			b.Grow(n)
			for i := range n {
				b.Add(at(i))
			}
			return b.List()
		}
		want := build(nil)
		check := func(room *heapRoom) {
			t.Helper()
			got := build(room)
			if !got.Equal(want) || (got.Bytes() == nil) != (want.Bytes() == nil) {
				t.Errorf("%s, full after %d bytes: another list", name, room.full)
			}
		}
		check(&heapRoom{refuses: true})
		for _, blocks := range []int{0, 1, 2, 3, 8, 9, 16, 17, 24} {
			check(&heapRoom{full: blocks * blockLength})
		}
		kept := &heapRoom{full: 16 * n}
		if FactsOf(build(kept)) != FactsOf(want) || kept.released < len(want.Raw()) {
			t.Errorf("%s: %d bytes were released after passes over %d", name, kept.released, len(want.Raw()))
		}
	}
}

// A short list needs no room.
func TestShortListInRoom(t *testing.T) {
	room := &heapRoom{}
	b := Builder{Room: room}
	b.Grow(Many - 1)
	b.Add(.5)
	if l := b.List(); l.Len() != 1 || room.written > 0 {
		t.Errorf("%v: %d bytes are written", l, room.written)
	}
}

// TestMoreThanGrown appends more numbers than Grow announced: the list has them all, and the area is not exceeded.
func TestMoreThanGrown(t *testing.T) {
	for _, scale := range []float64{1, .5} {
		room := &heapRoom{full: 1 << 30}
		b := Builder{Room: room}
		b.Grow(Many)
		n := Many + blockLength + 7
		for i := range n {
			b.Add(float64(i%200) * scale)
		}
		l := b.List()
		if l.Len() != n {
			t.Fatalf("%d numbers of %d", l.Len(), n)
		}
		for i, v := range l.All() {
			if v != float64(i%200)*scale {
				t.Fatalf("number %d is %v", i, v)
			}
		}
	}
}
