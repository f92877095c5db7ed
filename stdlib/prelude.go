package stdlib

import _ "embed"

// Prelude is the source of the library's functions that are written in the language.
//
//go:embed prelude.ppl
var Prelude string
