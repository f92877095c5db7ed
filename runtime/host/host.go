// Package host runs IR programs in pure Go. It is the portable device, and the reference for the other devices.
//
// Lanes are processed in blocks of eight. A lane buffer of a block is laid out [element][lane], so a loop nest over P
// points and B lanes is arithmetic on vectors of P·B numbers:
//
//	for i < 3 { y[i] = 2·x[i] }    with 8 lanes:    r0 = x[0:24];  y[0:24] = 2·r0
//
// A kernel is interpreted one instruction (or fused pair of instructions) at a time over chunks of its points that stay
// in the first-level cache, as MonetDB/X100 does with columns (Boncz, Zukowski, Nes: Hyper-pipelining query execution,
// CIDR 2005). A value that is the same for all lanes, or for all points, is computed once for them. In small models an
// instruction has only eight numbers, so the overhead of each instruction matters: a step holds pointers to its loop
// and operands, and a stored value is computed directly in the buffer.
//
// Registers are float64 even in single precision: values are rounded when they are stored, so single precision is not
// faster here.
//
// The program alone decides the order of every sum, so results do not depend on the number of threads. No arithmetic
// combines lanes, so results do not depend on the number of lanes either.
package host

import (
	"fmt"
	"runtime"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// Device is the host device.
type Device struct{}

// Name returns "host".
func (Device) Name() string { return "host" }

// Load compiles the program's loop nests to vector steps and runs its Setup. It verifies the program first.
func (Device) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	if err := ir.Verify(p); err != nil {
		return nil, err
	}
	if o.Lanes < 1 {
		return nil, fmt.Errorf("host: %d lanes", o.Lanes)
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	return newExecutable(p, o), nil
}

// blockLanes returns the number of lanes in a block: one for layout Apart; otherwise eight, or 4 or 1 if there are not
// more lanes. The loops have versions for these three widths.
func blockLanes(lanes int, layout ir.Layout) int {
	switch {
	case lanes == 1 || layout == ir.Apart:
		return 1
	case lanes <= 4:
		return 4
	}
	return 8
}
