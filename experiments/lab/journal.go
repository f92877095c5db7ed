package lab

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ReadRuns reads runs from a file with one JSON object per line. It returns none if the file does not exist. An
// experiment that appends each run to a file can continue after an interruption.
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

// A Timed is the result of a command: its standard output, its exit status (−1 if it exceeded a time limit), its
// standard error if it failed, its processor time, and its peak memory in bytes.
type Timed struct {
	Printed []byte
	Exit    int
	Said    string
	CPU     time.Duration
	Memory  int64
}

// Within runs a command with a time limit.
func Within(limit time.Duration, name string, args ...string) (Timed, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return timed(exec.CommandContext(ctx, name, args...))
}

// Command runs a command until it ends.
func Command(name string, args ...string) (Timed, error) { return timed(exec.Command(name, args...)) }

// timed runs a command. A command that fails is not an error, but has an exit status.
func timed(cmd *exec.Cmd) (t Timed, err error) {
	var printed, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &said
	if err := cmd.Start(); err != nil {
		return t, err
	}
	memory, ended := make(chan int64), make(chan struct{})
	go func() { memory <- mostMemory(cmd.Process.Pid, ended) }()
	err = cmd.Wait()
	close(ended)
	t = Timed{printed.Bytes(), 0, "", cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), <-memory}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Exit, t.Said = exit.ExitCode(), said.String()
		return t, nil
	}
	return t, err
}

// mostMemory returns the peak memory of a process in bytes, sampled until shortly before its end; 0 if the system does
// not provide it. The resource usage of ended processes is not used, because it includes the memory of the parent at
// the time of the fork.
func mostMemory(pid int, ended <-chan struct{}) (most int64) {
	for {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, after, ok := strings.Cut(string(text), "VmHWM:"); ok {
			var kilobytes int64
			if _, err := fmt.Sscan(after, &kilobytes); err == nil {
				most = kilobytes << 10
			}
		}
		select {
		case <-ended:
			return most
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Built returns the path of the ppl command: the given path, or a new build in a directory.
func Built(given, dir string) (path string, err error) {
	if given != "" {
		return given, nil
	}
	path = filepath.Join(dir, "ppl")
	build := exec.Command("go", "build", "-o", path, "ppl/cmd/ppl")
	build.Stderr = os.Stderr
	return path, build.Run()
}
