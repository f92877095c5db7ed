package plot

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ppl/lang/types"
	"ppl/posterior/quantities"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

// testRun returns a run with a scalar, a vector with labels, replicates of real and 0/1 data, and a ladder.
func testRun(t *testing.T) *store.Run {
	t.Helper()
	const rows, n = 30, 120
	dir := filepath.Join(t.TempDir(), "m.run")
	vector := func(name string, whole bool) types.Variable {
		return types.Variable{Name: name, Shape: []int{rows}, Dims: []string{"N"}, Int: whole}
	}
	r := rand.New(rand.NewPCG(1, 2))
	var y, z, group []float64
	for i := range rows {
		y, z, group = append(y, r.NormFloat64()), append(z, float64(r.IntN(2))), append(group, float64(i%3+1))
	}
	layout := store.Layout{Chains: 4,
		Posterior: []types.Variable{{Name: "mu"}, {Name: "a", Shape: []int{3}, Dims: []string{"J"},
			Label: [][]string{{"north", "south", "east"}}}},
		LogLikelihood: []types.Variable{vector("y", false)},
		SampleStats:   []types.Variable{{Name: "lp"}, {Name: "diverging", Bool: true}, {Name: "energy"}},
		Observed: []store.Observed{{Variable: vector("y", false), Values: y},
			{Variable: vector("z", true), Values: z}},
		Constant: []store.Observed{{Variable: vector("group", true), Values: group}}}
	w, err := store.Create(files.Disk{}, dir, layout, store.Options{Model: "m.ppl", Sampler: "renhd"})
	must(t, err)
	for chain := range 4 {
		for d := range n {
			mu := .2 * r.NormFloat64()
			values := []float64{mu, mu + 1, mu + r.NormFloat64(), -mu}
			for _, v := range y {
				values = append(values, -(v-mu)*(v-mu)/2)
			}
			diverging := 0.
			if d == 7 {
				diverging = 1
			}
			must(t, w.Append(chain, values, []float64{0, diverging, r.NormFloat64()}))
		}
	}
	w.Report(store.SamplerReport{Exchange: store.Exchange{Temperatures: []float64{1, 2, math.Inf(1)},
		SwapRates: []float64{.5, .3}, Rungs: store.Rungs{Upward: []float64{1, .4, 0}}}})
	must(t, w.Close(store.Finished, nil))
	w, err = store.Extend(files.Disk{}, dir,
		store.Replicates{Variables: []types.Variable{vector("y", false), vector("z", true)}})
	must(t, err)
	for chain := range 4 {
		for range n {
			var values []float64
			for range rows {
				values = append(values, r.NormFloat64())
			}
			for range rows {
				values = append(values, float64(r.IntN(2)))
			}
			must(t, w.Append(chain, values, nil))
		}
	}
	must(t, w.Close(store.Finished, nil))
	run, err := store.Open(dir)
	must(t, err)
	return run
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// priorOfTest returns a run with draws of the prior of the same model.
func priorOfTest(t *testing.T) *store.Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "m.prior")
	w, err := store.Create(files.Disk{}, dir,
		store.Layout{Chains: 1, Prior: []types.Variable{{Name: "mu"}}}, store.Options{})
	must(t, err)
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		must(t, w.Append(0, []float64{3 * r.NormFloat64()}, nil))
	}
	must(t, w.Close(store.Finished, nil))
	run, err := store.Open(dir)
	must(t, err)
	return run
}

