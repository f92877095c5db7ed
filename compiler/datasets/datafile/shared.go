package datafile

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io/fs"
	"path/filepath"
	"unsafe"

	"ppl/numbers"
	"ppl/runtime/sys/files"
	"ppl/runtime/sys/securedir"
)

// Processes that work on the same data need one copy of the numbers for each machine. One process leaves them in a file
// (Share), the others find them there (Shared), and all of them map it, the first one too:
//
//	first    all, err := cache.Share(about, all)    writes DIR/NAME, and maps it
//	others   about, all, err := cache.Shared()      map it
//	first    cache.Unshare()                        mappings keep what is in the file
//
// The file is: the length of a header (8 bytes), the header (gob), and from a multiple of 64 bytes on the numbers, as
// the processor has them.

// A sharedHeader says what numbers are there.
type sharedHeader struct {
	About   []byte // what their owner wants to know of them
	Lengths []int  // of lists of numbers, one after another, each from a multiple of 8 bytes on
	Bytes   []bool // which of them are bytes
}

// sharedPath returns the file that processes of this machine share.
func (s RowCache) sharedPath() string { return filepath.Join(s.Dir, s.SharedAs) }

// Share leaves lists of numbers for other processes, with what is to be known of them, and gives them as they are
// mapped.
func (s RowCache) Share(about []byte, lists []numbers.List) ([]numbers.List, error) {
	if err := securedir.Dir(s.Dir); err != nil { // another user must not change the data
		return nil, err
	}
	if err := s.writeShared(about, lists); err != nil {
		return nil, err
	}
	s.evict(s.sharedPath())
	_, mapped, err := s.Shared()
	return mapped, err
}

func (s RowCache) writeShared(about []byte, lists []numbers.List) error {
	h := sharedHeader{About: about}
	for _, l := range lists {
		h.Lengths, h.Bytes = append(h.Lengths, l.Len()), append(h.Bytes, l.Bytes() != nil)
	}
	head := bytes.NewBuffer(make([]byte, 8))
	if err := gob.NewEncoder(head).Encode(h); err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(head.Bytes(), uint64(head.Len()-8))
	head.Write(make([]byte, startOfNumbers(head.Len())-head.Len()))
	out, err := s.disk().CreateTemp(s.Dir, "sharing-*")
	if err != nil {
		return err
	}
	defer s.disk().Remove(out.Name()) // where it was not renamed
	defer out.Close()
	files.Hold(out)
	parts := [][]byte{head.Bytes()}
	for _, l := range lists {
		raw := asBytes(l)
		parts = append(parts, raw, make([]byte, toEight(len(raw))-len(raw)))
	}
	for _, part := range parts {
		if _, err := out.Write(part); err != nil {
			return err
		}
	}
	return s.disk().Rename(out.Name(), s.sharedPath())
}

// startOfNumbers returns where numbers begin after a head of some bytes.
func startOfNumbers(head int) int { return (head + 63) / 64 * 64 }

// toEight returns a number of bytes, up to a multiple of eight.
func toEight(n int) int { return (n + 7) / 8 * 8 }

// asBytes returns numbers as they lie in memory.
func asBytes(l numbers.List) []byte {
	if raw := l.Bytes(); raw != nil {
		return raw
	}
	return unsafe.Slice((*byte)(l.Start()), 8*l.Len())
}

// Shared returns the lists of numbers that another process of this machine has left, which must not be written to, and
// what it says of them. The error is fs.ErrNotExist if there are none.
func (s RowCache) Shared() (about []byte, lists []numbers.List, err error) {
	if s.SharedAs == "" {
		return nil, nil, fs.ErrNotExist
	}
	all, err := mapped(s.sharedPath())
	if err != nil {
		return nil, nil, err
	}
	broken := fmt.Errorf("%s is damaged", s.sharedPath())
	if len(all) < 8 || binary.LittleEndian.Uint64(all) > uint64(len(all)-8) {
		return nil, nil, broken
	}
	end := 8 + int(binary.LittleEndian.Uint64(all))
	var h sharedHeader
	if err := gob.NewDecoder(bytes.NewReader(all[8:end])).Decode(&h); err != nil ||
		len(h.Bytes) != len(h.Lengths) {
		return nil, nil, broken
	}
	at := startOfNumbers(end)
	for i, n := range h.Lengths {
		size, as := 8*n, asNumbers
		if h.Bytes[i] {
			size, as = n, numbers.OfBytes
		}
		if at+toEight(size) > len(all) {
			return nil, nil, broken
		}
		lists = append(lists, as(all[at:at+size]))
		at += toEight(size)
	}
	return h.About, lists, nil
}

// asNumbers returns bytes at a multiple of eight as numbers; of none it is a list too.
func asNumbers(all []byte) numbers.List {
	if len(all) == 0 {
		return numbers.Of([]float64{}...)
	}
	return numbers.Of(unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(all))), len(all)/8)...)
}

// Unshare removes the file. Who has it mapped keeps what is in it.
func (s RowCache) Unshare() {
	if s.SharedAs != "" {
		_ = s.disk().Remove(s.sharedPath()) // or the next start does it
	}
}
