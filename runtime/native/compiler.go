//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"bytes"
	gocontext "context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// Flags returns the flags with which every library is compiled. They make code fast and keep the IEEE 754 arithmetic
// that results depend on. The following flags must not be used: -ffast-math, because loading a library linked with it
// makes the entire process flush denormals to zero, and because it removes infinities and NaN; -fassociative-math,
// which folds (x+M)−M to x; -fno-signed-zeros, with which GCC 12 multiplies a known zero by infinity where the C text
// has 0.
func Flags() []string {
	return []string{"-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast",
		"-fopenmp-simd"}
}

// A compiler holds a C compiler, and all properties other than the text that its output depends on.
type compiler struct {
	ctx      gocontext.Context // context of the command; cancelling it stops the compiler
	command  []string
	identity string
}

// command returns the command line of the C compiler.
func command() []string {
	if words := strings.Fields(os.Getenv("CC")); len(words) > 0 {
		return words
	}
	return []string{"cc"}
}

// newCompiler queries the compiler for its predefined macros. They contain its version, the processor's features as
// -march=native resolves them, and the C library's version. The version of the loaded C library is added to them.
func newCompiler(ctx gocontext.Context) (*compiler, error) {
	c := &compiler{ctx: ctx, command: command()}
	if _, err := exec.LookPath(c.command[0]); err != nil {
		return nil, fmt.Errorf("native: no C compiler (%w); install gcc or clang, or set CC to a C compiler", err)
	}
	const headers = "#if __has_include(<features.h>)\n#include <features.h>\n#endif\n"
	macros, err := c.run(headers, "-dM", "-E", "-x", "c", "-")
	if err != nil {
		return nil, err
	}
	c.identity = strings.Join(Flags(), " ") + "\n" + libraryVersion() + "\n" + macros
	return c, nil
}

// CompilerVersion returns the first line of the C compiler's version message; empty if there is no compiler.
func CompilerVersion() string {
	said, _ := exec.Command(command()[0], "--version").Output()
	first, _, _ := strings.Cut(string(said), "\n")
	return first
}

// key returns the name of the library for a text: a hash of the text and of everything else that the compiler's output
// depends on.
func (c *compiler) key(text string) string {
	sum := sha256.Sum256([]byte(c.identity + "\x00" + text))
	return hex.EncodeToString(sum[:16])
}

// compile compiles a text to a shared library at path.
func (c *compiler) compile(text, path string) error {
	_, err := c.run(text, "-shared", "-fPIC", "-fvisibility=hidden", "-x", "c", "-", "-o", path, "-lm")
	return err
}

// run passes a text to the compiler and returns its output. The compiler and its child processes form a separate
// process group, which is killed when the context is cancelled.
func (c *compiler) run(text string, args ...string) (string, error) {
	all := append(append(append([]string(nil), c.command[1:]...), Flags()...), args...)
	cmd := exec.CommandContext(c.ctx, c.command[0], all...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Stdin = strings.NewReader(text)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); c.ctx.Err() != nil {
		return "", fmt.Errorf("native: the C compiler %s was stopped: %w", c.command[0], c.ctx.Err())
	} else if err != nil {
		return "", fmt.Errorf("native: the C compiler %s failed: %w", c.command[0],
			errors.Join(err, firstLines(errs.String())))
	}
	return out.String(), nil
}

// firstLines returns the start of a compiler's error message, nil if there is none.
func firstLines(s string) error {
	lines := strings.SplitN(strings.TrimSpace(s), "\n", 6)
	if lines[0] == "" {
		return nil
	}
	return errors.New(strings.Join(lines[:min(5, len(lines))], "\n"))
}
