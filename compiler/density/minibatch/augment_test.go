package minibatch_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ppl/compiler/compilertest"
	"ppl/runtime/host"
	"ppl/runtime/native"
	"ppl/runtime/noise"
)

// Pixels of image i have the values i·1, i·2, … in row-major order: 1 to 24 in the first image, 2 to 48 in the second.
const (
	height, width, channels = 3, 4, 2
	pictures                = 4
)

func picture(row int) []float64 {
	x := make([]float64, height*width*channels)
	for k := range x {
		x[k] = float64((k + 1) * (row + 1))
	}
	return x
}

// augmented returns a model whose mean is Σ w·(changed image), far below y, for images with or without channels.
func augmented(change string, withChannels bool) string {
	var rows []string
	for row := range pictures {
		rows = append(rows, strings.ReplaceAll(fmt.Sprint(picture(row)), " ", ", "))
	}
	axes, at := "height, width", "[p in height, q in width: v[(p - 1) * width + q]]"
	if withChannels {
		axes = "height, width, channels"
		at = "[p in height, q in width, c in channels: v[((p - 1) * width + q - 1) * channels + c]]"
	} else {
		for row := range rows {
			rows[row] = strings.ReplaceAll(fmt.Sprint(picture(row)[:height*width]), " ", ", ")
		}
	}
	return fmt.Sprintf(`data flat[N, K] = [%s], y[N] = [1e4, 1e4, 1e4, 1e4]
data height = %d, width = %d, channels = %d
image(v[K]) = %s
w[%s] ~ Normal(0, 1)
f(x[%s]) = sum(w * (x -> %s))
y[i in N] ~ Normal(f(image(flat[i])), 1)
`, strings.Join(rows, ", "), height, width, channels, at, axes, axes, change)
}

// An imageChange defines the change of an image by noise: for each pixel it returns the row and column in the image
// from which the pixel is taken, and whether this position is in the image.
type imageChange func(row int, lane, step float64) func(p, q int) (fromP, fromQ int, ok bool)

func cropBy(most int) imageChange {
	return func(row int, lane, step float64) func(p, q int) (int, int, bool) {
		var shift [2]int
		for axis := range shift {
			u := noise.Addressed(dropSeed, 0, lane, step, float64(2*row+axis))
			shift[axis] = int(math.Floor(u*float64(2*most+1))) - most
		}
		return func(p, q int) (int, int, bool) {
			p, q = p+shift[0], q+shift[1]
			return p, q, p >= 0 && p < height && q >= 0 && q < width
		}
	}
}

func flipBy(share float64) imageChange {
	return func(row int, lane, step float64) func(p, q int) (int, int, bool) {
		mirrored := noise.Addressed(dropSeed, 0, lane, step, float64(row)) < share
		return func(p, q int) (int, int, bool) {
			if mirrored {
				q = width - 1 - q
			}
			return p, q, true
		}
	}
}

// changed returns an image whose pixels are taken from other positions.
func changed(x []float64, depth int, from func(p, q int) (int, int, bool)) []float64 {
	out := make([]float64, height*width*depth)
	for p := range height {
		for q := range width {
			for c := range depth {
				if fp, fq, ok := from(p, q); ok {
					out[(p*width+q)*depth+c] = x[(fp*width+fq)*depth+c]
				}
			}
		}
	}
	return out
}

func weightsOf(n int) []float64 {
	w := make([]float64, n)
	for k := range w {
		w[k] = math.Sin(float64(3*k + 1))
	}
	return w
}

// TestAugmentation compares each image of each batch, cropped and mirrored, with the change that the noise at its
// address determines, with channels and without. The gradient is compared with finite differences for the same noise.
func TestAugmentation(t *testing.T) {
	for name, c := range map[string]struct {
		change string
		want   imageChange
	}{
		"crop": {"random_crop(2)", cropBy(2)}, "flip": {"random_flip(0.3)", flipBy(0.3)},
		"always": {"random_flip(1)", flipBy(1)},
	} {
		for depth, withChannels := range map[int]bool{1: false, channels: true} {
			t.Run(fmt.Sprint(name, depth), func(t *testing.T) {
				t.Parallel()
				w := weightsOf(height * width * depth)
				d := newDropper(t, compilertest.Load(t, augmented(c.change, withChannels)), host.Device{}, 1)
				for step := range 200 {
					terms, gradient := d.at(t, w, 3, float64(step))
					slopes := make([]float64, len(w))
					for i, row := range batchOfThree {
						x := changed(picture(int(row))[:len(w)], depth, c.want(i, 3, float64(step)))
						mu := 0.0
						for k := range w {
							mu += w[k] * x[k]
						}
						want := -(1e4-mu)*(1e4-mu)/2 - math.Log(2*math.Pi)/2
						if math.Abs(terms[i]-want) > 1e-12*math.Abs(want) {
							t.Fatalf("step %d, row %d: %v, want %v", step, i, terms[i], want)
						}
						for k := range w {
							slopes[k] += (1e4 - mu) * x[k]
						}
					}
					for k := range w {
						if math.Abs(gradient[k]-slopes[k]) > 1e-9*(1+math.Abs(slopes[k])) {
							t.Fatalf("step %d: the derivative by weight %d is %v, want %v", step, k, gradient[k],
								slopes[k])
						}
					}
				}
			})
		}
	}
}