// TestKinds draws every kind of plot in every format, and checks that lines in a terminal fit its width.
func TestKinds(t *testing.T) {
	run, prior := testRun(t), priorOfTest(t)
	for _, k := range Kinds() {
		o := Options{Prior: prior}
		if k.Name == "ppc-group" {
			o.Names = []string{"y", "group"}
		}
		p, err := Draw(run, k.Name, o)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		for format, head := range map[string]string{"png": "\x89PNG", "svg": "<?xml", "pdf": "%PDF"} {
			var b bytes.Buffer
			must(t, Write(&b, p, format, Size{}))
			if !strings.HasPrefix(b.String(), head) || b.Len() < 2000 {
				t.Errorf("%s: %d bytes that begin with %q", k.Name, b.Len(), b.String()[:min(5, b.Len())])
			}
		}
		for _, width := range []int{80, 140} {
			var b bytes.Buffer
			must(t, Text(&b, p, width, false))
			for line := range strings.Lines(b.String()) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("%s: a line of %d in %d columns: %s", k.Name, n, width, line)
				}
			}
			if !strings.ContainsFunc(b.String(), func(r rune) bool { return r > 0x2800 && r <= 0x28ff }) {
				t.Errorf("%s: nothing is drawn:\n%s", k.Name, b.String())
			}
		}
	}
}

// TestRefusals checks that requests that cannot be drawn are Unusable errors that name what is available.
func TestRefusals(t *testing.T) {
	run := testRun(t)
	for _, c := range []struct {
		kind  string
		names []string
		want  string
	}{
		{"tracee", nil, "did you mean trace?"},
		{"trace", []string{"nu"}, "has no `nu`; did you mean `mu`?"},
		{"trace", []string{"a[north ]", "a[nort]"}, "has no `a[nort]`; did you mean `a[north]`?"},
		{"pairs", []string{"mu"}, "two quantities"},
		{"ppc-group", nil, "name the predictor that groups the rows"},
		{"ppc-group", []string{"y", "mu"}, "available: group"},
		{"prior", nil, "draws from the prior are needed"},
	} {
		_, err := Draw(run, c.kind, Options{Names: c.names})
		if !errors.As(err, new(quantities.Unusable)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %q", c.kind, c.names, err, c.want)
		}
	}
}

