package driver

import "fmt"

// An Error is the driver's error for an operation.
type Error struct {
	Op   string // for example "launch"
	Code int    // CUresult
}

// A meaning is the name of a code in cuda.h, and a message. After a fault the device cannot be used by this process any
// more. (CUDA Driver API, Data types used by CUDA driver, CUresult.)
type meaning struct {
	name, text string
	fault      bool
}

// Codes that other packages check for.
const (
	OutOfMemory  = 2
	NoDevice     = 100
	TooManyNeeds = 701
)

func meanings() map[int]meaning {
	return map[int]meaning{
		1:           {"INVALID_VALUE", "the driver refuses an argument", false},
		OutOfMemory: {"OUT_OF_MEMORY", "the GPU has not enough free memory", false},
		3:           {"NOT_INITIALIZED", "the driver is not ready", false},
		34: {"STUB_LIBRARY", "libcuda.so is only a stub: install the NVIDIA driver, and put its directory before " +
			"that of the stub", false},
		46:       {"DEVICE_UNAVAILABLE", "the GPU is not available to this process", false},
		NoDevice: {"NO_DEVICE", "the NVIDIA driver finds no GPU", false},
		101:      {"INVALID_DEVICE", "there is no GPU of that number", false},
		200:      {"INVALID_IMAGE", "the machine code is damaged", false},
		209:      {"NO_BINARY_FOR_GPU", "the machine code does not suit this GPU and driver", false},
		214:      {"ECC_UNCORRECTABLE", "the GPU's memory has an error", true},
		218:      {"INVALID_PTX", "the machine code does not suit this GPU and driver", false},
		222:      {"UNSUPPORTED_PTX_VERSION", "the driver is older than the compiler", false},
		700:      {"ILLEGAL_ADDRESS", "a kernel read or wrote outside its memory", true},
		TooManyNeeds: {"LAUNCH_OUT_OF_RESOURCES", "a kernel needs more registers than a block of its threads can have",
			false},
		702: {"LAUNCH_TIMEOUT", "a kernel ran longer than the system allows a GPU that has a display", true},
		710: {"ASSERT", "a kernel stopped itself", true},
		714: {"HARDWARE_STACK_ERROR", "a kernel's stack was damaged or too small", true},
		715: {"ILLEGAL_INSTRUCTION", "a kernel reached an invalid instruction", true},
		716: {"MISALIGNED_ADDRESS", "a kernel used an address that is not aligned", true},
		717: {"INVALID_ADDRESS_SPACE", "a kernel used an address of the wrong memory", true},
		718: {"INVALID_PC", "a kernel jumped to an invalid address", true},
		719: {"LAUNCH_FAILED", "a kernel failed", true},
		802: {"SYSTEM_NOT_READY", "the system is still starting the GPU", false},
		803: {"SYSTEM_DRIVER_MISMATCH", "the driver's library and its kernel module are of different versions; " +
			"restart the machine", false},
		804: {"COMPAT_NOT_SUPPORTED_ON_DEVICE", "the driver is too old for libcuda.so of a compatibility package",
			false},
		801: {"NOT_SUPPORTED", "the driver cannot do this", false},
		900: {"STREAM_CAPTURE_UNSUPPORTED", "the driver cannot keep this in a graph", false},
		901: {"STREAM_CAPTURE_INVALIDATED", "a graph was not completed", false},
		999: {"UNKNOWN", "the GPU no longer responds", true},
	}
}

// Error returns a sentence for the user, with the driver's name of the error.
func (e *Error) Error() string {
	m, ok := meanings()[e.Code]
	if !ok {
		return fmt.Sprintf("cuda: %s failed (error %d)", e.Op, e.Code)
	}
	return fmt.Sprintf("cuda: %s (%s in %s)", m.text, m.name, e.Op)
}

// A LibraryError is cuBLAS's error for an operation.
type LibraryError struct {
	Op     string // for example "cublasSgemmStridedBatched"
	Status int    // cublasStatus_t
}

// statuses maps cuBLAS's error codes to names and messages. (cuBLAS, cublasStatus_t.)
func statuses() map[int]meaning {
	return map[int]meaning{
		1:  {"NOT_INITIALIZED", "cuBLAS is not ready", false},
		3:  {"ALLOC_FAILED", "the GPU has not enough free memory for cuBLAS", false},
		7:  {"INVALID_VALUE", "cuBLAS refuses an argument", false},
		8:  {"ARCH_MISMATCH", "this version of cuBLAS does not support this GPU: install another version", false},
		11: {"MAPPING_ERROR", "cuBLAS cannot reach the GPU's memory", false},
		13: {"EXECUTION_FAILED", "a product of matrices by cuBLAS failed on the GPU", false},
		14: {"INTERNAL_ERROR", "cuBLAS failed", false},
		15: {"NOT_SUPPORTED", "cuBLAS cannot compute a product of matrices", false},
		16: {"LICENSE_ERROR", "cuBLAS has no license here", false},
	}
}

// Error returns a sentence for the user, with cuBLAS's name of the error.
func (e *LibraryError) Error() string {
	m, ok := statuses()[e.Status]
	if !ok {
		return fmt.Sprintf("cuda: %s failed (status %d of cuBLAS)", e.Op, e.Status)
	}
	return fmt.Sprintf("cuda: %s (%s in %s)", m.text, m.name, e.Op)
}

// Fault reports whether the device is lost to this process, so that all later calls fail as well.
func (e *Error) Fault() bool { return meanings()[e.Code].fault }
