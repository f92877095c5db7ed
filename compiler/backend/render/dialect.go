package render

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"sync"

	"ppl/compiler/backend/ir"
)

// A dialect is a language of the C family. The text uses types and functions (real, wide, exp_s, exp_w, …) that the
// dialect defines in its own terms; a few words differ.
type dialect struct {
	prelude string
	single  string // further definitions for single precision
	apart   string // further definitions for programs whose lanes are apart
	export  string // qualifier of a function that can be called from outside
	// types of an element of a lane's buffer, for values of types wide and singles
	cell, cellSingle string
	// Who has a copy of a lane, scratch or tile buffer, as a word of the context that counts them, and the number of
	// elements of a copy. nil: a context has a table of buffers to itself.
	owner       func(f *file, id ir.BufID) (word string, elements int)
	unroll      string // line before a loop of that many turns to unroll
	rolled      string // word before any other loop
	overlap     int    // turns of a short loop that are unrolled, so that their loads are under way together; 0: none
	eachLane    string // head of a loop over the lanes of a block
	packs       bool   // large products are packed
	leastShared int    // points of a kernel that threads share; 0: they share none, see pieces.go
}

//go:embed c/types.h
var cTypes string

//go:embed c/libm.h
var cLibm string

//go:embed c/math.h
var cMath string

//go:embed c/special.h
var cSpecial string

//go:embed c/horner.h
var cHorner string

//go:embed c/quantile.h
var cQuantile string

//go:embed c/eigen.h
var cEigen string

//go:embed c/noise.h
var cNoise string

//go:embed c/real.h
var cReal string

//go:embed c/single.h
var cSingle string

//go:embed c/logpart.h
var cLogPart string

//go:embed c/group.h
var cGroup string

//go:embed c/apart.h
var cApart string

// The definitions that all programs, and those of single precision, begin with.
var (
	cPrelude = sync.OnceValue(func() string {
		return withOps(cTypes + cLibm + cMath + cSpecial + cHorner + cQuantile + specialOps() + cEigen + cNoise + cReal)
	})
	cSinglePrelude = sync.OnceValue(func() string { return withOps(cSingle + cLogPart + cGroup) })
)

func c() dialect {
	return dialect{
		prelude: cPrelude(),
		single:  cSinglePrelude(),
		apart:   cApart,
		export:  `__attribute__((visibility("default")))`,

		cell: "wide", cellSingle: "singles",
		unroll: "#pragma GCC unroll %d", eachLane: "for (long l = 0; l < LANES; l++)", packs: true,
	}
}

// memory returns the type of an element of memory that holds a form.
func (d *dialect) memory(f form) string {
	switch f {
	case form{wide: true}:
		return d.cell
	case form{wide: true, single: true}:
		return d.cellSingle
	}
	return f.typ()
}

// A combination is how an output is combined with the value in the buffer, as a format of both values, and the value it
// starts from.
type combination struct{ start, operator, function string }

var combinations = [...]combination{
	ir.Sum: {start: "0", operator: "%s + %s"},
	ir.Max: {start: "-INF", function: "maximum"},
	ir.Min: {start: "INF", function: "minimum"},
}

func (c combination) of(a, b string, f form) string {
	if c.operator != "" {
		return fmt.Sprintf(c.operator, a, b)
	}
	return fmt.Sprintf("%s_%s(%s, %s)", c.function, f.suffix(), a, b)
}

// number returns a constant, exact in double precision; in single precision the nearest number that is neither zero nor
// infinite.
func number(v float64, single bool) string {
	if single && v != 0 && !math.IsInf(v, 0) {
		v = math.Copysign(min(max(math.Abs(v), 0x1p-126), math.MaxFloat32), v)
	}
	switch {
	case v != v:
		return "NAN"
	case math.IsInf(v, 1):
		return "INF"
	case math.IsInf(v, -1):
		return "-INF"
	}
	return strconv.FormatFloat(v, 'x', -1, 64)
}
