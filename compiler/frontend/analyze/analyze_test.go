package analyze_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ppl/compiler/frontend/model"
)

// recurrenceText describes each group of a recurrence: its axes, lags and direction, and the number of reads that data
// order.
func recurrenceText(m *model.Model) (lines []string) {
	seen := map[*model.Group]bool{}
	for _, a := range m.Arrays {
		for _, p := range a.Pieces {
			if p.Recurrence == nil || seen[p.Recurrence.Group] {
				continue
			}
			g := p.Recurrence.Group
			seen[g] = true
			var members []string
			for _, b := range g.Members {
				text := fmt.Sprintf("%s along %d lag %d", b.Array.Name, b.Axis, b.Lag)
				if b.Whole {
					text += " whole"
				}
				members = append(members, text)
			}
			text := strings.Join(members, ", ")
			if g.Back {
				text += " backwards"
			}
			lines = append(lines, fmt.Sprintf("%s; %d by data", text, len(g.DataOrdered)))
		}
	}
	return lines
}

// Recurrences finds the groups, axes, directions and lags that follow from the equations.
func TestRecurrencesFindAxisDirectionAndLag(t *testing.T) {
	t.Parallel()
	const head = "data y[T], parent[T]: index(T)\na ~ Normal(0, 1)\n"
	for _, c := range []struct{ name, text, want string }{
		{"two back", "x[1] = a\nx[2] = a\nx[t in 3..T] = x[t-1] + a * x[t-2]\n", "x along 0 lag 2; 0 by data"},
		{"backwards", "x[t in T] = a * (t < T ? x[t+1] : 1)\n", "x along 0 lag 1 backwards; 0 by data"},
		{"all of the past", "x[t in T] = a + sum(k in 1..t-1: x[k])\n", "x along 0 lag 0 whole; 0 by data"},
		{"two arrays", "x[1] = a\nx[t in 2..T] = x[t-1] + v[t-1]\nv[t in T] = a * x[t]\n",
			"x along 0 lag 1, v along 0 lag 1; 0 by data"},
		{"second axis", "x[k in 1..2, 1] = a\nx[k in 1..2, t in 2..T] = a * x[k, t-1]\n", "x along 1 lag 1; 0 by data"},
		{"by data", "x[1] = a\nx[t in 2..T] = a * x[parent[t]]\n", "x along 0 lag 0 whole; 1 by data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			end := "y[t in T] ~ Normal(x[t], 1)\n"
			if c.name == "second axis" {
				end = "y[t in T] ~ Normal(x[2, t], 1)\n"
			}
			m := checked(t, "model.ppl", head+c.text+end)
			if m == nil {
				t.Fatal("refused")
			}
			if got := recurrenceText(m); !slices.Equal(got, []string{c.want}) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// readText describes the latents that each term reads.
func readText(m *model.Model) (lines []string) {
	for _, t := range m.Terms {
		var reads []string
		for _, r := range t.Reads {
			text := r.Latent.Name
			for k, i := range r.Plates {
				switch {
				case i != nil && i.Name != "":
					text += " at " + i.Name
				case i != nil:
					text += " at " + i.Set.Name
				case r.Gather[k] != nil:
					text += " by " + r.Gather[k].Info().At.Text()
				case r.At != nil:
					text += " at element " + r.At.Info().At.Text()
				}
			}
			if len(r.Gaps) > 0 {
				text += fmt.Sprintf(" gaps %v", r.Gaps)
			}
			reads = append(reads, text)
		}
		if len(reads) > 0 {
			lines = append(lines, t.At.Text()+" reads "+strings.Join(reads, ", "))
		}
	}
	return lines
}

// Latents finds each term's reads of discrete latents: at plates, through definitions, along chains, and at elements
// that data choose.
func TestLatentsFindWhereTermsReadThem(t *testing.T) {
	t.Parallel()
	const head = "data y[N]\nm[K] ~ Normal(0, 1)\nK = 2\n"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"own plate", "z[n in N] ~ Categorical([0.5, 0.5])\ny[n in N] ~ Normal(m[z[n]], 1)\n",
			[]string{"y[n in N] reads z at n"}},
		{"through a definition", "z[n in N] ~ Categorical([0.5, 0.5])\neta[i in N] = 2 * m[z[i]]\n" +
			"y[n in N] ~ Normal(eta[n], 1)\n", []string{"y[n in N] reads z at n"}},
		{"chosen by data", "data g[N]: index(J)\nz[j in J] ~ Categorical([0.5, 0.5])\n" +
			"y[n in N] ~ Normal(m[z[g[n]]], 1)\n",
			[]string{"y[n in N] reads z by g[n]"}},
		{"chain", "z[1] ~ Categorical([0.5, 0.5])\n" +
			"z[n in 2..N] ~ Categorical(z[n-1] == 1 ? [0.9, 0.1] : [0.2, 0.8])\ny[n in N] ~ Normal(m[z[n]], 1)\n",
			[]string{"y[n in N] reads z at n gaps [0]", "z[1] reads z at element 1 gaps [0]",
				"z[n in 2..N] reads z at n gaps [-1 0]"}},
		{"one value", "z ~ Categorical([0.5, 0.5])\ny[n in N] ~ Normal(m[z], 1)\n", []string{"y[n in N] reads z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := checked(t, "model.ppl", head+c.text)
			if m == nil {
				t.Fatal("refused")
			}
			if got := readText(m); !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// The lines about latents that `ppl check` prints name the dependence pattern and the size of the table.
func TestEliminationNamesPatternAndTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"own plate", "z[n in N] ~ Categorical([0.5, 0.5])\ny[n in N] ~ Normal(z[n], 1)\n",
			"`z` is summed out: own plate; a table of 2 for each of N"},
		{"one value", "z ~ Bernoulli(0.5)\ny[n in N] ~ Normal(z, 1)\n",
			"`z` is summed out: one value, terms multiplied over further plates; a table of 2"},
		{"chain of order 2", "z[1] ~ Bernoulli(0.5)\nz[2] ~ Bernoulli(0.5)\n" +
			"z[n in 3..N] ~ Bernoulli(z[n-2] == z[n-1] ? 0.9 : 0.2)\ny[n in N] ~ Normal(z[n], 1)\n",
			"`z` is summed out: chain along N, order 2; a table of 2 × 2 × 2 for each of N"},
		{"size from data", "w[K] ~ Dirichlet(fill(1, K))\ndata K\nz[n in N] ~ Categorical(w)\n" +
			"y[n in N] ~ Normal(z[n], 1)\n",
			"`z` is summed out: own plate; a table of K for each of N"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := checked(t, "model.ppl", "data y[N]\n"+c.text)
			if m == nil {
				t.Fatal("refused")
			}
			if len(m.Latents) != 1 || m.Latents[0].Text() != c.want {
				t.Errorf("found %v, want %s", m.Latents, c.want)
			}
		})
	}
}

// If the form of the subscripts does not prove that no element is drawn from itself, Model.Orders contains the arrays.
func TestOrdersAreLeftToDataOnlyWhereFormDoesNotProveThem(t *testing.T) {
	t.Parallel()
	for text, left := range map[string]int{
		"x[1] ~ Normal(0, 1)\nx[n in 2..N] ~ Normal(x[n-1], 1)\n":                                         0,
		"x[1] ~ Normal(0, 1)\nx[n in 2..N] ~ Normal(x[1], 1)\n":                                           0,
		"data p[N]: index(N)\nx[1] ~ Normal(0, 1)\nx[n in 2..N] ~ Normal(x[p[n]], 1)\n":                   1,
		"data p[N]: index(N)\nx[1] ~ Normal(0, 1)\nm[n in N] = x[p[n]]\nx[n in 2..N] ~ Normal(m[n], 1)\n": 1,
	} {
		m := checked(t, "model.ppl", "data y[N]\n"+text+"y[n in N] ~ Normal(x[n], 1)\n")
		if m == nil {
			t.Fatalf("refused:\n%s", text)
		}
		if len(m.Orders) != left {
			t.Errorf("%d groups are left to data, want %d:\n%s", len(m.Orders), left, text)
		}
	}
}
