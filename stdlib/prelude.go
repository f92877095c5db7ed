package stdlib

import _ "embed"

// Prelude is the source of the library functions that are written in ppl.
//
//go:embed prelude.ppl
var Prelude string
