package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/symmetry"
	"ppl/posterior/bayesfactor"
	"ppl/posterior/evidence"
	"ppl/posterior/store"
)

// Evidences estimates the log evidence of the models of several runs on the same data, largest first.
func Evidences(ctx context.Context, dirs []string, n notes.Notes) (bayesfactor.Comparison, error) {
	var runs []*store.Run
	var results []evidence.Results
	for _, dir := range dirs {
		run, result, err := evidenceOf(ctx, dir, n)
		if err != nil {
			return nil, err
		}
		runs, results = append(runs, run), append(results, result)
	}
	all, err := bayesfactor.Compare(runs, results)
	if err != nil {
		return nil, fault.Of(err)
	}
	return all, nil
}

// evidenceOf estimates the log evidence of a run's model, by a bridge to a mixture of normals and along its temperature
// ladder.
func evidenceOf(ctx context.Context, dir string, to notes.Notes) (*store.Run, evidence.Results, error) {
	var none evidence.Results
	o, err := Open(dir, to)
	if err != nil {
		return nil, none, err
	}
	if err := o.Options.RefuseSearch(dir); err != nil {
		return nil, none, err
	}
	program, err := o.sampledProgram()
	if err != nil {
		return nil, none, err
	}
	if why := noEvidence(o.Stored, program); why != "" {
		return nil, none, withoutEvidence(dir, why)
	}
	density, err := loadDensity(ctx, program)
	if err != nil {
		return nil, none, err
	}
	defer density.exe.Close()
	chains, err := o.points(program)
	if err != nil {
		return nil, none, fault.Of(err)
	}
	ladder, err := o.Stored.Ladder()
	if err != nil {
		return nil, none, fault.Of(err)
	}
	defer to.ProgressEnd()
	total := 2 * len(chains) * len(chains[0])
	hottest := positionsOf(ladder)
	if len(hottest) > 0 {
		total += 2*len(hottest)*len(hottest[0]) + evidence.TailPoints(len(hottest[0][0]))
	}
	done := 0
	logDensity := func(points [][]float64) (out []float64, err error) {
		for len(points) > 0 && err == nil {
			if ctx.Err() != nil {
				return nil, fault.Interrupted()
			}
			n := min(len(points), lanesOfDensity)
			out, err = density.at(out, points[:n])
			points, done = points[n:], done+n
			to.Progress(infer.Progress{Phase: infer.Weighing, Done: done, Total: total})
		}
		return out, err
	}
	var results evidence.Results
	results.Mixture, err = oneImage(o.Options.Seed, program, chains, logDensity)
	if errors.As(err, new(evidence.Unusable)) {
		return nil, none, withoutEvidence(dir, err.Error())
	}
	if err == nil && len(o.Stored.Info.Report.Temperatures) > 1 {
		results.Ladder, err = alongLadder(o.Options.Seed, o.Stored, hottest, logDensity)
	}
	if errors.As(err, new(evidence.Unusable)) {
		results.NoLadder, err = err.Error(), nil
	}
	if err != nil {
		return nil, none, fault.Of(err)
	}
	return o.Stored, results, nil
}

// oneImage estimates the evidence by a bridge to a mixture of normals. If the density has a finite symmetry group, it
// maps every draw to its image in one fundamental domain. A mixture then needs to cover only one of the equivalent
// modes, and the result is multiplied by the number of images.
func oneImage(seed uint64, program *compiler.Program, chains [][][]float64, logDensity evidence.LogDensity) (
	evidence.Result, error) {
	group := symmetry.New(program.Symmetries()).Finite()
	if group == nil {
		return evidence.Estimate(seed, chains, logDensity)
	}
	ref, images := group.FirstReference(chains[0][0]), make([][][]float64, len(chains))
	for c, xs := range chains {
		for _, x := range xs {
			images[c] = append(images[c], group.Nearest(x, ref, nil))
		}
	}
	out, err := evidence.Estimate(seed, images, func(points [][]float64) ([]float64, error) {
		values, err := logDensity(points)
		for i := range values {
			if !group.Inside(points[i], ref) {
				values[i] = math.Inf(-1)
			}
		}
		return values, err
	})
	out.Shift(group.LogImages())
	return out, err
}

// alongLadder estimates the evidence along a temperature ladder. The ladder starts from the prior if that has mass 1,
// else from the hottest rung, whose normalizing constant is estimated from its positions.
func alongLadder(seed uint64, run *store.Run, hottest [][][]float64, logDensity evidence.LogDensity) (*evidence.Ratios,
	error) {
	out, err := bayesfactor.AlongLadder(run)
	if err != nil {
		return nil, err
	}
	last := out.Betas[len(out.Betas)-1]
	switch {
	case last == 0:
		return out, nil
	case hottest == nil:
		return nil, evidence.Unusable(fmt.Sprintf("it ends at temperature %.3g, whose integral is not known", 1/last))
	}
	why, err := evidence.NoIntegral(last, hottest, logDensity)
	if err != nil {
		return nil, err
	}
	if why != "" {
		return nil, evidence.Unusable(why)
	}
	end, err := evidence.Estimate(seed, hottest, func(points [][]float64) ([]float64, error) {
		values, err := logDensity(points)
		floats.Scale(last, values)
		return values, err
	})
	if err != nil {
		return nil, err
	}
	out.From(end)
	return out, nil
}

// positionsOf returns the positions on the hottest rung, by chain and draw, or nil if there are none.
func positionsOf(l *store.Ladder) (chains [][][]float64) {
	if l == nil {
		return nil
	}
	for _, numbers := range l.Hottest {
		var chain [][]float64
		for ; len(numbers) > 0; numbers = numbers[l.Dim:] {
			chain = append(chain, numbers[:l.Dim])
		}
		chains = append(chains, chain)
	}
	return chains
}

// noEvidence returns the reason why a run's evidence is undefined or cannot be estimated, or "".
func noEvidence(run *store.Run, program *compiler.Program) string {
	switch unknown := program.UnknownMass(); {
	case len(run.Info.Report.ELBO) > 0:
		return "the draws are of an approximation; sample with renhd or nuts"
	case unknown != "":
		return fmt.Sprintf("the prior of `%s` is not known to integrate to 1, so that the evidence is undefined, or "+
			"known only up to a factor; give it a proper prior", unknown)
	case program.Data().HasStreams():
		return "the data are too large for memory, but all of them are needed at once"
	}
	return ""
}
