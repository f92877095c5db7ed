package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ppl/cmd/ppl/terminal"
	"ppl/posterior/store"
	"ppl/runtime/gpu/cudasim"
	"ppl/runtime/sys/process"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ppl": main})
}

// TestScripts runs the scripts in testdata, which contain what a user types and what ppl prints.
func TestScripts(t *testing.T) {
	endAgain()
	testscript.Run(t, testscript.Params{UpdateScripts: *update,
		Dir:       "testdata",
		Condition: conditions,
		Setup: func(e *testscript.Env) error {
			examples, err := filepath.Abs("../../examples")
			e.Setenv("EXAMPLES", examples)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"interrupt": interrupt,
			"killed":    killed,
			"corrupt":   corrupt,
			"replaced":  replaced,
			"container": container,
			"drawsof":   drawsOf,
			"images":    images,
			"cifar":     cifar,
			"simgpu":    simulatedGPU,
			"near":      near,
			"plant":     plant,
		},
	})
}

// endAgain restores the default reaction to signals, so that they end the commands that tests start even if the tests
// were started by nohup or with a shell's &, which ignore these signals.
func endAgain() {
	for _, s := range process.Endings() {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // a process that is started has the default then
		}
	}
}

// conditions evaluates the conditions of scripts: [slow] holds for make slow, and [nocc] if there is no C compiler.
func conditions(name string) (bool, error) {
	switch name {
	case "slow":
		return os.Getenv("PPL_SLOW") != "", nil
	case "nocc":
		_, err := exec.LookPath("cc")
		return err != nil, nil
	}
	return false, fmt.Errorf("there is no condition %s", name)
}

// exits CODE COMMAND… runs a command and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		code = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// simgpu provides a GPU simulated on the processor to the commands that follow, and a directory for machine code.
func simulatedGPU(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs("simulated")
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(cudasim.Libraries(dir))
	ts.Setenv("LD_LIBRARY_PATH", dir)
	ts.Setenv("PPL_CUDA", dir) // a compiler of NVIDIA calls more of the driver than is simulated
	ts.Setenv("XDG_CACHE_HOME", ts.MkAbs("cache"))
}

// near A B TOL compares tables of numbers. Words must be equal, and numbers equal up to TOL, relative above 1 and
// absolute below.
func near(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: near A B TOL")
	}
	tol, err := strconv.ParseFloat(args[2], 64)
	ts.Check(err)
	split := func(r rune) bool { return r == ',' || r == '\n' }
	a, b := strings.FieldsFunc(ts.ReadFile(args[0]), split), strings.FieldsFunc(ts.ReadFile(args[1]), split)
	if len(a) != len(b) || len(a) == 0 {
		ts.Fatalf("%d and %d words", len(a), len(b))
	}
	for i := range a {
		x, err := strconv.ParseFloat(a[i], 64)
		y, other := strconv.ParseFloat(b[i], 64)
		if a[i] != b[i] && (err != nil || other != nil || !(math.Abs(x-y) <= tol*math.Max(1, math.Abs(y)))) {
			ts.Fatalf("word %d: %s and %s", i, a[i], b[i])
		}
	}
}

// drawsof RUN sets COUNT to the number of draws of each chain of a run.
func drawsOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: drawsof RUN")
	}
	info, err := store.ReadInfo(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Setenv("COUNT", strconv.Itoa(info.Draws))
}

// interrupt [-SIGNAL] FILE COMMAND… runs a command and sends it SIGINT, or the given signal, once FILE exists. It
// expects exit code 130, and writes the output of the command to the files stdout.txt and stderr.txt.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	sent := os.Interrupt
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		sent = signalNamed(ts, args[0][1:])
		args = args[1:]
	}
	if neg || len(args) < 2 {
		ts.Fatalf("usage: interrupt [-SIGNAL] FILE COMMAND…")
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = ts.MkAbs("."), &stdout, &stderr, os.Environ()
	for _, name := range []string{"LD_LIBRARY_PATH", "PPL_CUDA", "XDG_CACHE_HOME", "CC"} { // see simulatedGPU
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	ts.Check(cmd.Start())
	exited := make(chan struct{})
	go func() { cmd.Wait(); close(exited) }()
	defer cmd.Process.Kill() // where the command does not listen
	if !appears(ts.MkAbs(args[0]), exited) {
		ts.Fatalf("%s never appeared\n%s", args[0], &stderr)
	}
	ts.Check(cmd.Process.Signal(sent))
	select {
	case <-exited:
	case <-time.After(30 * time.Second):
		ts.Fatalf("still running half a minute after the signal")
	}
	if code := cmd.ProcessState.ExitCode(); code != terminal.CodeInterrupted {
		ts.Fatalf("exit code %d\n%s", code, &stderr)
	}
	ts.Check(os.WriteFile(ts.MkAbs("stdout.txt"), stdout.Bytes(), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs("stderr.txt"), stderr.Bytes(), 0o666))
}

// signalNamed returns the signal with a name such as "hangup", among those that end a run.
func signalNamed(ts *testscript.TestScript, name string) os.Signal {
	for _, s := range process.Endings() {
		if strings.ReplaceAll(s.String(), " ", "-") == name {
			return s
		}
	}
	ts.Fatalf("no signal that ends a run is called %s", name)
	return nil
}

// killed FILE COMMAND… runs a command and kills it with SIGKILL, which no handler can catch, once FILE exists.
func killed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: killed FILE COMMAND…")
	}
	var stderr bytes.Buffer
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir, cmd.Stderr = ts.MkAbs("."), &stderr
	ts.Check(cmd.Start())
	exited := make(chan struct{})
	go func() { cmd.Wait(); close(exited) }()
	there := appears(ts.MkAbs(args[0]), exited)
	if err := cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) { // a fast machine may have come to the end
		ts.Check(err)
	}
	<-exited
	if !there {
		ts.Fatalf("%s never appeared\n%s", args[0], &stderr)
	}
}

// corrupt FILE changes a byte in the middle of a file.
func corrupt(ts *testscript.TestScript, neg bool, args []string) {
	text, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	text[len(text)/2] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o666))
}

// replaced FROM TO copies FROM over TO, once TO exists.
func replaced(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: replaced FROM TO")
	}
	if to := ts.MkAbs(args[1]); !appears(filepath.Join(filepath.Dir(to), "run.json"), nil) || !appears(to, nil) {
		ts.Fatalf("%s never appeared", args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(ts.ReadFile(args[0])), 0o666))
}

// container FROM TO writes the command of a Kubernetes job's container as a script.
func container(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: container FROM TO")
	}
	_, text, found := strings.Cut(ts.ReadFile(args[0]), "- >-\n")
	command, _, ended := strings.Cut(text, "resources:")
	if !found || !ended {
		ts.Fatalf("%s has no command of the form - >-", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(strings.Fields(command), " ")+"\n"), 0o666))
}

// appears waits until a file exists, for at most a minute, or until stop is closed.
func appears(path string, stop <-chan struct{}) bool {
	for range 1200 {
		if _, err := os.Stat(path); err == nil {
			return true
		}
		select {
		case <-stop:
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
	return false
}
