// Package sharing lets processes that work on the same data use one copy of the numbers for each machine. One process
// stores them in a file, the others load it, and all of them map it into memory:
//
//	first    lists, err := place.Store(about, lists)   // writes the file and maps it
//	others   about, lists, err := place.Load()         // maps the file
//	first    place.Remove()                            // processes that have mapped the file keep its contents
//
// The file has the length of a header (8 bytes), the header (gob), and the numbers as they are in memory, from a
// multiple of 64 bytes on.
package sharing

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io/fs"
	"path/filepath"
	"unsafe"

	"ppl/numbers"
	"ppl/runtime/sys/cache"
	"ppl/runtime/sys/files"
	"ppl/runtime/sys/securedir"
)

// A header describes the lists of numbers in a file. Each list begins at a multiple of 8 bytes.
type header struct {
	About   []byte // the description that Store was called with
	Lengths []int  // of the lists
	Bytes   []bool // reports which lists consist of bytes
}

// A Place is a file by which the processes of one machine share numbers.
type Place struct {
	Dir   string
	Name  string       // of the file in Dir; empty: nothing is shared
	Bound int64        // bytes that Dir may contain; the newest file stays in any case
	Disk  files.System // that Dir is on; no link leads out of Dir
}

func (p Place) path() string { return filepath.Join(p.Dir, p.Name) }

// Store writes lists of numbers, with a description, for other processes, and returns the lists as they are mapped.
func (p Place) Store(about []byte, lists []numbers.List) ([]numbers.List, error) {
	if err := securedir.Dir(p.Dir); err != nil { // another user must not change the data
		return nil, err
	}
	if err := p.write(about, lists); err != nil {
		return nil, err
	}
	cache.Evict(p.Disk, p.Dir, p.Bound, p.path())
	_, mapped, err := p.Load()
	return mapped, err
}

func (p Place) write(about []byte, lists []numbers.List) error {
	h := header{About: about}
	for _, l := range lists {
		h.Lengths, h.Bytes = append(h.Lengths, l.Len()), append(h.Bytes, l.Bytes() != nil)
	}
	head := bytes.NewBuffer(make([]byte, 8))
	if err := gob.NewEncoder(head).Encode(h); err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(head.Bytes(), uint64(head.Len()-8))
	head.Write(make([]byte, startOfNumbers(head.Len())-head.Len()))
	out, err := p.Disk.CreateTemp(p.Dir, "sharing-*")
	if err != nil {
		return err
	}
	defer p.Disk.Remove(out.Name()) // where it was not renamed
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
	return p.Disk.Rename(out.Name(), p.path())
}

// startOfNumbers returns the offset of the numbers behind a head of some bytes.
func startOfNumbers(head int) int { return (head + 63) / 64 * 64 }

// toEight rounds a number of bytes up to a multiple of eight.
func toEight(n int) int { return (n + 7) / 8 * 8 }

// asBytes returns the memory of a list of numbers.
func asBytes(l numbers.List) []byte {
	if raw := l.Bytes(); raw != nil {
		return raw
	}
	return unsafe.Slice((*byte)(l.Start()), 8*l.Len())
}

// Load returns the lists of numbers that another process of this machine has stored, and their description. The lists
// must not be written to. The error is fs.ErrNotExist if there are none.
func (p Place) Load() (about []byte, lists []numbers.List, err error) {
	if p.Name == "" {
		return nil, nil, fs.ErrNotExist
	}
	all, err := mapped(p.path())
	if err != nil {
		return nil, nil, err
	}
	broken := fmt.Errorf("%s is damaged", p.path())
	if len(all) < 8 || binary.LittleEndian.Uint64(all) > uint64(len(all)-8) {
		return nil, nil, broken
	}
	end := 8 + int(binary.LittleEndian.Uint64(all))
	var h header
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

// Remove removes the file. Processes that have mapped it keep its contents.
func (p Place) Remove() {
	if p.Name != "" {
		_ = p.Disk.Remove(p.path()) // otherwise the next start removes it
	}
}

// asNumbers returns bytes at a multiple of eight as numbers. The list of no bytes is empty, but not nil.
func asNumbers(all []byte) numbers.List {
	if len(all) == 0 {
		return numbers.Of([]float64{}...)
	}
	return numbers.Of(unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(all))), len(all)/8)...)
}
