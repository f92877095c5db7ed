package callable_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ppl/app/callable"
	"ppl/compiler"
	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/infer"
	"ppl/numbers"
	"ppl/runtime/host"
)

// models returns models with parameters of several supports, with data that are indices and doubles, with rows in
// tiles, with recurrences, and with products so large that lanes are computed separately.
func models() map[string]string {
	var rows strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&rows, ", %.3f", math.Sin(float64(i)))
	}
	return map[string]string{
		"one": "mu ~ Normal(1, 2)\n",
		"scalars": "data y = 0.5\nmu ~ Normal(1, 2)\nsigma ~ Exponential(1)\np ~ Beta(2, 3)\n" +
			"y ~ Normal(mu * p, sigma)\n",
		"groups": "data g[N]: index(J) = [1, 2, 3, 1, 2, 3, 1], y[N] = [1.5, 2, 3, 4, 5.25, 6, 7], J = 3\n" +
			"mu ~ Normal(0, 3)\ntau ~ HalfNormal(2)\na[j in J] ~ Normal(mu, tau)\ny[i in N] ~ Normal(a[g[i]], 1)\n",
		"vectors": "data K = 4\nw[K] ~ Dirichlet(fill(1.5, K))\nx ~ Uniform(-1, 3)\nb[K] ~ Normal(0, 1)\n",
		"recurrence": "data y[T] = [0.1, -0.5, 0.3, 1.2, -0.7]\nphi ~ Uniform(-1, 1)\nh[1] ~ Normal(0, 1)\n" +
			"h[t in 2..T] ~ Normal(phi * h[t-1], 0.3)\ny[t in T] ~ Normal(0, exp(h[t] / 2))\n",
		"network": "data H = 32, X[N, K] = [[1, 2]" + strings.Repeat(", [0.5, -1], [-0.25, 1]", 40) + "]\n" +
			"data y[N] = [1" + strings.Repeat(", 2, 3", 40) + "]\nw[K, H], v[H, H], u[H] ~ Normal(0, 1)\n" +
			"a[i in N, h in H] = tanh(sum(k in K: X[i, k] * w[k, h]))\n" +
			"b[i in N, h in H] = tanh(sum(k in H: a[i, k] * v[k, h]))\n" +
			"y[i in N] ~ Normal(sum(h in H: b[i, h] * u[h]), 1)\n",
		"rows": "data y[N] = [0" + rows.String() + "]\nmu ~ Normal(0, 1)\nsigma ~ HalfNormal(1)\n" +
			"y[i in N] ~ Normal(mu, sigma)\n",
	}
}

// A caller answers requests of Serve's protocol.
type caller func(t *testing.T, d callable.Density, requests []byte) []byte

