// Package settings is the table of the settings of `infer renhd(…)` and `--set name=value`. Each row has a name, a line
// of help, and a parser of its value.
//
//	settings.Parse(map[string]string{"replicas": "7", "path": "energy"})
//	    infer.Settings{Replicas: 7, Path: "energy"}
//	settings.Parse(map[string]string{"replica": "7"})
//	    error: there is no setting `replica`; did you mean `replicas`?
package settings

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/lang/diag"
)

// A setting is a row of the table.
type setting struct {
	name  string
	doc   string
	parse func(s *infer.Settings, value string) error
}

func table() []setting {
	return []setting{
		{"replicas", "rungs of the ladder, a whole number from 1 to 64; or auto",
			func(s *infer.Settings, v string) error { return whole(&s.Replicas, v, 1, 64) }},
		{"ratio", "ratio of neighbouring temperatures, above 1; or auto",
			func(s *infer.Settings, v string) error { return number(&s.Ratio, v, 1+1e-9, 1e6) }},
		{"path", "what is tempered: auto, likelihood or energy",
			func(s *infer.Settings, v string) error { return word(&s.Path, v, "auto", "likelihood", "energy") }},
		{"noise", "variance of the noise added to gradients and potentials, 0 or more",
			func(s *infer.Settings, v string) error { return number(&s.Noise, v, 0, math.MaxFloat64) }},
		{"dynamics", "what moves the walkers: auto, " + strings.Join(dynamics.Names(), ", "),
			func(s *infer.Settings, v string) error {
				return word(&s.Dynamics, v, append(dynamics.Names(), "auto")...)
			}},
		{"exchange", "test of swaps that allows for noise: auto (penalty), penalty, barker; for comparison, paper " +
			"(as RENHD was published) and uncorrected (ignores noise)",
			func(s *infer.Settings, v string) error {
				return word(&s.Exchange, v, "auto", "penalty", "barker", "paper", "uncorrected")
			}},
		{"batch", "rows of a minibatch, a whole number from 1 on; or auto (the size with the least arithmetic " +
			"for a draw, which may be all rows); without it all rows are used",
			func(s *infer.Settings, v string) error {
				if v == "auto" {
					s.Batch = infer.AutoBatch
					return nil
				}
				return whole(&s.Batch, v, 1, 1<<31)
			}},
		{"control_variates", "whether gradients of minibatches are relative to those at a mode: on, off, or auto " +
			"(if that gives more effective draws)",
			func(s *infer.Settings, v string) error { return word(&s.ControlVariates, v, "auto", "on", "off") }},
		{"exchange_batch", "rows added per step of the energy estimate of a swap, a whole number from 2 on; or auto",
			func(s *infer.Settings, v string) error { return whole(&s.ExchangeBatch, v, 2, 1<<31) }},
		{"step_size", "fixed step size in whitened coordinates, above 0; or auto",
			func(s *infer.Settings, v string) error { return number(&s.StepSize, v, 1e-12, 1e6) }},
		{"steps", "fixed number of steps per iteration, a whole number from 1 to 10000; or auto",
			func(s *infer.Settings, v string) error { return whole(&s.Steps, v, 1, 10000) }},
		{"friction", "friction c of the thermostat, above 0 and below 1; or auto",
			func(s *infer.Settings, v string) error { return number(&s.Friction, v, 1e-9, 1-1e-9) }},
		{"accept", "acceptance rate that warm-up aims at, from 0.5 to 0.999; or auto",
			func(s *infer.Settings, v string) error { return number(&s.Accept, v, 0.5, 0.999) }},
		{"max_depth", "maximum tree depth of nuts, a whole number from 1 to 20; or auto",
			func(s *infer.Settings, v string) error { return whole(&s.MaxDepth, v, 1, 20) }},
		{"max_energy_error", "energy error above which a trajectory of nuts counts as divergent, from 10 to " +
			"1e6; or auto (1000)",
			func(s *infer.Settings, v string) error { return number(&s.MaxEnergyError, v, 10, 1e6) }},
		{"precision", "bits of the density and its gradient: 64, 32, or auto (32 for networks with minibatches, " +
			"else 64)",
			func(s *infer.Settings, v string) error { return bits(&s.Precision, v) }},
		{"metric", "coordinates that the walkers move in: auto, diagonal, low_rank, dense or identity",
			func(s *infer.Settings, v string) error {
				return word(&s.Metric, v, "auto", "diagonal", "low_rank", "dense", "identity")
			}},
		{"log_likelihood", "whether the log likelihood of each row of the data is kept: on, off, or auto (up to 10 " +
			"million numbers)",
			func(s *infer.Settings, v string) error { return word(&s.LogLikelihood, v, "auto", "on", "off") }},
	}
}

