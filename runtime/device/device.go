// Package device defines the interface of devices that run IR programs:
//
//	exe, err := dev.Load(program, device.Options{Lanes: 64, Seed: 1})
//	exe.Set("theta", start)
//	next, err := exe.Run([]device.Call{{Entry: "step", Times: 100}}, 0, nil)
//	exe.Get("theta", draws)
//
// Every device guarantees the following. The numbers of a lane depend only on the program, the lane's own buffers, the
// buffers of lanes that it reads (ir.Peer), the seed, the lane's number and the step, but not on the number of threads
// or of other lanes. The same calls give identical results again. Different devices agree except for rounding. Package
// devicetest tests these guarantees.
package device

import "ppl/compiler/backend/ir"

// A Device compiles programs to executables.
type Device interface {
	Name() string // "host", "native" or "cuda"
	// Load verifies and compiles a program, allocates its buffers and runs its Setup. The program must not change
	// afterwards.
	Load(p *ir.Program, o Options) (Executable, error)
}

// A Loader is a compiled program, which can be loaded several times, with any number of lanes.
type Loader interface {
	Buffers() []ir.Buffer // buffers of the program; executables access those in lane space by name
	Load(o Options) (Executable, error)
}

// Options configures a loaded program.
type Options struct {
	Lanes   int    // number of walkers; the device pads it to complete blocks
	Seed    uint64 // seed of the noise
	Threads int    // 0 means all cores; does not change results
	First   int    // number of the first lane, for noise; not 0 if other processes or devices run the lanes before it
	Group   int    // consecutive lanes that may read from each other (ir.Peer); 0 means 1. First is a multiple of it
	Turns   Turns  // shares iterations with other processes; nil: all run here
}

// Turns shares the iterations of an ir.Tiles with other processes, which run the same program on the same lanes. A
// device may also run all iterations itself: the results are the same.
type Turns interface {
	// Share decides whether processes share n iterations, and returns the range first ≤ i < end that this process runs.
	// work is the estimated arithmetic of all iterations on all lanes, in additions (ir.Work).
	Share(n int, work float64) (first, end int, shared bool)
	// GatherTurns fills in the results of the other processes. `all` holds the results of all iterations, one after the
	// other.
	GatherTurns(all []byte, turns int)
}

// A Sharing executable shares the iterations of some entries with other processes.
type Sharing interface {
	// Shares reports whether an entry exchanges results with other processes, and returns the estimated arithmetic of
	// the entry on all lanes, in additions.
	Shares(entry string) (shared bool, work float64)
}

// A Team executable makes the same calls in several processes, and has all lanes in each. Each of the processes may run
// an entry on another part of the data, if they then exchange what they have found.
type Team interface {
	// Member returns the number of this process, and the number of processes.
	Member() (rank, size int)
	// Exchange sends numbers, equally many from each process, and returns those of all, one process after the other.
	Exchange(mine []float64) (all []float64, err error)
}

// TeamOf returns the team of an executable: this process alone, unless the executable is a Team.
func TeamOf(e Executable) Team {
	if t, ok := e.(Team); ok {
		return t
	}
	return alone{}
}

// alone is the team of one process.
type alone struct{}

func (alone) Member() (rank, size int)                   { return 0, 1 }
func (alone) Exchange(mine []float64) ([]float64, error) { return mine, nil }

// A Compiled executable has a fingerprint of its machine code. If fingerprints differ, results may differ in the last
// bit.
type Compiled interface{ Fingerprint() string }

// A Partial executable reads only some elements of lane buffers in this process; other processes read the others.
type Partial interface {
	// Reads returns the range first ≤ e < end of elements of a lane buffer that an entry reads in this process.
	Reads(entry, name string, lane int) (first, end int)
}

// Reads returns the range of elements of a lane buffer that an entry reads in this process: all of them, unless the
// executable is Partial.
func Reads(e Executable, entry, name string, lane int) (first, end int) {
	if p, ok := e.(Partial); ok {
		return p.Reads(entry, name, lane)
	}
	return 0, e.Size(name)
}

// A Spread executable has its lanes in several processes, one of which records draws.
type Spread interface {
	// ReadLanes copies the first numbers that each of some lanes has in a lane buffer, those of lanes[k] to dst[k]. The
	// elements of dst have equal lengths.
	ReadLanes(name string, lanes []int, dst [][]float64)
	// CollectLanes does the same in the process that records draws. In the others the contents of dst are undefined.
	CollectLanes(name string, lanes []int, dst [][]float64)
}

// ReadLanes copies the first numbers of a lane buffer for each of some lanes, those of lanes[k] to dst[k]. The elements
// of dst have equal lengths. It does so in every process, for values that decide how the program continues.
func ReadLanes(e Executable, name string, lanes []int, dst [][]float64) {
	if s, ok := e.(Spread); ok {
		s.ReadLanes(name, lanes, dst)
		return
	}
	CopyLanes(e, name, lanes, dst)
}

// CollectLanes copies like ReadLanes, but only in the process that records draws, for values that are only recorded. In
// the other processes the contents of dst are undefined.
func CollectLanes(e Executable, name string, lanes []int, dst [][]float64) {
	if s, ok := e.(Spread); ok {
		s.CollectLanes(name, lanes, dst)
		return
	}
	CopyLanes(e, name, lanes, dst)
}

// CopyLanes is ReadLanes for lanes that are all in this process.
func CopyLanes(e Executable, name string, lanes []int, dst [][]float64) {
	for k, lane := range lanes {
		e.GetLane(name, lane, dst[k])
	}
}

// A Call runs an entry Times times.
type Call struct {
	Entry string
	Times int
}

// An Executable is a loaded program with its lane buffers and given buffers (ir.Buffer.Given), which all lanes share.
// It is not safe for concurrent use. These buffers are initially zero and are accessed as float64. Arrays for lane
// buffers are lane-major, values[lane*size+element]; those for given buffers are values[element].
type Executable interface {
	// Buffers returns the names of the lane buffers, sorted. Apart from given buffers, an executable keeps no other
	// data from one call to the next.
	Buffers() []string
	// Size returns the number of elements per lane of a lane buffer, or of a given buffer. It panics on an unknown
	// name.
	Size(name string) int
	// Set and Get copy an entire lane buffer, len = lanes × size, or a given buffer, len = size.
	Set(name string, values []float64)
	Get(name string, dst []float64)
	// SetLane copies one lane's part of a lane buffer, len = size. GetLane copies the first len(dst) ≤ size numbers of
	// one lane's part, or of a given buffer.
	SetLane(name string, lane int, values []float64)
	GetLane(name string, lane int, dst []float64)
	// Run executes the calls in order on every lane whose mask is true (a nil mask means all lanes); the buffers of
	// other lanes do not change. Each execution of an entry takes a noise step, unless it is Still: step, step+1, …;
	// the result is the next unused step. An unknown entry, a mask of the wrong length or a step beyond noise.Steps is
	// an error, and then nothing has run. An entry whose lanes read from each other runs at most once in a call: it
	// starts when all lanes have finished the calls before it, and the calls after it start when all lanes have
	// finished it.
	Run(calls []Call, step uint64, mask []bool) (next uint64, err error)
	Close() error
}
