package store

import "fmt"

// An Array identifies an array with a row for each draw, by its group and name.
type Array struct{ Group, Name string }

// A Visit receives some draws of a chain, from draw first on. values holds a slice for each array, with its elements in
// row-major order. The slices are valid only during the visit.
type Visit func(chain, first int, values [][]float64) error

// heldNumbers limits the numbers in memory if chains share files, since a file then contains draws of many chains.
const heldNumbers = 1 << 22

// Together visits the draws of several arrays together, for the chains from to to-1 in order. Memory use does not
// depend on the number of draws. It stops if visit returns an error.
func (r *Run) Together(arrays []Array, from, to int, visit Visit) error {
	var columns []column
	shared, width := false, 0
	for _, a := range arrays {
		vs := r.Streamed(a.Group)
		i := find(vs, a.Name)
		if err := r.NotKept(a.Name); err != nil && a.Group == posterior {
			return err
		}
		if i < 0 {
			return fmt.Errorf("the run in %s has no %q in the group %s", r.Dir, a.Name, a.Group)
		}
		c := column{group: a.Group, v: vs[i]}
		columns, width = append(columns, c), width+c.v.Size()
		shared = shared || r.arrays[c.key()].Chunks[0] > 1
	}
	if shared {
		each := max(1, heldNumbers/max(1, width*r.Info.Draws))
		for ; from < to; from += each {
			if err := r.bandTogether(columns, from, min(from+each, to), visit); err != nil {
				return err
			}
		}
		return nil
	}
	for ; from < to; from++ {
		if err := r.chainTogether(columns, from, visit); err != nil {
			return err
		}
	}
	return nil
}

// bandTogether reads all draws of some chains into memory, then visits each chain once.
func (r *Run) bandTogether(columns []column, from, to int, visit Visit) error {
	held := make([][][]float64, to-from) // by chain and array
	for k := range held {
		held[k] = make([][]float64, len(columns))
	}
	for i, c := range columns {
		band := r.arrays[c.key()].Chunks[0]
		for first := from / band * band; first < to; first += band {
			err := r.chunks(c, first, func(chain int, part []float64) {
				if from <= chain && chain < to {
					held[chain-from][i] = append(held[chain-from][i], part...)
				}
			})
			if err != nil {
				return ErrDamaged{r.Dir, err}
			}
		}
	}
	for k, values := range held {
		if err := visit(from+k, 0, values); err != nil {
			return err
		}
	}
	return nil
}

// chainTogether visits a chain with separate files, chunk by chunk.
func (r *Run) chainTogether(columns []column, chain int, visit Visit) error {
	cursors, values := make([]cursor, len(columns)), make([][]float64, len(columns))
	reader := r.reader()
	for first := 0; ; {
		n := -1
		for i, c := range columns {
			if err := cursors[i].fill(r, c, chain, reader); err != nil {
				return ErrDamaged{r.Dir, err}
			}
			if c.v.Size() > 0 && (n < 0 || len(cursors[i].left)/c.v.Size() < n) {
				n = len(cursors[i].left) / c.v.Size()
			}
		}
		if n <= 0 {
			return nil
		}
		for i, c := range columns {
			values[i] = cursors[i].take(n * c.v.Size())
		}
		if err := visit(chain, first, values); err != nil {
			return err
		}
		first += n
	}
}

// A cursor iterates over the draws of a chain in an array.
type cursor struct {
	next   int // index of the next chunk
	buffer []float64
	left   []float64 // unread part of the buffer
}

// fill reads the next chunk if no draws are left.
func (c *cursor) fill(r *Run, of column, chain int, reader *chunkReader) error {
	for ; len(c.left) == 0 && c.next < r.chunkCount(of); c.next++ {
		err := r.chunk(of, chain, c.next, reader, func(_ int, part []float64) {
			c.buffer = append(c.buffer[:0], part...)
			c.left = c.buffer
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *cursor) take(n int) []float64 {
	part := c.left[:n]
	c.left = c.left[n:]
	return part
}
