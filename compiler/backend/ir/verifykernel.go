package ir

import (
	"fmt"
	"slices"
)

// maxSite is the number of noise sites: a site is a number of 24 bits in the counter of the random generator.
const maxSite = 1 << 24

// maxRows is the largest number of rows of a shuffle: the index of a row has 32 bits.
const maxRows = 1 << 32

func (v *verifier) kernel(k *Kernel) error {
	for _, n := range k.Extents {
		if n < 0 {
			return fmt.Errorf("negative extent in %v", k.Extents)
		}
	}
	for r := range k.Body {
		if err := v.instr(k, r); err != nil {
			return fmt.Errorf("r%d: %w", r, err)
		}
	}
	for _, o := range k.Out {
		if err := v.output(k, o); err != nil {
			return fmt.Errorf("output b%d: %w", o.Buf, err)
		}
	}
	return v.aliases(k)
}

func (v *verifier) instr(k *Kernel, r int) error {
	in := &k.Body[r]
	if int(in.Op) >= Ops {
		return fmt.Errorf("unknown op %d", in.Op)
	}
	for _, a := range in.Args[:in.Op.Arity()] {
		if a < 0 || int(a) >= r {
			return fmt.Errorf("uses r%d before it is defined", a)
		}
	}
	if in.Type > F32 || in.Type == F32 && in.Op.double() {
		return fmt.Errorf("%v cannot have type %v", in.Op, in.Type)
	}
	switch in.Op {
	case Counter:
		if in.Axis < 0 || in.Axis >= len(k.Extents) {
			return fmt.Errorf("there is no loop %d", in.Axis)
		}
		if in.Index.Step != 0 && v.loop == nil {
			return fmt.Errorf("a counter has a step outside a Loop")
		}
	case Normal, Uniform, Common, Addressed:
		return v.noise(in)
	case Shuffle:
		if v.setup {
			return fmt.Errorf("shuffle in setup")
		}
		if in.Rows < 1 || in.Rows > maxRows {
			return fmt.Errorf("shuffle of %d rows", in.Rows)
		}
	case Load:
		return v.index(k, in.Index, in.Buf, r)
	}
	return nil
}

func (v *verifier) noise(in *Instr) error {
	switch {
	case in.Site < 0 || in.Site >= maxSite:
		return fmt.Errorf("noise site %d is not in 0…%d", in.Site, maxSite-1)
	case v.setup:
		return fmt.Errorf("noise in setup")
	case in.Op == Addressed:
		return nil
	case v.loop != nil:
		return fmt.Errorf("noise in a loop")
	case v.still:
		return fmt.Errorf("noise in an entry that does not advance the noise step")
	}
	return nil
}

func (v *verifier) output(k *Kernel, o Output) error {
	switch {
	case o.Value < 0 || int(o.Value) >= len(k.Body):
		return fmt.Errorf("there is no register r%d", o.Value)
	case o.Combine > Min:
		return fmt.Errorf("unknown combine %d", o.Combine)
	case o.Combine != Store && o.Index.Step != 0:
		return fmt.Errorf("an output that combines by %v has a step", o.Combine)
	}
	return v.index(k, o.Index, o.Buf, len(k.Body))
}

// index checks an index of a buffer. Its registers must be below `defined`.
func (v *verifier) index(k *Kernel, ix Index, id BufID, defined int) error {
	if ix.Stride != nil && len(ix.Stride) != len(k.Extents) {
		return fmt.Errorf("an index has %d strides for %d loops", len(ix.Stride), len(k.Extents))
	}
	for _, d := range ix.Dyn {
		if d.Reg < 0 || int(d.Reg) >= defined {
			return fmt.Errorf("dynamic index r%d is used before it is defined", d.Reg)
		}
		if d.Limit < 1 {
			return fmt.Errorf("dynamic index r%d has limit %d", d.Reg, d.Limit)
		}
	}
	lo, hi := ix.Span(k.Extents)
	switch {
	case v.loop != nil:
		last := ix.Step * (v.loop.N - 1)
		lo, hi = lo+min(last, 0), hi+max(last, 0)
	case ix.Step != 0:
		return fmt.Errorf("an index has a step outside a Loop and Tiles")
	}
	if size := v.p.Buffers[id].Size; k.Points() > 0 && (lo < 0 || hi >= size) {
		return fmt.Errorf("index %v reaches %d…%d of b%d, which has %d elements", ix, lo, hi, id, size)
	}
	return nil
}

// Disjoint reports whether the elements that two indices of a buffer select never overlap within one iteration of the
// surrounding loop.
func (k *Kernel) Disjoint(a, b Index) bool {
	lowA, highA := a.Span(k.Extents)
	lowB, highB := b.Span(k.Extents)
	return a.Step == b.Step && (highA < lowB || highB < lowA)
}

// aliases checks that the result does not depend on the order of points.
func (v *verifier) aliases(k *Kernel) error {
	for i, o := range k.Out {
		for _, p := range k.Out[:i] {
			if p.Buf == o.Buf && (p.Combine != Store || o.Combine != Store) {
				return fmt.Errorf("b%d has two outputs, at least one of which combines", o.Buf)
			}
		}
		for r := range k.Body {
			if in := &k.Body[r]; in.Op == Load && in.Buf == o.Buf {
				if err := sameElement(k, in.Index, o); err != nil {
					return fmt.Errorf("r%d loads b%d, which the kernel writes: %w", r, o.Buf, err)
				}
			}
		}
	}
	return nil
}

func sameElement(k *Kernel, ix Index, o Output) error {
	switch {
	case o.Combine != Store:
		return fmt.Errorf("the output combines by %v", o.Combine)
	case k.Disjoint(ix, o.Index):
		return nil
	case len(ix.Dyn) > 0 || len(o.Index.Dyn) > 0:
		return fmt.Errorf("an index is dynamic")
	case ix.Const != o.Index.Const || ix.Step != o.Index.Step || !slices.Equal(effective(k, ix), effective(k, o.Index)):
		return fmt.Errorf("the indices differ")
	case !injective(k.Extents, effective(k, ix)):
		return fmt.Errorf("the index visits elements twice")
	}
	return nil
}

// effective returns the stride of each loop, with 0 for a loop of one iteration.
func effective(k *Kernel, ix Index) []int {
	s := make([]int, len(k.Extents))
	for axis := range ix.Stride {
		if k.Extents[axis] != 1 {
			s[axis] = ix.Stride[axis]
		}
	}
	return s
}

// injective reports whether strides certainly visit no element twice: each stride, in order of size, exceeds the
// largest offset that the smaller strides reach together. It is false for some other strides that visit no element
// twice.
func injective(extents, strides []int) bool {
	axes := make([]int, len(extents))
	for i := range axes {
		axes[i] = i
	}
	slices.SortFunc(axes, func(a, b int) int { return magnitude(strides[a]) - magnitude(strides[b]) })
	farthest := 0
	for _, a := range axes {
		if extents[a] == 1 {
			continue
		}
		if magnitude(strides[a]) <= farthest {
			return false
		}
		farthest += magnitude(strides[a]) * (extents[a] - 1)
	}
	return true
}

func magnitude(x int) int { return max(x, -x) }
