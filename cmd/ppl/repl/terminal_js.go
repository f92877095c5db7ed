package repl

import (
	"errors"
	"os"
)

// errInterrupt is never returned: a browser has no terminal, and readline does not compile for it.

var errInterrupt = errors.New("interrupted")

func isTerminal(*os.File) bool { return false }

func openTerminal(lineCompleter) (lineReader, error) {
	return nil, errors.New("a browser has no terminal")
}
