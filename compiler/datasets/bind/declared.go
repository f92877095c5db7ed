package bind

import (
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
)

// isData reports whether an array is declared as data.
func isData(a *model.Array) bool { return a.Role == model.Data || a.Missing }

// takesNames reports whether data of an array may be texts that name the elements of its index set.
func takesNames(a *model.Array) bool { return a.IndexOf != nil && isOne(a.IndexOf.Lo) }

// sizeOf returns the size J of a set 1..J, or nil for other sets.
func sizeOf(s *model.Set) *model.Size {
	if s == nil || !isOne(s.Lo) {
		return nil
	}
	if of, ok := s.Hi.(*model.SizeOf); ok {
		return of.Size
	}
	return nil
}

func isOne(e model.Expr) bool {
	n, ok := e.(*model.Num)
	return ok && n.Value == 1
}

// declared writes an array with its axes, as in its declaration.
func declared(a *model.Array) string {
	if len(a.Type.Axes) == 0 {
		return a.Name
	}
	names := make([]string, len(a.Type.Axes))
	for k, s := range a.Type.Axes {
		names[k] = s.Name
	}
	return a.Name + "[" + strings.Join(names, ", ") + "]"
}

func axes(n int) string {
	return [...]string{"no axes", "1 axis", "2 axes", "3 axes", "4 axes", "5 axes"}[min(n, 5)]
}

func shorten(names []string) []string {
	if len(names) > 12 {
		return append(slices.Clone(names[:12]), "…")
	}
	return names
}
