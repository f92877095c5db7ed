package store

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestArviZReadsARun has ArviZ and xarray read a run. It passed with arviz 0.23.4 on xarray 2026.9 with zarr 3.1, and
// on xarray 2025.6 with zarr 2.18.
func TestArviZReadsARun(t *testing.T) {
	python := os.Getenv("PPL_PYTHON")
	if testing.Short() || os.Getenv("PPL_SLOW") == "" || python == "" {
		t.Skip("slow: set PPL_SLOW=1, and PPL_PYTHON to a Python with arviz, zarr and xarray")
	}
	dir, l := filepath.Join(t.TempDir(), "m.run"), testLayout()
	w := create(t, dir, l, Options{Model: "m.ppl", Version: "0.1"})
	for chain := range l.Chains {
		appendDraws(t, w, l, chain, 0, 703-100*chain) // 503 can be read: a chunk and a piece
	}
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	replicated(t, dir, l, 0)
	command := exec.Command(python, "testdata/read.py", dir)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	wantArviZ(t, open(t, dir), text)
}

func sumOf(t *testing.T, read func(string) ([][]float64, error), name string) (sum float64) {
	chains, err := read(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range slices.Concat(chains...) {
		sum += x
	}
	return sum
}

type found struct {
	Dims  []string
	Kind  string
	Shape []int
	Sum   float64
	Last  string
}

func wantArviZ(t *testing.T, r *Run, text []byte) {
	var got struct {
		Groups      map[string]map[string]found
		Library     string `json:"inference_library"`
		SummaryRows int    `json:"summary_rows"`
		Diverging   int
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]found{
		"mu":     {[]string{"chain", "draw"}, "f", []int{3, 503}, 0, ""},
		"theta":  {[]string{"chain", "draw", "school"}, "f", []int{3, 503, 4}, 0, ""},
		"beta":   {[]string{"chain", "draw", "K", "P"}, "f", []int{3, 503, 2, 3}, 0, ""},
		"S":      {[]string{"chain", "draw", "K", "S_dim_1"}, "f", []int{3, 503, 2, 2}, 0, ""},
		"draw_":  {[]string{"chain", "draw", "draw_dim_0"}, "f", []int{3, 503, 1}, 0, ""},
		"none":   {[]string{"chain", "draw", "E"}, "f", []int{3, 503, 0}, 0, ""},
		"z":      {[]string{"chain", "draw", "K"}, "i", []int{3, 503, 2}, 0, ""},
		"chain":  {[]string{"chain"}, "i", []int{3}, 3, "2"},
		"draw":   {[]string{"draw"}, "i", []int{503}, 502 * 503 / 2, "502"},
		"school": {[]string{"school"}, "U", []int{4}, 0, "X"},
	}
	posterior := got.Groups["posterior"]
	for name, w := range want {
		g := posterior[name]
		if w.Last == "" {
			w.Sum, w.Last = sum(t, r, name), g.Last
		}
		if d := cmp.Diff(w, g); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if y := got.Groups["posterior_predictive"]["y"]; !slices.Equal(y.Dims, []string{"chain", "draw", "y_dim_0"}) ||
		!slices.Equal(y.Shape, []int{3, 503, 3}) ||
		y.Sum != sumOf(t, r.Predictive, "y") {
		t.Errorf("posterior_predictive: %+v", y)
	}
	stats := got.Groups["sample_stats"]
	if stats["diverging"].Kind != "b" || stats["n_steps"].Kind != "i" || got.Diverging != 3*251 {
		t.Errorf("sample_stats: %+v, %d divergences", stats, got.Diverging)
	}
	if y := got.Groups["observed_data"]["y"]; y.Sum != -.5 || y.Last != "-2.0" {
		t.Errorf("y: %+v", y)
	}
	if got.Library != "ppl" || got.SummaryRows != 5 {
		t.Errorf("library %q, %d rows of summary", got.Library, got.SummaryRows)
	}
}

func sum(t *testing.T, r *Run, array string) float64 {
	for _, v := range r.Layout.Posterior {
		if ArrayName(v.Name) == array {
			return sumOf(t, r.Draws, v.Name)
		}
	}
	return 0
}