// Names returns the names of all settings, sorted, for help and completion.
func Names() []string {
	var names []string
	for _, row := range table() {
		names = append(names, row.name)
	}
	sort.Strings(names)
	return names
}

// Doc returns the line of help of a setting, or "" for an unknown name.
func Doc(name string) string {
	for _, row := range table() {
		if row.name == name {
			return row.doc
		}
	}
	return ""
}

// Parse reads settings by name. The error lists all mistakes, each with the nearest known name or the allowed values.
func Parse(values map[string]string) (infer.Settings, error) {
	var s infer.Settings
	var mistakes []string
	for _, name := range sortedKeys(values) {
		if err := set(&s, name, strings.TrimSpace(values[name])); err != nil {
			mistakes = append(mistakes, err.Error())
		}
	}
	if s.Ratio > 0 && s.Replicas == 0 {
		mistakes = append(mistakes, "ratio needs the number of rungs too: add replicas")
	}
	if len(mistakes) > 0 {
		return infer.Settings{}, fmt.Errorf("%s", strings.Join(mistakes, "; "))
	}
	return s, nil
}

// Differences describes the settings that differ, with their new and old values: "dynamics is nosehoover, and was
// auto".
func Differences(then, now infer.Settings) (all []string) {
	a, b := reflect.ValueOf(then), reflect.ValueOf(now)
	for i := range a.NumField() {
		if x, y := a.Field(i), b.Field(i); !x.Equal(y) {
			all = append(all, fmt.Sprintf("%s is %s, and was %s", nameOf(a.Type().Field(i).Name), shown(y), shown(x)))
		}
	}
	return all
}

// Shown returns the values of the settings for which keep returns true, for people and programs: 0.9, "hmc", or "auto"
// if the sampler chooses. Without minibatches, batch is "all".
func Shown(s infer.Settings, keep func(name string) bool) map[string]any {
	all, v := map[string]any{}, reflect.ValueOf(s)
	for i := range v.NumField() {
		name, field := nameOf(v.Type().Field(i).Name), v.Field(i)
		switch {
		case !keep(name):
		case name == "batch" && s.Batch == 0:
			all[name] = "all"
		case name == "noise":
			all[name] = s.Noise
		case field.IsZero() || name == "batch" && s.Batch == infer.AutoBatch:
			all[name] = "auto"
		default:
			all[name] = field.Interface()
		}
	}
	return all
}

// shown returns a value as users write it; zero is "auto".
func shown(v reflect.Value) string {
	if v.IsZero() {
		return "auto"
	}
	return fmt.Sprint(v)
}

// nameOf returns the setting's name of a field of infer.Settings: step_size for StepSize.
func nameOf(field string) string {
	var name strings.Builder
	for i, r := range field {
		if i > 0 && unicode.IsUpper(r) {
			name.WriteByte('_')
		}
		name.WriteRune(unicode.ToLower(r))
	}
	return name.String()
}

func set(s *infer.Settings, name, value string) error {
	for _, row := range table() {
		if row.name != name {
			continue
		}
		if err := row.parse(s, value); err != nil {
			return fmt.Errorf("%s = %s: %w; %s: %s", name, value, err, name, row.doc)
		}
		return nil
	}
	return unknown(name)
}

func unknown(name string) error {
	names := Names()
	return fmt.Errorf("there is no setting `%s`; %s", name,
		diag.MeantAmong(names, "`%s`", name, "there are "+strings.Join(names, ", ")))
}

func whole(dst *int, v string, lo, hi int) error {
	if v == "auto" {
		*dst = 0
		return nil
	}
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || x != math.Trunc(x) || x < float64(lo) || x > float64(hi) {
		return fmt.Errorf("not possible")
	}
	*dst = int(x)
	return nil
}

func number(dst *float64, v string, lo, hi float64) error {
	if v == "auto" {
		*dst = 0
		return nil
	}
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || !(x >= lo && x <= hi) {
		return fmt.Errorf("not possible")
	}
	*dst = x
	return nil
}

func bits(dst *int, v string) error {
	switch v {
	case "32":
		*dst = 32
	case "64":
		*dst = 64
	case "auto":
		*dst = 0
	default:
		return fmt.Errorf("not possible")
	}
	return nil
}

func word(dst *string, v string, words ...string) error {
	if !slices.Contains(words, v) {
		return fmt.Errorf("not possible")
	}
	*dst = v
	if v == "auto" {
		*dst = ""
	}
	return nil
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