// TestDots compares a diagonal line with text written by hand: two columns and two rows of characters.
func TestDots(t *testing.T) {
	d := newDots(4, 2, [2]float64{0, 1}, [2]float64{0, 1})
	d.draw(Line{X: []float64{0, 1}, Y: []float64{0, 1}})
	if got, want := strings.Join(d.rows(false), "\n"), "  ⡠⠊\n⡠⠊  "; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestTicks checks that ticks are round numbers in the range.
func TestTicks(t *testing.T) {
	var labels []string
	for _, tick := range (Axis{}).ticks(-.13, .92, 6) {
		labels = append(labels, tick.Label)
	}
	if got := strings.Join(labels, " "); got != "0 0.5" && got != "0 0.2 0.4 0.6 0.8" {
		t.Errorf("ticks %s", got)
	}
}

// TestPairsShareAxes checks that panels in a column have the same horizontal axis at the same position, including the
// histogram on the diagonal, and that scatter plots in a row have the same vertical axis.
func TestPairsShareAxes(t *testing.T) {
	p, err := Draw(testRun(t), "pairs", Options{})
	must(t, err)
	columns := map[string]Frame{}
	frames := Frames(p)
	if len(frames) != 10 {
		t.Fatalf("%d panels of 4 quantities", len(frames))
	}
	next := 0
	for i := range 4 {
		row := frames[next]
		for j := range i + 1 {
			f := frames[next]
			next++
			column := string(rune('a' + j))
			if first, ok := columns[column]; !ok {
				columns[column] = f
			} else if f.X != first.X || math.Abs(f.Left-first.Left) > 1e-9 || math.Abs(f.Width-first.Width) > 1e-9 {
				t.Errorf("row %d, column %d: %v; above it %v", i, j, f, first)
			}
			if j < i && (f.Y != row.Y || math.Abs(f.Top-row.Top) > 1e-9 || math.Abs(f.Height-row.Height) > 1e-9) {
				t.Errorf("row %d, column %d: %v; left of it %v", i, j, f, row)
			}
		}
	}
}

// TestPredictiveOfCounts checks that counts are shown by frequencies in bins, however many values there are, and that
// the axis of positive values begins at 0.
func TestPredictiveOfCounts(t *testing.T) {
	x := replicates{types.Variable{Name: "y", Int: true}, []float64{0, 0, 3, 7, 102},
		[][]float64{{0, 1, 2, 7, 90}, {0, 0, 5, 8, 200}}}
	panel := x.frequencies()
	bars := panel.Layers[0].(Bars)
	if bars.Edges[0] != -.5 || bars.Edges[1] != 2.5 || bars.Heights[0] != .4 || bars.Heights[1] != .2 ||
		bars.Heights[len(bars.Heights)-1] != .2 {
		t.Errorf("edges %v, heights %v", bars.Edges, bars.Heights)
	}
	if middle := panel.Layers[2].(Points); middle.Y[0] != .5 { // the replicates have .6 and .4
		t.Errorf("median share of the first bin %v", middle.Y[0])
	}
	positive := replicates{types.Variable{Name: "y"}, []float64{1.5, 2, 9}, [][]float64{{1, 2, 3}}}
	if from, to := positive.window(); from != 0 || to != 12.75 {
		t.Errorf("positive values have the axis %v to %v", from, to)
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]Size{"16x10cm": {16, 10}, "16x10": {16, 10}, "2x4in": {5.08, 10.16}} {
		got, err := ParseSize(text)
		if err != nil || math.Abs(got.Width-want.Width)+math.Abs(got.Height-want.Height) > 1e-9 {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "16", "16x", "x10", "0x3", "1e9x2", "nanx3", "16x10mm"} {
		if s, err := ParseSize(text); err == nil {
			t.Errorf("%q is the size %v", text, s)
		}
	}
}

// TestPartsOfLongRuns checks that a plot of a long run uses only some draws, and that a note reports it.
func TestPartsOfLongRuns(t *testing.T) {
	r := testRun(t)
	total := r.Layout.Chains * r.Info.Draws
	some, note := within(r, total/2)
	if want := "One of every 2 draws of each chain is shown."; note != want || some.Info.Draws != r.Info.Draws/2 {
		t.Errorf("%q, %d of %d draws", note, some.Info.Draws, r.Info.Draws)
	}
	if same, note := within(r, total); same != r || note != "" {
		t.Errorf("all draws fit, and %q is said", note)
	}
	for _, k := range Kinds() {
		if same, note := k.part(r); same != r || note != "" {
			t.Errorf("%s: of a short run %q is said", k.Name, note)
		}
	}
}

// TestConstants checks that elements that are the same in every draw, such as the reference level of a factor, are
// drawn only if their variable is named.
func TestConstants(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m.run")
	layout := store.Layout{Chains: 1, Posterior: []types.Variable{{Name: "b", Shape: []int{2}, Dims: []string{"F"}}},
		SampleStats: []types.Variable{{Name: "lp"}}}
	w, err := store.Create(files.Disk{}, dir, layout, store.Options{Model: "m.ppl", Sampler: "nuts"})
	must(t, err)
	for d := range 20 {
		must(t, w.Append(0, []float64{0, float64(d % 7)}, []float64{0}))
	}
	must(t, w.Close(store.Finished, nil))
	run, err := store.Open(dir)
	must(t, err)
	for _, c := range []struct {
		names []string
		want  string
	}{{nil, "b[2]"}, {[]string{"b"}, "b[1] b[2]"}} {
		qs, notes, err := seriesOf(run, Options{Names: c.names}, 12)
		must(t, err)
		var names []string
		for _, q := range qs {
			names = append(names, q.name)
		}
		if got := strings.Join(names, " "); got != c.want || len(notes) > 0 {
			t.Errorf("of %v %s are drawn, want %s; notes %v", c.names, got, c.want, notes)
		}
	}
}
