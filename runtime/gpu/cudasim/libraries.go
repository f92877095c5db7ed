//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package cudasim

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed stub
var stubs embed.FS

// Libraries writes libcuda.so.1, libnvrtc.so.12 and libcublas.so.12 to a directory, with the functions that package
// cuda calls. A process that has the directory in LD_LIBRARY_PATH uses the CPU as a GPU, with the same calls as for a
// real one. Variables named CUDASIM_… simulate failures (stub/libcuda.c, stub/libcublas.c).
func Libraries(dir string) error {
	compiler := "c++ " + strings.Join(flags(), " ") + " - -o"
	for source, name := range map[string]string{"libcuda.c": "libcuda.so.1", "libnvrtc.c": "libnvrtc.so.12",
		"libcublas.c": "libcublas.so.12"} {
		text, err := stubs.ReadFile("stub/" + source)
		if err != nil {
			return err
		}
		cmd := exec.Command("cc", "-shared", "-fPIC", "-D_GNU_SOURCE", fmt.Sprintf("-DCOMPILER=%q", compiler), "-x",
			"c", "-", "-o", filepath.Join(dir, name), "-ldl")
		cmd.Stdin, cmd.Stderr = strings.NewReader(string(text)), os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("cudasim: %s: %w", name, err)
		}
	}
	return nil
}
