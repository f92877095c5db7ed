package main

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// reference returns the draws of a posterior by the name of a parameter, a list for each of the chains; nil if there
// are none.
func (e *experiment) reference(p posterior) (map[string][][]float64, error) {
	if p.Reference == "" {
		return nil, nil
	}
	dir := filepath.Join(e.db, "reference_posteriors/draws/draws")
	text, err := unzipped(filepath.Join(dir, p.Reference+".json.zip"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // kept elsewhere, as those too large for the repository are
	} else if err != nil {
		return nil, err
	}
	var chains []map[string][]float64
	if err := json.Unmarshal(text, &chains); err != nil {
		return nil, err
	}
	out := map[string][][]float64{}
	for _, c := range chains {
		for name, xs := range c {
			out[name] = append(out[name], xs)
		}
	}
	return out, nil
}

// unzipped returns the only file of an archive.
func unzipped(archive string) ([]byte, error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	for _, f := range z.File {
		if f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX") {
			continue
		}
		from, err := f.Open()
		if err != nil {
			return nil, err
		}
		return io.ReadAll(from)
	}
	return nil, fmt.Errorf("%s is empty", archive)
}

const (
	errorsOff = 4    // Monte Carlo standard errors, of both together
	smallOff  = 0.02 // in standard deviations: less is of no interest
	largeOff  = 0.3  // more is wrong whatever the errors
)

// judge takes what is known of a run, and compares the parameters that have the name of one of the reference.
func (r *run) judge(s summary, ref map[string][][]float64) {
	r.Gradients, r.ESS = s.Gradients, math.Inf(1)
	for _, w := range s.Warnings {
		r.Warnings = append(r.Warnings, w.String())
	}
	worst := 0.0
	for _, x := range s.Parameters {
		if x.constant() {
			continue
		}
		r.Parameters++
		r.RHat, r.ESS = math.Max(r.RHat, *x.RHat), min(r.ESS, *x.Bulk, *x.Tail)
		chains := ref[strings.ReplaceAll(x.Name, " ", "")]
		if chains == nil {
			continue
		}
		r.Compared++
		of := referenceOf(chains)
		if how, off := of.wrong(x); off > worst {
			worst, r.Wrong = off, x.Name+": "+how
		}
		if ratio := math.Log(*x.SD / of.sd); math.Abs(ratio) > math.Abs(r.LogRatio) {
			r.LogRatio = ratio
		}
	}
}

// reference is what the draws of a parameter say.
type reference struct {
	sorted         []float64
	mean, sd, mcse float64
	effective      float64 // draws
}

// referenceOf takes the Monte Carlo error of the mean from the means of the chains, which are independent.
func referenceOf(chains [][]float64) reference {
	var means []float64
	for _, c := range chains {
		means = append(means, stat.Mean(c, nil))
	}
	all := slices.Sorted(slices.Values(slices.Concat(chains...)))
	r := reference{sorted: all, mcse: stat.StdDev(means, nil) / math.Sqrt(float64(len(means)))}
	r.mean, r.sd = stat.MeanStdDev(all, nil)
	r.effective = math.Min(float64(len(all)), r.sd*r.sd/(r.mcse*r.mcse))
	return r
}

// wrong reports what of an element is not that of the reference, and by how many standard deviations; nothing and 0
// where all agrees. A mean is compared by the errors of both; a quantile, by the quantiles of the reference that lie as
// far to each side as the errors of both ranks.
func (r reference) wrong(x element) (how string, off float64) {
	judge := func(what string, got, want float64, agrees bool) {
		d := math.Abs(got-want) / r.sd
		if (!agrees && d > smallOff || d > largeOff) && d > off {
			how, off = fmt.Sprintf("%s is %.4g, not %.4g", what, got, want), d
		}
	}
	judge("mean", *x.Mean, r.mean, math.Abs(*x.Mean-r.mean) <= errorsOff*math.Hypot(*x.MCSE, r.mcse))
	for _, q := range []struct {
		what     string
		at, p, n float64
	}{{"5 % quantile", *x.Q5, .05, *x.Tail}, {"median", *x.Q50, .5, *x.Bulk}, {"95 % quantile", *x.Q95, .95, *x.Tail}} {
		rank := errorsOff * math.Sqrt(q.p*(1-q.p)*(1/q.n+1/r.effective))
		judge(q.what, q.at, r.quantile(q.p), r.quantile(q.p-rank) <= q.at && q.at <= r.quantile(q.p+rank))
	}
	return how, off
}

// quantile is that of the draws; beyond them it is infinite.
func (r reference) quantile(p float64) float64 {
	switch {
	case p <= 0:
		return math.Inf(-1)
	case p >= 1:
		return math.Inf(1)
	}
	return stat.Quantile(p, stat.LinInterp, r.sorted, nil)
}
