package examples_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// TestLogLikelihood computes the log likelihood of some examples a second time, in plain Go with gonum's distributions.
func TestLogLikelihood(t *testing.T) {
	tests := []struct {
		model, data string
		at          map[string][]float64
		want        func(columns map[string][]float64) float64
		within      float64 // relative; 0 for 1e-9
	}{
		{"challenger.ppl", "challenger.csv", map[string][]float64{"a": {-1}, "b": {-0.2}}, challenger, 0},
		{"lynx.ppl", "lynx.csv", map[string][]float64{"level": {2.9}, "phi": {1.4, -0.75}, "sigma": {0.22}}, lynx, 0},
		{"galaxies.ppl", "galaxies.csv", map[string][]float64{"w": {0.1, 0.8, 0.1}, "m": {9.7, 21.4, 33},
			"s": {0.5, 2, 0.9}}, galaxies, 0},
		{"fishing.ppl", "fishing.csv", map[string][]float64{"fishes": {0.6}, "b": {-0.4, 0.7}}, fishing, 0},
		{"rats.ppl", "rats.json", ratsAt(), rats, 0},
		{"dosing.ppl", "dosing.csv", map[string][]float64{"absorb": {1.1}, "lag": {0.4}, "volume": {28}, "typical": {3},
			"spread": {0.3}, "clear": dosingClear(), "sigma": {0.2}}, dosing, 1e-5},
	}
	for _, test := range tests {
		t.Run(test.model, func(t *testing.T) {
			f, err := datafile.DefaultRowCache().Whole(test.data)
			if err != nil {
				t.Fatal(err)
			}
			columns := map[string][]float64{}
			for name, a := range f.Arrays {
				columns[name] = a.Values.Doubles()
			}
			got, err := load(t, test.model).LogProb(arrays(test.at))
			if err != nil {
				t.Fatal(err)
			}
			want := test.want(columns)
			if !(math.Abs(got.Likelihood-want) < max(1e-9, test.within)*math.Abs(want)) {
				t.Errorf("log likelihood %.12g, want %.12g", got.Likelihood, want)
			}
		})
	}
}

func dosingClear() []float64 { return []float64{5, 2.7, 2.4, 3.7, 2.1, 3.1} }

// dosing is the superposition of the responses to all doses before each time, without a differential equation. Patients
// 1 to 3 have 300 mg every 12 hours, the others 600 mg every 24. The tolerance of the solver is 1e-5.
func dosing(columns map[string][]float64) (lp float64) {
	const absorb, lag, volume, sigma = 1.1, 0.4, 28, 0.2
	for n, level := range columns["level"] {
		p := int(columns["subject"][n]) - 1
		every, leave, mean := 12*float64(1+p/3), dosingClear()[p]/volume, 0.
		for dose := 0.; dose < 48; dose += every {
			if s := columns["hour"][n] - dose - lag; s > 0 {
				mean += 25 * every / volume * absorb / (absorb - leave) * (math.Exp(-leave*s) - math.Exp(-absorb*s))
			}
		}
		lp += distuv.LogNormal{Mu: math.Log(mean), Sigma: sigma}.LogProb(level)
	}
	return lp
}

// TestFiveModesDensity compares the density of five_modes with the mixture of five normals of sd 0.5 that it describes,
// up to the factor 2π.
func TestFiveModesDensity(t *testing.T) {
	weight := []float64{0.30, 0.10, 0.25, 0.15, 0.20}
	center := [][2]float64{{0, 0}, {4, 4}, {-4, 4}, {-4, -4}, {4, -4}}
	p := load(t, "five_modes.ppl")
	for _, x := range [][]float64{{0, 0}, {4, 4}, {-3.5, 4.25}, {1.5, -1}} {
		want := 0.0
		for k, c := range center {
			want += weight[k] * distuv.Normal{Mu: c[0], Sigma: 0.5}.Prob(x[0]) * distuv.Normal{Mu: c[1],
				Sigma: 0.5}.Prob(x[1])
		}
		got, err := p.LogProb(arrays(map[string][]float64{"x": x}))
		if err != nil {
			t.Fatal(err)
		}
		if d := got.Prior - math.Log(2*math.Pi*want); !(math.Abs(d) < 1e-10) {
			t.Errorf("at %v: log density %.10g, want %.10g", x, got.Prior, math.Log(2*math.Pi*want))
		}
	}
}

func arrays(at map[string][]float64) map[string]*content.Array {
	out := map[string]*content.Array{}
	for name, xs := range at {
		a := &content.Array{Name: name, Values: numbers.Of(xs...)}
		if len(xs) > 1 {
			a.Shape = []int{len(xs)}
		}
		out[name] = a
	}
	return out
}

// ratsAt returns parameters with a different line for every rat.
func ratsAt() map[string][]float64 {
	at := map[string][]float64{"mu_a": {240}, "mu_b": {6}, "sd_a": {15}, "sd_b": {0.5}, "sigma": {6}}
	for i := 0.0; i < 30; i++ {
		at["a"] = append(at["a"], 230+i)
		at["b"] = append(at["b"], 5.5+i/20)
	}
	return at
}

func rats(c map[string][]float64) (sum float64) {
	for i := range 30 {
		for j, day := range []float64{8, 15, 22, 29, 36} {
			mu := ratsAt()["a"][i] + ratsAt()["b"][i]*(day-22)
			sum += distuv.Normal{Mu: mu, Sigma: 6}.LogProb(c["weight"][i*5+j])
		}
	}
	return sum
}

func challenger(c map[string][]float64) (sum float64) {
	mean := 0.0
	for _, x := range c["temperature"] {
		mean += x / float64(len(c["temperature"]))
	}
	for i, y := range c["distress"] {
		p := 1 / (1 + math.Exp(1+0.2*(c["temperature"][i]-mean)))
		sum += distuv.Bernoulli{P: p}.LogProb(y)
	}
	return sum
}

func lynx(c map[string][]float64) (sum float64) {
	var x []float64
	for _, n := range c["trapped"] {
		x = append(x, math.Log10(n))
	}
	for i := 2; i < len(x); i++ {
		mu := 2.9 + 1.4*(x[i-1]-2.9) - 0.75*(x[i-2]-2.9)
		sum += distuv.Normal{Mu: mu, Sigma: 0.22}.LogProb(x[i])
	}
	return sum
}

func galaxies(c map[string][]float64) (sum float64) {
	for _, v := range c["velocity"] {
		p := 0.1*distuv.Normal{Mu: 9.7, Sigma: 0.5}.Prob(v/1000) +
			0.8*distuv.Normal{Mu: 21.4, Sigma: 2}.Prob(v/1000) +
			0.1*distuv.Normal{Mu: 33, Sigma: 0.9}.Prob(v/1000)
		sum += math.Log(p)
	}
	return sum
}

func fishing(c map[string][]float64) (sum float64) {
	for i, y := range c["caught"] {
		p := 0.6 * distuv.Poisson{Lambda: c["hours"][i] * math.Exp(-0.4+0.7*c["bait"][i])}.Prob(y)
		if y == 0 {
			p += 0.4
		}
		sum += math.Log(p)
	}
	return sum
}
