// Package ranks runs one program on several processes, or ranks. Each rank runs the same Go code on the same numbers,
// and they divide the work of a device, by lanes or by rows. All values that decisions depend on are exchanged, so that
// all ranks decide alike:
//
//	rank 0   iterations 0 1 2 ┐          ┌ combines the results of iterations 0 … 5, in their order
//	rank 1   iterations 3 4 5 ┴ exchange ┴ combines the results of iterations 0 … 5, in their order
//
// The results are identical to those of one process, for any number of ranks, since no sum depends on the number.
package ranks

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// A Comm connects the ranks of a job. All ranks must make the same calls in the same order; a call returns when it has
// received the data that it needs from the others. Calls come from one goroutine at a time. An error means that another
// rank cannot be reached, and that the job has ended: all later calls return it too, and buffers that the call should
// have filled must not be used.
type Comm interface {
	Rank() int // from 0 to Size − 1
	Size() int
	// Gather fills all on every rank. Before the call, rank r has the bytes starts[r] to starts[r+1] of it; after the
	// call, every rank has all bytes. starts is the same on all ranks, and has Size + 1 elements.
	Gather(all []byte, starts []int) error
	// Collect sends the parts of all ranks to rank 0: rank r passes its part in mine, and rank 0 has it in the bytes
	// starts[r] to starts[r+1] of all after the call. The other ranks do not use all, and need not wait for rank 0.
	// starts is as in Gather.
	Collect(mine, all []byte, starts []int) error
	// Broadcast copies the data of rank `from` to the other ranks, whose data must have the same length.
	Broadcast(data []byte, from int) error
	// ExchangeTime returns the time of an exchange of a few bytes, the same on all ranks.
	ExchangeTime() time.Duration
}

// MeasureExchange returns the median time of several exchanges on rank 0, or 0 if one fails. Constructors of a Comm
// call it on all ranks.
func MeasureExchange(c Comm) time.Duration {
	const n = 9
	var times []time.Duration
	for range n + 1 { // the first also waits until all ranks have begun
		began := time.Now()
		if err := Barrier(c); err != nil {
			return 0
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times[1:])
	median := make([]byte, 8)
	putLength(median, int(times[1+n/2]))
	if err := c.Broadcast(median, 0); err != nil {
		return 0
	}
	return time.Duration(length(median))
}

// Even returns the byte offsets that divide n elements into contiguous, nearly equal parts for the ranks; `bytes` is
// the size of an element.
func Even(n, bytes, size int) []int {
	starts := make([]int, size+1)
	for r := range starts {
		starts[r] = r * n / size * bytes
	}
	return starts
}

// GatherTexts returns the texts of all ranks on every rank.
func GatherTexts(c Comm, mine string) ([]string, error) {
	lengths := make([]byte, 8*c.Size())
	putLength(lengths[8*c.Rank():], len(mine))
	if err := c.Gather(lengths, Even(c.Size(), 8, c.Size())); err != nil {
		return nil, err
	}
	starts := make([]int, c.Size()+1)
	for r := range c.Size() {
		starts[r+1] = starts[r] + length(lengths[8*r:])
	}
	all := make([]byte, starts[c.Size()])
	copy(all[starts[c.Rank()]:], mine)
	if err := c.Gather(all, starts); err != nil {
		return nil, err
	}
	texts := make([]string, c.Size())
	for r := range texts {
		texts[r] = string(all[starts[r]:starts[r+1]])
	}
	return texts, nil
}

// BroadcastText returns the text of rank 0 on every rank.
func BroadcastText(c Comm, text []byte) ([]byte, error) {
	n := make([]byte, 8)
	putLength(n, len(text))
	if err := c.Broadcast(n, 0); err != nil {
		return nil, err
	}
	if c.Rank() > 0 {
		text = make([]byte, length(n))
	}
	return text, c.Broadcast(text, 0)
}

// Barrier returns when all ranks have called it. It exchanges one byte per rank, since MPI libraries skip empty
// exchanges.
func Barrier(c Comm) error { return c.Gather(make([]byte, c.Size()), Even(c.Size(), 1, c.Size())) }

// ByHost calls do on the first rank of each host, and then on the other ranks, which can use files that the first has
// written. It returns when all ranks have finished.
func ByHost(c Comm, do func()) error {
	host, _ := os.Hostname() // without names there is one host, whose first rank is 0
	hosts, err := GatherTexts(c, host)
	if err != nil {
		return err
	}
	first := slices.Index(hosts, host) == c.Rank()
	for _, mine := range []bool{first, !first} {
		if mine {
			do()
		}
		if err := Barrier(c); err != nil {
			return err
		}
	}
	return nil
}

// Same returns an error if the text of some rank differs from that of rank 0; `what` describes the difference.
func Same(texts []string, what string) error {
	for r, text := range texts {
		if text != texts[0] {
			return fmt.Errorf("rank %d of %d: %s", r, len(texts), what)
		}
	}
	return nil
}

// Local returns n ranks in one process, for tests: each is used by a separate goroutine.
func Local(n int) []Comm {
	meet := &meeting{parts: make([]part, n)}
	meet.turned = sync.NewCond(&meet.mutex)
	all := make([]Comm, n)
	for r := range all {
		all[r] = &local{meet, r}
	}
	return all
}

// A meeting synchronises local ranks.
type meeting struct {
	mutex   sync.Mutex
	turned  *sync.Cond
	parts   []part // parts of the current call, by rank
	arrived int
	turn    int
	result  []part // parts of the last call
}

// A part is the contribution of a rank to a call.
type part struct {
	call string
	data []byte
}

type local struct {
	*meeting
	rank int
}

func (l *local) Rank() int { return l.rank }
func (l *local) Size() int { return len(l.parts) }

// ExchangeTime returns 0, so that ranks share even small programs.
func (l *local) ExchangeTime() time.Duration { return 0 }

func (l *local) Gather(all []byte, starts []int) error {
	mine := all[starts[l.rank]:starts[l.rank+1]]
	for r, p := range l.exchange(part{fmt.Sprint("gather ", starts), mine}) {
		copy(all[starts[r]:], p.data)
	}
	return nil
}

func (l *local) Collect(mine, all []byte, starts []int) error {
	parts := l.exchange(part{fmt.Sprint("collect ", starts), mine})
	for r := range parts {
		if l.rank == 0 {
			copy(all[starts[r]:starts[r+1]], parts[r].data)
		}
	}
	return nil
}

func (l *local) Broadcast(data []byte, from int) error {
	copy(data, l.exchange(part{fmt.Sprint("broadcast ", len(data), from), data})[from].data)
	return nil
}

// exchange returns the parts of all ranks on each of them.
func (l *local) exchange(mine part) []part {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	mine.data = slices.Clone(mine.data)
	l.parts[l.rank] = mine
	l.arrived++
	if l.arrived == len(l.parts) {
		l.arrived, l.turn, l.result = 0, l.turn+1, slices.Clone(l.parts)
		l.turned.Broadcast()
	} else {
		for turn := l.turn; turn == l.turn; {
			l.turned.Wait()
		}
	}
	for r, p := range l.result {
		if p.call != mine.call {
			panic(fmt.Sprintf("internal error: rank %d is at %s, and rank %d at %s", l.rank, mine.call, r, p.call))
		}
	}
	return l.result
}

func putLength(to []byte, n int) { binary.LittleEndian.PutUint64(to, uint64(n)) }
func length(from []byte) int     { return int(binary.LittleEndian.Uint64(from)) }
