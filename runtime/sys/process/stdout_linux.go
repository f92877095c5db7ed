package process

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// StdoutClosed reports whether the process was started without standard output, as by `ppl summary RUN >&-`. The Go
// runtime then opens /dev/null for reading and writing. Other programs do the same deliberately for children whose
// output is not wanted, while shells open it only for writing. So StdoutClosed examines the parent: it reports true if
// the parent's output is closed as well, or if the parent is a shell whose own output is not such a /dev/null.
func StdoutClosed() bool {
	if !opensNull("self") {
		return false
	}
	parent := strconv.Itoa(os.Getppid())
	name, err := os.ReadFile("/proc/" + parent + "/comm")
	if err != nil {
		return false
	}
	if _, err := os.Lstat("/proc/" + parent + "/fd/1"); err != nil {
		return os.IsNotExist(err)
	}
	shells := []string{"sh", "bash", "dash", "zsh", "ksh", "fish", "ash", "busybox"}
	return slices.Contains(shells, strings.TrimSpace(string(name))) && !opensNull(parent)
}

var flagsOfFile = regexp.MustCompile(`(?m)^flags:\s*([0-7]+)$`)

// opensNull reports whether the standard output of a process is /dev/null, opened for reading and writing.
func opensNull(process string) bool {
	path, err := os.Readlink(fmt.Sprintf("/proc/%s/fd/1", process))
	if err != nil || path != os.DevNull {
		return false
	}
	about, err := os.ReadFile(fmt.Sprintf("/proc/%s/fdinfo/1", process))
	if err != nil {
		return false
	}
	found := flagsOfFile.FindSubmatch(about)
	if found == nil {
		return false
	}
	flags, err := strconv.ParseUint(string(found[1]), 8, 32)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
