package translate

import (
	"strconv"
	"strings"

	"ppl/lang/ast"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// templates caches the trees of table texts such as Normal($1, $2).
type templates map[string]*node

// fill returns the tree of a template with its placeholders replaced: $1 by the first argument, $x by the one with key
// "x".
func (all templates) fill(text string, args map[string]*node) *node {
	tree := all[text]
	if tree == nil {
		tree = parsed(text)
		all[text] = tree
	}
	return filledIn(tree, args)
}

// numberedArgs maps "1", "2", … to the arguments.
func numberedArgs(args []*node) map[string]*node {
	out := map[string]*node{}
	for i, a := range args {
		out[strconv.Itoa(i+1)] = a
	}
	return out
}

const placeMark = "arg_"

func filledIn(n *node, args map[string]*node) *node {
	if n.kind == kindName {
		if key, ok := strings.CutPrefix(n.text, placeMark); ok {
			if a := args[key]; a != nil {
				return a
			}
		}
		return n
	}
	return n.rewritten(func(k *node) *node { return filledIn(k, args) })
}

// parsed parses a template.
func parsed(text string) *node {
	file, _ := parse.File(source.New("", "x = "+strings.ReplaceAll(text, "$", placeMark)))
	if len(file.Stmts) != 1 {
		panic("internal error: the template " + text + " is not an expression")
	}
	return treeOf(file.Stmts[0].(*ast.Define).Value)
}

func treeOf(e ast.Expr) *node {
	switch e := e.(type) {
	case *ast.Number:
		return literalOf(e.Text)
	case *ast.Name:
		if e.Name == "inf" {
			return literalOf("inf")
		}
		return nameOf(e.Name)
	case *ast.Paren:
		return treeOf(e.X)
	case *ast.Unary:
		return unaryOf(e.Op, treeOf(e.X))
	case *ast.Binary:
		return binaryOf(e.Op, treeOf(e.X), treeOf(e.Y))
	case *ast.Cond:
		return conditionOf(treeOf(e.If), treeOf(e.Then), treeOf(e.Else))
	case *ast.List:
		items := make([]*node, len(e.Items))
		for i, item := range e.Items {
			items[i] = treeOf(item)
		}
		return listOf(items)
	case *ast.Call:
		n := node{kind: kindCall, text: e.Fun.(*ast.Name).Name}
		for _, a := range e.Args {
			word := ""
			if a.Name != nil {
				word = a.Name.Name
			}
			n.kids, n.names = append(n.kids, treeOf(a.Value)), append(n.names, word)
		}
		if strings.Join(n.names, "") == "" {
			n.names = nil
		}
		return finished(n)
	}
	panic("internal error: a template has an expression that translations do not write")
}
