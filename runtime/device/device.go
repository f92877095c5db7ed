// Package device defines what the engine requires of a machine that runs IR programs:
//
//	exe, err := dev.Load(program, device.Options{Lanes: 64, Seed: 1})
//	exe.Set("theta", start)
//	next, err := exe.Run([]device.Call{{Entry: "step", Times: 100}}, 0, nil)
//	exe.Get("theta", draws)
//
// Every device guarantees: the numbers of a lane depend only on the program, the lane's own buffers, the seed, the
// lane's number and the step, never on the number of threads or of other lanes; and the same calls give the same bytes
// again. Devices agree with one another to rounding. Package devicetest tests these guarantees.
package device

import "ppl/compiler/backend/ir"

// A Device turns programs into executables.
type Device interface {
	Name() string // "host", "native", "cuda"
	// Load verifies and compiles a program, allocates its buffers and runs its Setup. The program must not change
	// afterwards.
	Load(p *ir.Program, o Options) (Executable, error)
}

// A Loader is a compiled program, which can be loaded several times, on any number of lanes.
type Loader interface {
	Buffers() []ir.Buffer // some of them in lane space, with the names that executables know
	Load(o Options) (Executable, error)
}

// Options of one loaded program.
type Options struct {
	Lanes   int    // walkers; padded by the device to whole blocks
	Seed    uint64 // seed of the noise
	Threads int    // 0 means all cores; never changes a result
	First   int    // the number of the first lane, by which noise knows it: where other lanes are elsewhere
	Group   int    // lanes in a row that may read of each other (ir.Peer); 0: one. First is a multiple of it
	Turns   Turns  // shared with other processes; nil: all run here
}

// Turns shares the turns of an ir.Tiles with other processes, which run the same program on the same lanes. A device
// may run them all itself instead: the numbers are the same.
type Turns interface {
	// Share is the part of n turns that this process runs.
	Share(n int) (first, end int)
	// GatherTurns completes what turns have left, one after the other in all, by that of the other processes.
	GatherTurns(all []byte, turns int)
}

// A Compiled executable has a fingerprint of its machine code: with another one, numbers may differ in the last bit.
type Compiled interface{ Fingerprint() string }

// A Partial executable reads some elements of lane buffers in other processes only.
type Partial interface {
	// Reads are the elements, from first to before end, of a lane's buffer that an entry reads here.
	Reads(entry, name string, lane int) (first, end int)
}

// Reads returns the elements of a lane's buffer that an entry reads in this process: all of them, where the executable
// says nothing else.
func Reads(e Executable, entry, name string, lane int) (first, end int) {
	if p, ok := e.(Partial); ok {
		return p.Reads(entry, name, lane)
	}
	return 0, e.Size(name)
}

// A Call runs an entry Times times.
type Call struct {
	Entry string
	Times int
}

// An Executable is a loaded program with its lane buffers, and with what is given to all lanes (ir.Buffer.Given). It is
// not safe for concurrent use. These buffers are float64 and zero at first; host-side arrays are lane-major:
// values[lane*size+element]; those of a given buffer are values[element].
type Executable interface {
	// Buffers are the names of the lane buffers, sorted: all that an executable keeps from one call to the next, but
	// for what is given.
	Buffers() []string
	// Size is the number of elements per lane of a lane buffer, or of a given one; it panics on an unknown name.
	Size(name string) int
	// Set and Get copy a whole lane buffer, len = lanes × size, or a given one, len = size.
	Set(name string, values []float64)
	Get(name string, dst []float64)
	// SetLane and GetLane copy one lane's part of a lane buffer, len = size; GetLane also copies a given one.
	SetLane(name string, lane int, values []float64)
	GetLane(name string, lane int, dst []float64)
	// Run executes the calls in order on every lane whose mask is true (a nil mask means all lanes); the buffers of the
	// other lanes do not change. Each execution of an entry has its own noise step, unless it is Still: step, step+1,
	// …; the result is the next unused one. An unknown entry, a mask of the wrong length or a step beyond noise.Steps
	// is an error, and then nothing has run. An entry whose lanes read of each other runs once in a call: it begins
	// when all lanes have ended the calls before it, and the calls after it begin when all have ended it.
	Run(calls []Call, step uint64, mask []bool) (next uint64, err error)
	Close() error
}
