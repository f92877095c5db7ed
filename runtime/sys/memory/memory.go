// Package memory determines the memory available for a run, and whether a program fits into it:
//
//	err := memory.Fits(program, 64, 2, memory.Limit())
//	// the program needs 41.2 GB on 64 lanes, and the memory limit is 24 GB (38 GB for x (lanes), …); …
//
// The memory of a program is the sum of its buffers: data count once, other buffers once per lane. For layout Apart,
// buffers that a lane needs only while it runs count once per thread, and data that ir.Program.Bytes reports take one
// byte per element. Go's own limit (GOMEMLIMIT, package runtime/debug) keeps the garbage collector from using more than
// this.
package memory

import (
	"cmp"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/backend/ir"
)

// unknown is the memory assumed for a machine that does not report its memory, in bytes.
const unknown = 8 << 30

// Limit returns the memory for this process in bytes: the limit that was set (Set, or GOMEMLIMIT), otherwise the memory
// of the machine or the control group.
func Limit() int64 {
	if given := debug.SetMemoryLimit(-1); given != math.MaxInt64 {
		return given
	}
	return machine()
}

// LeastForReading is the memory that reading a file may use even if the limit is lower, in bytes: users set a low limit
// to have data read by rows.
const LeastForReading = 64 << 20

// ForReading returns the number of bytes that reading a file may use.
func ForReading() int64 { return max(Limit(), LeastForReading) }

// ForPass returns the number of bytes for what a command collects in one pass over the files of a run: a sixteenth of
// the limit, but between least and 512 MB. Each pass decompresses all draws again, so few passes take much less time.
func ForPass(least int64) int64 { return max(least, min(Limit()/16, 1<<29)) }

// Set limits the memory of this process.
func Set(bytes int64) { debug.SetMemoryLimit(bytes) }

// ParseSize parses a number of bytes such as 8GB, 500MB or 1.5GiB.
func ParseSize(text string) (n int64, ok bool) {
	for _, unit := range []struct {
		name  string
		bytes float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6},
		{"GB", 1e9}, {"TB", 1e12}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1}, {"", 1}} {
		number, found := strings.CutSuffix(text, unit.name)
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if found && err == nil {
			x *= unit.bytes
			return int64(x), x >= 0 && x < math.MaxInt64
		}
	}
	return 0, false
}

// Reserve returns memory that nothing writes to, so the system never provides it. The garbage collector counts it as
// part of the heap, and lets a heap of a few megabytes, which most models have, grow by as much before it collects
// again. Without it, a run of one second had 35 to 70 collections. It has an effect as long as the result is reachable.
func Reserve(limit int64) []byte { return make([]byte, min(ReserveSize, limit/64)) }

// ReserveSize is the largest number of bytes that Reserve returns.
const ReserveSize = 32 << 20

// A TooLarge is the error for a program that does not fit into memory.
type TooLarge struct {
	Lanes       int
	Need, Limit int64 // bytes
	Largest     []string
}

func (t TooLarge) Error() string {
	return fmt.Sprintf("the program needs %s on %d lanes, and the memory limit is %s (%s); fewer chains or a smaller "+
		"batch need less, and --max-memory SIZE sets the limit", bytes(float64(t.Need)), t.Lanes,
		bytes(float64(t.Limit)), strings.Join(t.Largest, ", "))
}

func bytes(n float64) string {
	if n >= 1e9 {
		return fmt.Sprintf("%.3g GB", n/1e9)
	}
	return fmt.Sprintf("%.3g MB", n/1e6)
}

// named is the number of largest buffers that the message names.
const named = 3

// little is the memory that a program may use even if the limit is lower, in bytes: users set a low limit to have data
// read by rows.
const little = 64 << 20

// Fits returns a TooLarge error if the buffers of a program take more than limit bytes.
func Fits(p *ir.Program, lanes, threads int, limit int64) error {
	type part struct {
		name  string
		bytes float64 // may exceed an int64
	}
	var parts []part
	total := 0.0
	kept := p.Bytes()
	for i, b := range p.Buffers {
		size := float64(b.Size) * float64(b.Type.Bytes())
		if kept[i] {
			size = float64(b.Size)
		}
		where := "lanes"
		switch {
		case b.Space == ir.Shared:
			where = "data"
		case p.Layout == ir.Apart && b.Space != ir.Lane:
			size, where = size*float64(min(lanes, threads)), "threads"
		default:
			size *= float64(lanes)
		}
		name := b.Name
		if name == "" {
			name = fmt.Sprintf("intermediate values %d", i)
		}
		total += size
		parts = append(parts, part{fmt.Sprintf("%s for %s (%s)", bytes(size), name, where), size})
	}
	if total <= max(float64(limit), little) {
		return nil
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.bytes, a.bytes) })
	t := TooLarge{Lanes: lanes, Need: int64(min(total, math.MaxInt64/2)), Limit: limit}
	for _, p := range parts[:min(named, len(parts))] {
		t.Largest = append(t.Largest, p.name)
	}
	return t
}
