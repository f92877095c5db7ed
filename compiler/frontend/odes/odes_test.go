package odes_test

import (
	"slices"
	"testing"

	"ppl/compiler/frontend/check"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
)

func checked(t *testing.T, text string) (*model.Model, []diag.Code) {
	t.Helper()
	file, ds := parse.File(source.New("m.ppl", text))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	m, ds := check.File(file, nil)
	var codes []diag.Code
	for _, d := range ds {
		codes = append(codes, d.Code)
	}
	return m, codes
}

const observed = "data y[N], time[N]\nk ~ HalfNormal(1)\ny[i in N] ~ Normal(a(time[i]), 1)\n"

// States are in one system if one of them reads the other, for every order of the statements.
func TestSystems(t *testing.T) {
	for _, c := range []struct {
		name, equations string
		sizes           []int // of the systems, in ascending order
	}{
		{"alone", "a'(t) = -k * a(t)\na(0) = 1\n", []int{1}},
		{"chain", "c'(t) = b(t)\nb'(t) = a(t)\na'(t) = -k * a(t)\na(0) = 1\nb(0) = 0\nc(0) = 0\n", []int{3}},
		{"apart", "a'(t) = -k * a(t)\nb'(t) = -b(t)\na(0) = 1\nb(0) = 2\ny2 = b(3)\nsave = y2\n", []int{1, 1}},
	} {
		m, _ := checked(t, observed+c.equations)
		var sizes []int
		for _, s := range m.Systems {
			sizes = append(sizes, len(s.States))
		}
		slices.Sort(sizes)
		if !slices.Equal(sizes, c.sizes) {
			t.Errorf("%s: systems of %v states, want %v", c.name, sizes, c.sizes)
		}
	}
}

// TestRefused checks the errors for missing and repeated equations, for equations that read a state at a time other
// than t, for initial values of one system at different times, and for events that change something other than a state.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		equations string
		code      diag.Code
	}{
		{"a'(t) = -k * a(t)\n", diag.NoInitialEquation},
		{"a'(t) = -k * a(t - 1)\na(0) = 1\n", diag.TrajectoryTime},
		{"a'(t) = -k * a(2)\na(0) = 1\n", diag.TrajectoryTime},
		{"a'(t) = -k * b(t)\nb'(t) = a(t)\na(0) = 1\nb(1) = 1\n", diag.SystemTimes},
		{"a'(t) = -k * a(t)\na(0) = 1\na(0) = 2\n", diag.DefinedTwice},
		{"a'(t) = -k * a(t)\na(0) = 1\nat t = 1: k += 1\n", diag.EventNotState},
	} {
		if _, codes := checked(t, observed+c.equations); !slices.Contains(codes, c.code) {
			t.Errorf("%q: %v, want %v", c.equations, codes, c.code)
		}
	}
}
