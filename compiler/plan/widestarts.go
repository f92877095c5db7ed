package plan

import (
	"math"
	"math/rand/v2"
	"slices"

	"ppl/compiler/density"
	"ppl/compiler/frontend/model"
	"ppl/compiler/predict/simulate"
	"ppl/lang/types"
)

// A Place describes where searches for modes start, relative to draws from the prior.
type Place struct {
	// Scales is the shift of scale parameters, in standard deviations of their prior; negative values make them
	// smaller.
	Scales float64
	// Apart stretches parameters whose prior reads no others away from their prior mean by this factor; 0 for none.
	Apart float64
}

// widthDraws is the number of draws for estimating the mean and standard deviation of the prior.
const widthDraws = 64

// StartsAt returns a function that draws starting points at a place. Parameters are drawn given those that are moved:
// effects with a small scale are close to each other.
//
//	tau ~ LogNormal(0, 1)            Place{Scales: -3}: tau is some e^-3
//	theta[j in J] ~ Normal(0, tau)   and theta is drawn given this tau
func (p *Plan) StartsAt(place Place) func(r *rand.Rand) []float64 {
	layout := p.layout.AsTheModel()
	centre, width := widthOf(simulate.Starts(layout), layout.Dim)
	scales := scalesOf(layout)
	return simulate.Moved(layout, func(r *density.Region, u []float64) bool {
		shift, stretch := 0.0, 0.0
		if slices.Contains(scales, r) {
			shift = place.Scales
		} else if len(model.Arrays(r.Term.Exprs()...)) == 0 {
			stretch = place.Apart
		}
		if shift == 0 && stretch == 0 || r.NonCentered() || r.Piece.Scanned() != nil {
			return false
		}
		for i := range u {
			k := r.Offset + i
			u[i] += shift * width[k]
			if stretch != 0 {
				u[i] = centre[k] + stretch*(u[i]-centre[k])
			}
		}
		return true
	})
}

// widthOf returns the mean and standard deviation of each coordinate of starting points.
func widthOf(start func(r *rand.Rand) []float64, dim int) (mean, sd []float64) {
	r := rand.New(rand.NewPCG(0x51de, 0))
	mean, sd = make([]float64, dim), make([]float64, dim)
	for n := 1.0; n <= widthDraws; n++ {
		for i, x := range start(r) {
			d := x - mean[i]
			mean[i] += d / n
			sd[i] += d * (x - mean[i])
		}
	}
	for i := range sd {
		sd[i] = math.Sqrt(sd[i] / widthDraws)
	}
	return mean, sd
}

// scalesOf returns the regions of parameters on which the scale of other parameters depends or, if there are none, of
// positive parameters.
func scalesOf(l *density.Layout) (scales []*density.Region) {
	scales = spreading(l)
	if len(scales) > 0 {
		return scales
	}
	for _, r := range l.Regions {
		if r.Transform.Kind == types.Interval && r.Term.Dist != nil && r.Term.Dist.Lo == 0 &&
			math.IsInf(r.Term.Dist.Hi, 1) {
			scales = append(scales, r)
		}
	}
	return scales
}

// spreading returns the regions of parameters on which the scale of other parameters depends.
func spreading(l *density.Layout) []*density.Region { return spreadOf(l, l.Regions) }

// spreadOf returns the regions of parameters on which the scale of the parameters in the other regions depends.
func spreadOf(l *density.Layout, others []*density.Region) (scales []*density.Region) {
	read := map[*model.Array]bool{}
	for _, r := range others {
		t := r.Term
		for i, x := range t.Args {
			if t.Dist.LocationScale && i == t.Dist.Location {
				continue
			}
			for a := range model.Reached(x) {
				read[a] = read[a] || a != t.Array
			}
		}
	}
	for _, r := range l.Regions {
		if read[r.Term.Array] {
			scales = append(scales, r)
		}
	}
	return scales
}

// Spreading returns the coordinates of parameters on which the scale of other parameters depends. unaided[i] is true if
// coordinate i is the scale of a centred array of several elements whose coordinates the sampler does not adapt.
func (p *Plan) Spreading() (coordinates []int, unaided map[int]bool) {
	own := p.recentrable()
	var others []*density.Region
	for _, r := range p.layout.Regions {
		if !slices.Contains(own, r) && !r.Term.NonCentered && r.Size > 1 {
			others = append(others, r)
		}
	}
	without := spreadOf(p.layout, others)
	unaided = map[int]bool{}
	for _, r := range spreading(p.layout) {
		for i := range r.Size {
			coordinates = append(coordinates, r.Offset+i)
			unaided[r.Offset+i] = slices.Contains(without, r)
		}
	}
	return coordinates, unaided
}
