//go:build !nonative && linux && (amd64 || arm64)

package cuda_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ppl/runtime/gpu/cudasim"
)

// headers returns the directories of cuda.h and nvrtc.h: of CUDA itself, or of pip's packages around $PPL_CUDA.
func headers(t *testing.T) []string {
	t.Helper()
	pip := filepath.Join(os.Getenv("PPL_CUDA"), "..", "..")
	for _, dirs := range [][]string{{filepath.Join(os.Getenv("CUDA_HOME"), "include")}, {"/usr/local/cuda/include"},
		{filepath.Join(pip, "cuda_runtime", "include"), filepath.Join(pip, "cuda_nvrtc", "include")}} {
		if _, err := os.Stat(filepath.Join(dirs[0], "cuda.h")); err == nil {
			return dirs
		}
	}
	t.Skip("no headers of CUDA 12: pip install nvidia-cuda-runtime-cu12 nvidia-cuda-nvrtc-cu12, and set PPL_CUDA to " +
		"the directory of libnvrtc.so.12")
	return nil
}

// TestGorgoniaCU vets the package with the tag cu, builds ppl with it, and runs ppl on a simulated GPU: log densities
// must agree with host. Most functions that gorgonia.org/cu calls are not in the simulated libcuda and stay unresolved.
func TestGorgoniaCU(t *testing.T) {
	include := headers(t)
	dir := t.TempDir()
	if err := cudasim.Libraries(dir); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("libcuda.so.1", filepath.Join(dir, "libcuda.so")); err != nil {
		t.Fatal(err)
	}
	run := func(env []string, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	build := []string{"CGO_ENABLED=1", "CGO_CFLAGS=-I" + strings.Join(include, " -I"),
		fmt.Sprintf("CGO_LDFLAGS=-L%s -Wl,--unresolved-symbols=ignore-all", dir)}
	run(build, "go", "vet", "-tags", "cu", "ppl/runtime/gpu/cuda")
	ppl, at := filepath.Join(dir, "ppl"), filepath.Join(dir, "at.json")
	run(build, "go", "build", "-tags", "cu", "-o", ppl, "ppl/cmd/ppl")
	if err := os.WriteFile(at, []byte(`{"mu": 4, "tau": 2, "theta": [1, 2, 3, 4, 5, 6, 7, 8]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	use := []string{"LD_LIBRARY_PATH=" + dir, "PPL_CUDA=" + dir, "XDG_CACHE_HOME=" + dir}
	density := func(device string) string {
		out := run(use, ppl, "logprob", "../../../examples/eight_schools.ppl", "--at", at, "--gradient", "--device",
			device)
		return out[strings.Index(out, "log prior"):]
	}
	if got, want := density("cuda"), density("host"); got != want {
		t.Errorf("%s\non host\n%s", got, want)
	}
}
