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

// StdoutClosed reports whether the process was started without standard output, as by `ppl summary RUN >&-`. Go opens
// /dev/null in its place, for reading and writing. Other programs do so for children whose output is not wanted, which
// is not a fault; shells open it for writing alone. So the parent decides: its output is closed as well, or it is a
// shell whose own output is not such a /dev/null.
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

// opensNull reports whether standard output of a process is /dev/null, open for reading as well.
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
