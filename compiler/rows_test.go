package compiler

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/lang/diag"
)

func TestRowsX(t *testing.T) {
	for _, g := range []string{"../examples/*.ppl", "../../shared/models/*.ppl"} {
		files, _ := filepath.Glob(g)
		for _, f := range files {
			m, ds := Check(f)
			if m == nil {
				fmt.Fprintln(os.Stderr, filepath.Base(f), "DOES NOT CHECK", ds[0].Code)
				continue
			}
			_ = diag.HasErrors(ds)
			var out []string
			for _, s := range m.RowSets {
				out = append(out, fmt.Sprintf("%s(%d/%d)", s.Name(), len(s.Terms), len(m.Terms)))
			}
			for _, c := range m.Couplings {
				out = append(out, "\n      "+c.Code+" "+c.Text)
			}
			fmt.Fprintln(os.Stderr, filepath.Base(f), strings.Join(out, " "))
		}
	}
}
