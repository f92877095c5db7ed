package ir

import "slices"

// Tiles divides Rows rows into tiles of Size rows (the last may have fewer) and runs Body once per tile. Body contains
// kernels and matrix products with one batch. The outermost loop of a kernel, and the dimension of a product that its
// field Rows names, run over the rows of the tile; indices shift by Step from tile to tile. Iterations may run in any
// order and at the same time. Values pass from one statement to the next in buffers of space Tile. After all iterations
// each Out is combined, in the order of iterations.
type Tiles struct {
	Rows, Size int
	Body       []Stmt
	Out        []TileOut
}

// A TileOut combines the Tile buffer From of every iteration into the buffer To of the same size.
type TileOut struct {
	From, To BufID
	Combine  Combine // not Store
}

// Turns returns the number of iterations.
func (s *Tiles) Turns() int { return (s.Rows + s.Size - 1) / s.Size }

// RowsIn returns the number of rows in an iteration.
func (s *Tiles) RowsIn(turn int) int { return min(s.Size, s.Rows-turn*s.Size) }

// With returns Body for a tile with that number of rows.
func (s *Tiles) With(rows int) []Stmt {
	body := make([]Stmt, len(s.Body))
	for i, b := range s.Body {
		switch b := b.(type) {
		case *Kernel:
			body[i] = b.withRows(rows)
		case *MatMul:
			body[i] = b.withRows(rows)
		}
	}
	return body
}

func (k *Kernel) withRows(rows int) *Kernel {
	out := &Kernel{Extents: slices.Clone(k.Extents), Body: slices.Clone(k.Body), Out: slices.Clone(k.Out)}
	out.Extents[0] = rows
	return out
}

func (s *MatMul) withRows(rows int) *MatMul {
	out := *s
	switch s.Rows {
	case DimM:
		out.M = s.RowsOf(rows)
	case DimK:
		out.K = s.RowsOf(rows)
	}
	return &out
}

// RowsOf returns the number of rows of the operands for that number of rows of a tile.
func (s *MatMul) RowsOf(rows int) int { return rows * max(1, s.Each) }

// Turn returns the statements of Body for iteration t, with its number of rows and with all steps added to the offsets.
func (s *Tiles) Turn(t int) []Stmt {
	body := s.With(s.RowsIn(t))
	for _, b := range body {
		switch b := b.(type) {
		case *Kernel:
			for i := range b.Body {
				b.Body[i].Index = b.Body[i].Index.turn(t)
			}
			for i := range b.Out {
				b.Out[i].Index = b.Out[i].Index.turn(t)
			}
		case *MatMul:
			b.PartA, b.PartB, b.PartC = b.PartA.turn(t), b.PartB.turn(t), b.PartC.turn(t)
		}
	}
	return body
}

func (ix Index) turn(t int) Index {
	ix.Const, ix.Step = ix.Const+ix.Step*t, 0
	return ix
}

func (p Part) turn(t int) Part { return Part{First: p.First + p.Step*t} }
