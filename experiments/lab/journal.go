package lab

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// ReadRuns gives the runs in a file, a JSON object a line; none if there is no file. An experiment that appends each
// run goes on where it was when it is interrupted.
func ReadRuns[R any](file string) (runs []R, err error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := json.NewDecoder(bufio.NewReader(f))
	for {
		var r R
		if err := lines.Decode(&r); errors.Is(err, io.EOF) {
			return runs, nil
		} else if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
}

// AddRun appends a run to a file.
func AddRun(file string, run any) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	err = json.NewEncoder(f).Encode(run)
	return errors.Join(err, f.Close())
}

// A Timed is what a command left: what it printed, its exit status (−1 where it ran out of time), what it said of a
// failure, its processor time, and the most memory that it or a process of its own had, in bytes.
type Timed struct {
	Printed []byte
	Exit    int
	Said    string
	CPU     time.Duration
	Memory  int64
}

// Within runs a command that may take so long.
func Within(limit time.Duration, name string, args ...string) (Timed, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return timed(exec.CommandContext(ctx, name, args...))
}

// Command runs a command to its end.
func Command(name string, args ...string) (Timed, error) { return timed(exec.Command(name, args...)) }

// timed runs a command; one that fails is no error, but has an exit status.
func timed(cmd *exec.Cmd) (t Timed, err error) {
	t.Printed, err = cmd.Output()
	if cmd.ProcessState != nil {
		t.CPU, t.Memory = cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), most(cmd.ProcessState)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Exit, t.Said = exit.ExitCode(), string(exit.Stderr)
		return t, nil
	}
	return t, err
}

// most is the most memory of a process that has ended, in bytes.
func most(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // which counts bytes; others count kilobytes
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}

// Built is a path of the ppl command: the one given, else it is built into a directory.
func Built(given, dir string) (path string, err error) {
	if given != "" {
		return given, nil
	}
	path = filepath.Join(dir, "ppl")
	build := exec.Command("go", "build", "-o", path, "ppl/cmd/ppl")
	build.Stderr = os.Stderr
	return path, build.Run()
}
