package renhd

import (
	"context"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
)

// A Preset is a named sampler: defaults for the settings that the user leaves open.
type Preset struct {
	Name, Doc string
	settings  infer.Settings
}

// Presets returns all presets, the default first. Presets of a single rule come from the table of package dynamics.
func Presets() []Preset {
	all := []Preset{
		{"renhd", "replica exchange with dynamics that fit the target; everything is adapted", infer.Settings{}},
		{"renhd-paper", "RENHD as published, with its sign corrected and its settings for mixtures; for comparison",
			infer.Settings{Replicas: 7, Ratio: 1.5, Path: "energy", Dynamics: "renhd-paper", Exchange: "paper",
				StepSize: 0.1, Steps: 50, Friction: 0.1, Metric: "identity"}},
	}
	for _, row := range dynamics.Rows() {
		set := infer.Settings{Dynamics: row.Rule.Name()}
		switch row.Sampler {
		case dynamics.DynamicsOnly:
			continue
		case dynamics.Alone:
			set.Replicas = 1
		}
		all = append(all, Preset{row.Rule.Name(), row.Doc, set})
	}
	return all
}

// Sample draws from t with the preset's settings. It is an infer.Sampler.
func (p Preset) Sample(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
	o.Settings = fill(o.Settings, p.settings)
	report, err := Sample(ctx, t, o, rec)
	report.Sampler = p.Name
	return report, err
}

// Complete sets the settings that s leaves open and warm-up does not choose.
func (p Preset) Complete(t infer.Target, s infer.Settings) infer.Settings {
	return population.Complete(t, fill(s, p.settings))
}

// fill sets the settings that s leaves open to those of a preset.
func fill(s, preset infer.Settings) infer.Settings {
	if s.Replicas == 0 {
		s.Replicas, s.Ratio = preset.Replicas, max(s.Ratio, preset.Ratio)
	}
	s.Path, s.Dynamics = orDefault(s.Path, preset.Path), orDefault(s.Dynamics, preset.Dynamics)
	s.Exchange, s.Metric = orDefault(s.Exchange, preset.Exchange), orDefault(s.Metric, preset.Metric)
	s.StepSize, s.Steps = orDefault(s.StepSize, preset.StepSize), orDefault(s.Steps, preset.Steps)
	s.Friction = orDefault(s.Friction, preset.Friction)
	return s
}

// orDefault returns a unless it is the zero value, else b.
func orDefault[T comparable](a, b T) T {
	var nothing T
	if a == nothing {
		return b
	}
	return a
}
