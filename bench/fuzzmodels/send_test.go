package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestCommandLimits checks that a command cannot exceed its limits of memory, processor time and elapsed time, and that
// its child processes end with it. The program is a shell script instead of ppl.
func TestCommandLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	generous := limits{seconds: 60, kilobytes: 4 << 20, wait: time.Minute}
	for _, test := range []struct {
		name, script string
		limits       limits
		code         int
		kind         string
	}{
		{"within", "exit 0", generous, 0, ""},
		{"its own exit", "exit 4", generous, 4, ""},
		{"both limits hold", `[ "$(ulimit -t) $(ulimit -v)" = "7 2000000" ]`, limits{7, 2000000, time.Minute}, 0, ""},
		{"memory", "tail -n 1 /dev/zero", limits{60, 100 << 10, time.Minute}, 1, ""},
		{"processor time", "while :; do :; done", limits{1, 4 << 20, time.Minute}, 2, endless},
		{"clock", "sleep 60", limits{60, 4 << 20, time.Second / 5}, 2, endless},
		{"a process that is left", "sleep 61 & echo $! > left", generous, 0, orphaned},
		{"a process that waits", "sleep 62 & echo $! > left; wait", limits{60, 4 << 20, time.Second}, 2, endless},
	} {
		dir := t.TempDir()
		code, kind := command(context.Background(), dir, "sh", []string{"-c", test.script}, test.limits)
		if code != test.code || kind != test.kind {
			t.Errorf("%s: exit %d, %q; want %d, %q", test.name, code, kind, test.code, test.kind)
		}
		text, err := os.ReadFile(filepath.Join(dir, "left"))
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if !ends(pid) {
			t.Errorf("%s: process %d still runs", test.name, pid)
		}
	}
}

// ends waits until a process has ended, and reports whether it did; a zombie counts as ended.
func ends(pid int) bool {
	for range 500 {
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if syscall.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z ") {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}
