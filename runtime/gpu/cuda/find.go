//go:build !nonative && linux && (amd64 || arm64)

package cuda

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// loaderPath represents the directories of the loader.
const loaderPath = "the loader's path"

// searched returns the places in which NVIDIA's libraries are searched, in order. pipPackage is the directory of the
// library's pip package.
func searched(pipPackage string) []string {
	var all []string
	if dir := os.Getenv("PPL_CUDA"); dir != "" {
		all = append(all, dir)
	}
	all = append(all, loaderPath)
	if home := os.Getenv("CUDA_HOME"); home != "" {
		all = append(all, filepath.Join(home, "lib64"))
	}
	all = append(all, "/usr/local/cuda/lib64")
	for _, site := range sitePackages() {
		nvidia := filepath.Join(site, "nvidia")
		all = append(all, filepath.Join(nvidia, "cu13", "lib"), filepath.Join(nvidia, pipPackage, "lib"))
	}
	return all
}

// paths returns the files to try for a library, the newest version first in each place.
func paths(library string, places []string) (all []string) {
	for _, dir := range places {
		if dir == loaderPath {
			dir = ""
		}
		for _, version := range []string{"13", "12"} {
			all = append(all, filepath.Join(dir, library+".so."+version))
		}
	}
	return all
}

// sitePackages returns the directories in which pip of this machine's Python installs packages; nil without Python.
func sitePackages() []string {
	out, err := exec.Command("python3", "-c",
		`import site; print("\n".join(site.getsitepackages() + [site.getusersitepackages()]))`).Output()
	if err != nil {
		return nil
	}
	return strings.Fields(string(out))
}
