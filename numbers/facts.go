package numbers

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"runtime"
	"sync"
)

// Facts are properties of all elements of a list. A list whose facts are known (Knowing) returns them without reading
// its elements, so that a process that needs some elements need not load the others.
type Facts struct {
	Finite    bool    // no element is NaN or infinite
	Missing   bool    // an element is NaN
	Bytes     bool    // all elements are integers from 0 to 255
	Low, High float64 // as Range returns them
	Digest    [sha256.Size]byte
}

// DigestBlock is the number of elements that Digest hashes together.
const DigestBlock = 1 << 16

// FactsOf returns the facts of a list. It reads all elements unless the facts are known.
func FactsOf(l List) Facts {
	low, high := l.Range()
	return Facts{l.Finite(), l.Missing(), l.AreBytes(), low, high, l.Digest()}
}

// Knowing returns the list with known facts. f must be FactsOf(l).
func (l List) Knowing(f Facts) List {
	l.facts = &f
	return l
}

// Range returns the least and the greatest element. They are +∞ and −∞ for an empty list, and NaN if an element is NaN.
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

// Digest returns a hash of all elements. It hashes each block of DigestBlock elements, as little-endian float64s, with
// SHA-256, and then the concatenation of these hashes. So blocks can be hashed separately.
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
				for _, v := range l.Part(k*DigestBlock, min((k+1)*DigestBlock, l.Len())).All() {
					raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
				}
				hash := sha256.Sum256(raw)
				copy(all[k*sha256.Size:], hash[:])
			}
		})
	}
	done.Wait()
	return sha256.Sum256(all)
}
