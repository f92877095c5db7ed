package terminal

import (
	"encoding/json"
	"math"
	"testing"
)

// JSON has no infinite numbers, but log densities can be infinite.
func TestNumberJSON(t *testing.T) {
	got, err := json.Marshal([]Number{-1.5, Number(math.Inf(-1)), Number(math.Inf(1)), Number(math.NaN())})
	if want := `[-1.5,"-inf","inf","nan"]`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}
