//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ppl/compiler/ir"
	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
	"ppl/runtime/native"
	"ppl/runtime/special"
)

// misjudged are the ops that devicetest judges by functions of package math that are wrong: on amd64 the logarithm of a subnormal
// number (math.Log(5e-324) is −709.1, not −744.4) and what follows from it, and arc sines near 1 (3e-15 off). TestMisjudged and
// TestSpecial hold them to better references.
const misjudged = "^TestConformance$/^ops$/^(log|lgamma|normquantile|pow|asin|acos)$"

// slow are four hundred products, each a program to compile; TestProducts has them as statements of one.
const slow = "^TestConformance$/^statements$/^matmul$"

// TestMain keeps what the tests compile from one run to the next, out of the way of the user's own libraries.
func TestMain(m *testing.M) {
	flag.Parse()
	if skip := flag.Lookup("test.skip").Value; skip.String() == "" {
		pattern := misjudged
		if testing.Short() || os.Getenv("PPL_SLOW") == "" {
			pattern += "|" + slow
		}
		if err := skip.Set(pattern); err != nil {
			panic(err)
		}
	}
	if os.Getenv(computeOnly) != "" {
		os.Exit(m.Run()) // a child: in the cache of its parent
	}
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(os.TempDir(), "ppl-native-tests")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// open is the native device, or a skip where there is no C compiler.
func open(t testing.TB) device.Device {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil && os.Getenv("CC") == "" {
		t.Skip("no C compiler here: the native device is not tested")
	}
	d, err := native.New()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestConformance compiles some two hundred programs when nothing is kept from an earlier run.
func TestConformance(t *testing.T) {
	d := open(t)
	devicetest.Run(t, func() device.Device { return d })
}

// TestMisjudged: limits, signs and poles, by package math where it is right.
func TestMisjudged(t *testing.T) {
	d := open(t)
	inf, nan := math.Inf(1), math.NaN()
	xs := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, -2, 3, -3, 2.5, -2.5, 1e-300, 1e300, -1e300, inf, -inf, nan}
	for op, f := range map[ir.Op]func(float64) float64{
		ir.Log: math.Log, ir.Lgamma: special.Lgamma, ir.NormQuantile: special.NormQuantile, ir.Asin: math.Asin, ir.Acos: math.Acos,
	} {
		points := make([]known, len(xs))
		for i, x := range xs {
			points[i] = known{x, f(x)}
		}
		got := valuesOf(t, d, points, func(b *ir.Body, x ir.Reg) ir.Reg { return b.Do(op, x) })
		for i, p := range points {
			if !near(got[i], p.want) {
				t.Errorf("%v(%v) = %v, want %v", op, p.x, got[i], p.want)
			}
		}
	}
	for _, y := range append(xs, 0.1, 10) {
		got := valuesOf(t, d, pointsAt(xs), func(b *ir.Body, x ir.Reg) ir.Reg { return b.Do(ir.Pow, x, b.Const(y)) })
		for i, x := range xs {
			if want := math.Pow(x, y); !near(got[i], want) {
				t.Errorf("pow(%v, %v) = %v, want %v", x, y, got[i], want)
			}
		}
	}
	subnormal := valuesOf(t, d, pointsAt([]float64{5e-324}), func(b *ir.Body, x ir.Reg) ir.Reg { return b.Do(ir.Log, x) })
	if want := -1074 * math.Ln2; !near(subnormal[0], want) {
		t.Errorf("log 2⁻¹⁰⁷⁴ = %v, want %v", subnormal[0], want)
	}
}

func pointsAt(xs []float64) []known {
	points := make([]known, len(xs))
	for i, x := range xs {
		points[i].x = x
	}
	return points
}

// near is equality to 1e-13, where NaN equals NaN.
func near(got, want float64) bool {
	if want != want || math.IsInf(want, 0) {
		return got == want || got != got && want != want
	}
	return math.Abs(got-want) <= 1e-13*math.Max(1, math.Abs(want))
}
