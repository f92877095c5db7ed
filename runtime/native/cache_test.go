//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
	"ppl/runtime/native"
)

// An office is an environment to compile in: a cache, a directory for temporary files, and a compiler that keeps a log
// and can be made to fail.
type office struct {
	t               *testing.T
	cache, tmp, log string
}

func newOffice(t *testing.T) *office {
	open(t) // skips where there is no compiler
	dir := t.TempDir()
	o := &office{t, filepath.Join(dir, "cache"), filepath.Join(dir, "tmp"), filepath.Join(dir, "log")}
	o.do(os.Mkdir(o.tmp, 0o700))
	t.Setenv("XDG_CACHE_HOME", o.cache)
	t.Setenv("HOME", o.cache) // the cache is below it on some systems
	t.Setenv("TMPDIR", o.tmp)
	o.compiler("")
	return o
}

func (o *office) do(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// compiler makes a shell script that runs the script and then the real compiler. It logs each run that compiles.
func (o *office) compiler(script string) {
	real := os.Getenv("CC")
	if real == "" || strings.HasPrefix(real, filepath.Dir(o.log)) {
		real = "cc"
	}
	path := filepath.Join(filepath.Dir(o.log), "compiler")
	text := "#!/bin/sh\ncase \"$*\" in *-dM*) exec " + real + " \"$@\";; esac\necho run >> " + o.log + "\n" + script +
		"\nexec " + real + " \"$@\"\n"
	o.do(os.WriteFile(path, []byte(text), 0o700))
	o.t.Setenv("CC", path)
}

// runs returns how often the compiler was asked for a library.
func (o *office) runs() int {
	text, _ := os.ReadFile(o.log) // none yet
	return strings.Count(string(text), "run")
}

// libraries returns the paths of the libraries in the cache, and reports other files as an error.
func (o *office) libraries() []string {
	o.t.Helper()
	dir := filepath.Join(o.cache, "ppl", "native")
	entries, _ := os.ReadDir(dir)
	var paths []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".so") {
			o.t.Errorf("left over: %s", e.Name())
		}
		paths = append(paths, filepath.Join(dir, e.Name()))
	}
	return paths
}

// works checks that the device can be opened and computes correctly, without leaving temporary files.
func (o *office) works() {
	o.t.Helper()
	d, err := native.New()
	o.do(err)
	o.do(compute(d))
	if left, _ := os.ReadDir(o.tmp); len(left) > 0 {
		o.t.Errorf("left over in the temporary directory: %v", left)
	}
}

// fails checks that opening the device returns an error that contains say.
func (o *office) fails(say string) {
	o.t.Helper()
	if _, err := native.New(); err == nil || !strings.Contains(err.Error(), say) {
		o.t.Errorf("got error %v, want one with %q", err, say)
	}
}

type wrong float64

func (w wrong) Error() string { return "3 + 4 is computed wrong" }

// compute checks that the device adds 3 and 4 correctly.
func compute(d device.Device) error {
	p := &ir.Program{}
	id := p.Buffer(ir.Buffer{Name: "x", Space: ir.Lane, Size: 1})
	var b ir.Body
	r := b.Do(ir.Add, b.Load(id, ir.Index{}), b.Const(4))
	p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{&ir.Kernel{Body: b, Out: []ir.Output{{Buf: id, Value: r}}}}}}
	x, err := d.Load(p, device.Options{Lanes: 1})
	if err != nil {
		return err
	}
	defer x.Close()
	v := []float64{3}
	x.Set("x", v)
	if _, err := x.Run([]device.Call{{Entry: "run", Times: 1}}, 0, nil); err != nil {
		return err
	}
	if x.Get("x", v); v[0] != 7 {
		return wrong(v[0])
	}
	return nil
}

func TestCacheIsUsed(t *testing.T) {
	o := newOffice(t)
	o.works()
	if o.runs() != 2 || len(o.libraries()) != 2 { // New tries the compiler on an empty program
		t.Errorf("%d runs of the compiler, %d libraries; want 2 and 2", o.runs(), len(o.libraries()))
	}
	o.works()
	if o.runs() != 2 {
		t.Errorf("%d runs of the compiler after the second time; want 2", o.runs())
	}
}

func TestCompilerMissing(t *testing.T) {
	o := newOffice(t)
	t.Setenv("CC", "/nowhere/cc")
	o.fails("no C compiler")
}

func TestCompilerFails(t *testing.T) {
	o := newOffice(t)
	o.compiler("echo 'internal compiler error' >&2; exit 1")
	o.fails("internal compiler error")
	t.Setenv("CC", "false")
	o.fails("failed")
}

func TestCompilerMakesNothing(t *testing.T) {
	o := newOffice(t)
	o.compiler("exit 0")
	o.fails("not a library")
}

// output is shell code that assigns the argument after -o to out.
const output = `for a; do test "$last" = -o && out=$a; last=$a; done; `

func TestCompilerMakesRubbish(t *testing.T) {
	o := newOffice(t)
	o.compiler(output + "echo rubbish > $out; exit 0")
	o.fails("not a library")
	o.compiler(output + "echo 'int nothing;' | cc -shared -x c - -o $out; exit 0")
	o.fails("without")
}