func served(t *testing.T, d callable.Density, requests []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := callable.Serve(d, infer.Lowered(host.Device{}), bytes.NewReader(requests), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// fromC builds the library, and a program that uses only its header.
func fromC(language ...string) caller {
	return func(t *testing.T, d callable.Density, requests []byte) []byte {
		t.Helper()
		compilerOrSkip(t)
		dir := t.TempDir()
		if err := callable.Build(context.Background(), d, filepath.Join(dir, "density.so")); err != nil {
			t.Fatal(err)
		}
		source, err := filepath.Abs("testdata/answer.c")
		if err != nil {
			t.Fatal(err)
		}
		flags := []string{"-Wall", "-Wextra", "-Werror", "-pedantic", "-I" + dir, source, "-x", "none",
			filepath.Join(dir, "density.so"), "-o", filepath.Join(dir, "answer"), "-lm"}
		if out, err := exec.Command("cc", append(language, flags...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		answer := exec.Command(filepath.Join(dir, "answer"))
		answer.Stdin = bytes.NewReader(requests)
		out, err := answer.Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

func compilerOrSkip(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler: libraries are not tested")
	}
}

// points returns n points with a finite density, concatenated.
func points(p *compiler.Program, n int) (all [][]float64) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		theta, _, _ := compilertest.Somewhere(p, r)
		all = append(all, theta)
	}
	return all
}

func request(kind, jacobian int, points [][]float64) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(kind))
	out = binary.LittleEndian.AppendUint64(out, uint64(jacobian))
	out = binary.LittleEndian.AppendUint64(out, uint64(len(points)))
	for _, theta := range points {
		for _, x := range theta {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
		}
	}
	return out
}

// answers splits the output after the description into doubles.
func answers(t *testing.T, out []byte) (about callable.Description, numbers []float64) {
	t.Helper()
	line, rest, found := bytes.Cut(out, []byte("\n"))
	if err := json.Unmarshal(line, &about); err != nil || !found {
		t.Fatalf("%v: %q", err, line)
	}
	numbers = make([]float64, len(rest)/8)
	if err := binary.Read(bytes.NewReader(rest), binary.LittleEndian, numbers); err != nil {
		t.Fatal(err)
	}
	return about, numbers
}

// Each way to call a density returns the values of the graph interpreter, and gradients that agree with finite
// differences, for numbers of points that do and do not fill blocks of lanes.
func TestDensities(t *testing.T) {
	callers := map[string]caller{"served": served, "C": fromC("-std=c99")}
	for name, text := range models() {
		p := compilertest.Load(t, text)
		d, err := callable.Of(p)
		if err != nil {
			t.Fatal(err)
		}
		for by, call := range callers {
			t.Run(name+"/"+by, func(t *testing.T) {
				t.Parallel()
				if testing.Short() && (name == "network" || by == "C" && name != "groups") {
					t.Skip("takes seconds")
				}
				compare(t, p, d, call, points(p, 12), 0, 1, 3, 8)
			})
		}
	}
}

// compare requests all points in batches of the given sizes. Each batch begins with the first point.
func compare(t *testing.T, p *compiler.Program, d callable.Density, call caller, at [][]float64, sizes ...int) {
	t.Helper()
	var requests []byte
	for _, n := range sizes {
		for _, r := range [][]byte{request(0, 1, at[:n]), request(0, 0, at[:n]), request(1, 1, at[:n])} {
			requests = append(requests, r...)
		}
	}
	about, found := answers(t, call(t, d, requests))
	next := func(n int) (numbers []float64) {
		if len(found) < n {
			t.Fatalf("%d of %d numbers", len(found), n)
		}
		numbers, found = found[:n], found[n:]
		return numbers
	}
	for _, n := range sizes {
		values, gradients := next(n), next(n*p.Dim())
		own, _ := next(n), next(n*p.Dim())
		constrained := next(n * about.Values)
		for k := range n {
			comparePoint(t, p, at[k], values[k], part(gradients, k, p.Dim()))
			compareOwn(t, p, valuesByName(about, part(constrained, k, about.Values)), own[k])
		}
	}
	if len(found) > 0 || about.Dimension != p.Dim() {
		t.Errorf("%d numbers too many, description %+v", len(found), about)
	}
}

func part(x []float64, k, size int) []float64 { return x[k*size : (k+1)*size] }

func comparePoint(t *testing.T, p *compiler.Program, theta []float64, value float64, gradient []float64) {
	t.Helper()
	prior, likelihood, want := compilertest.Density(p, theta)
	if !compilertest.Near(value, prior+likelihood, 1e-12) {
		t.Errorf("at %v: %v, the interpreter finds %v", theta, value, prior+likelihood)
	}
	for i := range want {
		if !compilertest.Near(gradient[i], want[i], 1e-9) {
			t.Errorf("at %v: slope %d is %v, the interpreter finds %v", theta, i, gradient[i], want[i])
		}
	}
	few := min(p.Dim(), 6)
	compilertest.CheckVector(t, "the gradient", gradient[:few], slopes(theta, few, func(x []float64) float64 {
		prior, likelihood, _ := compilertest.Density(p, x)
		return prior + likelihood
	}), 1e-4*(1+math.Abs(value)))
}

func compareOwn(t *testing.T, p *compiler.Program, at map[string]*content.Array, value float64) {
	t.Helper()
	want, err := p.LogProb(at)
	if err != nil {
		t.Fatal(err)
	}
	if !compilertest.Near(value, want.Prior+want.Likelihood, 1e-9) {
		t.Errorf("on its own scale: %v, want %v", value, want.Prior+want.Likelihood)
	}
}

// slopes returns central differences along the first coordinates.
func slopes(theta []float64, first int, f func([]float64) float64) []float64 {
	const h = 1e-5
	out := make([]float64, first)
	for i, x := range theta[:first] {
		at := append([]float64(nil), theta...)
		at[i] = x + h
		above := f(at)
		at[i] = x - h
		out[i] = (above - f(at)) / (2 * h)
	}
	return out
}

// valuesByName splits the concatenated elements of all parameters into arrays, by name.
func valuesByName(about callable.Description, values []float64) map[string]*content.Array {
	out := map[string]*content.Array{}
	for _, v := range about.Parameters {
		out[v.Name] = &content.Array{Name: v.Name, Shape: v.Shape, Values: numbers.Of(values[:v.Size()]...)}
		values = values[v.Size():]
	}
	return out
}

// The gradient without the log-Jacobian is that of the density on the parameters' own scale, in unconstrained
// coordinates.
func TestGradientOnTheOwnScale(t *testing.T) {
	p := compilertest.Load(t, "x ~ Exponential(2)\n")
	d, err := callable.Of(p)
	if err != nil {
		t.Fatal(err)
	}
	theta := 0.4 // the coordinate is log x, the density of x 2 exp(−2x)
	x := math.Exp(theta)
	for by, call := range map[string]caller{"served": served, "C": fromC()} {
		at := [][]float64{{theta}}
		_, found := answers(t, call(t, d, append(request(0, 0, at), request(0, 1, at)...)))
		compilertest.CheckVector(t, by, found, []float64{math.Log(2) - 2*x, -2 * x, math.Log(2) - 2*x + theta, 1 - 2*x},
			1e-14)
	}
}

// A program in C++ can use the header.
func TestFromCPlusPlus(t *testing.T) {
	if _, err := exec.LookPath("c++"); err != nil {
		t.Skip("no C++ compiler")
	}
	p := compilertest.Load(t, "x ~ Normal(0, 1)\n")
	d, err := callable.Of(p)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, p, d, fromC("-x", "c++"), points(p, 5), 5)
}

