package memory

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"ppl/compiler/backend/ir"
)

// TestFits checks that shared buffers count once and others once per lane, and that the error names the largest
// buffers.
func TestFits(t *testing.T) {
	p := &ir.Program{Buffers: []ir.Buffer{{Name: "y", Space: ir.Shared, Size: 10_000_000},
		{Name: "theta", Space: ir.Lane, Size: 10}, {Space: ir.Scratch, Type: ir.F32, Size: 100}, {Name: "s", Size: 1}}}
	const need = 80_000_000 + 20*(80+400) + 8
	if err := Fits(p, 20, 2, need); err != nil {
		t.Error(err)
	}
	err := Fits(p, 20, 2, need-1)
	var large TooLarge
	if !errors.As(err, &large) || large.Need != need || len(large.Largest) != 3 {
		t.Fatalf("%v", err)
	}
	const want = "80 MB for y (data), 0.008 MB for intermediate values 2 (lanes), 0.0016 MB for theta (lanes)"
	if !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	p.Layout = ir.Apart
	const fewer = 80_000_000 + 20*80 + 2*400 + 8
	if Fits(p, 20, 2, fewer) != nil || Fits(p, 20, 2, fewer-1) == nil || Fits(p, 1, 2, fewer-20*80-400+80) != nil {
		t.Error("where lanes are apart, scratch memory is that of threads, or of lanes if these are fewer")
	}
	p.Buffers[1].Size = math.MaxInt64 / 4
	if err := Fits(p, 1<<20, 2, math.MaxInt64); err == nil {
		t.Error("a size beyond 64 bits fits")
	}
}

// TestReserve checks that reserved memory is counted by the garbage collector but occupies no pages. This holds at the
// start of a process, whose heap has no memory to be cleared from earlier use, so the test starts a new process.
func TestReserve(t *testing.T) {
	const alone = "PPL_TEST_RESERVE"
	if os.Getenv(alone) == "" {
		own := exec.Command(os.Args[0], "-test.run=^TestReserve$")
		own.Env = append(os.Environ(), alone+"=1", "GOGC=off") // what is freed meanwhile would be missing in the growth
		if out, err := own.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resident, known := residentPages()
	reserved := Reserve(1 << 40)
	runtime.ReadMemStats(&after)
	if grown := after.HeapAlloc - before.HeapAlloc; grown < ReserveSize {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	if now, _ := residentPages(); known && (now-resident)*os.Getpagesize() > ReserveSize/4 {
		t.Errorf("%d pages are resident, %d before", now, resident)
	}
	runtime.KeepAlive(reserved)
	if n := len(Reserve(1 << 20)); n != 1<<14 {
		t.Errorf("%d bytes of a limit of 1 MiB", n)
	}
}

// residentPages returns the number of resident pages of this process, if the system reports it.
func residentPages() (n int, known bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	_, err = fmt.Sscan(string(text), new(int), &n)
	return n, err == nil
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"8GB": 8e9, "500MB": 500e6, "1.5GiB": 3 << 29, "7": 7, "2 kB": 2000,
		"1K": -1, "": -1, "-1GB": -1, "1e300": -1, "nan": -1, "infGB": -1, "GB": -1} {
		if got, ok := ParseSize(text); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d, %v", text, got, ok)
		}
	}
}

func TestLimit(t *testing.T) {
	if n := machine(); n < 64<<20 {
		t.Errorf("the machine has %d bytes", n)
	}
	before := Limit()
	Set(1 << 30)
	if Limit() != 1<<30 {
		t.Error("what was set is not the limit")
	}
	Set(math.MaxInt64)
	if got := Limit(); got > before && before != 1<<30 {
		t.Errorf("%d, and %d before", got, before)
	}
}
