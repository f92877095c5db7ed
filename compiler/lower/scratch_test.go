package lower_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	ad "ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/lower"
	"ppl/runtime/device"
)

func TestScratchExamples(t *testing.T) {
	a, _ := filepath.Glob("../../examples/*.ppl")
	b, _ := filepath.Glob("../../examples/posteriordb/*.ppl")
	for _, f := range append(a, b...) {
		var args []compiler.DataArg
		name := strings.TrimSuffix(filepath.Base(f), ".ppl")
		if strings.Contains(f, "posteriordb") {
			args = []compiler.DataArg{{Path: "../../../shared/posteriordb/data/" + name[:strings.Index(name, "-")] + ".json"}}
		}
		p, ds := compiler.Load(f, args)
		if p == nil {
			t.Log(f, ds)
			continue
		}
		t.Run(name, func(t *testing.T) {
			d := density{name, p.Dim(), func(g *ad.Graph, theta ad.Node) ad.Node { x, y := p.Density(theta); return ad.Add(x, y) }}
			e := leapfrog(d)
			start := time.Now()
			prog := program(t, e)
			took := time.Since(start)
			t.Log("dim", d.dim, "nodes", len(e.Assign[0].Value.Graph().Nodes()), "lower", took)
			report(t, prog)
			if name == "fishing" {
				t.Log(prog.String())
			}
			r := source(9)
			st := map[string][]float64{"q": normals(r, d.dim), "v": normals(r, d.dim), "grad": normals(r, d.dim), "eps": {0.001}}
			checkSteps(t, e, st, 2)
			g := ad.New()
			q := g.Input("q", d.dim)
			vals := program(t, lower.Entry{Name: "values", Assign: []lower.Assign{{Name: "v", Value: p.Values(q)}}})
			report(t, vals)
			x := load(t, prog, 8)
			best := time.Hour
			for range 5 {
				start = time.Now()
				x.Run([]device.Call{{Entry: "leapfrog", Times: 20}}, 0, nil)
				best = min(best, time.Since(start)/20)
			}
			t.Log("host step of 8 lanes:", best)
		})
	}
}