// If the density is 0 at a point, the value is −∞, and the values of other points in the block are not affected.
func TestPointsWithoutDensity(t *testing.T) {
	p := compilertest.Load(t, "data y = 3\nx ~ Normal(0, 1)\ny ~ Uniform(0, x)\n")
	d, err := callable.Of(p)
	if err != nil {
		t.Fatal(err)
	}
	for by, call := range map[string]caller{"served": served, "C": fromC()} {
		_, found := answers(t, call(t, d, request(0, 1, [][]float64{{4}, {2}, {5}})))
		want := func(x float64) float64 { return compilertest.NormalLog(x, 0, 1) - math.Log(x) }
		if !math.IsInf(found[1], -1) || !compilertest.Near(found[0], want(4), 1e-14) ||
			!compilertest.Near(found[2], want(5), 1e-14) {
			t.Errorf("%s: %v", by, found[:3])
		}
	}
}

func TestNoParameters(t *testing.T) {
	_, err := callable.Of(compilertest.Load(t, "data y = 1\ny ~ Normal(0, 1)\n"))
	if err == nil || !strings.Contains(err.Error(), "no parameters") {
		t.Error(err)
	}
}

func TestMistakenRequests(t *testing.T) {
	d, err := callable.Of(compilertest.Load(t, "x ~ Normal(0, 1)\n"))
	if err != nil {
		t.Fatal(err)
	}
	whole := request(0, 1, [][]float64{{1}, {2}})
	huge := request(0, 1, nil)
	binary.LittleEndian.PutUint64(huge[16:], 1<<60)
	for name, in := range map[string][]byte{
		"a head that ends too early": whole[:11],
		"points that are missing":    whole[:24],
		"half a point":               whole[:len(whole)-3],
		"an unknown kind":            request(2, 1, nil),
		"too many points":            huge,
	} {
		var out bytes.Buffer
		if err := callable.Serve(d, infer.Lowered(host.Device{}), bytes.NewReader(in), &out); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
	if out := served(t, d, nil); bytes.Count(out, []byte("\n")) != 1 {
		t.Errorf("without requests the answer is %q", out)
	}
}

// A library is written completely or not at all.
func TestBuildThatFails(t *testing.T) {
	compilerOrSkip(t)
	d, err := callable.Of(compilertest.Load(t, "x ~ Normal(0, 1)\n"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if err := callable.Build(stopped, d, filepath.Join(dir, "m.so")); err == nil {
		t.Error("a build that was stopped is no error")
	}
	if err := callable.Build(context.Background(), d, filepath.Join(dir, "nothing", "m.so")); err == nil {
		t.Error("a folder that does not exist is no error")
	}
	t.Setenv("CC", "no-compiler-of-this-name")
	if err := callable.Build(context.Background(), d, filepath.Join(dir, "m.so")); err == nil {
		t.Error("a compiler that does not exist is no error")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
