//go:build cu && !nonative && linux && (amd64 || arm64)

package cuda

import (
	"fmt"
	"reflect"
	"unsafe"

	"gorgonia.org/cu"

	"ppl/runtime/gpu/driver"
	"ppl/runtime/sys/thread"
)

// A gpuDriver is a GPU accessed through gorgonia.org/cu. All calls run on its thread. The package has no pinned memory:
// copies go through buffers of the driver, and are slower.
type gpuDriver struct {
	thread *thread.Thread
	nvrtc  *NVRTC
	info   driver.Info
	device cu.Device
}

// Installed returns true: without a driver the process does not start.
func Installed() bool { return true }

// Open opens a GPU by number. The error is a sentence for the user.
func Open(number int) (driver.Driver, error) {
	d := &gpuDriver{thread: thread.New()}
	var err error
	d.thread.Do(func() { err = d.open(number) })
	if err != nil {
		d.thread.Close()
		return nil, err
	}
	return d, nil
}

// result converts an error of package cu, whose type is a number that the package does not export.
func result(op string, err error) error {
	if err == nil {
		return nil
	}
	if v := reflect.ValueOf(err); v.CanInt() {
		return &driver.Error{Op: op, Code: int(v.Int())}
	}
	return fmt.Errorf("cuda: %s: %w", op, err)
}

func (d *gpuDriver) open(number int) error {
	if err := recent(cu.Version()); err != nil {
		return err
	}
	count, err := cu.NumDevices()
	if err != nil {
		return result("cuDeviceGetCount", err)
	}
	if number >= count {
		return noSuchGPU(number, count)
	}
	if d.nvrtc, err = OpenNVRTC(cu.Version() / 1000); err != nil {
		return err
	}
	if d.device, err = cu.GetDevice(number); err != nil {
		return result("cuDeviceGet", err)
	}
	if err := d.describe(count); err != nil {
		return err
	}
	context, err := d.device.RetainPrimaryCtx()
	if err != nil {
		return result("cuDevicePrimaryCtxRetain", err)
	}
	return result("cuCtxSetCurrent", cu.SetCurrentContext(context))
}

func (d *gpuDriver) describe(count int) error {
	name, err := d.device.Name()
	if err != nil {
		return result("cuDeviceGetName", err)
	}
	of := func(which int) int {
		value, _ := d.device.Attribute(cu.DeviceAttribute(which)) // 0 if the driver does not support the attribute
		return value
	}
	d.info = driver.Info{Name: name, Capability: 10*of(capabilityMajor) + of(capabilityMinor),
		Compiler: d.nvrtc.String(), Multiprocessors: of(multiprocessors), SinglePerDouble: of(singlePerDouble),
		Devices: count}
	return nil
}

// call makes one call on the thread.
func (d *gpuDriver) call(op string, f func() error) (err error) {
	d.thread.Do(func() { err = f() })
	return result(op, err)
}

func (d *gpuDriver) Info() driver.Info { return d.info }

func (d *gpuDriver) Free() (free int, err error) {
	err = d.call("cuMemGetInfo", func() error {
		n, _, err := cu.MemInfo()
		free = int(n)
		return err
	})
	return free, err
}

func (d *gpuDriver) Compile(text string) ([]byte, error) {
	return d.nvrtc.Compile(text, d.info.Capability)
}

func (d *gpuDriver) Alloc(bytes int) (p driver.Ptr, err error) {
	err = d.call("cuMemAlloc", func() error {
		at, err := cu.MemAlloc(int64(bytes))
		p = driver.Ptr(at)
		return err
	})
	return p, err
}

func (d *gpuDriver) Release(p driver.Ptr) error {
	return d.call("cuMemFree", func() error { return cu.MemFree(cu.DevicePtr(p)) })
}

// Pinned returns memory of the Go heap, aligned to words.
func (d *gpuDriver) Pinned(bytes int) ([]byte, error) {
	words := make([]uint64, (bytes+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), bytes), nil
}

func (d *gpuDriver) ReleasePinned([]byte) error { return nil }

func (d *gpuDriver) Upload(to driver.Ptr, from []byte) error {
	return d.call("cuMemcpyHtoD", func() error {
		return cu.MemcpyHtoD(cu.DevicePtr(to), unsafe.Pointer(unsafe.SliceData(from)), int64(len(from)))
	})
}

func (d *gpuDriver) Download(to []byte, from driver.Ptr) error {
	return d.call("cuMemcpyDtoH", func() error {
		return cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(to)), cu.DevicePtr(from), int64(len(to)))
	})
}

// Capture is not possible: package cu launches on the default stream, which cannot be captured.
func (d *gpuDriver) Capture(func() error) (driver.Graph, error) { return nil, driver.ErrNoGraphs }

func (d *gpuDriver) Wait() error { return d.call("cuCtxSynchronize", cu.Synchronize) }

func (d *gpuDriver) Close() error {
	err := d.call("cuDevicePrimaryCtxRelease", d.device.ReleasePrimaryCtx)
	d.thread.Close()
	return err
}

type module struct {
	*gpuDriver
	cu.Module
}

func (d *gpuDriver) Load(image []byte) (driver.Module, error) {
	m := &module{gpuDriver: d}
	err := d.call("cuModuleLoadData", func() (err error) {
		m.Module, err = cu.LoadData(string(image))
		return err
	})
	return m, err
}

func (m *module) Kernel(name string) (driver.Kernel, error) {
	k := &kernel{gpuDriver: m.gpuDriver}
	err := m.call("cuModuleGetFunction", func() (err error) {
		k.function, err = m.Function(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return k, m.call("cuFuncGetAttribute", func() (err error) {
		if k.needs.Registers, err = k.function.Attribute(cu.FunctionAttribute(functionRegisters)); err != nil {
			return err
		}
		k.needs.LocalBytes, err = k.function.Attribute(cu.FunctionAttribute(functionLocalBytes))
		return err
	})
}

func (m *module) Close() error { return m.call("cuModuleUnload", m.Unload) }

// A kernel is a function of a module.
type kernel struct {
	*gpuDriver
	function cu.Function
	needs    driver.Needs
}

func (k *kernel) Needs() driver.Needs { return k.needs }

func (k *kernel) Launch(blocks, threads int, args ...uint64) error {
	return k.call("cuLaunchKernel", func() error {
		pointers := make([]unsafe.Pointer, len(args))
		for i := range args {
			pointers[i] = unsafe.Pointer(&args[i])
		}
		return k.function.Launch(blocks, 1, 1, threads, 1, 1, 0, cu.Stream{}, pointers)
	})
}
