package ranks

import (
	"cmp"

	"ppl/runtime/device"
)

// Rows divides the iterations of a program's Tiles among ranks: every rank has all lanes, and runs some of the rows.
func (s *Session) Rows(l device.Loader) device.Loader { return rowLoader{l, s} }

type rowLoader struct {
	device.Loader
	session *Session
}

// Load loads on one rank of each host first, so that the others find the compiled program in the cache.
func (l rowLoader) Load(o device.Options) (device.Executable, error) {
	o.Turns = l.session
	exe, err := l.session.load(l.Loader, o)
	if err != nil {
		return nil, err
	}
	return rowExecutable{exe, l.session}, nil
}

// load loads a program, and compares the fingerprints of the ranks' machine code.
func (s *Session) load(l device.Loader, o device.Options) (exe device.Executable, err error) {
	if err := s.Synchronise(); err != nil {
		return nil, err
	}
	lost := ByHost(s, func() { exe, err = l.Load(o) })
	if err = s.Agree(cmp.Or(lost, err)); err != nil {
		return nil, err
	}
	code := ""
	if c, ok := exe.(device.Compiled); ok {
		code = c.Fingerprint()
	}
	codes, err := GatherTexts(s, code)
	if err != nil {
		return nil, err
	}
	return exe, Same(codes, "the machine code of the model differs from that of rank 0, since the compiler or the "+
		"processor does; --device host needs no compiler")
}

type rowExecutable struct {
	device.Executable
	session *Session
}

// Reads implements device.Partial: it returns the range of elements of a lane buffer that an entry reads on this rank.
func (e rowExecutable) Reads(entry, name string, lane int) (first, end int) {
	return device.Reads(e.Executable, entry, name, lane)
}

// Member implements device.Team.
func (e rowExecutable) Member() (rank, size int) { return e.session.Rank(), e.session.Size() }

// Exchange implements device.Team.
func (e rowExecutable) Exchange(mine []float64) (all []float64, err error) {
	rank, size := e.Member()
	starts := Even(size, len(mine), size)
	all = make([]float64, starts[size])
	copy(all[starts[rank]:], mine)
	return all, e.session.gatherNumbers(all, starts)
}

// Run synchronises the ranks first, unless it takes little time, so that all learn whether a rank has been asked to
// stop.
func (e rowExecutable) Run(calls []device.Call, step uint64, mask []bool) (uint64, error) {
	if err := e.session.synchroniseBefore(e.Executable, calls); err != nil {
		return step, err
	}
	next, err := e.Executable.Run(calls, step, mask)
	return next, cmp.Or(e.session.Lost(), err)
}
