//go:build !nonative && linux && (amd64 || arm64)

package cuda

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// searched are the places in which NVRTC is looked for, in order. "" is the loader's own path.
func searched() []string {
	var all []string
	if dir := os.Getenv("PPL_CUDA"); dir != "" {
		all = append(all, dir)
	}
	all = append(all, "the loader's path")
	if home := os.Getenv("CUDA_HOME"); home != "" {
		all = append(all, filepath.Join(home, "lib64"))
	}
	all = append(all, "/usr/local/cuda/lib64")
	for _, site := range sitePackages() {
		nvidia := filepath.Join(site, "nvidia")
		all = append(all, filepath.Join(nvidia, "cu13", "lib"), filepath.Join(nvidia, "cuda_nvrtc", "lib"))
	}
	return all
}

// nvrtcPaths are the files to try, newest version first in each place.
func nvrtcPaths() (all []string) {
	for _, dir := range searched() {
		if dir == "the loader's path" {
			dir = ""
		}
		for _, name := range []string{"libnvrtc.so.13", "libnvrtc.so.12"} {
			all = append(all, filepath.Join(dir, name))
		}
	}
	return all
}

// sitePackages are where pip of this machine's Python puts packages; none without Python.
func sitePackages() []string {
	out, err := exec.Command("python3", "-c",
		`import site; print("\n".join(site.getsitepackages() + [site.getusersitepackages()]))`).Output()
	if err != nil {
		return nil
	}
	return strings.Fields(string(out))
}
