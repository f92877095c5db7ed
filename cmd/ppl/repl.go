package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/posterior/store"
	"ppl/runtime/sys/securedir"
)

func sessionCommand(c *console) *cobra.Command {
	var data []string
	cmd := &cobra.Command{
		Use:   "repl [MODEL|RUN] [--json]",
		Short: "Ask about the draws of a run, or write a model and sample it, line by line",
		Long: "Reads queries (ppl query --help), statements of a model, and commands that begin with a dot; " +
			".help lists " +
			"them. Brackets that are\nopen, or an operator at the end, continue a line. From a pipe the lines are a " +
			"script: ppl repl RUN < analysis.txt; .save FILE writes one.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fault.Usagef("one MODEL or RUN at a time; %q is too many", args[1])
			}
			return nil
		},

		DisableFlagsInUseLine: true,
	}
	cmd.Flags().StringArrayVar(&data, "data", nil, dataUsage)
	asJSON := cmd.Flags().Bool("json", false, "answer requests of a program such as a Jupyter kernel: a JSON object "+
		"on each line")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s := newSession(c, data)
		if len(args) == 1 {
			if err := s.begin(args[0]); err != nil {
				return err
			}
		}
		if *asJSON {
			return s.answerRequests(cmd.Context(), os.Stdin)
		}
		return s.loop(cmd.Context())
	}
	return cmd
}

// A lineReader gives the lines of a session: from a terminal with history and completion, or as they are from a pipe.
type lineReader interface {
	read(prompt string) (string, error) // errInterrupt, io.EOF
	close()
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

// openLines reads from a terminal if both ends are one.
func (s *session) openLines() (lineReader, error) {
	if s.c.width == 0 || !isTerminal(os.Stdin) {
		lines := bufio.NewScanner(os.Stdin)
		lines.Buffer(nil, 1<<20)
		return pipedLines{lines}, nil
	}
	s.typed = true
	return s.openTerminal()
}

// historyFile is empty where there is no place for it.
func historyFile() string {
	dir, err := os.UserCacheDir()
	if err != nil || securedir.Dir(dir+"/ppl") != nil {
		return ""
	}
	return dir + "/ppl/history"
}

// loop answers line after line, until the end of the input. A script with a line that failed fails at its end.
func (s *session) loop(ctx context.Context) error {
	lines, err := s.openLines()
	if err != nil {
		return fault.Of(err)
	}
	defer lines.close()
	if s.typed {
		s.greet()
	}
	for !s.done {
		line, err := s.entry(lines)
		switch {
		case errors.Is(err, errInterrupt):
			continue
		case errors.Is(err, io.EOF):
			s.done = true
		case err != nil:
			return fault.Of(err)
		}
		if line = strings.TrimSpace(withoutComments(line)); line == "" {
			continue
		}
		if err := s.interruptible(ctx, line); err != nil {
			return err
		}
	}
	if err := s.endSampling(); err != nil {
		return err
	}
	if s.failures > 0 && !s.typed {
		return fault.Wrong(nil)
	}
	return nil
}

// entry reads one line, with those that continue it.
func (s *session) entry(lines lineReader) (string, error) {
	text, prompt := "", s.prompt()
	for {
		line, err := lines.read(prompt)
		if err != nil {
			return text, err
		}
		text += line
		if !continues(text) {
			return text, nil
		}
		text, prompt = text+"\n", "… "
	}
}

// interruptible carries out a line. Ctrl-C ends what a line began and leaves the session; it ends a script.
func (s *session) interruptible(ctx context.Context, line string) error {
	within, release := signal.NotifyContext(ctx, os.Interrupt)
	defer release()
	err := s.line(within, line)
	if within.Err() != nil {
		s.c.notef("stopped")
		if !s.typed {
			return fault.Interrupted()
		}
		return nil
	}
	if err != nil {
		s.failures++
		s.printError(err)
		return nil
	}
	s.entered = append(s.entered, line)
	return nil
}

// printError prints the error of a line, unless it has been printed.
func (s *session) printError(err error) {
	if e := (*fault.Error)(nil); errors.As(err, &e) {
		s.c.printDiagnostics(e.Diagnostics)
		err = e.Err
	}
	if err != nil {
		s.c.notef("%v", err)
	}
}

// withoutComments leaves out what stands behind # in each line of an entry.
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

// continues reports whether a text goes on in the next line: a bracket is open, or an operator stands at the end.
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
	if strings.HasPrefix(strings.TrimSpace(text), ".") { // a command is one line
		return false
	}
	return depth > 0 || strings.IndexByte("+-*/^@%,=~<>|&?:", last) >= 0 && last != 0
}

// line carries out one entry: a command, a question about a name, a statement or a query.
func (s *session) line(ctx context.Context, line string) error {
	if err := s.follow(); err != nil {
		s.printError(err)
	}
	switch {
	case line[0] == '.':
		return s.command(ctx, line)
	case line[0] == '?':
		return s.explain(strings.TrimSpace(line[1:]))
	case s.isStatement(line):
		return s.statement(line)
	case s.run == nil:
		return fault.Wrong(errors.New("there are no draws yet: .sample draws them, .open RUN opens a run"))
	}
	return s.query(ctx, line)
}

func (s *session) query(ctx context.Context, line string) error {
	to := &textAnswers{w: s.c.out}
	a, err := s.run.Ask(ctx, line, to.most())
	if err != nil || a == nil {
		return err
	}
	if err := to.add(a); err != nil {
		return fault.Of(err)
	}
	if s.run.Stored.Info.Status == store.Running {
		s.c.notef("(of the first %d draws of each chain)", s.run.Stored.Info.Draws)
	}
	return nil
}

// explain answers ? NAME: what a name of the model is, or what help says.
func (s *session) explain(name string) error {
	if name == "" {
		return s.help(nil)
	}
	if s.run != nil {
		if text, ok := s.run.Inquiry.Describe(name); ok {
			fmt.Fprintf(s.c.out, "%s: %s\n", name, text)
			return nil
		}
	}
	return s.c.explain(newRoot(s.c), name)
}
