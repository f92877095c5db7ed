package renhd

import (
	"context"
	"errors"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/population"
)

// Explore moves walkers from the target's starting points to its bulk, as warm-up does. The draws of another sampler,
// which may have started elsewhere, can be compared with them. It uses the default chains and warm-up. If it needs more
// than most gradients, it stops, and Cut is set.
func Explore(ctx context.Context, t infer.Target, o infer.Options, most int64) (seen adapt.Exploration, err error) {
	usual := infer.Defaults()
	usual.Seed, usual.Threads, usual.Device, usual.WholeCalls = o.Seed, o.Threads, o.Device, o.WholeCalls
	usual.Settings.Precision, o = o.Settings.Precision, usual
	_, s, err := population.NewConfig(t, o, population.SwapRules{})
	if err != nil || s.Blocks != nil {
		return adapt.Exploration{Cut: true}, err
	}
	within, stop := context.WithCancel(ctx)
	defer stop()
	limit := &budget{most: most, stop: stop}
	r := newRun(within, s, ladder.Exchange{Test: ladder.Penalty()}, limit)
	defer r.Close()
	limit.run = r
	places, agreed, err := r.warm.Look()
	seen.Gradients = limit.spent()
	if limit.cut && errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return adapt.Exploration{Cut: true, Gradients: seen.Gradients}, nil
	}
	if err != nil || places == nil {
		seen.Cut = true
		return seen, err
	}
	seen.Apart, seen.Visited = !agreed, r.placesOf(places)
	return seen, nil
}

// placesOf returns the second half of the positions that each walker visited, in the model's coordinates and, if there
// are symmetries, as random images. It returns nil if the conversion needs coordinates that were not stored.
func (r *run) placesOf(seen *population.Visits) (out [][][]float64) {
	for _, xs := range seen.Visited {
		xs = xs[len(xs)/2:]
		if len(xs) == 0 || len(xs[0]) < r.Walkers.Dim && (r.Phase.Images != nil || r.Centring != nil) {
			return nil
		}
		out = append(out, xs)
	}
	out = r.imagesAtRandom(out)
	for k := range out {
		out[k] = r.AsTheModel(out[k])
	}
	return out
}

// A budget is a recorder that stops an exploration after a number of gradients.
type budget struct {
	discardRecorder
	run  *run
	most int64
	stop func()
	cut  bool
}

func (b *budget) spent() int64 {
	if b.run.Walkers == nil {
		return 0
	}
	return b.run.Walkers.Gradients
}

// Progress implements infer.Recorder.
func (b *budget) Progress(infer.Progress) {
	if b.spent() > b.most && !b.cut {
		b.cut = true
		b.stop()
	}
}