// TestGradientOfMovedValues checks the gradient with respect to values that are moved.
func TestGradientOfMovedValues(t *testing.T) {
	t.Parallel()
	text := strings.Replace(augmented("random_crop(1) -> random_flip(0.5)", true), "sum(w * (x -> random_crop(1) -> "+
		"random_flip(0.5)))", "sum(p in height, q in width, c in channels: q * p^2 * moved(x)[p, q, c])\n"+
		"moved(x[height, width, channels]) = tanh(0.01 * w * x) -> random_crop(1) -> random_flip(0.5)", 1)
	d := newDropper(t, compilertest.Load(t, text), host.Device{}, 1)
	w := weightsOf(height * width * channels)
	for step := range 5 {
		d.checkGradient(t, w, float64(step), 1e-4)
	}
}

// chiSquare returns Pearson's statistic for counts with equal expectations.
func chiSquare(counts []int) (x float64) {
	total := 0
	for _, n := range counts {
		total += n
	}
	want := float64(total) / float64(len(counts))
	for _, n := range counts {
		x += (float64(n) - want) * (float64(n) - want) / want
	}
	return x
}

// TestShiftsAreUniform checks that all shifts have the same probability, independently of the shift of another image of
// the batch. An image has one nonzero pixel, in the middle, and the weights identify its position after the crop, which
// determines the shift.
func TestShiftsAreUniform(t *testing.T) {
	t.Parallel()
	const text = `data x[N, H, W] = [%[1]s, %[1]s, %[1]s, %[1]s], y[N] = [50, 50, 50, 50]
w[H, W] ~ Normal(0, 1)
f(v[H, W]) = sum(w * (v -> random_crop(1)))
y[i in N] ~ Normal(f(x[i]), 1)
`
	d := newDropper(t, compilertest.Load(t, fmt.Sprintf(text, "[[0, 0, 0], [0, 1, 0], [0, 0, 0]]")), host.Device{}, 1)
	w := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	const steps = 8100
	alone, pairs, planted := make([]int, 9), make([]int, 81), make([]int, 9)
	for step := range steps {
		terms, _ := d.at(t, w, 0, float64(step))
		mus := meansOf(terms)
		place := func(i int) int { return int(math.Round(mus[i])) - 1 }
		alone[place(0)]++
		pairs[9*place(1)+place(2)]++
		planted[place(0)/3*3+place(0)/3]++ // planted fault: both axes are shifted by the same number
	}
	// The statistic has mean k − 1 and variance 2(k − 1).
	excess := func(counts []int) float64 {
		k := float64(len(counts) - 1)
		return (chiSquare(counts) - k) / math.Sqrt(2*k)
	}
	if z := max(excess(alone), excess(pairs)); z > 5 {
		t.Errorf("shifts are not uniform: %v, %v", alone, pairs)
	}
	if z := excess(planted); z < 5 {
		t.Errorf("equal shifts along both axes are not seen: %v", planted)
	}
}

// convolved returns a network of layout Apart.
func convolved(change string) string {
	return fmt.Sprintf(`data seeds[N] = [1, 2, 3, 4], y[N] = [3, 2, 1, 4]
image(s) = [p in 1..16, q in 1..16, c in 1..3: sin(s * p + q * c)]
f(x[H, W, C]) = x -> %sconv(32, 3) -> relu -> conv(32, 3) -> relu -> global_mean -> dense(1) -> first
f.weights ~ Normal(0, 0.3)
y[i in N] ~ Normal(f(image(seeds[i])), 1)
`, change)
}

// TestAugmentationBytes checks that the numbers do not depend on threads or device, and that changes by 0, and the
// density, equal those of a model without changes.
func TestAugmentationBytes(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, convolved("random_crop(3) -> random_flip(0.5) -> "))
	compiled, err := native.New()
	if err != nil {
		t.Skip(err)
	}
	w := weightsOf(p.Dim())
	reference, _ := newDropper(t, p, host.Device{}, 1).at(t, w, 5, 9)
	one, _ := newDropper(t, p, compiled, 1).at(t, w, 5, 9)
	two, _ := newDropper(t, p, compiled, 2).at(t, w, 5, 9)
	if !slices.Equal(one, two) {
		t.Errorf("two threads: %v, one: %v", two, one)
	}
	for i := range one {
		if math.Abs(one[i]-reference[i]) > 1e-9*(1+math.Abs(reference[i])) {
			t.Errorf("native: %v, host: %v", one, reference)
		}
	}
	without := compilertest.Load(t, convolved(""))
	never := compilertest.Load(t, convolved("random_crop(0) -> random_flip(0) -> "))
	unchanged, _ := newDropper(t, without, compiled, 1).at(t, w, 5, 9)
	if by0, _ := newDropper(t, never, compiled, 1).at(t, w, 5, 9); !slices.Equal(by0, unchanged) {
		t.Error("a change by 0 changes something")
	}
	if slices.Equal(one, unchanged) {
		t.Error("nothing is changed")
	}
	if got := never.Random(); got != "" {
		t.Errorf("%s by 0 counts as a change", got)
	}
	if p.Random() != "random_crop" {
		t.Errorf("the first change is %q", p.Random())
	}
	a, aGradient := compilertest.Likelihood(p, w)
	b, bGradient := compilertest.Likelihood(without, w)
	if !slices.Equal(a, b) || !slices.Equal(aGradient, bGradient) {
		t.Error("the density crops images")
	}
}
