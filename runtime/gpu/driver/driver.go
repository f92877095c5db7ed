// Package driver is what runtime/gpu needs of a GPU: memory, a compiler for CUDA, and launches of kernels.
//
//	image, err := d.Compile(text)            // machine code, which a cache can keep
//	module, err := d.Load(image)
//	kernel, err := module.Kernel("launch")
//	at, err := d.Alloc(1 << 20)
//	err = kernel.Launch(132, 128, at, 7)     // 132 blocks of 128 threads, with two arguments
//	err = d.Wait()
//	graph, err := d.Capture(launches)        // of a hundred kernels
//	err = graph.Launch()                     // all of them, at the price of few
//
// A driver may have a library for products of matrices as well (Multiplier).
//
// Package cuda has the driver of NVIDIA, package cudasim one that runs kernels on the processor, for tests.
package driver

import "errors"

// A Ptr is an address in the memory of the device.
type Ptr uint64

// A Driver is one device. It is not safe for concurrent use. Copies and launches run in the order in which they are
// given; what goes wrong in a launch may be reported by a later call. Errors of the device are *Error.
type Driver interface {
	Info() Info
	// Free is how many bytes of the device's memory are free.
	Free() (int, error)
	// Compile makes machine code for this device of a text. The error has the compiler's messages.
	Compile(text string) (image []byte, err error)
	Load(image []byte) (Module, error)
	// Alloc is memory on the device, aligned to 256 bytes, whose contents are undefined.
	Alloc(bytes int) (Ptr, error)
	Release(Ptr) error
	// Pinned is memory of the host that the device can copy from and to; zeros. It is not a memory of Go's.
	Pinned(bytes int) ([]byte, error)
	ReleasePinned([]byte) error
	// Upload and Download copy from and to pinned memory.
	Upload(to Ptr, from []byte) error
	Download(to []byte, from Ptr) error
	// Capture calls launches, which only launches kernels and uploads; these are kept in a graph and do not run. The
	// error is ErrNoGraphs where the driver cannot do that.
	Capture(launches func() error) (Graph, error)
	// Wait waits until all that was given is done.
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
	// Launch runs a grid of blocks of that many threads each, with arguments of 64 bits.
	Launch(blocks, threads int, args ...uint64) error
}

// A Graph is a list of launches with their arguments. Launch runs all, in their order.
type Graph interface {
	Launch() error
	Close() error
}

// ErrNoGraphs says that a driver has no graphs: each launch is given by itself.
var ErrNoGraphs = errors.New("cuda: the driver has no graphs")

// Info says what a device is.
type Info struct {
	Name            string // "NVIDIA H200"
	Capability      int    // 90 is 9.0
	Compiler        string // "NVRTC 12.9"
	Multiprocessors int
	Devices         int // how many there are in the machine, this one among them
	// SinglePerDouble is how many operations of single precision the device does in the time of one of double
	// precision: 2 for data centers, 32 or 64 for others.
	SinglePerDouble int
}

// Needs are what each thread of a kernel takes.
type Needs struct {
	Registers  int
	LocalBytes int // memory for what has no place in registers
}
