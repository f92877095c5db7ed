package settings

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/infer"
)

func TestParse(t *testing.T) {
	got, err := Parse(map[string]string{"replicas": "7", "ratio": "1.5", "path": "energy", "noise": "0.25",
		"dynamics": "auto"})
	want := infer.Settings{Replicas: 7, Ratio: 1.5, Path: "energy", Noise: 0.25}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        string
	}{
		{"replica", "7", "did you mean `replicas`"},
		{"colour", "red", "there are accept, batch"},
		{"replicas", "2.5", "a whole number from 1 to 64"},
		{"replicas", "0", "a whole number from 1 to 64"},
		{"ratio", "1", "above 1"},
		{"path", "sideways", "likelihood or energy"},
		{"noise", "-1", "0 or more"},
		{"noise", "NaN", "0 or more"},
		{"precision", "16", "64, 32"},
		{"friction", "1e9", "below 1"},
		{"batch", "0", "a whole number from 1 on"},
		{"batch", "-1", "a whole number from 1 on"},
		{"max_energy_error", "1", "from 10 to 1e6"},
	} {
		_, err := Parse(map[string]string{c.name: c.value})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s = %s: error %v, want one that says %q", c.name, c.value, err, c.want)
		}
	}
	_, err := Parse(map[string]string{"ratio": "1.5", "nois": "1"})
	if err == nil || !strings.Contains(err.Error(), "add replicas") || !strings.Contains(err.Error(), "`noise`") {
		t.Errorf("error %v, want both mistakes named", err)
	}
}

// TestBatchAuto checks that batch = auto lets the sampler choose the size of minibatches, and that there are none by
// default.
func TestBatchAuto(t *testing.T) {
	auto, err := Parse(map[string]string{"batch": "auto"})
	if none, _ := Parse(nil); err != nil || auto.Batch != infer.AutoBatch || none.Batch != 0 {
		t.Errorf("batches of %d and %d, error %v", auto.Batch, none.Batch, err)
	}
}

func TestNamesAreSorted(t *testing.T) {
	want := []string{"accept", "batch", "control_variates", "dynamics", "exchange", "exchange_batch", "friction",
		"log_likelihood", "max_depth", "max_energy_error", "metric", "noise", "path", "precision", "ratio", "replicas",
		"step_size", "steps"}
	if d := cmp.Diff(want, Names()); d != "" {
		t.Error(d)
	}
}

// TestDifferences checks that each field of infer.Settings has the name of a setting, and that differences are
// described with old and new values.
func TestDifferences(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[infer.Settings]()) {
		if !slices.Contains(Names(), nameOf(f.Name)) {
			t.Errorf("%s is not the name of a setting", nameOf(f.Name))
		}
	}
	got := Differences(infer.Settings{Replicas: 3, Dynamics: "hmc"}, infer.Settings{StepSize: 0.5, Dynamics: "hmc"})
	want := []string{"replicas is auto, and was 3", "step_size is 0.5, and was auto"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestShown checks that settings are shown by name, that unset ones are "auto", and that those for which keep returns
// false are left out.
func TestShown(t *testing.T) {
	got := Shown(infer.Settings{Accept: 0.8, Dynamics: "hmc"}, func(name string) bool { return name != "max_depth" })
	for name, want := range map[string]any{"accept": 0.8, "dynamics": "hmc", "step_size": "auto", "batch": "all",
		"noise": 0.0} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if len(got) != len(Names())-1 {
		t.Errorf("%d settings of %d: %v", len(got), len(Names()), got)
	}
	if s := Shown(infer.Settings{Batch: infer.AutoBatch}, func(string) bool { return true }); s["batch"] != "auto" {
		t.Errorf("batch is %v", s["batch"])
	}
}
