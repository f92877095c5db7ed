package store

// Every returns the run as if it had kept each k-th draw alone, from the first on. What reads draws of it takes a k-th
// of the memory.
func (r *Run) Every(k int) *Run {
	if k <= 1 {
		return r
	}
	thin := *r
	thin.every = max(1, r.every) * k
	thin.Info.Draws = (r.Info.Draws + k - 1) / k
	return &thin
}

// First returns the run as if it had ended after n draws of each chain.
func (r *Run) First(n int) *Run {
	if n >= r.Info.Draws {
		return r
	}
	short := *r
	short.Info.Draws, short.end = n, n*max(1, r.every)
	return &short
}

// Within returns the run with as many draws, evenly spread, as are at most some number in all chains, and from how many
// draws one is: 1 if they are all. At least two draws of a chain are left.
func (r *Run) Within(most int) (thin *Run, every int) {
	total := r.Layout.Chains * r.Info.Draws
	every = max(1, (total+max(1, most)-1)/max(1, most))
	every = max(1, min(every, r.Info.Draws/2))
	return r.Every(every), every
}

// firstRead returns the place in a chunk of the first draw that is read, where the chunk begins with a draw.
func (r *Run) firstRead(begin int) int {
	k := max(1, r.every)
	return (k - begin%k) % k
}

// thinned returns the draws that are read, of n numbers each, moved together, from the given one on.
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

// length returns the number of draws of a chain in an array, without those behind the end of the run.
func (r *Run) length(c column) int {
	n := r.arrays[c.key()].Shape[1]
	if r.end > 0 {
		return min(n, r.end)
	}
	return n
}
