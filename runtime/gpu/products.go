package gpu

import (
	"errors"
	"fmt"
	"strings"

	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/render"
	"ppl/runtime/gpu/driver"
)

// In a program of layout Apart, a large product of an entry by points is a call of the driver's library, if it has one.
// A call computes several lanes at a time, whose matrices have equal distances in memory.
//
//	128×128 · 128×512 of 12 lanes     →     one call for 16 lanes, of which four do not exist
//
// The library chooses the order of sums by the shape of a call, which includes the number of matrices. So that a lane's
// results do not depend on the number of lanes, each call is for the same number, and memory for the missing lanes is
// allocated. The number is smaller for matrices so large that fewer lanes use the entire GPU. Calls start at multiples
// of at least four lanes, since the library checks whether addresses are multiples of 16 bytes.
//
// The sums then follow the library's order: results differ by rounding from those by lanes, and from those on other
// kinds of GPU or with other versions of the library. The faster way depends on the number of lanes, but an entry with
// such a product runs by points for any number, so that its results do not change. It runs by lanes only if memory is
// too small for that, and the note before a run reports this.

// Sizes of products for the library.
const (
	leastSide = 8 // least size of each dimension: narrower products are limited by memory bandwidth
	// multiplications per point of the smallest kernel that threads share: 65,536 on a GPU
	workOfPoint = 16
)

// Number of lanes of a call.
const (
	mostTogether  = 16
	leastTogether = 4
	occupying     = 1 << 20 // number of elements of results that use the entire GPU
)

// lanesTogether returns the number of lanes of a call.
func lanesTogether(s *ir.MatMul) int {
	n := mostTogether
	for n > leastTogether && s.M*s.N*n/2 >= occupying {
		n /= 2
	}
	return n
}

// suits reports whether a library can compute a stage. It also computes results for lanes that do not run, so the
// result must be a scratch buffer, whose contents are not kept.
func (l *plan) suits(s render.Stage) bool {
	m := s.Product
	if m == nil || l.program.Layout != ir.Apart || min(m.M, m.K, m.N) < min(leastSide, l.launching.Shared) ||
		m.M*m.K*m.N < workOfPoint*l.launching.Shared {
		return false
	}
	a, b, c := l.program.Buffers[m.A], l.program.Buffers[m.B], l.program.Buffers[m.C]
	return c.Space == ir.Scratch && a.Type == c.Type && b.Type == c.Type && c.Type != ir.I32
}

// A library is a driver's library for products of matrices, with its name and version.
type library struct {
	driver.Multiplier
	name string
}

// library returns the library for the products of a plan by points. If there are products but no library, it returns
// nil, kernels compute the products, and l.multiplied contains the reason.
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

// suited returns the number of launches of an entry that a library can compute.
func (l *plan) suited(entry int) (n int) {
	for _, s := range l.stages[entry] {
		if l.suits(s) {
			n++
		}
	}
	return n
}

// padded returns the number of blocks for which memory is allocated: calls of the library are for complete groups of
// lanes.
func (e *executable) padded(blocks int) int {
	if e.library == nil {
		return blocks
	}
	return over(blocks, mostTogether) * mostTogether
}

// multiply decides which stages are calls of the library, after memory has been allocated.
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

// calls returns the calls of the library for a stage: one for each group of lanes or, if a lane has many products, one
// for each lane.
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

// An operand describes the matrices of a product: matrix n of a lane starts at element lane·ofLane + n·ofBatch.
type operand struct {
	at              driver.Ptr
	typ             ir.Type
	ofLane, ofBatch int
}

// operand returns the operand that starts at an element of a buffer, with matrices of the given size.
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

// matrix returns the first matrix of a call, that of a lane and a batch number, and the distance to the next matrix:
// that of the next batch if batches > 1, otherwise that of the next lane.
func (o operand) matrix(lane, n, batches int) driver.Matrix {
	each := o.ofLane
	if batches > 1 {
		each = o.ofBatch
	}
	return driver.Matrix{At: o.at + driver.Ptr((lane*o.ofLane+n*o.ofBatch)*o.typ.Bytes()), Each: each}
}
