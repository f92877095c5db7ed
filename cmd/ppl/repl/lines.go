package repl

import (
	"bufio"
	"io"
	"os"
	"strings"

	"ppl/app/fault"
	"ppl/runtime/sys/securedir"
)

// A lineReader reads the lines of a session, from a terminal with history and completion, or from a pipe.
type lineReader interface {
	read(prompt string) (string, error) // errors: errInterrupt, io.EOF
	close()
}

// lineCompleter returns the continuations of the word before pos, and the length of that word.
type lineCompleter interface {
	Do(line []rune, pos int) (rest [][]rune, length int)
}

type pipedLines struct{ scanner *bufio.Scanner }

func (p pipedLines) read(string) (string, error) {
	if p.scanner.Scan() {
		return p.scanner.Text(), nil
	}
	if err := p.scanner.Err(); err != nil {
		return "", err
	}
	return "", io.EOF
}

func (p pipedLines) close() {}

// historyFile returns the path of the history, or "" if there is no safe place for it.
func historyFile() string {
	dir, err := os.UserCacheDir()
	if err != nil || securedir.Dir(dir+"/ppl") != nil {
		return ""
	}
	return dir + "/ppl/history"
}

// withoutComments removes comments (# to the end of the line).
func withoutComments(text string) string {
	var b strings.Builder
	quoted, comment := false, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			quoted, comment = false, false
		case c == '"':
			quoted = !quoted
		case c == '#' && !quoted:
			comment = true
		}
		if !comment {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// continues reports whether a text continues in the next line, because a bracket is open or an operator is last.
func continues(text string) bool {
	depth, last := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '"':
			for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			last = '"'
		case b == '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case b == '(' || b == '[' || b == '{':
			depth, last = depth+1, b
		case b == ')' || b == ']' || b == '}':
			depth, last = depth-1, b
		case b != ' ' && b != '\t' && b != '\n':
			last = b
		}
	}
	if strings.HasPrefix(strings.TrimSpace(text), ".") { // a command has only one line
		return false
	}
	return depth > 0 || strings.IndexByte("+-*/^@%,=~<>|&?:", last) >= 0 && last != 0
}

// splitWords splits a line at spaces outside quotes and brackets. It removes quotes around a word.
func splitWords(line string) (words []string, err error) {
	word, quoted, depth := "", false, 0
	for i := 0; i <= len(line); i++ {
		switch {
		case i == len(line) && quoted:
			return nil, fault.Usagef("a quote is not closed")
		case i == len(line) || line[i] == ' ' && !quoted && depth == 0:
			if n := len(word); n > 1 && word[0] == '"' && word[n-1] == '"' {
				word = word[1 : n-1]
			}
			if word != "" {
				words = append(words, word)
			}
			word = ""
			continue
		case line[i] == '"':
			quoted = !quoted
		case line[i] == '[' || line[i] == '(':
			depth++
		case line[i] == ']' || line[i] == ')':
			depth--
		}
		word += line[i : i+1]
	}
	return words, nil
}
