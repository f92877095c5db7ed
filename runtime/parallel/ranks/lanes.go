package ranks

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// LaneBlock is the number of lanes that are never divided between ranks, since a device runs them in the time of one
// lane: the largest number of lanes in a block of any device.
const LaneBlock = 8

// Parts divides a program among ranks: by lanes if there is at least one block of lanes for each rank, which takes one
// exchange for each call of the device; otherwise by rows, which takes one exchange for each gradient.
func (s *Session) Parts(l device.Loader) device.Loader { return partLoader{l, s} }

type partLoader struct {
	device.Loader
	session *Session
}

func (l partLoader) Load(o device.Options) (device.Executable, error) {
	if n := l.session.Size(); n > 1 && (o.Lanes+LaneBlock-1)/LaneBlock >= n {
		return l.session.Lanes(l.Loader).Load(o)
	}
	return l.session.Rows(l.Loader).Load(o)
}

// Lanes divides the lanes of a program among ranks: each rank has all rows, and memory for some blocks of lanes.
//
//	rank 0   lanes 0 … 15  ┐            ┌ the numbers of lanes 0 … 31
//	rank 1   lanes 16 … 31 ┴ exchange   ┴ the numbers of lanes 0 … 31
//
// Noise depends on the number of a lane in the entire run, so a lane has the same noise on any rank. Buffers with one
// number per lane, such as energies, are exchanged after each call, all at once; longer buffers, such as positions, are
// exchanged when they are read. Buffers that only the recorder of draws reads, such as the log likelihood of each row,
// are sent to rank 0 alone.
func (s *Session) Lanes(l device.Loader) device.Loader { return laneLoader{l, s} }

type laneLoader struct {
	device.Loader
	session *Session
}

func (l laneLoader) Load(o device.Options) (device.Executable, error) {
	starts := laneStarts(o.Lanes, l.session.Size())
	first, end := starts[l.session.Rank()], starts[l.session.Rank()+1]
	e := &laneExecutable{session: l.session, starts: starts, first: first, end: end,
		numbers: map[string]numbers{}, given: map[string]bool{}}
	for _, b := range l.Buffers() {
		if b.Given {
			e.given[b.Name] = true
		}
		if b.Space == ir.Lane && b.Size == 1 {
			e.numbers[b.Name] = numbers{make([]float64, o.Lanes), b.Type == ir.F32}
		}
	}
	e.small = slices.Sorted(maps.Keys(e.numbers))
	e.stage = make([]byte, e.at(l.session.Size()))
	l.session.parts = l.session.Size()
	o.Lanes, o.First = end-first, o.First+first
	// lanes of a group may be on different ranks, so lanes must not read from each other; callers exchange values
	o.Group = 0
	var err error
	e.Executable, err = l.session.load(l.Loader, o)
	return e, err
}

// laneStarts returns the first lane of each rank, in complete blocks, followed by the number of lanes.
func laneStarts(lanes, size int) []int {
	starts := Even((lanes+LaneBlock-1)/LaneBlock, LaneBlock, size)
	for r := range starts {
		starts[r] = min(starts[r], lanes)
	}
	return starts
}

// A laneExecutable has the lanes first ≤ lane < end, and the exchanged numbers of all lanes.
type laneExecutable struct {
	device.Executable
	session    *Session
	starts     []int // first lane of each rank
	first, end int
	small      []string        // names of the lane buffers of size 1, sorted
	given      map[string]bool // names of buffers with one copy for all lanes
	numbers    map[string]numbers
	stage      []byte // data to exchange: for each rank whether it has failed, then the numbers of its lanes
}

// numbers is a buffer of size 1, for all lanes.
type numbers struct {
	all    []float64
	single bool // the device stores them in single precision
}

func (n numbers) set(lane int, x float64) {
	if n.single {
		x = float64(float32(x))
	}
	n.all[lane] = x
}

func (e *laneExecutable) mine(lane int) bool { return lane >= e.first && lane < e.end }

