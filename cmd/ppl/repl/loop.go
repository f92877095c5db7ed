package repl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"ppl/app/fault"
	"ppl/posterior/store"
)

// loop carries out lines until the end of the input. If a line of a script fails, the script continues, and an error is
// returned at its end.
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
		line = strings.TrimSpace(withoutComments(line))
		if line == "" {
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

// entry reads a line, with its continuation lines.
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

// interruptible carries out a line. Ctrl-C stops the line; at a terminal the session continues, but a script ends.
func (s *session) interruptible(ctx context.Context, line string) error {
	within, release := signal.NotifyContext(ctx, os.Interrupt)
	defer release()
	err := s.line(within, line)
	if within.Err() != nil {
		s.host.Notef("stopped")
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

// printError prints the error of a line. Errors without text have already been printed.
func (s *session) printError(err error) {
	if e := (*fault.Error)(nil); errors.As(err, &e) {
		s.host.PrintDiagnostics(e.Diagnostics)
		err = e.Err
	}
	if err != nil {
		s.host.Notef("%v", err)
	}
}

// line carries out an entry: a command, a question about a name, a statement or a query.
func (s *session) line(ctx context.Context, line string) error {
	if err := s.follow(); err != nil {
		s.printError(err)
	}
	switch {
	case line[0] == '.':
		return s.carryOut(ctx, line)
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
	if err := s.host.Answer(ctx, s.run, line); err != nil {
		return err
	}
	if s.run.Stored.Info.Status == store.Running {
		s.host.Notef("(computed from the first %d draws of each chain)", s.run.Stored.Info.Draws)
	}
	return nil
}

// explain answers ? NAME with a description of the model's name, or with the help text.
func (s *session) explain(name string) error {
	if name == "" {
		return s.help(nil)
	}
	if s.run != nil {
		if text, ok := s.run.Inquiry.Describe(name); ok {
			fmt.Fprintf(s.host.Out(), "%s: %s\n", name, text)
			return nil
		}
	}
	return s.host.Explain(name)
}

// openLines reads from the terminal if standard input and output are one, else from the pipe.
func (s *session) openLines() (lineReader, error) {
	if s.host.Width() == 0 || !isTerminal(os.Stdin) {
		lines := bufio.NewScanner(os.Stdin)
		lines.Buffer(nil, 1<<20)
		return pipedLines{lines}, nil
	}
	s.typed = true
	return openTerminal(completer{s})
}
