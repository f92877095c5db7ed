package store

// Every returns a view of the run that contains only every k-th draw, from the first on. Reading it needs a k-th of the
// memory.
func (r *Run) Every(k int) *Run {
	if k <= 1 {
		return r
	}
	thin := *r
	thin.every = max(1, r.every) * k
	thin.Info.Draws = (r.Info.Draws + k - 1) / k
	return &thin
}

// First returns a view of the run that contains only the first n draws of each chain.
func (r *Run) First(n int) *Run {
	if n >= r.Info.Draws {
		return r
	}
	short := *r
	short.Info.Draws, short.end = n, n*max(1, r.every)
	return &short
}

// Within returns a view of the run with evenly spaced draws, at most `most` in all chains together, and the distance
// between them, which is 1 if all draws fit. At least two draws of each chain remain if the run has them, even if these
// are more than `most`.
func (r *Run) Within(most int) (thin *Run, every int) {
	total := r.Layout.Chains * r.Info.Draws
	every = max(1, (total+max(1, most)-1)/max(1, most))
	every = max(1, min(every, r.Info.Draws/2))
	return r.Every(every), every
}

// firstRead returns the position of the first visible draw in a chunk that begins with draw begin.
func (r *Run) firstRead(begin int) int {
	k := max(1, r.every)
	return (k - begin%k) % k
}

// thinned moves the visible draws, of n numbers each, from position from on, to the front and returns them.
func (r *Run) thinned(draws []float64, from, n int) []float64 {
	if r.every <= 1 {
		return draws
	}
	kept := 0
	for d := from; (d+1)*n <= len(draws); d += r.every {
		copy(draws[kept*n:(kept+1)*n], draws[d*n:(d+1)*n])
		kept++
	}
	return draws[:kept*n]
}

// length returns the number of draws of a chain in an array, limited by the end of the view.
func (r *Run) length(c column) int {
	n := r.arrays[c.key()].Shape[1]
	if r.end > 0 {
		return min(n, r.end)
	}
	return n
}
