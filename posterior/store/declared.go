package store

import (
	"fmt"

	"ppl/lang/source"
	"ppl/runtime/sys/memory"
)

// littleDeclared is the size in bytes up to which an array's declared size is trusted without checking its files.
const littleDeclared = 1 << 20

// workingCopies is the memory for reading a chunk, in units of its size: compressed bytes, decoded numbers, and the
// caller's copy.
const workingCopies = 3

// checkDeclared compares the declared sizes of large arrays with their files and with the available memory, so that a
// damaged or hostile .zmetadata cannot exhaust the memory.
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

// bytes returns the size of an array of the given shape, as a float64, since it may overflow an integer.
func (a array) bytes(shape []int) float64 {
	n := float64(width(a.Type))
	for _, size := range shape {
		n *= float64(size)
	}
	return n
}

// checkFiles returns an error if a chunk of an array does not fit in memory, if there are fewer files than chunks, or
// if the first file is too short.
func (r *Run) checkFiles(key string, a array) error {
	chunk, chunks := a.bytes(a.Chunks), 1.0
	for i, size := range a.Shape {
		chunks *= float64((size + a.Chunks[i] - 1) / a.Chunks[i])
	}
	if most := memory.ForReading(); workingCopies*chunk > float64(most) {
		return ErrMemory{fmt.Sprintf("%s: a chunk of %s has %s, and reading it takes more than the memory limit of "+
			"%s; --max-memory SIZE sets another limit", r.Dir, key, source.Bytes(int64(chunk)), source.Bytes(most))}
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

// An ErrMemory reports that a request needs more memory than is available.
type ErrMemory struct{ text string }

func (e ErrMemory) Error() string { return e.text }

// NeedMemory returns ErrMemory if n quantities, such as the elements of all variables, do not fit in memory. Each needs
// the given number of bytes.
func (r *Run) NeedMemory(n int, each int64) error {
	if most := memory.ForReading(); int64(n) > most/each {
		return ErrMemory{fmt.Sprintf("%s: %d quantities do not fit in the memory limit of %s; name some of them, "+
			"or set another limit with --max-memory SIZE", r.Dir, n, source.Bytes(most))}
	}
	return nil
}
