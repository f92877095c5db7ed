//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"errors"
	"os"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/cpu"
)

// gemmNames are the file names of OpenBLAS.
func gemmNames() []string {
	return []string{"libopenblas.so.0", "libopenblas.so", "libopenblas.dylib",
		"/opt/homebrew/opt/openblas/lib/libopenblas.dylib"}
}

// openGemm loads OpenBLAS and returns its matrix products, or zeros if it is not installed. OpenBLAS gets one thread:
// its results depend on the number of its threads, and the workers already use all processors. OpenBLAS before 0.3.26
// treats processors that it does not know as old ones; those with AVX-512 are as good as SkylakeX, so that is set for
// them. Variables that the user has set do not change.
func openGemm() gemms {
	setDefault("OPENBLAS_NUM_THREADS", "1")
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL {
		setDefault("OPENBLAS_CORETYPE", "SkylakeX")
	}
	for _, name := range gemmNames() {
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			continue
		}
		double, err := purego.Dlsym(handle, "cblas_dgemm")
		single, err2 := purego.Dlsym(handle, "cblas_sgemm")
		threads, err3 := purego.Dlsym(handle, "openblas_set_num_threads")
		if errors.Join(err, err2, err3) != nil {
			continue
		}
		purego.SyscallN(threads, 1)
		return gemms{double, single}
	}
	return gemms{}
}

// setDefault sets a variable in the C library's environment, unless it is set. (os.Setenv changes only Go's copy.)
func setDefault(name, value string) {
	if os.Getenv(name) != "" {
		return
	}
	var setenv func(name, value string, overwrite int) int
	if f, err := purego.Dlsym(purego.RTLD_DEFAULT, "setenv"); err == nil {
		purego.RegisterFunc(&setenv, f)
		setenv(name, value, 0)
	}
}
