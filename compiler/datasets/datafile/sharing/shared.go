// Package sharing lets processes that work on the same data use one copy of the numbers for each machine. One process
// writes them to a file, the others load it, and all of them map it into memory:
//
//	first    room, err := place.Room()                 // long lists may be made in the file (numbers.Builder)
//	first    lists, err := room.Store(about, lists)    // completes the file and maps it
//	others   about, lists, err := place.Load()         // maps the file
//	first    place.Remove()                            // processes that have mapped the file keep its contents
//
// The file has the offset and the length of a header (8 bytes each), the numbers as they are in memory, each list from
// a multiple of 64 bytes on, and the header (gob).
package sharing

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io/fs"
	"path/filepath"

	"ppl/numbers"
	"ppl/runtime/sys/files"
)

// A header describes the lists of numbers in a file.
type header struct {
	About   []byte  // the description that Store was called with
	At      []int64 // offsets of the lists
	Lengths []int   // of the lists
	Bytes   []bool  // reports which lists consist of bytes
}

// A Place is a file by which the processes of one machine share numbers.
type Place struct {
	Dir   string
	Name  string       // of the file in Dir; empty: nothing is shared
	Bound int64        // bytes that Dir may contain; the newest file stays in any case
	Disk  files.System // that Dir is on; no link leads out of Dir
}

func (p Place) path() string { return filepath.Join(p.Dir, p.Name) }

// alignment of lists in the file, in bytes: that of the longest vector.
const alignment = 64

// startOfNumbers is the offset of the first list.
const startOfNumbers = alignment

func roundedUp(n, to int64) int64 { return (n + to - 1) / to * to }

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
	h, ok := headerOf(all)
	if !ok {
		return nil, nil, broken
	}
	for i, at := range h.At {
		width := int64(8)
		if h.Bytes[i] {
			width = 1
		}
		n, end := int64(h.Lengths[i]), int64(len(all))
		if at < 0 || at > end || at%8 != 0 || n < 0 || n > (end-at)/width {
			return nil, nil, broken
		}
		lists = append(lists, numbers.InArea(all[at:at+n*width], h.Bytes[i], release))
	}
	return h.About, lists, nil
}

// headerOf returns the header of a file; false if it is damaged.
func headerOf(all []byte) (h header, ok bool) {
	if len(all) < startOfNumbers {
		return h, false
	}
	at, size := binary.LittleEndian.Uint64(all), binary.LittleEndian.Uint64(all[8:])
	if at > uint64(len(all)) || size > uint64(len(all))-at {
		return h, false
	}
	err := gob.NewDecoder(bytes.NewReader(all[at : at+size])).Decode(&h)
	return h, err == nil && len(h.At) == len(h.Lengths) && len(h.At) == len(h.Bytes)
}

// Remove removes the file. Processes that have mapped it keep its contents.
func (p Place) Remove() {
	if p.Name != "" {
		_ = p.Disk.Remove(p.path()) // otherwise the next start removes it
	}
}
