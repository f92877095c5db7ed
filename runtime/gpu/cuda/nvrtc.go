//go:build !nonative && linux && (amd64 || arm64)

package cuda

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// An NVRTC is NVIDIA's compiler for CUDA texts. It needs no GPU.
type NVRTC struct {
	Path         string
	Major, Minor int

	version       func(major, minor *int32) int32
	create        func(p *uintptr, text, name *byte, headers int32, texts, names uintptr) int32
	compile       func(p uintptr, n int32, options **byte) int32
	logSize, size func(p uintptr, n *uintptr) int32
	log, image    func(p uintptr, to *byte) int32
	destroy       func(p *uintptr) int32
	message       func(code int32) string
}

// OpenNVRTC finds the newest compiler whose major version is at most the given one (0: any), since a driver loads only
// machine code of its major version or older ones. The error names the places that were searched.
func OpenNVRTC(major int) (*NVRTC, error) {
	var newer *NVRTC
	places := searched("cuda_nvrtc")
	for _, path := range paths("libnvrtc", places) {
		n, err := openNVRTC(path)
		switch {
		case err != nil:
		case major == 0 || n.Major <= major:
			return n, nil
		default:
			newer = n
		}
	}
	if newer != nil {
		return nil, fmt.Errorf("cuda: %s is of CUDA %d and the driver is for CUDA %d: update the driver, or "+
			"pip install nvidia-cuda-nvrtc-cu%d", newer.Path, newer.Major, major, major)
	}
	return nil, fmt.Errorf("cuda: NVRTC, NVIDIA's compiler, cannot be loaded from %s: pip install "+
		"nvidia-cuda-nvrtc-cu12, or set PPL_CUDA to its directory", strings.Join(places, ", "))
}

func openNVRTC(path string) (*NVRTC, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	n := &NVRTC{Path: path}
	if err := bind(handle, map[string]any{"nvrtcVersion": &n.version, "nvrtcCreateProgram": &n.create,
		"nvrtcCompileProgram": &n.compile, "nvrtcGetProgramLogSize": &n.logSize, "nvrtcGetProgramLog": &n.log,
		"nvrtcGetCUBINSize": &n.size, "nvrtcGetCUBIN": &n.image, "nvrtcDestroyProgram": &n.destroy,
		"nvrtcGetErrorString": &n.message}); err != nil {
		return nil, err
	}
	var major, minor int32
	n.version(&major, &minor)
	n.Major, n.Minor = int(major), int(minor)
	return n, nil
}

// bind sets functions to those of a library by name.
func bind(handle uintptr, functions map[string]any) error {
	for name, f := range functions {
		at, err := purego.Dlsym(handle, name)
		if err != nil {
			return err
		}
		purego.RegisterFunc(f, at)
	}
	return nil
}

func (n *NVRTC) String() string { return fmt.Sprintf("NVRTC %d.%d", n.Major, n.Minor) }

// Compile returns the machine code of a text for a compute capability (90 is 9.0). It does not return PTX, since the
// driver may be older than the compiler. The error contains the compiler's messages.
func (n *NVRTC) Compile(text string, capability int) ([]byte, error) {
	var p uintptr
	if code := n.create(&p, cString(text), cString("program.cu"), 0, 0, 0); code != 0 {
		return nil, fmt.Errorf("cuda: NVRTC: %s", n.message(code))
	}
	defer n.destroy(&p)
	var pin runtime.Pinner
	defer pin.Unpin()
	var options []*byte
	for _, o := range []string{fmt.Sprintf("--gpu-architecture=sm_%d", capability), "--std=c++17",
		"--device-as-default-execution-space"} {
		b := cString(o)
		pin.Pin(b)
		options = append(options, b)
	}
	var size uintptr
	if code := n.compile(p, int32(len(options)), unsafe.SliceData(options)); code != 0 {
		n.logSize(p, &size)
		log := make([]byte, size+1)
		n.log(p, unsafe.SliceData(log))
		return nil, fmt.Errorf("cuda: NVRTC: %s\n%s", n.message(code), strings.TrimRight(string(log), "\x00\n"))
	}
	if code := n.size(p, &size); code != 0 || size == 0 {
		return nil, fmt.Errorf("cuda: NVRTC made no machine code for compute capability %d.%d", capability/10,
			capability%10)
	}
	image := make([]byte, size)
	if code := n.image(p, unsafe.SliceData(image)); code != 0 {
		return nil, fmt.Errorf("cuda: NVRTC: %s", n.message(code))
	}
	return image, nil
}

func cString(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }
