//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package bench

import (
	"embed"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"

	"ppl/compiler"
	"ppl/compiler/backend/ir"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/host"
	"ppl/runtime/native"
)

//go:embed c
var sources embed.FS

// A byHandC is a compiled program of c/; its arguments are vectors of Lanes numbers.
type byHandC struct {
	run           uintptr
	data          []*float64
	work, in, out []float64
}

// compileC compiles c/NAME.c to a library with the compiler and the flags of the native device.
func compileC(t testing.TB, name string, data [][]float64, in, out int) *byHandC {
	cc := strings.Fields(os.Getenv("CC"))
	if len(cc) == 0 {
		cc = []string{"cc"}
	}
	var text []byte
	for _, file := range []string{"c/bench.h", "c/" + name + ".c"} {
		part, err := sources.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, part...)
	}
	path := filepath.Join(t.TempDir(), name+".so")
	cmd := exec.Command(cc[0], slices.Concat(cc[1:], native.Flags(), []string{"-shared", "-fPIC", "-x", "c", "-", "-o",
		path, "-lm"})...)
	cmd.Stdin = strings.NewReader(string(text))
	if message, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, message)
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { purego.Dlclose(handle) })
	c := &byHandC{work: aligned(2 << 18), in: aligned(in * Lanes), out: aligned(out * Lanes)}
	if c.run, err = purego.Dlsym(handle, "run"); err != nil {
		t.Fatal(err)
	}
	for _, d := range data {
		c.data = append(c.data, &d[0])
	}
	return c
}

// aligned returns n numbers whose address is a multiple of 64 bytes; Go does not move them.
func aligned(n int) []float64 {
	x := make([]float64, n+7)
	skip := (64 - uintptr(unsafe.Pointer(&x[0]))%64) % 64 / 8
	return x[skip:][:n]
}

func (c *byHandC) times(n int) {
	purego.SyscallN(c.run, uintptr(unsafe.Pointer(&c.data[0])), uintptr(unsafe.Pointer(&c.work[0])),
		uintptr(unsafe.Pointer(&c.in[0])), uintptr(unsafe.Pointer(&c.out[0])), uintptr(n))
}

func nativeDevice(t testing.TB) device.Device {
	d, err := native.New()
	if err != nil {
		t.Skip(err)
	}
	return d
}

func loadOn(t testing.TB, d device.Device, p *ir.Program) device.Executable {
	x, err := d.Load(p, device.Options{Lanes: Lanes, Threads: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// place returns the starting value of a coordinate in a lane.
func place(d, lane int) float64 { return 0.1 * math.Sin(float64(3*d+lane+1)) }

// placesOf returns the starting values of all coordinates in a lane.
func placesOf(lane, dim int) []float64 {
	theta := make([]float64, dim)
	for d := range theta {
		theta[d] = place(d, lane)
	}
	return theta
}

// densityOf returns the program of a case's log density and gradient, and the number of coordinates.
func densityOf(t testing.TB, c Case) (p *ir.Program, dim int) {
	target, err := c.Load()
	if err != nil {
		t.Fatal(err)
	}
	if p, err = Density(target); err != nil {
		t.Fatal(err)
	}
	return p, target.Dim()
}

// A bout has all implementations of a case, with the same starting values.
type bout struct {
	dim    int
	c      *byHandC
	native device.Executable
	host   device.Executable
	goFunc func(data [][]float64, theta, grad []float64) float64
	data   [][]float64
	theta  [Lanes][]float64
	grad   [Lanes][]float64
	lp     [Lanes]float64
}

func newBout(t testing.TB, c Case) *bout {
	d := nativeDevice(t)
	p, n := densityOf(t, c)
	b := &bout{dim: n, c: compileC(t, c.Name, c.hand, n, n+1), native: loadOn(t, d, p),
		host: loadOn(t, host.Device{}, p), goFunc: byHand()[c.Name], data: c.hand}
	for l := range Lanes {
		b.theta[l], b.grad[l] = placesOf(l, n), make([]float64, n)
		for i, x := range b.theta[l] {
			b.c.in[i*Lanes+l] = x
		}
		b.native.SetLane("theta", l, b.theta[l])
		b.host.SetLane("theta", l, b.theta[l])
	}
	return b
}

func (b *bout) goTimes(n int) {
	for range n {
		for l := range Lanes {
			b.lp[l] = b.goFunc(b.data, b.theta[l], b.grad[l])
		}
	}
}

func runEntry(t testing.TB, x device.Executable, entry string) func(int) {
	return func(n int) {
		if _, err := x.Run([]device.Call{{Entry: entry, Times: n}}, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSidesAgree checks that all implementations compute the same numbers, up to rounding.
func TestSidesAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			b := newBout(t, c)
			b.c.times(1)
			b.goTimes(1)
			for side, x := range map[string]device.Executable{"native": b.native, "host": b.host} {
				runEntry(t, x, "density")(1)
				lp, grad := make([]float64, 1), make([]float64, b.dim)
				for l := range Lanes {
					x.GetLane("lp", l, lp)
					x.GetLane("grad", l, grad)
					near(t, side+" and C: lp", lp[0], b.c.out[l])
					near(t, side+" and Go: lp", lp[0], b.lp[l])
					for i, g := range grad {
						near(t, side+" and C: gradient", g, b.c.out[(1+i)*Lanes+l])
						near(t, side+" and Go: gradient", g, b.grad[l][i])
					}
				}
			}
		})
	}
}

func near(t *testing.T, what string, x, y float64) {
	t.Helper()
	if math.IsNaN(x) || math.IsNaN(y) || math.Abs(x-y) > 1e-9*(1+math.Abs(y)) {
		t.Errorf("%s: %.15g and %.15g", what, x, y)
	}
}

// A side is an implementation that can be run a given number of times.
type side struct {
	name string
	run  func(times int)
}

// race runs the sides in turn, each for at least the given time. The metrics are their median times per run, and the
// median ratios of pairs.
func race(b *testing.B, turn time.Duration, pairs [][2]string, sides ...side) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	times := make([]int, len(sides))
	for i, s := range sides {
		times[i] = enough(b, s.run, turn)
	}
	ns := make([][]float64, len(sides))
	for b.Loop() {
		for i, s := range sides {
			start := busy(b)
			s.run(times[i])
			ns[i] = append(ns[i], float64(busy(b)-start)/float64(times[i]))
		}
	}
	index := map[string]int{}
	for i, s := range sides {
		index[s.name] = i
		b.ReportMetric(median(ns[i]), "ns/"+s.name)
	}
	for _, p := range pairs {
		var q []float64
		for k, x := range ns[index[p[0]]] {
			q = append(q, x/ns[index[p[1]]][k])
		}
		b.ReportMetric(median(q), p[0]+"/"+p[1])
	}
	b.ReportMetric(0, "ns/op")
}

// busy returns the processor time of the thread, which does not depend on other processes.
func busy(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// enough returns the number of runs that take the given processor time.
func enough(b *testing.B, run func(int), some time.Duration) int {
	for n := 1; ; n *= 2 {
		start := busy(b)
		run(n)
		if busy(b)-start > some {
			return n
		}
	}
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// BenchmarkDensity times the log density and its gradient for Lanes walkers on one core.
func BenchmarkDensity(b *testing.B) {
	for _, c := range Cases() {
		b.Run(c.Name, func(b *testing.B) {
			r := newBout(b, c)
			race(b, 2*time.Millisecond, [][2]string{{"native", "C"}, {"host", "Go"}},
				side{"native", runEntry(b, r.native, "density")}, side{"C", r.c.times},
				side{"host", runEntry(b, r.host, "density")}, side{"Go", r.goTimes})
		})
	}
}

// renhd returns both implementations of a RENHD step on the mixture, with seven replicas and one more lane to fill the
// vector.
func renhd(t testing.TB) (x device.Executable, c *byHandC) {
	target, err := mixture().Load()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Step(target)
	if err != nil {
		t.Fatal(err)
	}
	x = loadOn(t, nativeDevice(t), p)
	c = compileC(t, "step", mixture().hand, 5, 8)
	set := func(name string, lane int, to []float64, at int, v ...float64) {
		x.SetLane(name, lane, v)
		for i, v := range v {
			to[(at+i)*Lanes+lane] = v
		}
	}
	for l := range Lanes {
		Rung(x, l, 2)
		c.in[3*Lanes+l], c.in[4*Lanes+l] = 1, 1
		set(dynamics.StepSize, l, c.in, 0, 0.1)
		set(dynamics.Friction, l, c.in, 1, Friction)
		set(dynamics.Beta, l, c.in, 2, math.Pow(1.5, -float64(l)))
		set(dynamics.Theta, l, c.out, 0, place(0, l), place(1, l))
		set(dynamics.Momentum, l, c.out, 2, place(2, l), place(3, l))
		set("force0", l, c.out, 4, place(4, l), place(5, l))
		set(dynamics.Thermostat, l, c.out, 6, 0.1)
	}
	return x, c
}

// TestStepsAgree checks that a hundred steps by the C program and by ppl have the same states, with the same noise.
func TestStepsAgree(t *testing.T) {
	x, c := renhd(t)
	runEntry(t, x, "step")(100)
	c.times(100)
	for l := range Lanes {
		for at, name := range map[int]string{0: dynamics.Theta, 2: dynamics.Momentum, 4: "force0",
			6: dynamics.Thermostat} {
			v := make([]float64, x.Size(name))
			x.GetLane(name, l, v)
			for i := range v {
				if by := c.out[(at+i)*Lanes+l]; !(math.Abs(v[i]-by) <= 1e-6*(1+math.Abs(by))) {
					t.Errorf("lane %d: %s is %g, by hand %g", l, name, v[i], by)
				}
			}
		}
	}
}

// BenchmarkRENHDStep times a step: noise, gradient and thermostat.
func BenchmarkRENHDStep(b *testing.B) {
	x, c := renhd(b)
	race(b, 2*time.Millisecond, [][2]string{{"native", "C"}}, side{"native", runEntry(b, x, "step")},
		side{"C", c.times})
}

// BenchmarkCompile times the translation of a model and data in memory to C, with few rows and with many, and for the
// slowest example.
func BenchmarkCompile(b *testing.B) {
	b.Run("rows", func(b *testing.B) {
		race(b, 2*time.Millisecond, [][2]string{{"2000rows", "20rows"}}, side{"2000rows", toText(b, poisson(2000))},
			side{"20rows", toText(b, poisson(20))})
	})
	b.Run("examples", func(b *testing.B) {
		paths, err := filepath.Glob("../examples/*.ppl")
		if err != nil || len(paths) == 0 {
			b.Fatal("no examples", err)
		}
		var slowest float64
		for _, path := range paths {
			slowest = max(slowest,
				median([]float64{exampleToText(b, path), exampleToText(b, path), exampleToText(b, path)}))
		}
		b.ReportMetric(1e9*slowest, "ns/slowest")
		b.ReportMetric(0, "ns/op")
	})
}

func toText(t testing.TB, c Case) func(int) {
	target, err := c.Load()
	if err != nil {
		t.Fatal(err)
	}
	return func(n int) {
		for range n {
			if _, err := Text(target); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// exampleToText returns the processor time, in seconds, for the C text of an example.
func exampleToText(b *testing.B, path string) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p, ds := compiler.Load(compiler.Request{Path: path})
	if p == nil {
		b.Fatal(path, ds)
	}
	start := busy(b)
	if _, err := Text(p); err != nil {
		b.Fatal(path, err)
	}
	return (busy(b) - start).Seconds()
}

// BenchmarkScale times steps of RENHD for increasing numbers of lanes and dimensions, on one core. The time is
// proportional until memory limits it.
func BenchmarkScale(b *testing.B) {
	for lanes := 1; lanes <= 1024; lanes *= 2 {
		b.Run(fmt.Sprintf("mixture/dims=2/lanes=%d", lanes), func(b *testing.B) { scale(b, mixture(), lanes) })
	}
	for _, d := range []int{2, 10, 100, 1000, 10000, 100000} {
		b.Run(fmt.Sprintf("gaussian/dims=%d/lanes=8", d), func(b *testing.B) { scale(b, gaussian(d), 8) })
	}
}

func scale(b *testing.B, c Case, lanes int) {
	target, err := c.Load()
	if err != nil {
		b.Fatal(err)
	}
	p, err := Step(target)
	if err != nil {
		b.Fatal(err)
	}
	x, err := nativeDevice(b).Load(p, device.Options{Lanes: lanes, Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	for l := range lanes {
		x.SetLane(dynamics.Theta, l, target.Start(1, l))
		Rung(x, l%Lanes, target.Dim()) // ladders of eight rungs
	}
	race(b, 20*time.Millisecond, nil, side{"step", runEntry(b, x, "step")})
}
