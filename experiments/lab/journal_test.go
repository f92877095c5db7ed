package lab

import (
	"os"
	"testing"
)

// TestMemoryOfCommands checks that the reported memory is that of the command, not that of the process that started it.
func TestMemoryOfCommands(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the system does not say what memory a process has")
	}
	own := make([]byte, 300<<20)
	for i := range own {
		own[i] = 1
	}
	for _, c := range []struct {
		script      string
		least, most int64
	}{
		{"sleep 0.5", 1, 50 << 20},
		{`x=$(head -c 30000000 /dev/zero | tr '\0' x); sleep 0.5; echo ${#x}`, 30_000_000, 250 << 20},
	} {
		r, err := Command("sh", "-c", c.script)
		if err != nil || r.Exit != 0 || r.Memory < c.least || r.Memory > c.most {
			t.Errorf("%s: %d bytes, exit status %d, %v", c.script, r.Memory, r.Exit, err)
		}
	}
	if own[1] != 1 {
		t.Error("unused")
	}
}
