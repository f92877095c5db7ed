package numbers

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"runtime"
	"sync"
)

// Facts are what many readers ask of all elements of a list. A list that knows its facts (Knowing) answers without
// reading an element, so that a process that needs a part of the elements need not have the others in memory.
type Facts struct {
	Finite    bool // no element is NaN or infinite
	Missing   bool // an element is NaN
	Bytes     bool // all are whole numbers from 0 to 255
	Low, High float64
	Digest    [sha256.Size]byte
}

// DigestBlock is the number of elements of a block, of which Digest hashes the hash.
const DigestBlock = 1 << 16

// FactsOf reads all elements.
func FactsOf(l List) Facts {
	low, high := l.Range()
	return Facts{l.Finite(), l.Missing(), l.AreBytes(), low, high, l.Digest()}
}

// Knowing returns the list with its facts, which have to be true.
func (l List) Knowing(f Facts) List {
	l.facts = &f
	return l
}

// Range returns the least and the greatest element: +∞ and −∞ if there are none, NaN if an element is.
func (l List) Range() (low, high float64) {
	if l.facts != nil {
		return l.facts.Low, l.facts.High
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range l.All() {
		low, high = math.Min(low, v), math.Max(high, v)
	}
	return low, high
}

// Digest returns a hash of all elements: the SHA-256 of the SHA-256 of each DigestBlock of elements, which are
// float64s, least byte first. So it can be made of parts.
func (l List) Digest() [sha256.Size]byte {
	if l.facts != nil {
		return l.facts.Digest
	}
	blocks := (l.Len() + DigestBlock - 1) / DigestBlock
	all := make([]byte, blocks*sha256.Size)
	next := make(chan int, blocks)
	for k := range blocks {
		next <- k
	}
	close(next)
	var done sync.WaitGroup
	for range min(blocks, runtime.GOMAXPROCS(0)) {
		done.Go(func() {
			raw := make([]byte, 0, 8*DigestBlock)
			for k := range next {
				raw = raw[:0]
				for i := k * DigestBlock; i < min((k+1)*DigestBlock, l.Len()); i++ {
					raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(l.At(i)))
				}
				hash := sha256.Sum256(raw)
				copy(all[k*sha256.Size:], hash[:])
			}
		})
	}
	done.Wait()
	return sha256.Sum256(all)
}
