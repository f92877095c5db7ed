package ir

import "slices"

// Tiles runs Body, kernels and products without batches, over Rows rows, Size of them in each turn but perhaps the last. The outermost
// loop of a kernel, and the dimension of a product that its Rows names, go over the rows of a turn and end with the rows; indices
// move with the turn. Turns run in any order and at once; what they pass on lies in buffers of space Tile. In the end each Out is
// combined, in the order of turns.
type Tiles struct {
	Rows, Size int
	Body       []Stmt
	Out        []TileOut
}

// A TileOut combines what the turns leave in From, a Tile buffer, into To, of the same size.
type TileOut struct {
	From, To BufID
	Combine  Combine // not Store
}

// Turns is the number of turns.
func (s *Tiles) Turns() int { return (s.Rows + s.Size - 1) / s.Size }

// RowsIn is the number of rows of a turn.
func (s *Tiles) RowsIn(turn int) int { return min(s.Size, s.Rows-turn*s.Size) }

// Turn is Body as it is in a turn, with its rows and without steps.
func (s *Tiles) Turn(turn int) []Stmt {
	body := make([]Stmt, len(s.Body))
	for i, b := range s.Body {
		switch b := b.(type) {
		case *Kernel:
			body[i] = b.turn(turn, s.RowsIn(turn))
		case *MatMul:
			body[i] = b.turn(turn, s.RowsIn(turn))
		}
	}
	return body
}

func (k *Kernel) turn(t, rows int) *Kernel {
	out := &Kernel{Extents: slices.Clone(k.Extents), Body: slices.Clone(k.Body), Out: slices.Clone(k.Out)}
	out.Extents[0] = rows
	for i := range out.Body {
		out.Body[i].Index = out.Body[i].Index.turn(t)
	}
	for i := range out.Out {
		out.Out[i].Index = out.Out[i].Index.turn(t)
	}
	return out
}

func (ix Index) turn(t int) Index {
	ix.Const, ix.Step = ix.Const+ix.Step*t, 0
	return ix
}

func (s *MatMul) turn(t, rows int) *MatMul {
	out := *s
	for _, p := range []*Part{&out.PartA, &out.PartB, &out.PartC} {
		*p = Part{First: p.First + p.Step*t}
	}
	switch s.Rows {
	case DimM:
		out.M = rows
	case DimK:
		out.K = rows
	}
	return &out
}
