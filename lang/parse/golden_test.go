package parse_test

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"ppl/lang/parse"
	"ppl/lang/source"
)

var update = flag.Bool("update", false, "rewrite the expected diagnostics")

// Each archive has a model and its diagnostics as printed.
func TestDiagnostics(t *testing.T) {
	for _, path := range glob(t, "testdata/diagnostics/*.txtar") {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, ds := parse.File(source.New("model.ppl", string(archive.Files[0].Data)))
		got := render(ds)
		if *update {
			archive.Files = []txtar.File{archive.Files[0], {Name: "diagnostics", Data: []byte(got)}}
			if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if d := cmp.Diff(string(archive.Files[1].Data), got); d != "" {
			t.Errorf("%s (-want +got, -update rewrites):\n%s", path, d)
		}
	}
}
