// Command measure prints numbers about the structure of this code: the sizes of dependency cycles in packages, and the
// lengths of functions.
//
//	go run ./bench/measure            the packages of this module
//	go run ./bench/measure ../other   those of another checkout, to compare
//
// Two files of a package belong to one cycle if each uses, directly or through other files, a name that the other
// declares: a type, function, method, field, constant or variable. The files of a cycle can only be understood
// together.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"golang.org/x/tools/go/packages"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	all, err := load(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
	if err := report(os.Stdout, all); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// load reads all packages of the module in a directory, without tests.
func load(dir string) ([]*packages.Package, error) {
	all, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports |
		packages.NeedExportFile}, "./...")
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
		}
	}
	return all, nil
}

// command is the package whose size is reported together with the packages below it.
const command = "/cmd/ppl"

// report prints the measures, each with its worst package, and then a line for each package with a cycle.
func report(to io.Writer, all []*packages.Package) error {
	measured := make([]measures, len(all))
	for i, p := range all {
		measured[i] = measure(p)
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	cycle, files, fields := worst(measured, measures.cycleFiles), worst(measured, measures.fileCount),
		worst(measured, measures.fieldCount)
	fmt.Fprintf(w, "largest cycle of files in a package\t%d\t%s\n", len(cycle.cycle), cycle.path)
	fmt.Fprintf(w, "most files in a package\t%d\t%s\n", files.files, files.path)
	fmt.Fprintf(w, "most fields of a struct\t%d\t%s %s\n", fields.fields, fields.path, fields.largest)
	var lengths []int
	lines := 0
	for _, m := range measured {
		lengths = append(lengths, m.functions...)
		if below(m.path, command) {
			lines += m.lines
		}
	}
	slices.Sort(lengths)
	fmt.Fprintf(w, "lines of cmd/ppl and below\t%d\n", lines)
	for _, share := range []float64{.5, .95, .99, 1} {
		fmt.Fprintf(w, "lines of a function, p%.0f\t%d\n", 100*share, quantile(lengths, share))
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "package\tfiles\tlargest cycle\tlines")
	slices.SortFunc(measured, func(a, b measures) int { return len(b.cycle) - len(a.cycle) })
	for _, m := range measured {
		if len(m.cycle) > 3 || m.files > 30 {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", m.path, m.files, len(m.cycle), m.lines)
		}
	}
	return w.Flush()
}

func worst(all []measures, of func(measures) int) measures {
	return slices.MaxFunc(all, func(a, b measures) int { return of(a) - of(b) })
}

// quantile returns a quantile of sorted numbers, rounded down to an element.
func quantile(sorted []int, share float64) int {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(share*float64(len(sorted)-1))]
}
