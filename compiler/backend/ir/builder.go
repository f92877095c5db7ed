package ir

import "fmt"

// A Body is a list of instructions of a kernel under construction. Each method appends an instruction and returns the
// register that holds its result.
type Body []Instr

func (b *Body) add(in Instr) Reg {
	*b = append(*b, in)
	return Reg(len(*b) - 1)
}

// Const appends the constant v.
func (b *Body) Const(v float64) Reg { return b.add(Instr{Op: Const, Imm: v}) }

// Counter appends the counter of the loop with that number.
func (b *Body) Counter(axis int) Reg { return b.add(Instr{Op: Counter, Axis: axis}) }

// Load appends a load of the element of buf at index.
func (b *Body) Load(buf BufID, index Index) Reg {
	return b.add(Instr{Op: Load, Buf: buf, Index: index})
}

// Noise appends an instruction for noise of a site; op is Normal, Uniform or Common.
func (b *Body) Noise(op Op, site int) Reg { return b.add(Instr{Op: op, Site: site}) }

// Shuffled appends a Shuffle, which looks up a position in a sequence of random permutations of `rows` rows.
func (b *Body) Shuffled(rows int, key, position Reg) Reg {
	return b.add(Instr{Op: Shuffle, Rows: rows, Args: [3]Reg{key, position}})
}

// Addressed appends uniform noise of a site; the registers lane, step and point select the random number.
func (b *Body) Addressed(site int, lane, step, point Reg) Reg {
	return b.add(Instr{Op: Addressed, Site: site, Args: [3]Reg{lane, step, point}})
}

// Do appends an op with register arguments. It panics if the number of arguments is not the op's arity.
func (b *Body) Do(op Op, args ...Reg) Reg {
	if len(args) != op.Arity() {
		panic(fmt.Sprintf("ir: %d arguments of %v", len(args), op))
	}
	in := Instr{Op: op}
	copy(in.Args[:], args)
	return b.add(in)
}

// Dense returns the index of a row-major buffer whose shape is the iteration space with these extents.
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
