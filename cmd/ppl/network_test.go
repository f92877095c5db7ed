package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"

	"github.com/rogpeppe/go-internal/testscript"
)

// images NAME COUNT SEED [SIDE] writes NAME-images.gz and NAME-labels.gz in the format of MNIST. The pictures, of 8×8
// or SIDE×SIDE pixels, have four classes, 0 to 3, each with another bright quarter, and noise. One label in ten is
// random.
func images(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: images NAME COUNT SEED [SIDE]")
	}
	side := 8
	if len(args) == 4 {
		var err error
		side, err = strconv.Atoi(args[3])
		ts.Check(err)
	}
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	seed, err := strconv.Atoi(args[2])
	ts.Check(err)
	pixels, labels := standIn(count, side, uint64(seed), inQuarter)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+"-images.gz"), idx(pixels, count, side, side), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+"-labels.gz"), idx(labels, count), 0o666))
}

// cifar NAME COUNT SEED [2|grey] writes the file NAME in the binary version of CIFAR-10: such pictures of 32×32 pixels,
// with equal values in all channels. With 2, the label is 0 if the bright quarter is in the upper half, else 1; it does
// not change if the picture is mirrored. With grey, the label is the brightness of the entire picture, which a network
// that averages over all positions can recognise.
func cifar(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: cifar NAME COUNT SEED [2|grey]")
	}
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	seed, err := strconv.Atoi(args[2])
	ts.Check(err)
	kind := ""
	if len(args) == 4 {
		kind = args[3]
	}
	shows := inQuarter
	if kind == "grey" {
		shows = inGrey
	}
	pixels, labels := standIn(count, 32, uint64(seed), shows)
	var out []byte
	for i, label := range labels {
		if kind == "2" {
			label /= 2
		}
		out = append(out, label)
		for range 3 {
			out = append(out, pixels[1024*i:][:1024]...)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out, 0o666))
}

// inQuarter returns the level of a pixel if the class is the number of the bright quarter.
func inQuarter(class, x, y, side int) float64 {
	if y/(side/2)*2+x/(side/2) == class {
		return 150
	}
	return 100
}

// inGrey returns the level of a pixel if the class is the brightness of the picture.
func inGrey(class, _, _, _ int) float64 { return 60 + 40*float64(class) }

// standIn returns random pictures in which the level of each pixel shows the class, and their labels, a tenth of which
// are random.
func standIn(count, side int, seed uint64, shows func(class, x, y, side int) float64) (pixels, labels []byte) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range count {
		class := r.IntN(4)
		for y := range side {
			for x := range side {
				level := shows(class, x, y, side)
				pixels = append(pixels, byte(min(max(level+40*r.NormFloat64(), 0), 255)))
			}
		}
		if r.IntN(10) == 0 {
			class = r.IntN(4)
		}
		labels = append(labels, byte(class))
	}
	return pixels, labels
}

// idx returns bytes in the format of MNIST, compressed.
func idx(values []byte, shape ...int) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write([]byte{0, 0, 8, byte(len(shape))})
	for _, n := range shape {
		binary.Write(w, binary.BigEndian, uint32(n))
	}
	w.Write(values)
	w.Close()
	return out.Bytes()
}

