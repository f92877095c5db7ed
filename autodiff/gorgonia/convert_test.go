package gorgonia

import (
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"

	"ppl/autodiff"
)

// Inputs and outputs keep their names, also if one node is an input and an output, or two outputs.
func TestNames(t *testing.T) {
	g := autodiff.New()
	x := g.Input("x", 2)
	y := autodiff.Add(x, g.Const(1))
	c, err := Convert(Output{"same", x}, Output{"more", y}, Output{"again", y}, Output{"none", g.Full(3, 0)},
		Output{"total", autodiff.SumAll(y)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Run(map[string][]float64{"x": {1, 2}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string][]float64{"same": {1, 2}, "more": {2, 3}, "again": {2, 3}, "none": {}, "total": {5}}
	for name, want := range wanted {
		if !slices.Equal(got[name], want) {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	for _, name := range []string{"x", "same", "more", "again", "total"} {
		if found := c.Expr.ByName(name); len(found) != 1 {
			t.Errorf("%d nodes named %s", len(found), name)
		}
	}
	if again, err := c.Run(map[string][]float64{"x": {3, 5}}, nil); err != nil || again["total"][0] != 10 {
		t.Errorf("the second run gives %v, %v", again["total"], err)
	}
}

func TestNameIsTaken(t *testing.T) {
	g := autodiff.New()
	for _, outputs := range [][]Output{{{"x", g.Input("x")}}, {{"y", g.Const(1)}, {"y", g.Const(2)}},
		{{"y", autodiff.Exp(g.Input("x"))}, {"z", autodiff.Exp(autodiff.New().Input("x", 2))}}} {
		if _, err := Convert(outputs...); err == nil {
			t.Errorf("%v: converted", outputs)
		}
	}
}

// Gorgonia finds equal nodes by a 32-bit hash. Among 150,000 nodes some collide, and must not be merged.
func TestHashCollisionsDoNotMerge(t *testing.T) {
	source, g := autodiff.New(), &Graph{Expr: G.NewGraph()}
	seen, collisions := map[uint32]bool{}, 0
	for i := range 150_000 {
		n, err := g.node(source.Full(1, i%500+1, i/500+1), nil)
		if err != nil || n.ID() != int64(i) {
			t.Fatalf("array %d is node %d: %v", i, n.ID(), err)
		}
		if h := n.Hashcode(); seen[h] {
			collisions++
		} else {
			seen[h] = true
		}
	}
	if collisions == 0 {
		t.Error("no collision: this test proves nothing")
	}
}

// If Gorgonia merges two different nodes, Convert returns an error.
func TestMergedNodeIsRefused(t *testing.T) {
	source, g := autodiff.New(), &Graph{Expr: G.NewGraph()}
	o, err := g.op(source.Full(1, 3))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = g.apply(o); err != nil {
		t.Fatal(err)
	}
	if _, err = g.apply(o); err == nil || !strings.Contains(err.Error(), "merged") {
		t.Errorf("error %v", err)
	}
}

// counted supplies noise whose values identify the request.
type counted struct{}

func (counted) Noise(_ string, site int, dst []float64) {
	for i := range dst {
		dst[i] = float64(10*site + i)
	}
}

func (counted) Addressed(site int, lane, step, point float64) float64 { return 0 }

func (counted) Shuffle(rows int, key, position float64) float64 {
	return float64(rows)*100 + key*10 + position
}

func TestRandom(t *testing.T) {
	g := autodiff.New()
	c, err := Convert(Output{"noise", g.Normal(3, 2)}, Output{"rows", g.Shuffle(5, g.Const(1), g.Iota(2))})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(nil, nil); err == nil {
		t.Error("noise has a value without a seed")
	}
	got, err := c.Run(nil, counted{})
	if err != nil || !slices.Equal(got["noise"], []float64{30, 31}) || !slices.Equal(got["rows"], []float64{510, 511}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestWriteDot(t *testing.T) {
	g := autodiff.New()
	x := g.Input("x", 2)
	c, err := Convert(Output{"total", autodiff.SumAll(autodiff.Mul(x, x))})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := c.WriteDot(&got); err != nil {
		t.Fatal(err)
	}
	want := `digraph {
	rankdir=BT
	node [shape=box]
	n0 [label="x\n[2]", style=filled, fillcolor=lightyellow]
	n1 [label="mul\n[2]"]
	n0 -> n1 [headlabel=0]
	n0 -> n1 [headlabel=1]
	n2 [label="sum axes=[0]\n[]"]
	n1 -> n2
	n3 [label="total\n[]", style=filled, fillcolor=lightblue]
	n2 -> n3
}
`
	if got.String() != want {
		t.Errorf("got\n%s", got.String())
	}
}
