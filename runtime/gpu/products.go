package gpu

import (
	"errors"
	"fmt"
	"strings"

	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/render"
	"ppl/runtime/gpu/driver"
)

// A large product of an entry by points, in a program whose lanes are apart, is a call of the driver's library, where
// it has one: for several lanes at a time, whose matrices lie equally far apart.
//
//	128×128 · 128×512 of 12 lanes     →     one call for 16 lanes, of which four are not there
//
// The library chooses how to add up by the shape of a call, the number of matrices among it. So that a lane's bytes do
// not depend on how many lanes there are, each call is for the same number, and memory for lanes that are not there is
// allocated. The number is smaller where matrices are so large that fewer occupy a GPU. Calls begin at every fourth
// lane at least, since the library looks whether addresses are multiples of 16 bytes.
//
// Sums are then those of the library: other bytes than by lanes, and than on a GPU of another kind or with another
// version of the library. Since which way is faster depends on the number of lanes, an entry with such a product runs
// by points for any number; only where memory is too short for that it runs by lanes, and the note before a run says
// so.

// Sizes of products for the library.
const (
	leastSide = 8 // of each dimension: what is narrower is bound by memory, which kernels use as well
	// multiplications for each point that a kernel has at least which threads share: 65,536 on a GPU
	workOfPoint = 16
)

// Lanes of a call.
const (
	mostTogether  = 16
	leastTogether = 4
	occupying     = 1 << 20 // elements of results that occupy a GPU
)

// lanesTogether returns the number of lanes of a call.
func lanesTogether(s *ir.MatMul) int {
	n := mostTogether
	for n > leastTogether && s.M*s.N*n/2 >= occupying {
		n /= 2
	}
	return n
}

// suits reports whether a library can compute a stage. What it computes for lanes that do not run must do no harm, so
// the result is no buffer that keeps its contents.
func (l *plan) suits(s render.Stage) bool {
	m := s.Product
	if m == nil || l.program.Layout != ir.Apart || min(m.M, m.K, m.N) < min(leastSide, l.launching.Shared) ||
		m.M*m.K*m.N < workOfPoint*l.launching.Shared {
		return false
	}
	a, b, c := l.program.Buffers[m.A], l.program.Buffers[m.B], l.program.Buffers[m.C]
	return c.Space == ir.Scratch && a.Type == c.Type && b.Type == c.Type && c.Type != ir.I32
}

// A library computes products of matrices; nil if there is none.
type library struct {
	driver.Multiplier
	name string
}

// library finds who computes the products of a plan by points, if there are some. Where nobody does, kernels do, and
// the plan says why.
func (d *Device) library(l *plan) *library {
	l.products = 0
	for i := range l.program.Entries {
		if l.launching.Points[i] {
			l.products += l.suited(i)
		}
	}
	if l.products == 0 {
		return nil
	}
	m, ok := d.driver.(driver.Multiplier)
	err := errors.New("this build of ppl does not use cuBLAS")
	if ok {
		name := ""
		if name, err = m.Library(); err == nil {
			l.multiplied = fmt.Sprintf("%d of them products of matrices by %s", l.products, name)
			return &library{m, name}
		}
	}
	l.multiplied = fmt.Sprintf("%d of them products of matrices by kernels of ppl: %s", l.products,
		strings.TrimPrefix(err.Error(), "cuda: "))
	return nil
}

// suited returns the number of launches of an entry that a library can make.
func (l *plan) suited(entry int) (n int) {
	for _, s := range l.stages[entry] {
		if l.suits(s) {
			n++
		}
	}
	return n
}

// padded returns the number of blocks that have memory: calls of the library are for whole groups of lanes.
func (e *executable) padded(blocks int) int {
	if e.library == nil {
		return blocks
	}
	return over(blocks, mostTogether) * mostTogether
}

// multiply decides which stages are calls of the library, once memory is there.
func (e *executable) multiply() {
	if e.library == nil {
		return
	}
	for _, entry := range e.entries {
		for i := range entry.stages {
			if s := &entry.stages[i]; e.suits(s.Stage) {
				s.calls = e.calls(s.Stage)
			}
		}
	}
}

// calls returns the calls of the library for a stage: for groups of lanes, or where a lane has many products, for those
// of each lane.
func (e *executable) calls(s render.Stage) (all []driver.Product) {
	m, groups, batches := s.Product, lanesTogether(s.Product), 1
	if m.Batch >= mostTogether {
		groups, batches = 1, m.Batch
	}
	a := e.operand(m.A, m.PartA.First+m.PartA.Step*s.Turn, m.M*m.K, m.SharedA)
	b := e.operand(m.B, m.PartB.First+m.PartB.Step*s.Turn, m.K*m.N, m.SharedB)
	c := e.operand(m.C, m.PartC.First+m.PartC.Step*s.Turn, m.M*m.N, false)
	for lane := 0; lane < e.Lanes; lane += groups {
		for n := 0; n < m.Batch; n += batches {
			p := driver.Product{Single: c.typ == ir.F32, Batch: max(groups, batches), M: m.M, K: m.K, N: m.N,
				A: a.matrix(lane, n, batches), B: b.matrix(lane, n, batches), C: c.matrix(lane, n, batches)}
			p.A.Transposed, p.B.Transposed = m.TransA, m.TransB
			all = append(all, p)
		}
	}
	return all
}

// An operand has matrix n of a lane at an element of lane·ofLane + n·ofBatch.
type operand struct {
	at              driver.Ptr
	typ             ir.Type
	ofLane, ofBatch int
}

// operand returns the one that begins at an element of a buffer, with matrices of that size.
func (e *executable) operand(id ir.BufID, first, size int, shared bool) operand {
	b := &e.buffers[id]
	o := operand{b.at + driver.Ptr(first*b.Type.Bytes()), b.Type, b.Size, size}
	if b.Space == ir.Shared {
		o.ofLane = 0
	}
	if shared {
		o.ofBatch = 0
	}
	return o
}

// matrix is that of a call from a lane and a matrix on: for several lanes, or for that many of one.
func (o operand) matrix(lane, n, batches int) driver.Matrix {
	each := o.ofLane
	if batches > 1 {
		each = o.ofBatch
	}
	return driver.Matrix{At: o.at + driver.Ptr((lane*o.ofLane+n*o.ofBatch)*o.typ.Bytes()), Each: each}
}
