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
// dialect's prelude defines; the fields hold the few other differences.
type dialect struct {
	prelude string
	single  string // further definitions for single precision
	apart   string // further definitions for layout Apart
	export  string // qualifier of a function that can be called from outside
	// element types of a lane's buffer in double and in single precision
	cell, cellSingle string
	// owner returns the field of the context that counts the copies of a lane, scratch or tile buffer, and the number
	// of elements of a copy. If it is nil, each context has its own table of buffers.
	owner    func(f *file, id ir.BufID) (word string, elements int)
	unroll   string // line before a loop that is to be unrolled, with the number of iterations
	rolled   string // text before any other loop
	overlap  int    // number of iterations of a short loop to unroll so that their loads overlap; 0: none
	eachLane string // head of a loop over the lanes of a block
	packs    bool   // large products copy their operands into packed blocks
	division
}

// A division decides how the statements of a program are divided among threads.
type division struct {
	leastShared int  // least number of points for which threads share a kernel; 0: they share none, see pieces.go
	rowPasses   bool // the statements of an iteration of Tiles share a loop over rows, see rowpass.go
}

//go:embed c/types.h
var cTypes string

//go:embed c/libm.h
var cLibm string

//go:embed c/exppart.h
var cExpPart string

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

// cPrelude returns the definitions at the start of all C programs, and cSinglePrelude those that single precision adds.
var (
	cPrelude = sync.OnceValue(func() string {
		return withOps(cTypes + cLibm + cExpPart + cMath + cSpecial + cHorner + cQuantile + specialOps() + cEigen +
			cNoise + cReal)
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

// memory returns the type of an element in memory that holds a value of a form.
func (d *dialect) memory(f form) string {
	switch f {
	case form{wide: true}:
		return d.cell
	case form{wide: true, single: true}:
		return d.cellSingle
	}
	return f.typ()
}

// A combination describes how an output is combined with the value in the buffer: the initial value, and either an
// operator (a format of both values) or a function.
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

// number returns the text of a constant. In double precision it is exact; in single precision, a finite nonzero number
// becomes one that is neither zero nor infinite.
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
