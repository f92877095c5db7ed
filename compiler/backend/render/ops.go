package render

import (
	"embed"
	"regexp"
	"strings"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// specialFiles has a header for each group of ops whose source is autodiff.Special. A header defines the function f_w
// of each op f, which computes all lanes.
//
//go:embed c/special
var specialFiles embed.FS

func specialOps() string {
	const dir = "c/special"
	var text strings.Builder
	entries, err := specialFiles.ReadDir(dir)
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		header, err := specialFiles.ReadFile(dir + "/" + e.Name())
		if err != nil {
			panic(err)
		}
		text.Write(header)
	}
	return text.String()
}

// A macroUse reports whether headers use a macro to define the function of an op.
type macroUse func(row *autodiff.Elementwise) bool

// macros maps the name of a macro to its use. A name that ends in 2 is for functions of two arguments.
var macros = map[string]macroUse{
	"LIBM":     withArguments(1, inLibrary),
	"LIBM2":    withArguments(2, inLibrary),
	"LIBRARY":  withArguments(1, inLibrary),
	"LIBRARY2": withArguments(2, inLibrary),
	"LIBM_F":   withArguments(1, func(row *autodiff.Elementwise) bool { return row.Source == autodiff.VectorLibrary }),
	"THROUGH":  withArguments(1, throughDouble),
	"THROUGH2": withArguments(2, throughDouble),
	"SHARED":   withArguments(1, func(row *autodiff.Elementwise) bool { return row.Source == autodiff.Special }),
	"REAL1":    withArguments(1, isFunction),
	"REAL2":    withArguments(2, isFunction),
	"SINGLE1":  withArguments(1, isFunction),
	"SINGLE2":  withArguments(2, isFunction),
}

func withArguments(n int, use macroUse) macroUse {
	return func(row *autodiff.Elementwise) bool { return row.Arity() == n && use(row) }
}

func inLibrary(row *autodiff.Elementwise) bool {
	return row.Source == autodiff.Library || row.Source == autodiff.VectorLibrary
}

func throughDouble(row *autodiff.Elementwise) bool {
	return row.Source == autodiff.Library || row.Source == autodiff.Special
}

func isFunction(row *autodiff.Elementwise) bool { return row.Operator == "" && !row.Truth }

var every = regexp.MustCompile(`(?m)^EVERY\((\w+)\)$`)

// withOps replaces each line EVERY(MACRO) of a header by a use of MACRO for each op that needs it.
func withOps(header string) string {
	return every.ReplaceAllStringFunc(header, func(line string) string {
		macro := every.FindStringSubmatch(line)[1]
		var uses []string
		for _, op := range ir.Arithmetic() {
			if macros[macro](op.Row()) {
				uses = append(uses, macro+"("+op.String()+")")
			}
		}
		return strings.Join(uses, " ")
	})
}