// Set stores the lanes of this rank, or the values that all lanes share.
func (e *laneExecutable) Set(name string, values []float64) {
	if e.given[name] {
		e.Executable.Set(name, values)
		return
	}
	size := e.Size(name)
	e.Executable.Set(name, values[e.first*size:e.end*size])
	for lane := range len(values) / size {
		e.note(name, lane, values[lane*size])
	}
}

func (e *laneExecutable) SetLane(name string, lane int, values []float64) {
	if e.mine(lane) {
		e.Executable.SetLane(name, lane-e.first, values)
	}
	e.note(name, lane, values[0])
}

// Reads implements device.Partial: it returns the range of elements of a lane buffer that an entry reads on this rank,
// which is empty for lanes of other ranks.
func (e *laneExecutable) Reads(entry, name string, lane int) (first, end int) {
	if !e.mine(lane) {
		return 0, 0
	}
	return device.Reads(e.Executable, entry, name, lane-e.first)
}

// note stores a number of a lane in the copy that all ranks have.
func (e *laneExecutable) note(name string, lane int, x float64) {
	if n, small := e.numbers[name]; small {
		n.set(lane, x)
	}
}

// Get collects a buffer of all lanes.
func (e *laneExecutable) Get(name string, dst []float64) {
	if e.given[name] {
		e.Executable.Get(name, dst)
		return
	}
	if n, small := e.numbers[name]; small {
		copy(dst, n.all)
		return
	}
	size := e.Size(name)
	e.Executable.Get(name, dst[e.first*size:e.end*size])
	starts := make([]int, len(e.starts))
	for r, lane := range e.starts {
		starts[r] = size * lane
	}
	_ = e.session.gatherNumbers(dst, starts) // the next Run returns the error
}

// GetLane returns one lane's numbers, which the rank with that lane sends to the others.
func (e *laneExecutable) GetLane(name string, lane int, dst []float64) {
	if n, small := e.numbers[name]; small {
		dst[0] = n.all[lane]
		return
	}
	if e.given[name] {
		e.Executable.GetLane(name, 0, dst)
		return
	}
	if e.mine(lane) {
		e.Executable.GetLane(name, lane-e.first, dst)
	}
	if e.session.Synchronise() != nil {
		return
	}
	bytes := make([]byte, 8*len(dst))
	putNumbers(bytes, dst)
	if e.session.Broadcast(bytes, e.owner(lane)) == nil {
		takeNumbers(dst, bytes)
	}
}

// ReadLanes implements device.Spread: the ranks with the lanes send their numbers to all ranks.
func (e *laneExecutable) ReadLanes(name string, lanes []int, dst [][]float64) {
	e.readLanes(name, lanes, dst, func(mine []byte, starts []int) ([]byte, error) {
		all := make([]byte, starts[e.session.Size()])
		copy(all[starts[e.session.Rank()]:], mine)
		return all, e.session.Gather(all, starts)
	})
}

// CollectLanes implements device.Spread: the ranks with the lanes send their numbers to rank 0, which records draws.
func (e *laneExecutable) CollectLanes(name string, lanes []int, dst [][]float64) {
	e.readLanes(name, lanes, dst, func(mine []byte, starts []int) (all []byte, err error) {
		if e.session.Rank() == 0 {
			all = make([]byte, starts[e.session.Size()])
		}
		return all, e.session.Collect(mine, all, starts)
	})
}

// readLanes copies the first numbers of some lanes to dst. exchange receives the numbers of this rank, and returns
// those of all ranks, ordered by rank, if this rank needs them.
func (e *laneExecutable) readLanes(name string, lanes []int, dst [][]float64,
	exchange func(mine []byte, starts []int) ([]byte, error)) {
	if _, small := e.numbers[name]; small || e.given[name] {
		device.CopyLanes(e, name, lanes, dst)
		return
	}
	if len(lanes) == 0 || e.session.Synchronise() != nil {
		return // the next Run returns the error
	}
	bytes := 8 * len(dst[0])
	sorted, starts := e.byRank(lanes, bytes)
	rank := e.session.Rank()
	mine := make([]byte, starts[rank+1]-starts[rank])
	for at, k := range sorted {
		if e.mine(lanes[k]) {
			e.Executable.GetLane(name, lanes[k]-e.first, dst[k])
			putNumbers(mine[at*bytes-starts[rank]:], dst[k])
		}
	}
	all, err := exchange(mine, starts)
	if err != nil || all == nil {
		return
	}
	for at, k := range sorted {
		takeNumbers(dst[k], all[at*bytes:])
	}
}

