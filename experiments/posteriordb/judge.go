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

// reference returns the reference draws of a posterior, by parameter and chain; nil if there are none.
func (e *experiment) reference(p posterior) (map[string][][]float64, error) {
	if p.Reference == "" {
		return nil, nil
	}
	dir := filepath.Join(e.db, "reference_posteriors/draws/draws")
	text, err := unzipped(filepath.Join(dir, p.Reference+".json.zip"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // reference draws that are too large for the repository are stored elsewhere
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

// unzipped returns the content of the only file of an archive.
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
	errorsOff = 4    // tolerance in combined Monte Carlo standard errors
	smallOff  = 0.02 // in standard deviations: smaller errors are ignored
	largeOff  = 0.3  // in standard deviations: larger errors are always wrong
)

// judge reads a summary, and compares its parameters with those of the same name in the reference.
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

// reference summarises the reference draws of a parameter.
type reference struct {
	sorted         []float64
	mean, sd, mcse float64
	effective      float64 // effective number of draws
}

// referenceOf computes the Monte Carlo error of the mean from the means of the chains, which are independent.
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

// wrong returns the largest disagreement of an element with the reference, and its size in standard deviations; "" and
// 0 if all statistics agree. The tolerance for a mean is the combined error. A quantile agrees if it is between two
// quantiles of the reference, at ranks that differ by the combined error of the rank in both directions.
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

// quantile returns a quantile of the draws. It is infinite if p is not in (0, 1).
func (r reference) quantile(p float64) float64 {
	switch {
	case p <= 0:
		return math.Inf(-1)
	case p >= 1:
		return math.Inf(1)
	}
	return stat.Quantile(p, stat.LinInterp, r.sorted, nil)
}
