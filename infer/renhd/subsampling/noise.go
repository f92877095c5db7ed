package subsampling

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// probes is the number of minibatches used to measure the noise of gradients.
const probes = 64

// MeasureNoise measures the noise of each rung's gradients, in its whitened coordinates, and sets step and friction of
// the rung accordingly. A rung uses control variates if they reduce the noise.
func (r *Subsampling) MeasureNoise() error {
	w, s := r.controls, &r.Phase
	seen, err := r.noisyGradients(dynamics.NoisyGrad)
	if err != nil {
		return err
	}
	plain := seen
	if w.UsesAnchors {
		if plain, err = r.noisyGradients(dynamics.PlainGrad); err != nil {
			return err
		}
	}
	with, without := w.noiseByRung(seen), w.noiseByRung(plain)
	for j := range w.Rungs {
		g := &w.Rungs[j]
		g.Noises = population.Noises{Anchored: with[j], Plain: without[j]}
		g.Stiffness = r.stiffness(g)
		g.Noise, g.WorstNoise = g.Noises.Used().Mean, g.Noises.Used().Worst
		g.Step, g.Friction = s.StepAndFriction(*g)
	}
	w.WriteAllRungs()
	r.Report.NoiseNormal = 0
	if cold := w.Rungs[0]; cold.Step*cold.Step*cold.Noise/2 > notableNoise*cold.Friction {
		r.Report.NoiseNormal = store.Number(normalityOfWorst(seen[w.Cold(0)]))
	}
	return nil
}

// notableNoise is the ratio of the heat of noise to that of friction above which the distribution of the noise matters.
const notableNoise = 0.2

// noisyGradients returns whitened gradients of several minibatches, by lane and coordinate.
func (r *Subsampling) noisyGradients(entry string) ([][][]float64, error) {
	w := r.controls
	if w.UsesAnchors {
		w.SetAll(dynamics.AnchorShare, 1)
	}
	seen := make([][][]float64, w.Lanes())
	for lane := range seen {
		seen[lane] = make([][]float64, w.Dim)
	}
	for range probes {
		if err := w.RunEntry(r.Ctx, entry, nil); err != nil {
			return nil, err
		}
		for lane, g := range population.Split(w.Read(entry, nil), w.Dim) {
			for j, v := range w.Rungs[w.RungOf[lane]].Metric.Pull(g) {
				seen[lane][j] = append(seen[lane][j], v)
			}
		}
	}
	w.Gradients += int64(probes * w.Lanes())
	return seen, nil
}

// noiseByRung returns the noise level of each rung, with the distances of its walkers from their anchors.
func (w *controls) noiseByRung(seen [][][]float64) []population.NoiseLevel {
	out := w.levels(seen)
	for lane, x := range w.Positions() {
		if len(w.Anchors) > 0 {
			j := w.RungOf[lane]
			to := w.Anchors[w.AnchorOf[lane]].At
			out[j].Distance += w.Rungs[j].Metric.Distance(x, to) / float64(w.Chains)
		}
	}
	return out
}

// levels returns the noise level of each rung. Half of the gradients choose the direction with most noise, and the
// other half measure the noise along it: the maximum of estimates from the same gradients would be biased upwards.
func (w *controls) levels(seen [][][]float64) []population.NoiseLevel {
	out := make([]population.NoiseLevel, len(w.Rungs))
	first, second := make([][][]float64, len(w.Rungs)), make([][][]float64, len(w.Rungs))
	for lane, xs := range seen {
		j, errors := w.RungOf[lane], centredRows(xs)
		half := len(errors) / 2
		first[j], second[j] = append(first[j], errors[:half]...), append(second[j], errors[half:]...)
	}
	const freedom = float64(probes-1) / probes // corrects for the estimated mean
	for j := range out {
		direction, n := noisiest(first[j]), freedom*float64(len(second[j]))
		for i, e := range second[j] {
			along := floats.Dot(e, direction)
			out[j].Worst += along * along / n
			out[j].Mean += (floats.Dot(e, e) + floats.Dot(first[j][i], first[j][i])) / (2 * n * float64(w.Dim))
		}
		out[j].Worst = math.Max(out[j].Worst, out[j].Mean)
	}
	return out
}

// centredRows returns vectors from their coordinates, with the mean subtracted.
func centredRows(coordinates [][]float64) [][]float64 {
	out := make([][]float64, len(coordinates[0]))
	for i := range out {
		out[i] = make([]float64, len(coordinates))
	}
	for j, xs := range coordinates {
		mean := floats.Sum(xs) / float64(len(xs))
		for i, x := range xs {
			out[i][j] = x - mean
		}
	}
	return out
}

// noisiest returns the unit vector along which centred vectors have most variance, by power iteration.
func noisiest(vectors [][]float64) []float64 {
	const rounds = 30
	v := make([]float64, len(vectors[0]))
	for i := range v {
		v[i] = 1 / math.Sqrt(float64(len(v)))
	}
	for range rounds {
		next := make([]float64, len(v))
		for _, x := range vectors {
			floats.AddScaled(next, floats.Dot(x, v), x)
		}
		size := floats.Norm(next, 2)
		if !(size > 0) || math.IsInf(size, 0) {
			return v
		}
		floats.Scale(1/size, next)
		v = next
	}
	return v
}

// normalityOfWorst returns Shapiro and Wilk's W of the noise in the coordinate with most noise.
func normalityOfWorst(xs [][]float64) float64 {
	most, at := 0.0, 0
	for j, x := range xs {
		var t moments
		for _, v := range x {
			t.add(v)
		}
		if v := t.variance(); v > most {
			most, at = v, j
		}
	}
	w, _ := stats.ShapiroWilk(xs[at])
	return w
}
