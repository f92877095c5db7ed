package renhd

import (
	"context"
	"math"
	"testing"
	"time"

	"ppl/infer"
	"ppl/infer/draws"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/stats"
	"ppl/runtime/host"
)

// A memory keeps draws: by chain, draw and element.
type memory struct {
	values, stats [][][]float64
	limit         func(draws int) bool
}

func (m *memory) Begin([]draws.Variable) error { return nil }

func (m *memory) Draw(chain int, values, stats []float64) error {
	for len(m.values) <= chain {
		m.values, m.stats = append(m.values, nil), append(m.stats, nil)
	}
	m.values[chain] = append(m.values[chain], append([]float64(nil), values...))
	m.stats[chain] = append(m.stats[chain], append([]float64(nil), stats...))
	return nil
}

func (m *memory) Progress(infer.Progress) {}

func options(seed uint64) infer.Options {
	o := infer.Defaults()
	o.Device, o.Seed = host.Device{}, seed
	return o
}

// draw samples, and fails the test when that fails.
func draw(t *testing.T, target infer.Target, o infer.Options) (*memory, infer.Report) {
	t.Helper()
	m := new(memory)
	began := time.Now()
	report, err := Sample(context.Background(), target, o, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1fs %+v", time.Since(began).Seconds(), report)
	return m, report
}

func (m *memory) chains(j int) [][]float64 { return coordinate(m.values, j) }

func TestFiveDefault(t *testing.T) {
	mix := dynamicstest.FiveModes()
	o := options(1)
	o.Settings = infer.Settings{Replicas: 7, Ratio: 1.5, Path: "energy", Noise: 0.25}
	o.Draws = 5000
	m, _ := draw(t, mix.Target(), o)
	count := make([]float64, 5)
	for _, c := range m.values {
		for _, x := range c {
			count[mix.Mode(x)] += 1.0 / 20000
		}
	}
	t.Log(count, stats.ESSBulk(m.chains(0)), stats.ESSBulk(m.chains(1)))
}

func TestNormalDefault(t *testing.T) {
	m, _ := draw(t, dynamicstest.Normal(1, 1e-4, 1e-2, 1, 1), options(1))
	for j := range 5 {
		t.Logf("%+v", stats.Summarize(m.chains(j)))
	}
	_ = math.Pi
}
func TestFiveAlone(t *testing.T) {
	mix := dynamicstest.FiveModes()
	o := options(1)
	m, _ := draw(t, mix.Target(), o)
	count := make([]float64, 5)
	for _, c := range m.values {
		for _, x := range c {
			count[mix.Mode(x)] += 1.0 / 4000
		}
	}
	t.Log(count, stats.ESSBulk(m.chains(0)), stats.ESSBulk(m.chains(1)))
}
