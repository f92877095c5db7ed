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

// TestScripts runs the scripts in testdata: what a user types, and what comes back.
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

// endAgain lets signals end the commands that tests start, also if the tests were started to ignore these signals:
// nohup and a shell's & do that.
func endAgain() {
	for _, s := range process.Endings() {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // a process that is started has the default then
		}
	}
}

// conditions has the conditions of scripts: [slow] of make slow, and [nocc] where there is no C compiler.
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

// exits CODE COMMAND… runs a command and holds its exit code.
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

// simgpu gives the commands that follow a GPU that the processor simulates, and a directory to keep machine code in.
func simulatedGPU(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs("simulated")
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(cudasim.Libraries(dir))
	ts.Setenv("LD_LIBRARY_PATH", dir)
	ts.Setenv("PPL_CUDA", dir) // a compiler of NVIDIA calls more of the driver than is simulated
	ts.Setenv("XDG_CACHE_HOME", ts.MkAbs("cache"))
}

// near A B TOL compares tables of numbers: the words are the same, and numbers up to TOL relative, or absolute below 1.
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

// interrupt [-SIGNAL] FILE COMMAND… runs a command and sends it SIGINT, or the signal, once FILE is there. It expects
// exit code 130, and leaves what the command printed in the files stdout.txt and stderr.txt.
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

// signalNamed finds one of the signals that end a run by its name in the system, as in "hangup".
func signalNamed(ts *testscript.TestScript, name string) os.Signal {
	for _, s := range process.Endings() {
		if strings.ReplaceAll(s.String(), " ", "-") == name {
			return s
		}
	}
	ts.Fatalf("no signal that ends a run is called %s", name)
	return nil
}

// killed FILE COMMAND… runs a command and kills it, as no signal handler sees, once FILE is there.
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

// replaced FROM TO copies FROM over TO, once that is there.
func replaced(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: replaced FROM TO")
	}
	if to := ts.MkAbs(args[1]); !appears(filepath.Join(filepath.Dir(to), "run.json"), nil) || !appears(to, nil) {
		ts.Fatalf("%s never appeared", args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(ts.ReadFile(args[0])), 0o666))
}

// container FROM TO writes the command of the container of a Kubernetes job as a script.
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

// appears waits for a file, a minute at most, or until stop is closed.
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
