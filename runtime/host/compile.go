package host

import (
	"slices"

	"ppl/compiler/backend/ir"
)

// A compiler translates statements into vector steps for blocks of one width, and sums up the memory that each worker
// needs.
type compiler struct {
	program     *ir.Program
	width       int
	setup       bool          // compiling Setup, which writes shared buffers
	kernels     []*kernelCode // by kernel id
	temps       []int         // sizes of workers' temporaries
	resultSizes []int         // sizes of the results of tiles, stored by runners
	tiles       bool          // some statement has several tiles
	inTile      bool          // in the body of an ir.Tiles
}

// widthOf returns the number of lanes for which a buffer holds each element.
func (c *compiler) widthOf(id ir.BufID) int {
	if c.program.Buffers[id].Space == ir.Shared {
		return 1
	}
	return c.width
}

// temp reserves n numbers in every worker and returns the number of the temporary.
func (c *compiler) temp(n int) int {
	c.temps = append(c.temps, n)
	return len(c.temps) - 1
}

// frames creates a worker's frames. Registers of all kernels share one file, since kernels run one after another.
// Constants have separate vectors, which are written here once and only read later.
func (c *compiler) frames(bufs [][]float64) []frame {
	file := make([]float64, c.maxSlots()*chunkValues)
	constants := map[uint64][]float64{}
	frames := make([]frame, len(c.kernels))
	for i, k := range c.kernels {
		frames[i] = k.frame(file, constants)
		frames[i].bind(k, bufs)
	}
	return frames
}

func (c *compiler) maxSlots() int {
	n := 0
	for _, k := range c.kernels {
		n = max(n, k.slots)
	}
	return n
}

// kernelCode is a kernel under compilation. regs are its vector registers. There are more of them than ir registers,
// since a value that is widened to more points or lanes gets an additional register.
type kernelCode struct {
	*kernel
	in        *ir.Kernel
	c         *compiler
	both      shape // widest shape: without perPoint if there is one point, without perLane if there is one lane
	regs      []register
	addrs     int
	slots     int
	of        []int            // maps an ir register to a register, or −1
	widened   map[widening]int // a register in a wider shape
	addresses map[string]addressRef
	views     [occasions][]viewCode
	planned   []*plannedStep

	loadSteps, prologue, body []*plannedStep // planned steps, by the time at which they run
}

// A viewCode is a view before its pointers are set.
type viewCode struct {
	reg   int
	buf   ir.BufID
	addr  addressRef
	width int
}

type widening struct {
	reg int
	to  shape
}

// A register is a vector of one shape. An invariant register does not change from chunk to chunk although its shape may
// include perPoint; a dataOnly register depends only on data.
type register struct {
	shape     shape
	invariant bool
	dataOnly  bool
	constant  bool
	value     float64 // if constant
	slot      int     // in the register file, or −1
	alias     bool    // refers to elements of a buffer
	own       bool    // has separate memory instead of a slot
}

// plannedStep is a step with the registers that it defines and uses.
type plannedStep struct {
	op                  ir.Op // for arithmetic that has not been fused
	loop                opLoop
	task                task // if it is not a loop
	dst                 int  // register, or −1
	args                []int
	invariant, dataOnly bool
}

// runsAtLoad reports whether steps that depend only on data run once, at load. That requires all points in one chunk:
// otherwise each chunk overwrites the registers of the previous chunk.
func (k *kernelCode) runsAtLoad() bool { return !k.c.setup && k.whole }

// allocate sorts the steps by the time at which they run, and assigns memory to registers. Registers of steps at load
// have separate memory; registers of the prologue have one slot of the register file each; registers of the body reuse
// slots.
func (k *kernelCode) allocate() {
	last := k.lastUses()
	var free []int
	for i, p := range k.planned {
		switch {
		case p.dataOnly && k.runsAtLoad():
			k.loadSteps = append(k.loadSteps, p)
			if p.dst >= 0 {
				k.regs[p.dst].own = true
			}
		case p.invariant:
			k.prologue = append(k.prologue, p)
			k.assignSlot(p.dst, nil)
		default:
			k.body = append(k.body, p)
			k.assignSlot(p.dst, &free)
			free = append(free, k.released(p.args, last, i)...)
		}
	}
}

// assignSlot assigns a slot to a register, a free one if there is one.
func (k *kernelCode) assignSlot(dst int, free *[]int) {
	if dst < 0 || k.regs[dst].alias {
		return
	}
	if free != nil && len(*free) > 0 {
		n := len(*free) - 1
		k.regs[dst].slot, *free = (*free)[n], (*free)[:n]
		return
	}
	k.regs[dst].slot = k.slots
	k.slots++
}

// released lists the slots of the arguments that no step after step i reads.
func (k *kernelCode) released(args []int, last []int, i int) (slots []int) {
	for _, a := range slices.Compact(slices.Sorted(slices.Values(args))) {
		if r := k.regs[a]; last[a] == i && !r.invariant && !r.constant && !r.alias && !r.own {
			slots = append(slots, r.slot)
		}
	}
	return slots
}

// lastUses returns, for each register, the index of the last step that reads it. Outputs count as reads after all
// steps.
func (k *kernelCode) lastUses() []int {
	last := make([]int, len(k.regs))
	for i, p := range k.planned {
		for _, a := range p.args {
			last[a] = i
		}
	}
	for _, o := range k.outs {
		for _, a := range o.reads() {
			last[a] = len(k.planned)
		}
	}
	return last
}
