package ir

import "fmt"

// A Body is a kernel's instructions under construction; each method appends one and returns its register.
type Body []Instr

func (b *Body) add(in Instr) Reg {
	*b = append(*b, in)
	return Reg(len(*b) - 1)
}

// Const returns the number v.
func (b *Body) Const(v float64) Reg { return b.add(Instr{Op: Const, Imm: v}) }

// Counter returns the counter of a loop.
func (b *Body) Counter(axis int) Reg { return b.add(Instr{Op: Counter, Axis: axis}) }

// Load returns the element of buf at index.
func (b *Body) Load(buf BufID, index Index) Reg {
	return b.add(Instr{Op: Load, Buf: buf, Index: index})
}

// Noise is Normal, Uniform or Common noise of a site.
func (b *Body) Noise(op Op, site int) Reg { return b.add(Instr{Op: op, Site: site}) }

// Shuffled is Shuffle of rows at a position.
func (b *Body) Shuffled(rows int, key, position Reg) Reg {
	return b.add(Instr{Op: Shuffle, Rows: rows, Args: [3]Reg{key, position}})
}

// Addressed is uniform noise of a site at the address of a lane, step and point.
func (b *Body) Addressed(site int, lane, step, point Reg) Reg {
	return b.add(Instr{Op: Addressed, Site: site, Args: [3]Reg{lane, step, point}})
}

// Do applies an op to as many registers as it takes.
func (b *Body) Do(op Op, args ...Reg) Reg {
	if len(args) != op.Arity() {
		panic(fmt.Sprintf("ir: %d arguments of %v", len(args), op))
	}
	in := Instr{Op: op}
	copy(in.Args[:], args)
	return b.add(in)
}

// Dense returns the index of a row-major buffer that has the shape of the iteration space.
func Dense(extents ...int) Index {
	stride := make([]int, len(extents))
	n := 1
	for k := len(extents) - 1; k >= 0; k-- {
		stride[k] = n
		n *= extents[k]
	}
	return Index{Stride: stride}
}

// Buffer appends a buffer and returns its id.
func (p *Program) Buffer(b Buffer) BufID {
	p.Buffers = append(p.Buffers, b)
	return BufID(len(p.Buffers) - 1)
}
