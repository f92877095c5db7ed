//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import gocontext "context"

// CompileLibrary compiles C text to a shared library for the processor of this machine, with the compiler and the flags
// of this device.
func CompileLibrary(ctx gocontext.Context, text, path string) error {
	c, err := newCompiler(ctx)
	if err != nil {
		return err
	}
	return c.compile(text, path)
}
