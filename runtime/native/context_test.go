//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"reflect"
	"testing"
)

// TestContextPointsToNoHeap checks that the memory that C code reads holds no Go pointers. The garbage collector would
// not follow them there, and assigning one would report memory that may have been freed ("marked free object in span").
// The table of buffers is in the arena.
func TestContextPointsToNoHeap(t *testing.T) {
	var look func(of reflect.Type)
	look = func(of reflect.Type) {
		for i := range of.NumField() {
			f := of.Field(i)
			switch f.Type.Kind() {
			case reflect.Struct:
				look(f.Type)
			case reflect.Array:
				if f.Type.Elem().Kind() != reflect.Uint64 {
					t.Errorf("%s is an array of %s", f.Name, f.Type.Elem())
				}
			case reflect.Uint64, reflect.Uintptr:
			default:
				if f.Name != "buffer" {
					t.Errorf("%s is a %s", f.Name, f.Type)
				}
			}
		}
	}
	look(reflect.TypeFor[context]())
}
