package store

import "ppl/runtime/parallel/inorder"

// chunkCost is the number of bytes for each number of a chunk while it is read: compressed, decompressed and decoded.
const chunkCost = 24

// chunks passes the draws of a band of chains, the first of which is first, to each, chunk by chunk. A part is valid
// only until each returns. Several goroutines decode the next chunks meanwhile.
func (r *Run) chunks(c column, first int, each func(chain int, part []float64)) error {
	a, n := r.arrays[c.key()], r.chunkCount(c)
	readers := make([]*chunkReader, inorder.Workers(n, chunkCost*a.Chunks[0]*a.Chunks[1]*c.v.Size()))
	for i := range readers {
		readers[i] = r.reader()
	}
	return inorder.Run(len(readers), n,
		func(worker, k int) error { return r.decodeChunk(c, first, k, readers[worker]) },
		func(worker, k int) error {
			r.visitChunk(c, first, k, readers[worker].values, each)
			return nil
		})
}

// chunkCount returns the number of chunks of a chain's draws.
func (r *Run) chunkCount(c column) int {
	a := r.arrays[c.key()]
	if c.v.Size() == 0 {
		return 0
	}
	return (r.length(c) + a.Chunks[1] - 1) / a.Chunks[1]
}

// chunk passes the draws of the k-th chunk of a band of chains to each.
func (r *Run) chunk(c column, first, k int, reader *chunkReader, each func(chain int, part []float64)) error {
	if err := r.decodeChunk(c, first, k, reader); err != nil {
		return err
	}
	r.visitChunk(c, first, k, reader.values, each)
	return nil
}

// visible returns the draws of the k-th chunk that are visible, from the first one to read to end−1.
func (r *Run) visible(c column, k int) (from, end int) {
	chunk := r.arrays[c.key()].Chunks[1]
	return r.firstRead(k * chunk), min(chunk, r.length(c)-k*chunk)
}

// decodeChunk decodes the k-th chunk of a band of chains to reader.values. It does not read a chunk that contains no
// visible draw.
func (r *Run) decodeChunk(c column, first, k int, reader *chunkReader) error {
	if from, end := r.visible(c, k); from >= end {
		return nil
	}
	a := r.arrays[c.key()]
	size := a.Chunks[0] * a.Chunks[1] * c.v.Size() * width(a.Type)
	raw, err := reader.read(r.Dir, chunkPlace(c, first/a.Chunks[0], k), size)
	if err == nil {
		reader.values = decode(reader.values, raw, a.Type)
	}
	return err
}

// visitChunk passes the draws of the k-th chunk of a band of chains, which has the given values, to each.
func (r *Run) visitChunk(c column, first, k int, values []float64, each func(chain int, part []float64)) {
	from, end := r.visible(c, k)
	if from >= end {
		return
	}
	n, band, chunk := c.v.Size(), r.arrays[c.key()].Chunks[0], r.arrays[c.key()].Chunks[1]
	for chain := first; chain < min(first+band, r.Layout.Chains); chain++ {
		each(chain, r.thinned(values[(chain-first)*chunk*n:][:end*n], from, n))
	}
}
