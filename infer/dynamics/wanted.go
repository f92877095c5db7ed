package dynamics

import "slices"

// Wanted returns the rows that an entry reads on a lane at a noise step. It returns nil for an entry that reads no
// minibatch. The host computes the rows from the lane's scalars, in the same way as the graphs, to load the rows of a
// target whose data are in files.
func (b Batches) Wanted(entry string, seed, step uint64, scalar func(name string) float64) []float64 {
	if b.Size == 0 {
		return nil
	}
	if b.UsesAnchor(entry) {
		return append(b.rowsOf(b.BlockAt(seed, step)), b.Always...)
	}
	switch entry {
	case Block:
		return append(b.rowsOf(int(scalar(BlockNumber))), b.Always...)
	case "start", "step", NoisyGrad, PlainGrad:
		return b.inEpoch(seed, 2*scalar(Walker)+1, scalar(clock), 0, b.Size)
	case Climb:
		return b.wantedToLearn(seed, scalar(Walker), scalar(clock))
	case Score:
		return b.wantedToScore(scalar(Part))
	case Terms:
		return append(b.inEpoch(seed, 2*scalar(Chain), scalar(Round), scalar(Part), b.Chunk), b.Always...)
	case Residuals:
		start, _, _ := b.InPass(int(scalar(Part)))
		return b.neighbouring(start)
	case AllRows:
		return b.neighbouring(int(scalar(Part)) * b.Pass)
	}
	return nil
}

// CommonRows reports whether all lanes read the same rows in an entry. A graph then has the rows as a given input.
func (b Batches) CommonRows(entry string) bool {
	return b.UsesAnchor(entry) || slices.Contains([]string{Residuals, AllRows, Score}, entry)
}

// neighbouring returns Pass rows from the first on. Positions beyond the last row repeat it.
func (b Batches) neighbouring(first int) []float64 {
	rows := make([]float64, b.Pass)
	for i := range rows {
		rows[i] = float64(min(first+i, b.Rows-1))
	}
	return rows
}
