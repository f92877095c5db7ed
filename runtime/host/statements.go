package host

import (
	"fmt"
	"ppl/compiler/backend/ir"
)

func (c *compiler) statements(body []ir.Stmt) []statement {
	list := make([]statement, len(body))
	for i, s := range body {
		list[i] = c.statement(s)
	}
	return list
}

func (c *compiler) statement(s ir.Stmt) statement {
	switch s := s.(type) {
	case *ir.Kernel:
		return c.kernel(s)
	case *ir.MatMul:
		return c.matMul(s)
	case *ir.CumSum:
		return c.cumSum(s)
	case *ir.Cholesky:
		return c.cholesky(s)
	case *ir.Eigen:
		return c.eigen(s)
	case *ir.TriSolve:
		return c.triSolve(s)
	case *ir.CholeskyPull:
		return c.choleskyPull(s)
	case *ir.Peer:
		p := &peer{Peer: *s}
		for _, copied := range s.Copies {
			p.sizes = append(p.sizes, c.program.Buffers[copied.To].Size)
		}
		return p
	case *ir.Tiles:
		return c.tiled(s)
	case *ir.Loop:
		return &loop{s.N, s.Reverse, c.statements(s.Body)}
	}
	panic(fmt.Sprintf("host: statement %T", s))
}

func (c *compiler) kernel(in *ir.Kernel) statement {
	k := &kernelCode{kernel: &kernel{id: len(c.kernels), width: c.width, points: in.Points()}, in: in, c: c,
		of: make([]int, len(in.Body)), widened: map[widening]int{}, addresses: map[string]addressRef{}}
	c.kernels = append(c.kernels, k)
	k.chunk = max(1, chunkValues/c.width)
	if k.points != 1 {
		k.both |= perPoint
	}
	if c.width > 1 {
		k.both |= perLane
	}
	for i := range k.of {
		k.of[i] = -1
	}
	k.chooseTiles()
	k.whole = k.points > 0 && k.points <= k.chunk
	k.outputs()
	k.fuse()
	k.allocate()
	c.tiles = c.tiles || k.tileCount() > 1
	return k.kernel
}
