//go:build !js

package repl

import (
	"os"

	"github.com/chzyer/readline"
	"golang.org/x/term"
)

// errInterrupt is returned when Ctrl-C interrupts a line.
var errInterrupt = readline.ErrInterrupt

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// A typedLines reads lines with history and completion.
type typedLines struct{ *readline.Instance }

func (t typedLines) read(prompt string) (string, error) {
	t.SetPrompt(prompt)
	return t.Readline()
}

func (t typedLines) close() { t.Close() }

// openTerminal opens the terminal of the process.
func openTerminal(complete lineCompleter) (lineReader, error) {
	r, err := readline.NewEx(&readline.Config{AutoComplete: complete, HistoryFile: historyFile(),
		HistorySearchFold: true, InterruptPrompt: "^C", EOFPrompt: ".quit"})
	return typedLines{r}, err
}
