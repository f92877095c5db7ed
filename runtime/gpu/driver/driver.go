// Package driver is the interface between runtime/gpu and a GPU: memory, a compiler for CUDA, and launches of kernels.
//
//	image, err := d.Compile(text)            // machine code, which can be cached
//	module, err := d.Load(image)
//	kernel, err := module.Kernel("launch")
//	at, err := d.Alloc(1 << 20)
//	err = kernel.Launch(132, 128, at, 7)     // 132 blocks of 128 threads, with two arguments
//	err = d.Wait()
//	graph, err := d.Capture(launches)        // records a hundred launches
//	err = graph.Launch()                     // launches all of them with little overhead
//
// A driver may also have a library for products of matrices (Multiplier).
//
// Package cuda implements it for NVIDIA GPUs; package cudasim runs kernels on the CPU, for tests.
package driver

import "errors"

// A Ptr is an address in the memory of the device.
type Ptr uint64

// A Driver is one device. It is not safe for concurrent use. Copies and launches run in the order of the calls; a later
// call may report an error of a launch. Errors of the device are *Error.
type Driver interface {
	Info() Info
	// Free returns the number of free bytes of the device's memory.
	Free() (int, error)
	// Compile returns the machine code of a text for this device. The error contains the compiler's messages.
	Compile(text string) (image []byte, err error)
	Load(image []byte) (Module, error)
	// Alloc returns memory on the device, aligned to 256 bytes, with undefined contents.
	Alloc(bytes int) (Ptr, error)
	Release(Ptr) error
	// Pinned returns zeroed memory of the host that the device can copy from and to. It may be outside the Go heap.
	Pinned(bytes int) ([]byte, error)
	ReleasePinned([]byte) error
	// Upload and Download copy from and to pinned memory.
	Upload(to Ptr, from []byte) error
	Download(to []byte, from Ptr) error
	// Capture calls launches, which must make only launches and uploads. These are recorded in a graph and do not run.
	// The error is ErrNoGraphs if the driver does not support graphs.
	Capture(launches func() error) (Graph, error)
	// Wait waits until all copies and launches are done.
	Wait() error
	Close() error
}

// A Module is loaded machine code.
type Module interface {
	Kernel(name string) (Kernel, error)
	Close() error
}

// A Kernel is a function of a module.
type Kernel interface {
	Needs() Needs
	// Launch runs a grid of blocks with the given number of threads each, and arguments of 64 bits.
	Launch(blocks, threads int, args ...uint64) error
}

// A Graph is a list of launches with their arguments. Launch runs all of them, in order.
type Graph interface {
	Launch() error
	Close() error
}

// ErrNoGraphs is the error of a driver without graphs; launches must be made one by one.
var ErrNoGraphs = errors.New("cuda: the driver has no graphs")

// Info describes a device.
type Info struct {
	Name            string // for example "NVIDIA H200"
	Capability      int    // 90 means 9.0
	Compiler        string // for example "NVRTC 12.9"
	Multiprocessors int
	Devices         int // number of devices in the machine, including this one
	// SinglePerDouble is the ratio of the speeds of single and double precision: 2 for data centers, 32 or 64 for
	// others.
	SinglePerDouble int
}

// Needs holds the resources that each thread of a kernel needs.
type Needs struct {
	Registers  int
	LocalBytes int // memory for values that do not fit into registers
}
