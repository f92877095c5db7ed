package app_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/app"
	"ppl/app/notes"
	"ppl/runtime/sys/objects/objectstest"
)

// A table in an object store gives the same draws as the table on this machine: as one file, as many files, and if some
// requests fail.
func TestDataOfObjectStore(t *testing.T) {
	var rows []string
	for i := range 40 {
		rows = append(rows, fmt.Sprintf("%d,%g", i%7, 1+0.5*float64(i%7)+0.1*float64(i%3)))
	}
	const head = "x,y\n"
	whole := head + strings.Join(rows, "\n") + "\n"
	here := filepath.Join(t.TempDir(), "d.csv")
	if err := os.WriteFile(here, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	store := objectstest.New(t)
	store.Put("one/d.csv", whole)
	store.Put("many/d-9.csv", head+strings.Join(rows[:15], "\n")+"\n")
	store.Put("many/d-10.csv", head+strings.Join(rows[15:], "\n")+"\n")
	store.Fault = func(number int, w http.ResponseWriter, _ *http.Request) bool {
		if number%3 == 2 {
			http.Error(w, "slow down", http.StatusServiceUnavailable)
		}
		return number%3 == 2
	}
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"} {
		t.Setenv(name, store.Environment(name))
	}
	want := slopes(t, here)
	for _, data := range []string{"s3://bucket/one/d.csv", "s3://bucket/many/*.csv", "s3://bucket/many"} {
		if got := slopes(t, data); !slices.Equal(got, want) {
			t.Errorf("%s has other draws than the file here", data)
		}
	}
	if _, _, refused := store.Seen(); len(refused) > 0 {
		t.Errorf("signatures were refused: %v", refused)
	}
}

// slopes returns the draws of a slope.
func slopes(t *testing.T, data string) (all []float64) {
	t.Helper()
	r := app.NewRequest("m.ppl")
	r.Text = "data x[N], y[N]\na ~ Normal(0, 5)\nb ~ Normal(0, 5)\ns ~ HalfNormal(1)\n" +
		"y[i in N] ~ Normal(a + b * x[i], s)\n"
	r.Data, r.Network, r.Seed, r.Draws, r.Warmup = []string{data}, app.Network{Named: []string{data}}, 1, 50, 100
	r.Device = "host"
	run, err := app.Sample(context.Background(), r, notes.None{})
	if err != nil {
		t.Fatal(err)
	}
	chains, err := run.Draws("b")
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(chains...)
}

// URLs that a model names are read only if the user allows that; otherwise no request is made.
func TestNetworkIsAskedFor(t *testing.T) {
	store := objectstest.New(t)
	store.Open = true
	store.Put("d.csv", "y\n1\n2\n3\n")
	url := store.URL + "/" + objectstest.Bucket + "/d.csv"
	r := app.NewRequest("m.ppl")
	r.Text = "data y[N] from \"" + url + "\"\na ~ Normal(0, 5)\ny[i in N] ~ Normal(a, 1)\n"
	r.Seed, r.Draws, r.Warmup, r.Device = 1, 20, 50, "host"
	if _, err := app.Sample(context.Background(), r, notes.None{}); err == nil ||
		!strings.Contains(fmt.Sprint(err), "--allow-network") {
		t.Errorf("got %v, want a word on --allow-network", err)
	}
	if requests, _, _ := store.Seen(); requests > 0 {
		t.Errorf("%d requests were made", requests)
	}
	r.Network.All = true
	if _, err := app.Sample(context.Background(), r, notes.None{}); err != nil {
		t.Error(err)
	}
}
