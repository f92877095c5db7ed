package main

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"ppl/compiler/frontend/cycles"
)

// measures has the numbers of one package.
type measures struct {
	path      string
	files     int
	lines     int
	cycle     []string // files of the largest cycle
	functions []int    // number of lines of each function
	fields    int      // number of fields of the largest struct
	largest   string   // name of the largest struct
}

func (m measures) cycleFiles() int { return len(m.cycle) }
func (m measures) fileCount() int  { return m.files }
func (m measures) fieldCount() int { return m.fields }

// below reports whether the path of a package ends with end, or the package is in a folder below such a path.
func below(path, end string) bool {
	return strings.HasSuffix(path, end) || strings.Contains(path, end+"/")
}

// measure measures a package without its test files.
func measure(p *packages.Package) measures {
	m := measures{path: p.PkgPath, files: len(p.Syntax)}
	for _, f := range p.Syntax {
		m.lines += p.Fset.File(f.Pos()).LineCount()
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				m.functions = append(m.functions, p.Fset.Position(d.End()).Line-p.Fset.Position(d.Pos()).Line+1)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if t, ok := n.(*ast.TypeSpec); ok {
				if s, ok := t.Type.(*ast.StructType); ok && s.Fields.NumFields() > m.fields {
					m.fields, m.largest = s.Fields.NumFields(), t.Name.Name
				}
			}
			return true
		})
	}
	m.cycle = largestCycle(uses(p))
	return m
}

// uses maps each file of a package to the other files that declare names it uses.
func uses(p *packages.Package) map[string][]string {
	own := map[string]bool{}
	for _, f := range p.Syntax {
		own[p.Fset.Position(f.Pos()).Filename] = true
	}
	all := map[string][]string{}
	for id, object := range p.TypesInfo.Uses {
		if object.Pkg() != p.Types || isLocal(object) {
			continue
		}
		from, to := p.Fset.Position(id.Pos()).Filename, p.Fset.Position(object.Pos()).Filename
		if from != to && own[from] && own[to] && !slices.Contains(all[from], to) {
			all[from] = append(all[from], to)
		}
	}
	return all
}

// isLocal reports whether an object is a local variable, which other files cannot use.
func isLocal(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && !v.IsField() && o.Parent() != o.Pkg().Scope()
}

// largestCycle returns the largest strongly connected component with at least two nodes.
func largestCycle(graph map[string][]string) (largest []string) {
	f := cycles.New(func(node string) []string { return graph[node] })
	for _, node := range sortedNodes(graph) {
		f.Of(node)
	}
	for _, c := range f.Found() {
		if len(c) > 1 && len(c) > len(largest) {
			largest = slices.Clone(c)
		}
	}
	for i, path := range largest {
		largest[i] = filepath.Base(path)
	}
	slices.Sort(largest)
	return largest
}

func sortedNodes(graph map[string][]string) (all []string) {
	for node := range graph {
		all = append(all, node)
	}
	slices.Sort(all)
	return all
}
