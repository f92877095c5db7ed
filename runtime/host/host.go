// Package host runs IR programs in pure Go: the portable device, and the reference for the others.
//
// Lanes go in blocks of eight; a lane buffer of a block is laid out [element][lane], so that a loop nest over P points
// and B lanes is arithmetic on vectors of P·B numbers. A kernel is interpreted one instruction at a time, or a pair of
// them, over chunks of its points that stay in the nearest cache, as MonetDB/X100 does with columns (Boncz, Zukowski,
// Nes: Hyper-pipelining query execution, CIDR 2005). A value that is the same for all lanes, or for all points, is
// computed once for them. Small models have eight numbers to an instruction, where what it takes to start one counts: a
// step knows its loop and its operands, and what a kernel stores is computed where it is to lie.
//
// Registers are float64 in any precision: what single precision asks for is rounded where it is stored, and no faster.
//
// Every sum is taken in an order that the program alone decides, so results do not depend on the number of threads; and
// no arithmetic crosses lanes, so they do not depend on the number of lanes either.
package host

import (
	"fmt"
	"runtime"

	"ppl/compiler/ir"
	"ppl/runtime/device"
)

// Device is the host as a device.
type Device struct{}

// Name is "host".
func (Device) Name() string { return "host" }

// Load compiles the program's loop nests to vector steps and runs its Setup. The program is checked first.
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

// blockLanes is the number of lanes laid side by side: eight, or 4 or 1 where there are no more. Loops are written for
// these three.
func blockLanes(lanes int) int {
	switch {
	case lanes == 1:
		return 1
	case lanes <= 4:
		return 4
	}
	return 8
}
