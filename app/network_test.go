package app

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/runtime/sys/objects/objectstest"
)

const sales = `level[S] ~ Normal(0, 1)
trend ~ Normal(0, 1)
price[i in N] ~ Normal(level[shop[i]] + trend * (year[i] - 2024), 1)
`

// salesStore has a table in three files, under keys as a store has them and in a folder.
func salesStore(t *testing.T) (s *objectstest.Store, folder string) {
	s, folder = objectstest.New(t), t.TempDir()
	for key, text := range map[string]string{
		"sales/year=2024/part-2.csv": "price,shop\n0.3,voss\n", "sales/year=2024/part-10.csv": "shop,price\noslo,-0.2\n",
		"sales/year=2025/part-1.csv": "price,shop\n0.9,bergen\n1.1,oslo\n", "sales/_SUCCESS": "",
	} {
		s.Put(key, text)
		path := filepath.Join(folder, key)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"} {
		t.Setenv(name, s.Environment(name))
	}
	return s, folder
}

// digests are those of a model with data.
func digests(t *testing.T, s Source) rundir.Digests {
	t.Helper()
	p, err := LoadInMemory(s, notes.None{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := rundir.DigestsOf(p)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDataOfAStore: a model has the same data from a store, also of one that fails now and then, as from a folder.
func TestDataOfAStore(t *testing.T) {
	s, folder := salesStore(t)
	model := "data price[N], shop[N]: index(S), year[N]\n" + sales
	want := digests(t, Source{Model: "sales.ppl", Text: model, Data: []string{folder + "/sales"}})
	s.Fault = func(number int, w http.ResponseWriter, _ *http.Request) bool {
		if number%3 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return number%3 == 0
	}
	for _, url := range []string{"s3://bucket/sales", "s3://bucket/sales/**/*.csv"} {
		data := []string{url}
		got := digests(t, Source{Model: "sales.ppl", Text: model, Data: data, Network: Network{Named: data}})
		if got != want {
			t.Errorf("%s: other data", url)
		}
	}
	if _, _, refused := s.Seen(); len(refused) > 0 {
		t.Error(refused)
	}
	s.Put("sales/year=2026/part-1.csv", "price,shop\n0.9,bergen\n")
	data := []string{"s3://bucket/sales"}
	if digests(t, Source{Model: "sales.ppl", Text: model, Data: data, Network: Network{Named: data}}) == want {
		t.Error("a file that was added is not noticed")
	}
}

// TestNetworkIsAskedFor: what a model names, or a run, is not asked for unless the user allows it; what a user names
// allows nothing else.
func TestNetworkIsAskedFor(t *testing.T) {
	s, folder := salesStore(t)
	model := "data price[N], shop[N]: index(S), year[N] from \"s3://bucket/sales/**\"\n" + sales
	elsewhere := []string{"s3://bucket/other/*.csv"}
	for _, n := range []Network{{}, {Named: elsewhere}, {Named: []string{"price=" + folder + "/sales"}}} {
		_, err := LoadInMemory(Source{Model: "sales.ppl", Text: model, Network: n}, notes.None{})
		if err == nil || !strings.Contains(err.Error(), "allow-network") {
			t.Errorf("%v: %v", n, err)
		}
	}
	named := "data price[N], shop[N]: index(S), year[N]\n" + sales // as a run directory names data
	if _, err := LoadInMemory(Source{Model: "sales.ppl", Text: named, Data: []string{"s3://bucket/sales"}},
		notes.None{}); err == nil {
		t.Error("data of a run are asked for")
	}
	if n, _, _ := s.Seen(); n != 0 {
		t.Errorf("%d requests without leave", n)
	}
	want := digests(t, Source{Model: "sales.ppl", Text: named, Data: []string{folder + "/sales"}})
	if digests(t, Source{Model: "sales.ppl", Text: model, Network: Network{All: true}}) != want {
		t.Error("what a model names is other data")
	}
}
