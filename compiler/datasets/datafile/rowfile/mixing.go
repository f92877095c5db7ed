package rowfile

import (
	"io"
	"math/bits"

	"ppl/runtime/sys/files"
)

// Rows of a row file are in random order, so that adjacent rows can be used like rows drawn at random, and one read
// operation gets a whole minibatch. The order depends only on the number of rows: files with the same number of rows
// have them in the same order.

// A mixing is a permutation of 0…rows−1: a Feistel network (Luby and Rackoff, SIAM J. Comput. 17, 1988) with eight
// rounds on an even number of bits. While the result is not a row, it is permuted again (cycle walking: Black and
// Rogaway, CT-RSA 2002).
type mixing struct {
	rows uint64
	half int
}

func newMixing(rows int) mixing {
	return mixing{uint64(rows), max(1, (bits.Len64(uint64(max(rows, 1)-1))+1)/2)}
}

// position returns the position of the record of a row.
func (m mixing) position(row int) int {
	x, mask := uint64(row), uint64(1)<<m.half-1
	for {
		a, b := x>>m.half, x&mask
		for round := range uint64(8) {
			a, b = b, a^scramble(b+round<<56+m.rows<<24)&mask
		}
		x = a<<m.half | b
		if x < m.rows {
			return int(x)
		}
	}
}

// scramble returns the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
func scramble(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// Rows are permuted in two steps: each is written to the bucket that contains its new position, then the buckets are
// sorted in memory, one by one. There are at most about mostBuckets buckets of at least about bucketSize bytes. Rows
// are written to a bucket in pieces of about waitSize bytes.
const (
	mostBuckets = 1024
	bucketSize  = 16 << 20
	waitSize    = 64 << 10
)

// bucketOf returns the size of buckets in bytes, for the size of all records.
func bucketOf(records int64) int64 {
	return max(bucketSize, (records+mostBuckets-1)/mostBuckets)
}

// mixRows writes records, whose last number is their row, at their positions of a file, with their checksums. Buckets
// have about the given size in bytes. All data are written, read and written again, in large pieces.
func mixRows(in io.Reader, out files.File, rows, stride int, seed uint32, size int64) error {
	m := &mixer{mixing: newMixing(rows), out: out, stride: stride, seed: seed, per: max(1, int(size)/stride)}
	n := (rows + m.per - 1) / m.per
	m.waiting, m.written = make([][]byte, n), make([]int64, n)
	record := make([]byte, stride)
	for row := range rows {
		if _, err := io.ReadFull(in, record); err != nil {
			return err
		}
		if err := m.add(m.position(row)/m.per, record); err != nil {
			return err
		}
	}
	for b := range m.waiting {
		if err := m.flush(b); err != nil {
			return err
		}
		if err := m.settle(b); err != nil {
			return err
		}
	}
	return nil
}

// A mixer is the state of mixRows.
type mixer struct {
	mixing
	out     files.File
	stride  int
	seed    uint32   // of the checksums
	per     int      // number of rows of a bucket
	waiting [][]byte // the records of each bucket that are not written yet
	written []int64  // number of bytes that were written to each bucket
	now, to []byte   // the records of a bucket in the order in which they were written, and in their final order
}

func (m *mixer) add(b int, record []byte) error {
	m.waiting[b] = append(m.waiting[b], record...)
	if len(m.waiting[b]) < waitSize {
		return nil
	}
	return m.flush(b)
}

func (m *mixer) flush(b int) error {
	_, err := m.out.WriteAt(m.waiting[b], int64(b)*int64(m.per)*int64(m.stride)+m.written[b])
	m.written[b] += int64(len(m.waiting[b]))
	m.waiting[b] = m.waiting[b][:0]
	return err
}

// settle moves the records of a bucket to their positions, and sets their checksums.
func (m *mixer) settle(b int) error {
	m.waiting[b] = nil
	n := int(m.written[b])
	if len(m.now) < n {
		m.now, m.to = make([]byte, n), make([]byte, n)
	}
	begin := int64(b) * int64(m.per) * int64(m.stride)
	if _, err := m.out.ReadAt(m.now[:n], begin); err != nil {
		return err
	}
	for at := 0; at < n; at += m.stride {
		record := m.now[at : at+m.stride]
		place := m.position(rowOf(record))
		putSum(record, place, m.seed)
		copy(m.to[(place-b*m.per)*m.stride:], record)
	}
	_, err := m.out.WriteAt(m.to[:n], begin)
	return err
}
