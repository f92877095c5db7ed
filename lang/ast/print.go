package ast

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"ppl/lang/source"
)

// Print prints a syntax tree with one node per line: its type, its position, and its fields that are neither nodes nor
// zero. The children follow, indented.
func Print(w io.Writer, f *File) {
	for _, s := range f.Stmts {
		writeNode(w, 0, "", reflect.ValueOf(s))
	}
}

// writeNode prints the value of the field label, which is a node, a list of nodes, or nil.
func writeNode(w io.Writer, depth int, label string, v reflect.Value) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			writeNode(w, depth, label, v.Index(i))
		}
		return
	}
	fmt.Fprintf(w, "%s%s%s%s\n", strings.Repeat("    ", depth), label, v.Type().Name(), facts(v))
	for i := range v.NumField() {
		if f := v.Type().Field(i); !f.Anonymous && hasNodes(f.Type) {
			writeNode(w, depth+1, strings.ToLower(f.Name)+": ", v.Field(i))
		}
	}
}

// facts returns a node's position, and the values of its fields that are neither nodes nor zero.
func facts(v reflect.Value) string {
	var b strings.Builder
	if n, ok := v.Addr().Interface().(Node); ok && n.Span().Valid() {
		fmt.Fprintf(&b, " %d:%d", n.Span().Line(), n.Span().Column())
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous || hasNodes(f.Type) || f.Type == reflect.TypeFor[source.Span]() || v.Field(i).IsZero() {
			continue
		}
		fmt.Fprintf(&b, " %s=%v", strings.ToLower(f.Name), v.Field(i))
	}
	return b.String()
}

func hasNodes(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return hasNodes(t.Elem())
	case reflect.Interface:
		return true
	}
	return t.Kind() == reflect.Struct && t != reflect.TypeFor[source.Span]()
}
