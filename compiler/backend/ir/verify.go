package ir

import (
	"fmt"
	"slices"
)

// Verify returns an error for the first rule that a program breaks, and nil if it breaks none. A verified program
// cannot read or write outside its buffers, and its results do not depend on the order in which a device runs the
// points of a kernel.
//
//   - Lane and Given buffers are F64 or F32 and have unique names. Init is only for Shared buffers and has their size.
//     Given buffers are Shared, have no Init, and are neither read nor written in Setup. Entries have unique names.
//   - Setup reads and writes only Shared buffers, without noise or shuffles; entries write only the other buffers. A
//     Shared buffer that has no Init and is not Given is written in Setup before it is read. A Scratch buffer is
//     written before it is read in the same entry.
//   - The operands of a product have one precision; cumulative sums and factorisations are F64. Instructions are F64 or
//     F32; loads, uniform noise and shuffles have type F64. Tiles combine buffers of one type.
//   - A register is defined before it is used. Axis is a loop of the kernel. Every index stays inside its buffer for
//     all loop counters and all values of its dynamic parts. Noise sites are below 2²⁴, and a Still entry has no noise
//     that depends on the step. A shuffle has 1 to 2³² rows.
//   - A kernel does not otherwise use a buffer that it combines into. It may load from a buffer that it stores to only
//     at the index of the only store, which visits no element twice, or from elements that the store does not touch.
//     Other statements do not write a buffer that they read.
//   - A Peer is outside loops and Setup. Its buffers are F64. Key and From are Lane buffers that the entry does not
//     write, since other lanes read them.
//   - Tiles are outside other loops and Setup. They have at least one row and contain kernels and products with one
//     batch that run over the rows of a tile. A Tile buffer is written before it is read in the same iteration. If
//     iterations write another buffer, they store to it, always with the same Step and within Step elements, so that no
//     two iterations use the same element.
//   - A Loop has at least one iteration and contains no Loop and no noise. Only indices inside a Loop or Tiles have a
//     Step. With the Step, an index stays inside its buffer for all iterations; in a Loop, the Step of a combining
//     output is 0.
func Verify(p *Program) error {
	if p.Layout > Apart {
		return fmt.Errorf("ir: unknown layout %d", p.Layout)
	}
	v := &verifier{p: p, written: make([]bool, len(p.Buffers))}
	if err := v.buffers(); err != nil {
		return err
	}
	if err := v.statements("setup", p.Setup, true); err != nil {
		return err
	}
	if err := v.allWritten(Shared); err != nil {
		return err
	}
	names := map[string]bool{}
	for _, e := range p.Entries {
		if names[e.Name] {
			return fmt.Errorf("ir: two entries are named %q", e.Name)
		}
		names[e.Name] = true
		v.still = e.Still
		if err := v.statements(e.Name, e.Body, false); err != nil {
			return err
		}
		if err := v.peers(e); err != nil {
			return err
		}
	}
	return nil
}

type verifier struct {
	p       *Program
	setup   bool
	still   bool   // the entry has no noise step
	loop    *Loop  // the Loop around the statement, or nil
	tiles   *Tiles // the Tiles around the statement, or nil
	written []bool // reports which buffers have been written and may be read
}

func (v *verifier) buffers() error {
	names := map[string]bool{}
	for i, b := range v.p.Buffers {
		switch {
		case b.Size < 0 || b.Space > Tile || b.Type > I32:
			return fmt.Errorf("ir: buffer b%d %q has an invalid size, space or type", i, b.Name)
		case b.Given && (b.Space != Shared || !b.Init.None()):
			return fmt.Errorf("ir: given buffer b%d %q must be shared, without initial values", i, b.Name)
		case b.Named() && b.Type == I32:
			return fmt.Errorf("ir: named buffer b%d %q must not be i32", i, b.Name)
		case b.Named() && names[b.Name]:
			return fmt.Errorf("ir: two buffers are named %q", b.Name)
		case !b.Init.None() && (b.Space != Shared || b.Init.Len() != b.Size):
			return fmt.Errorf("ir: %v buffer b%d %q of size %d has %d initial values; only a shared buffer may have "+
				"some, one for each element", b.Space, i, b.Name, b.Size, b.Init.Len())
		}
		if b.Named() {
			names[b.Name] = true
		}
		v.written[i] = b.Named() || !b.Init.None() || b.Size == 0
	}
	return nil
}

