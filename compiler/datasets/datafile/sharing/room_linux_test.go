package sharing

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"ppl/numbers"
	"ppl/runtime/sys/files"
	"ppl/runtime/sys/files/filestest"
)

// Lists that are made in the room are those that others find; the space of one that is not stored is free again.
func TestListsInRoom(t *testing.T) {
	const n = 3 * numbers.Many
	s := placeIn(t, files.Disk{})
	room, err := s.Room()
	if err != nil {
		t.Fatal(err)
	}
	var lists []numbers.List
	for _, scale := range []float64{.5, 1, .25} {
		b := numbers.Builder{Room: room}
		b.Grow(n)
		for i := range n {
			b.Add(float64(i%200) * scale)
		}
		lists = append(lists, b.List())
	}
	want := append(lists[1:3:3], numbers.Of(7))
	first, err := room.Store([]byte("about"), want)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range want {
		if !first[i].Equal(l) || !other[i].Equal(l) || (other[i].Bytes() == nil) != (l.Bytes() == nil) {
			t.Errorf("list %d: other numbers", i)
		}
	}
	if at := lists[1].At(3); at != 3 {
		t.Errorf("the first process has %v in its list, not 3", at)
	}
	var stat unix.Stat_t
	if err := unix.Stat(s.path(), &stat); err != nil || stat.Blocks*512 > 10*n {
		t.Errorf("%d bytes on the disk for %d, %v", stat.Blocks*512, 9*n, err)
	}
}

// Whichever write of the disk fails while lists are made, the lists are the same, and nothing is left if Store fails.
func TestListsOnFullDisk(t *testing.T) {
	for at := 1; ; at++ {
		disk := filestest.New(filestest.Full(at))
		s := placeIn(t, disk)
		room, err := s.Room()
		if err != nil {
			continue
		}
		b := numbers.Builder{Room: room}
		b.Grow(3 * numbers.Many)
		for i := range 3 * numbers.Many {
			b.Add(float64(i) / 2)
		}
		l := b.List()
		if !l.Finite() || l.At(l.Len()-1) != float64(l.Len()-1)/2 {
			t.Fatalf("at %d: other numbers", at)
		}
		_, err = room.Store(nil, []numbers.List{l})
		if disk.Broke() == 0 {
			if err != nil || at < 5 {
				t.Errorf("at %d: %v", at, err)
			}
			return
		}
		if left, _ := os.ReadDir(s.Dir); err == nil || len(left) > 0 {
			t.Errorf("at %d: %v, left %v", at, err, left)
		}
	}
}
