package store

import (
	"math"
	"slices"
)

// This file writes arrays that do not change during a run: coordinates and observed data.

// coordinate writes the coordinates of an axis as an array with the axis's name: labels, or consecutive integers.
func (s *store) coordinate(group string, a axis) error {
	kind, raw := intType, []byte(nil)
	if a.label != nil {
		kind, raw = encodeText(a.label)
	} else {
		raw = encode(nil, intType, count(a.first, a.size))
	}
	key := group + "/" + a.name
	if err := s.array(key, s.newArray(kind, []int{a.size}, []int{a.size}), dimensions(a.name)); err != nil ||
		a.size == 0 {
		return err
	}
	return s.chunk(key, []int{0}, raw)
}

// count returns n consecutive integers from first on.
func count(first, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = float64(first + i)
	}
	return xs
}

// sampleElements is the number of elements that constant compresses to decide whether compressing the array is worth
// it.
const sampleElements = 1 << 14

const chunkElements = 1 << 20 // elements of one chunk file, or of one chain's draws in memory: 8 MiB

// inSingle marks the long arrays of real numbers that single precision represents exactly, such as the columns of type
// float of a Parquet file. They take half the space.
func inSingle(all []Observed) []Observed {
	out := slices.Clone(all)
	for i := range out {
		o := &out[i]
		if o.Size() > sampleElements && kindOf(o.Variable) == realType {
			o.Single = !slices.ContainsFunc(o.Values, func(x float64) bool {
				return math.Float64bits(float64(float32(x))) != math.Float64bits(x)
			})
		}
	}
	return out
}

// constant writes an observed array, split along its first axis into chunks of bounded size.
func (s *store) constant(key string, o Observed, dims []string) error {
	rows, row := 1, o.Size()
	if len(o.Shape) > 0 && o.Shape[0] > 0 {
		row = o.Size() / o.Shape[0]
		rows = min(o.Shape[0], max(1, chunkElements/max(1, row)))
	}
	chunks := slices.Clone(o.Shape)
	if len(chunks) > 0 {
		chunks[0] = rows
	}
	kind := kindOf(o.Variable)
	a := s.newArray(kind, o.Shape, chunks)
	if o.Size() > sampleElements && !s.shrinks(encode(nil, kind, o.Values[:sampleElements])) {
		a.Compressor = nil
	}
	about := dimensions(dims...)
	if err := s.array(key, a, about); err != nil || o.Size() == 0 {
		return err
	}
	var marks []string
	index, raw := make([]int, len(o.Shape)), []byte(nil)
	for part := range slices.Chunk(o.Values, rows*row) {
		raw = pad(encode(raw[:0], kind, part), rows*row*width(kind))
		if a.Compressor != nil {
			if err := s.chunk(key, index, raw); err != nil {
				return err
			}
		} else if mark, err := s.uncompressed(key, index, raw); err != nil {
			return err
		} else {
			marks = append(marks, mark)
		}
		if len(index) > 0 {
			index[0]++
		}
	}
	if a.Compressor == nil && s.run != "" {
		about[digestsAttribute] = marks
	}
	return nil
}

// pad fills a chunk to its full length, as Zarr requires. The added bytes lie outside the array's shape.
func pad(raw []byte, n int) []byte { return append(raw, make([]byte, n-len(raw))...) }
