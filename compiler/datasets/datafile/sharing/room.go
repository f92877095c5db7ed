package sharing

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"slices"

	"ppl/numbers"
	"ppl/runtime/sys/cache"
	"ppl/runtime/sys/files"
	"ppl/runtime/sys/securedir"
)

// A Room is the file of a Place before Store completes it. Long lists of numbers are written to the file while they are
// made, so that the process need not have them in memory.
type Room struct {
	place Place
	file  files.File
	end   int64 // of what is used of the file
	areas []*area
}

// An area is a part of the file for one list.
type area struct {
	room     *Room
	at       int64
	contents []byte
}

func (a *area) Bytes() []byte { return a.contents }

func (a *area) WriteAt(p []byte, at int64) (int, error) { return a.room.file.WriteAt(p, a.at+at) }

func (a *area) Release(part []byte) { release(part) }

// Room begins the file of a place.
func (p Place) Room() (*Room, error) {
	if err := securedir.Dir(p.Dir); err != nil { // another user must not change the data
		return nil, err
	}
	file, err := p.Disk.CreateTemp(p.Dir, "sharing-*")
	if err != nil {
		return nil, err
	}
	files.Hold(file)
	return &Room{place: p, file: file, end: startOfNumbers}, nil
}

// Take returns an area of some bytes at the end of the file. It returns false if the file cannot be mapped.
func (r *Room) Take(size int) (numbers.Area, bool) {
	at := r.next(size)
	if size == 0 || r.extend(at+int64(size)) != nil {
		return nil, false
	}
	contents, err := mappedPart(r.file.Name(), at, size)
	if err != nil {
		return nil, false
	}
	a := &area{r, at, contents}
	r.areas = append(r.areas, a)
	return a, true
}

// next returns the offset of the next list. A long list has pages of its own, so that they can be released.
func (r *Room) next(size int) int64 {
	if size < manyPages {
		return roundedUp(r.end, alignment)
	}
	return roundedUp(r.end, manyPages)
}

// manyPages is the number of bytes that a system may map at a time when one of them is read; a multiple of its page.
const manyPages = 1 << 16

// extend makes the file longer, with zeros that take no space on a disk.
func (r *Room) extend(end int64) error {
	_, err := r.file.WriteAt([]byte{0}, end-1)
	if err == nil {
		r.end = end
	}
	return err
}

// Store completes the file with a description and lists of numbers, for other processes, and returns the lists as they
// are mapped. Lists in areas of the room are not written again. The room cannot be used any more.
func (r *Room) Store(about []byte, lists []numbers.List) ([]numbers.List, error) {
	err := r.write(about, lists)
	if err == nil {
		err = r.place.Disk.Rename(r.file.Name(), r.place.path())
	}
	r.Close()
	if err != nil {
		return nil, err
	}
	cache.Evict(r.place.Disk, r.place.Dir, r.place.Bound, r.place.path())
	_, mapped, err := r.place.Load()
	return mapped, err
}

// Close removes the file, unless Store has completed it. Lists in its areas keep their contents.
func (r *Room) Close() {
	_ = r.place.Disk.Remove(r.file.Name()) // where it was not renamed
	_ = r.file.Close()
}

func (r *Room) write(about []byte, lists []numbers.List) error {
	h := header{About: about}
	for _, l := range lists {
		at, err := r.placeOf(l)
		if err != nil {
			return err
		}
		h.At, h.Lengths, h.Bytes = append(h.At, at), append(h.Lengths, l.Len()), append(h.Bytes, l.Bytes() != nil)
	}
	r.punch(h.At)
	head := &bytes.Buffer{}
	if err := gob.NewEncoder(head).Encode(h); err != nil {
		return err
	}
	if _, err := r.file.WriteAt(head.Bytes(), r.end); err != nil {
		return err
	}
	start := binary.LittleEndian.AppendUint64(nil, uint64(r.end))
	_, err := r.file.WriteAt(binary.LittleEndian.AppendUint64(start, uint64(head.Len())), 0)
	return err
}

// placeOf returns the offset of a list in the file, to which it is written if it is not in an area.
func (r *Room) placeOf(l numbers.List) (int64, error) {
	for _, a := range r.areas {
		if raw := l.Raw(); len(raw) > 0 && &raw[0] == &a.contents[0] {
			return a.at, nil
		}
	}
	at := r.next(len(l.Raw()))
	r.end = at + int64(len(l.Raw()))
	_, err := r.file.WriteAt(l.Raw(), at)
	return at, err
}

// punch frees the space of areas whose lists are not kept, which have been joined to others.
func (r *Room) punch(kept []int64) {
	for _, a := range r.areas {
		if !slices.Contains(kept, a.at) {
			freeSpace(r.file, a.at, int64(len(a.contents)))
		}
	}
}