// byRank sorts the indices of lanes by the ranks that have them, and returns where those of each rank begin if a lane
// has that many bytes.
func (e *laneExecutable) byRank(lanes []int, bytes int) (sorted, starts []int) {
	starts = make([]int, e.session.Size()+1)
	for k, lane := range lanes {
		sorted = append(sorted, k)
		for r := e.owner(lane) + 1; r < len(starts); r++ {
			starts[r] += bytes
		}
	}
	slices.SortStableFunc(sorted, func(a, b int) int { return e.owner(lanes[a]) - e.owner(lanes[b]) })
	return sorted, starts
}

// owner returns the rank that has a lane.
func (e *laneExecutable) owner(lane int) int {
	rank, _ := slices.BinarySearch(e.starts, lane+1)
	return rank - 1
}

// Run runs this rank's lanes, and exchanges the numbers of all lanes. If one rank fails, all ranks return an error.
func (e *laneExecutable) Run(calls []device.Call, step uint64, mask []bool) (uint64, error) {
	if err := e.session.Synchronise(); err != nil {
		return step, err
	}
	if mask != nil {
		mask = mask[e.first:e.end]
	}
	next, err := e.Executable.Run(calls, step, mask)
	return next, e.exchangeNumbers(err)
}

// at returns the start of the part of a rank in the stage.
func (e *laneExecutable) at(rank int) int { return 8 * (rank + e.starts[rank]*len(e.small)) }

// exchangeNumbers sends the numbers of all lanes to all ranks. It returns an error on all ranks if one has failed.
func (e *laneExecutable) exchangeNumbers(mine error) error {
	at, of, all := e.at(e.session.Rank()), make([]float64, e.end-e.first), make([]int, len(e.starts))
	for r := range all {
		all[r] = e.at(r)
	}
	clear(e.stage[at : at+8])
	if mine != nil {
		e.stage[at] = 1
	}
	at += 8
	for _, name := range e.small {
		e.Executable.Get(name, of)
		putNumbers(e.stage[at:], of)
		at += 8 * len(of)
	}
	if err := e.session.Gather(e.stage, all); err != nil {
		return err
	}
	for r, at := range all[:e.session.Size()] {
		e.session.failed = e.session.failed || e.stage[at] > 0
		at += 8
		for _, name := range e.small {
			lanes := e.numbers[name].all[e.starts[r]:e.starts[r+1]]
			takeNumbers(lanes, e.stage[at:])
			at += 8 * len(lanes)
		}
	}
	if mine == nil && e.session.failed {
		return errElsewhere
	}
	return mine
}

// gatherNumbers fills in the numbers of the other ranks: those of rank r begin at all[starts[r]]. It synchronises the
// ranks first, so that all learn whether one has failed. After an error only the numbers of this rank are defined.
func (s *Session) gatherNumbers(all []float64, starts []int) error {
	if err := s.Synchronise(); err != nil {
		return err
	}
	bytes, at, rank := make([]byte, 8*len(all)), make([]int, len(starts)), s.Rank()
	for r, start := range starts {
		at[r] = 8 * start
	}
	putNumbers(bytes[at[rank]:], all[starts[rank]:starts[rank+1]])
	if err := s.Gather(bytes, at); err != nil {
		return err
	}
	takeNumbers(all, bytes)
	return nil
}

func putNumbers(to []byte, from []float64) {
	for i, x := range from {
		binary.LittleEndian.PutUint64(to[8*i:], math.Float64bits(x))
	}
}

func takeNumbers(to []float64, from []byte) {
	for i := range to {
		to[i] = math.Float64frombits(binary.LittleEndian.Uint64(from[8*i:]))
	}
}