func TestCompilerMakesHalf(t *testing.T) {
	o := newOffice(t)
	for _, size := range []string{"100", "3000", "9000"} {
		o.compiler(output + `cc "$@"; truncate -s ` + size + " $out; exit 0")
		o.fails("native: the C compiler made")
	}
}

// TestCacheFull checks that libraries are compiled elsewhere if the compiler reports a full disk under the cache.
func TestCacheFull(t *testing.T) {
	o := newOffice(t)
	o.compiler(output + `case "$out" in ` + o.cache + `*) echo 'No space left on device' >&2; exit 1;; esac`)
	o.works()
	if n := len(o.libraries()); n != 0 {
		t.Errorf("%d libraries in a full cache", n)
	}
}

func TestCacheCannotBeMade(t *testing.T) {
	o := newOffice(t)
	o.do(os.WriteFile(o.cache, nil, 0o600)) // a file where the directory should be
	o.works()
	t.Setenv("TMPDIR", "/nowhere")
	o.fails("cannot create a temporary directory for the C compiler")
}

// TestCacheReadOnly checks that a read-only cache is still read, and that other libraries are compiled elsewhere.
func TestCacheReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("nothing is read-only to root")
	}
	o := newOffice(t)
	d, err := native.New() // leaves one library
	o.do(err)
	dir := filepath.Join(o.cache, "ppl", "native")
	o.do(os.Chmod(dir, 0o500))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	o.do(compute(d))
	o.works()
	if o.runs() != 3 || len(o.libraries()) != 1 {
		t.Errorf("%d runs of the compiler, %d libraries; want 3 and 1", o.runs(), len(o.libraries()))
	}
}

// TestCacheOfOthers checks that a cache directory that others can write to is not used.
func TestCacheOfOthers(t *testing.T) {
	o := newOffice(t)
	dir := filepath.Join(o.cache, "ppl", "native")
	o.do(os.MkdirAll(dir, 0o700))
	o.do(os.Chmod(dir, 0o777))
	o.works()
	if n := len(o.libraries()); n != 0 {
		t.Errorf("%d libraries in a directory that is open to all", n)
	}
}

// TestCacheDamaged checks that a damaged library in the cache is replaced.
func TestCacheDamaged(t *testing.T) {
	damages := map[string]func(data []byte) []byte{
		"cut":     func(d []byte) []byte { return d[:len(d)/2] },
		"emptied": func(d []byte) []byte { return nil },
		"flipped": func(d []byte) []byte { d[len(d)/3] ^= 4; return d },
		"zeroed":  func(d []byte) []byte { return make([]byte, len(d)) },
	}
	o := newOffice(t)
	o.works()
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			before := o.runs()
			for _, path := range o.libraries() {
				data, err := os.ReadFile(path)
				o.do(err)
				o.do(os.Remove(path)) // loaded libraries may still be mapped
				o.do(os.WriteFile(path, damage(data), 0o600))
			}
			o.works()
			if o.runs() != before+2 {
				t.Errorf("%d new libraries, want 2", o.runs()-before)
			}
		})
	}
}

// TestCacheUnloadable checks that a library with the right checksum that cannot be loaded is replaced.
func TestCacheUnloadable(t *testing.T) {
	o := newOffice(t)
	o.works()
	for _, path := range o.libraries() {
		sum := sha256.Sum256([]byte("rubbish"))
		key, _, _ := strings.Cut(filepath.Base(path), "-")
		o.do(os.Remove(path))
		o.do(os.WriteFile(filepath.Join(filepath.Dir(path), key+"-"+hex.EncodeToString(sum[:16])+".so"),
			[]byte("rubbish"), 0o600))
	}
	o.works()
	if o.runs() != 4 || len(o.libraries()) != 2 {
		t.Errorf("%d runs of the compiler, %d libraries; want 4 and 2", o.runs(), len(o.libraries()))
	}
}

// computeOnly is set in the environment of the processes that TestCompilingAtOnce starts.
const computeOnly = "PPL_TEST_COMPUTE"

// TestCompilingAtOnce checks that processes and goroutines can request the same library at the same time.
func TestCompilingAtOnce(t *testing.T) {
	if os.Getenv(computeOnly) != "" {
		d, err := native.New()
		if err == nil {
			err = compute(d)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	o := newOffice(t)
	var done sync.WaitGroup
	for range 3 {
		done.Add(2)
		go func() {
			defer done.Done()
			cmd := exec.Command(os.Args[0], "-test.run=^TestCompilingAtOnce$")
			cmd.Env = append(os.Environ(), computeOnly+"=1")
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, text)
			}
		}()
		go func() {
			defer done.Done()
			if d, err := native.New(); err != nil {
				t.Error(err)
			} else if err := compute(d); err != nil {
				t.Error(err)
			}
		}()
	}
	done.Wait()
	if n := len(o.libraries()); n != 2 {
		t.Errorf("%d libraries, want 2", n)
	}
	before := o.runs()
	o.works()
	if o.runs() != before {
		t.Error("compiled again")
	}
}

// TestCompilerVersion checks that there is a version for a compiler that works, and none for one that does not exist.
func TestCompilerVersion(t *testing.T) {
	if said := native.CompilerVersion(); said == "" {
		t.Error("a compiler that works has no version")
	}
	t.Setenv("CC", "/nowhere/cc")
	if said := native.CompilerVersion(); said != "" {
		t.Errorf("a compiler that is not there says %q", said)
	}
}
