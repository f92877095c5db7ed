package store

import (
	"fmt"

	"ppl/lang/source"
	"ppl/runtime/sys/memory"
)

// littleDeclared is how many bytes an array may declare before its files are looked at.
const littleDeclared = 1 << 20

// workingCopies is how many times the memory of a chunk it takes to read it: its bytes, its numbers, and those of a
// caller.
const workingCopies = 3

// checkDeclared compares what large arrays declare with their files and with the memory that there is, so that a
// damaged or foreign .zmetadata does not take all memory of a machine.
func (r *Run) checkDeclared() error {
	var keys []string
	columns, _ := r.Layout.columns()
	for _, c := range columns {
		keys = append(keys, c.key())
	}
	for _, g := range r.Layout.constants() {
		for _, o := range g.arrays {
			keys = append(keys, g.name+"/"+ArrayName(o.Name))
		}
	}
	for _, key := range keys {
		if a := r.arrays[key]; a.bytes(a.Shape) > littleDeclared {
			if err := r.checkFiles(key, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// bytes returns what an array of a shape takes; more than an integer may hold.
func (a array) bytes(shape []int) float64 {
	n := float64(width(a.Type))
	for _, size := range shape {
		n *= float64(size)
	}
	return n
}

// checkFiles checks that a chunk of an array fits into memory, that there are as many files as the array has chunks,
// and that the first is long enough.
func (r *Run) checkFiles(key string, a array) error {
	chunk, chunks := a.bytes(a.Chunks), 1.0
	for i, size := range a.Shape {
		chunks *= float64((size + a.Chunks[i] - 1) / a.Chunks[i])
	}
	if most := memory.ForReading(); workingCopies*chunk > float64(most) {
		return ErrMemory{fmt.Sprintf("%s: a part of %s has %s, and reading it takes more than the %s of memory that "+
			"there are; --max-memory SIZE says what there is", r.Dir, key, source.Bytes(int64(chunk)),
			source.Bytes(most))}
	}
	entries, err := r.disk.ReadDir(path(r.Dir, key))
	if err != nil {
		return ErrDamaged{r.Dir, ofFile(path(r.Dir, key), err)}
	}
	if chunks > float64(len(entries)) {
		return damaged(r.Dir, ".zmetadata", fmt.Errorf("%s declares %.0f chunks, and has %d files", key, chunks,
			len(entries)))
	}
	first := place{key, chunkKey(make([]int, len(a.Shape)))}.file(r.Dir)
	info, err := r.disk.Stat(first)
	if err != nil {
		return ErrDamaged{r.Dir, ofFile(first, err)}
	}
	if chunk > mostInflated*float64(info.Size()) {
		return ErrDamaged{r.Dir, fmt.Errorf("%s has %d bytes, which cannot hold the %.0f that its array declares",
			first, info.Size(), chunk)}
	}
	return nil
}

// An ErrMemory says that what was asked of a run takes more memory than there is.
type ErrMemory struct{ text string }

func (e ErrMemory) Error() string { return e.text }

// NeedMemory returns an error if there is no memory for that many bytes for each of some numbers, such as the elements
// of all variables.
func (r *Run) NeedMemory(numbers int, each int64) error {
	if most := memory.ForReading(); int64(numbers) > most/each {
		return ErrMemory{fmt.Sprintf("%s: %d quantities are too many for the %s of memory that there are; name some "+
			"of them, or give more memory with --max-memory SIZE", r.Dir, numbers, source.Bytes(most))}
	}
	return nil
}