func (v *verifier) allWritten(s Space) error {
	for i, b := range v.p.Buffers {
		if b.Space == s && !v.written[i] {
			return fmt.Errorf("ir: %v buffer b%d %q is never written", s, i, b.Name)
		}
	}
	return nil
}

func (v *verifier) statements(where string, body []Stmt, setup bool) error {
	v.setup = setup
	for i, b := range v.p.Buffers {
		if b.Space == Scratch || b.Space == Tile {
			v.written[i] = b.Size == 0
		}
	}
	for i, s := range body {
		if err := v.statement(s); err != nil {
			return fmt.Errorf("ir: %s, statement %d: %w", where, i, err)
		}
	}
	return nil
}

func (v *verifier) statement(s Stmt) error {
	switch s := s.(type) {
	case *Loop:
		return v.turns(s)
	case *Tiles:
		return v.tiled(s)
	case *Peer:
		if v.setup || v.loop != nil || v.tiles != nil {
			return fmt.Errorf("lanes must not read each other in setup, a loop or tiles")
		}
	}
	for _, id := range append(Reads(s), Writes(s)...) {
		if id < 0 || int(id) >= len(v.p.Buffers) {
			return fmt.Errorf("there is no buffer b%d", id)
		}
	}
	for _, id := range Reads(s) {
		if err := v.read(id); err != nil {
			return err
		}
	}
	for _, id := range Writes(s) {
		if err := v.write(id); err != nil {
			return err
		}
	}
	if k, ok := s.(*Kernel); ok {
		return v.kernel(k)
	}
	return v.matrices(s)
}

// turns checks a Loop. Buffers that the first iteration may read may be read in all iterations.
func (v *verifier) turns(l *Loop) error {
	if l.N < 1 {
		return fmt.Errorf("a loop has %d iterations", l.N)
	}
	if v.loop != nil || v.tiles != nil {
		return fmt.Errorf("a loop is inside another loop or tiles")
	}
	v.loop = l
	defer func() { v.loop = nil }()
	for i, s := range l.Body {
		if err := v.statement(s); err != nil {
			return fmt.Errorf("loop, statement %d: %w", i, err)
		}
	}
	return nil
}

// peers checks that an entry does not write a buffer that its lanes read from each other.
func (v *verifier) peers(e Entry) error {
	writes := each(e.Body, Writes)
	for _, s := range e.Body {
		p, ok := s.(*Peer)
		if !ok {
			continue
		}
		read := []BufID{p.Key}
		for _, c := range p.Copies {
			read = append(read, c.From)
		}
		for _, id := range read {
			if v.p.Buffers[id].Space != Lane || slices.Contains(writes, id) {
				return fmt.Errorf("ir: %s: lanes read b%d of each other, so it must be a lane buffer that the entry "+
					"does not write", e.Name, id)
			}
		}
	}
	return nil
}

func (v *verifier) read(id BufID) error {
	switch b := v.p.Buffers[id]; {
	case b.Space == Tile && v.tiles == nil:
		return fmt.Errorf("reads tile buffer b%d outside tiles", id)
	case v.setup && (b.Space != Shared || b.Given):
		return fmt.Errorf("setup reads %v buffer b%d", b.Space, id)
	case !v.written[id]:
		return fmt.Errorf("reads b%d before it is written", id)
	}
	return nil
}

func (v *verifier) write(id BufID) error {
	switch b := v.p.Buffers[id]; {
	case v.setup != (b.Space == Shared), b.Given, b.Space == Tile && v.tiles == nil:
		return fmt.Errorf("writes %v buffer b%d", b.Space, id)
	case !b.Init.None():
		return fmt.Errorf("writes b%d, which has initial values", id)
	}
	v.written[id] = true
	return nil
}

