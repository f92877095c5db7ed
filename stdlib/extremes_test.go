package stdlib

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	ad "ppl/autodiff"
)

// An extremeRow is a line of testdata/extremes.txt, which testdata/extremes.py computes with mpmath.
type extremeRow struct {
	form      string
	args      []float64
	lo, hi    float64
	logP      float64   // log P(lo ≤ X ≤ hi)
	density   float64   // at the finite end, of counts at lo
	slopes    []float64 // of logP in the arguments
	condition float64   // what relative changes of arguments and ends do to logP
}

func readExtremes(t *testing.T) (rows []extremeRow) {
	f, err := os.Open("testdata/extremes.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		words := strings.Fields(s.Text())
		v := make([]float64, len(words)-1)
		for i, w := range words[1:] {
			if v[i], err = strconv.ParseFloat(w, 64); err != nil {
				t.Fatal(err)
			}
		}
		n := (len(v) - 5) / 2
		rows = append(rows, extremeRow{form: words[0], args: v[:n], lo: v[n], hi: v[n+1], logP: v[n+2],
			density: v[n+3], slopes: v[n+4 : 2*n+4], condition: v[2*n+4]})
	}
	return rows
}

// eval returns the library's log probability, log density at an end, and derivatives of the log probability.
func (r extremeRow) eval(t *testing.T) (logP, density float64, slopes []float64) {
	d, f := findWithoutSpaces(t, r.form)
	g, in := ad.New(), map[string][]float64{}
	args := make([]Node, len(r.args))
	for i, v := range r.args {
		name := strconv.Itoa(i)
		in[name], args[i] = []float64{v}, g.Input(name)
		if f.Args[i].Domain == countDomain {
			args[i] = g.Const(v)
		}
	}
	end := func(v float64) Node {
		if math.IsInf(v, 0) {
			return Node{}
		}
		return g.Const(v)
	}
	at := r.lo
	if math.IsInf(at, 0) {
		at = r.hi
	}
	logProb := LogBetween(d, f, end(r.lo), end(r.hi), args)
	nodes := append([]Node{logProb, f.LogProb(g.Const(at), args)}, ad.Grad(logProb, args...)...)
	out := ad.Eval(in, nodes...)
	for _, s := range out[2:] {
		slopes = append(slopes, s[0])
	}
	return out[0][0], out[1][0], slopes
}

func findWithoutSpaces(t *testing.T, form string) (*Dist, *Form) {
	for _, d := range Dists() {
		for i := range d.Forms {
			if strings.ReplaceAll(formKey(d, &d.Forms[i]), " ", "") == form {
				return d, &d.Forms[i]
			}
		}
	}
	t.Fatalf("%s is not in the table", form)
	return nil, nil
}

// TestExtremes compares log P(lo ≤ X ≤ hi), its derivatives and log densities at extreme arguments with values of 400
// digits. The tolerance is 1e-12 plus 1e-11 of the value, plus the effect of rounding the inputs. If the probability is
// below 1e-16 of the probability on either side of the interval, the result may be −∞, with derivatives 0.
func TestExtremes(t *testing.T) {
	rows := readExtremes(t)
	if len(rows) < 800 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, r := range rows {
		if testing.Short() && i%10 > 0 {
			continue
		}
		logP, density, slopes := r.eval(t)
		slack := 1e-12 + 1e-11*math.Abs(r.logP) + 100*0x1p-52*r.condition
		if math.IsInf(logP, -1) && r.logP < -100 {
			continue
		}
		if !(math.Abs(logP-r.logP) <= slack) {
			t.Errorf("%s%v: log P(%g..%g) = %.17g, want %.17g ± %.2g", r.form, r.args, r.lo, r.hi, logP, r.logP, slack)
		}
		if slack = 1e-11*(math.Abs(r.density)+1) + r.condition*1e-13; !(math.Abs(density-r.density) <= slack) {
			t.Errorf("%s%v: log density %.17g, want %.17g", r.form, r.args, density, r.density)
		}
		for i, s := range slopes {
			if _, f := findWithoutSpaces(t, r.form); f.Args[i].Domain == countDomain {
				continue
			}
			slack := 1e-7*math.Abs(r.slopes[i]) + 1e-12*(1+r.condition)/math.Abs(r.args[i])
			if math.Abs(s-r.slopes[i]) > slack {
				t.Errorf("%s%v: slope %d of log P(%g..%g) = %.17g, want %.17g ± %.2g", r.form, r.args, i, r.lo, r.hi, s,
					r.slopes[i], slack)
			}
		}
	}
}