// Data that do not fit a network give one message with a position, exit code 1, and no run directory.
func TestHostileNetworkData(t *testing.T) {
	const model = `data image[N, 8, 8] from "images.gz"
data label[N]: index(0..3) from "labels.gz"
classify(x[8, 8]) = x -> flatten -> dense(32) -> relu -> dense(4)
label[i in N] ~ Categorical(logits = classify(image[i] / 255))
classify.weights ~ Normal(0, 1)
infer renhd(batch = 32)
`
	const rows = 60
	pixels, labels := standIn(rows, 8, 1, inQuarter)
	good := map[string][]byte{"images.gz": idx(pixels, rows, 8, 8), "labels.gz": idx(labels, rows)}
	wrongLabels := slices.Clone(labels)
	wrongLabels[7] = 9
	reals := make([]float64, len(pixels))
	reals[70] = math.NaN()
	for name, c := range map[string]struct {
		file     string // that is replaced
		bytes    []byte
		old, new string // in the model
		want     string
	}{
		"label out of range": {"labels.gz", idx(wrongLabels, rows), "", "",
			"model.ppl:2:6: error[E56]: value 9 of `label` (row 8, labels.gz) is not in index(0..3)"},
		"image of another size": {"images.gz", idx(pixels[:49*rows], rows, 7, 7), "", "",
			"model.ppl:1:6: error[E47]: axis 8 of `image` has 8 elements, but 7 in images.gz"},
		"fewer images than labels": {"images.gz", idx(pixels[:64*50], 50, 8, 8), "", "",
			"model.ppl:2:6: error[E47]: size N is 50 in `image` (images.gz) and 60 in `label` (labels.gz)"},
		"truncated file": {"images.gz", good["images.gz"][:len(good["images.gz"])-500], "", "",
			"model.ppl:1:6: error[E83]: images.gz: the file is cut off"},
		"shorter than it says": {"images.gz", idx(pixels[:100], rows, 8, 8), "", "",
			"model.ppl:1:6: error[E83]: images.gz: "},
		"not a number": {"images.npy", npy(reals, rows, 8, 8), "images.gz", "images.npy",
			"model.ppl:1:6: error[W05]: `image` has missing values in images.npy (1; the first: element 2, 1, 7); " +
				"declared without `missing`"},
		"batch beyond the data": {"", nil, "batch = 32", "batch = 100",
			"model.ppl:6:7: error: batch = 100, but the data have 60 rows"},
		"layers that do not compose": {"", nil, "flatten -> dense(32)", "lstm(5) -> dense(32)",
			"model.ppl:3:37: error[E94]: `dense` needs an input with axes [D], but here its shape is [8, 5]"},
		"fewer classes than labels": {"", nil, "dense(4)", "dense(3)",
			"model.ppl:4:1: error[E40]: `logits` has an axis 1..3, but `label` has the 4 values 0..3"},
		"a row of a picture": {"", nil, "classify(image[i] / 255)", "classify(image[i, 1] / 255)",
			"model.ppl:4:47: error[E42]: `x` of `classify` has 2 axes, but the argument has axes [8]"},
		"a family by a parameter": {"", nil, "classify(x[8, 8]) = x -> flatten -> dense(32) -> relu -> dense(4)\n" +
			"label[i in N] ~ Categorical(logits = classify(image[i] / 255))\n",
			"k ~ Categorical([0.5, 0.5])\n" +
				"classify[g in 1..2](x[8, 8]) = x -> flatten -> dense(32) -> relu -> dense(4)\n" +
				"label[i in N] ~ Categorical(logits = classify[k](image[i] / 255))\n",
			"model.ppl:5:47: error[E48]: the index of a function must depend on data only; `k` " +
				"depends on a parameter"},
		"a file that is not there": {"", nil, "images.gz", "train-images-idx4-ubyte.gz",
			"model.ppl:1:6: error[E83]: cannot read data"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			write := func(file string, bytes []byte) {
				if err := os.WriteFile(file, bytes, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for file, bytes := range good {
				write(file, bytes)
			}
			if c.file != "" {
				write(c.file, c.bytes)
			}
			write("model.ppl", []byte(strings.Replace(model, c.old, c.new, 1)))
			var out, errs bytes.Buffer
			code := run(t.Context(), []string{"sample", "model.ppl", "--quiet"}, terminal.Plain(&out, &errs))
			if code != terminal.CodeWrong || !strings.Contains(errs.String(), c.want) ||
				strings.Count(errs.String(), "error") != 1 || out.Len() > 0 {
				t.Errorf("exit code %d\n%s%s\nwant %s", code, &errs, &out, c.want)
			}
			if _, err := os.Stat("model.run"); err == nil {
				t.Error("a run directory was made")
			}
		})
	}
}

// npy returns numbers in the format of NumPy.
func npy(values []float64, shape ...int) []byte {
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d, %d), }", shape[0], shape[1],
		shape[2])
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	var out bytes.Buffer
	out.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&out, binary.LittleEndian, uint16(len(header)))
	out.WriteString(header)
	binary.Write(&out, binary.LittleEndian, values)
	return out.Bytes()
}

// The files of Fashion-MNIST are found in the directory of Debian's package. If it is not installed, the message says
// how to get them.
func TestPackagedData(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "data label[N]: index(0..9) from \"t10k-labels-idx1-ubyte.gz\"\np[0..9] ~ Dirichlet([k in 0..9: 1])\n" +
		"label[i in N] ~ Categorical(p)\n"
	if err := os.WriteFile("model.ppl", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"sample", "model.ppl", "--draws", "1", "--warmup", "0", "--chains", "1"},
		terminal.Plain(&out, &errs))
	want, said := terminal.CodeWrong, "apt-get install dataset-fashion-mnist"
	if rundir.Exists("/usr/share/datasets/fashion-mnist/t10k-labels-idx1-ubyte.gz") {
		want, said = 0, "of Fashion-MNIST is read instead"
	}
	if code != want || !strings.Contains(errs.String(), said) {
		t.Errorf("exit code %d, want %d\n%s", code, want, &errs)
	}
}