// An extent is a buffer that a statement uses, with the number of elements that it needs and their first element.
type extent struct {
	id   BufID
	size int
	from Part
}

// matrices checks the sizes of statements that are not kernels, and that they do not write a buffer that they read.
func (v *verifier) matrices(s Stmt) error {
	dims, uses := v.shapes(s)
	for _, n := range dims {
		if n < 0 {
			return fmt.Errorf("negative dimension in %v", dims)
		}
	}
	for _, u := range uses {
		size, lo, hi := v.p.Buffers[u.id].Size, u.from.First, u.from.First
		if v.loop != nil { // in Tiles, each iteration is checked separately
			lo, hi = lo+min(0, u.from.Step*(v.loop.N-1)), hi+max(0, u.from.Step*(v.loop.N-1))
		} else if v.tiles == nil && u.from.Step != 0 {
			return fmt.Errorf("a part of b%d has a step, but is not in a loop or tiles", u.id)
		}
		if _, ok := s.(*MatMul); ok && lo >= 0 && hi+u.size <= size {
			continue
		} else if size != u.size {
			return fmt.Errorf("b%d has %d elements, but the statement uses elements %d…%d", u.id, size, lo, hi+u.size-1)
		}
	}
	if err := v.precision(s, uses); err != nil {
		return err
	}
	for _, r := range Reads(s) {
		for _, w := range Writes(s) {
			if r == w {
				return fmt.Errorf("reads and writes b%d", w)
			}
		}
	}
	return nil
}

// precision checks the element types of the buffers of statements that are not kernels.
func (v *verifier) precision(s Stmt, uses []extent) error {
	want := F64
	if m, ok := s.(*MatMul); ok && v.p.Buffers[m.C].Type == F32 {
		want = F32
	}
	for _, u := range uses {
		if got := v.p.Buffers[u.id].Type; got != want {
			return fmt.Errorf("b%d is %v, not %v", u.id, got, want)
		}
	}
	return nil
}

func (v *verifier) shapes(s Stmt) (dims []int, uses []extent) {
	switch s := s.(type) {
	case *MatMul:
		return []int{s.Batch, s.M, s.K, s.N}, []extent{{s.A, batches(s.Batch, s.SharedA) * s.M * s.K, s.PartA},
			{s.B, batches(s.Batch, s.SharedB) * s.K * s.N, s.PartB}, {s.C, s.Batch * s.M * s.N, s.PartC}}
	case *CumSum:
		n := s.Outer * s.N * s.Inner
		return []int{s.Outer, s.N, s.Inner}, []extent{{id: s.In, size: n}, {id: s.Out, size: n}}
	case *Cholesky:
		n := s.Batch * s.N * s.N
		return []int{s.Batch, s.N}, []extent{{id: s.In, size: n}, {id: s.Out, size: n}}
	case *Eigen:
		n := s.Batch * s.N
		return []int{s.Batch, s.N}, []extent{{id: s.In, size: n * s.N}, {id: s.Out, size: n * (s.N + 1)}}
	case *TriSolve:
		n := s.Batch * s.N * s.M
		return []int{s.Batch, s.N, s.M}, []extent{{id: s.L, size: s.Batch * s.N * s.N}, {id: s.B, size: n},
			{id: s.Out, size: n}}
	case *Peer:
		all := []extent{{id: s.Key, size: 1}, {id: s.Want, size: 1}}
		for _, c := range s.Copies {
			size := v.p.Buffers[c.To].Size
			all = append(all, extent{id: c.From, size: size}, extent{id: c.To, size: size})
		}
		return nil, all
	case *CholeskyPull:
		n := s.Batch * s.N * s.N
		return []int{s.Batch, s.N}, []extent{{id: s.L, size: n}, {id: s.Bar, size: n}, {id: s.Out, size: n}}
	}
	panic("ir: unknown statement")
}

func batches(n int, shared bool) int {
	if shared {
		return 1
	}
	return n
}
