package repl

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/lang/diag"
)

// A command is a session command; a line with a command begins with a dot.
type command struct {
	name, args, short string
	do                func(s *session, ctx context.Context, args []string) error
}

// commands returns the commands of a session: its own, and subcommands of the command line that work on the open run.
func (s *session) commands() []command {
	own := []command{
		{".help", "", "list the forms of queries and the commands", (*session).helpCommand},
		{".names", "", "list the names that queries can use", (*session).names},
		{".model", "", "print the model", (*session).printModel},
		{".drop", "NAME", "remove the statements of a name from the model", (*session).drop},
		{".sample", "[+N] [flags]", "sample the model in the background; +N: N draws more of each chain",
			(*session).sample},
		{".stop", "", "stop sampling and keep the draws so far", (*session).stop},
		{".predict", "[data=FILE as NAME]",
			"draw replicates of the data; or predict at new data, as a quantity NAME for queries",
			(*session).predict},
		{".open", "RUN [as NAME]", "open another run for the queries that follow", (*session).openCommand},
		{".use", "[NAME]", "use another open run for queries; without a name, list them", (*session).use},
		{".save", "FILE", "write the lines so far as a script", (*session).save},
		{".quit", "", "end the session", (*session).quit},
	}
	for _, v := range verbCommands() {
		if s.host.HasVerb(v.verb) {
			own = append(own, command{v.name, v.args, v.short, v.do})
		}
	}
	return own
}

// A verbCommand carries out a subcommand of the command line. arguments converts the session's arguments to those of
// the subcommand.
type verbCommand struct {
	name, args, short, verb string
	arguments               func(s *session, args []string) []string
}

func verbCommands() []verbCommand {
	plot := func(kind string) func(s *session, args []string) []string {
		return func(s *session, args []string) []string {
			return append([]string{s.run.Dir, kind}, toFile(args)...)
		}
	}
	toRunFile := func(s *session, args []string) []string { return append([]string{s.run.Dir}, toFile(args)...) }
	onRun := func(s *session, args []string) []string { return append([]string{s.run.Dir}, args...) }
	return []verbCommand{
		{".summary", "[NAME…]", "the table of the run", "summary", onRun},
		{".diagnose", "[NAME…]", "problems of the run, with advice", "diagnose", onRun},
		{".plot", "KIND [NAME…] [FILE.png]", "a plot in the terminal, or in a file", "plot", toRunFile},
		{".forest", "[NAME…]", "intervals side by side", "plot", plot("forest")},
		{".trace", "[NAME…]", "draws by iteration", "plot", plot("trace")},
		{".pairs", "[NAME…]", "draws of each pair", "plot", plot("pairs")},
		{".hist", "[NAME…]", "histograms of names or expressions", "plot", plot("histogram")},
		{".loo", "", "leave-one-out cross-validation", "loo", onRun},
		{".compare", "NAME…", "compare open runs by loo", "compare", (*session).runDirs},
		{".evidence", "[NAME…]", "how probable models of open runs make their data", "evidence",
			(*session).runDirs},
		{".sens", "", "sensitivity to the priors and the likelihood", "sensitivity", onRun},
		{".export", "[FILE.csv] [NAME…] [flags]", "write draws to a file", "export", toRunFile},
	}
}

// do carries out the subcommand on the open run.
func (v verbCommand) do(s *session, ctx context.Context, args []string) error {
	if s.run == nil {
		return noDraws()
	}
	words := v.arguments(s, args)
	if v.verb == "plot" {
		words = s.pictures.of(words)
	}
	err := s.host.CarryOut(ctx, s.run, append([]string{v.verb}, words...))
	if e := (*fault.Error)(nil); errors.As(err, &e) && e.Kind == fault.Failure && e.Err == nil {
		return nil // the draws are unusable, but the question was answered
	}
	return err
}

func noDraws() error {
	return fault.Wrong(errors.New("there are no draws yet: .sample draws them, .open RUN opens a run"))
}

var fileName = regexp.MustCompile(`\.(png|svg|csv|json|parquet)$`)

// toFile inserts --out before an argument that is a file name.
func toFile(args []string) (out []string) {
	for _, a := range args {
		if fileName.MatchString(a) {
			out = append(out, "--out", a)
		} else {
			out = append(out, a)
		}
	}
	return out
}

// runDirs replaces names of open runs by their directories. Without arguments, it returns the directories of all open
// runs.
func (s *session) runDirs(args []string) (dirs []string) {
	if len(args) == 0 {
		args = s.order
	}
	for _, a := range args {
		if r := s.runs[a]; r != nil {
			a = r.Dir
		}
		dirs = append(dirs, a)
	}
	return dirs
}

// carryOut carries out a line that begins with a dot.
func (s *session) carryOut(ctx context.Context, line string) error {
	words, err := splitWords(line)
	if err != nil {
		return err
	}
	var names []string
	for _, c := range s.commands() {
		if c.name == words[0] {
			return c.do(s, ctx, words[1:])
		}
		names = append(names, c.name)
	}
	return fault.Usagef("there is no command %s; %s", words[0],
		diag.MeantAmong(names, "%s", words[0], ".help lists them"))
}

const replHelp = `queries
  exp(b)                 an expression of the language, at every draw
  P(tau > 3)             the probability of a condition ± its Monte Carlo error
  mean(y | tau < 3)      mean, sd or median over the draws in which a condition holds; y | tau < 3 is their summary
  rank u                 the probabilities that each element is the largest, and the smallest
  d = u[1] - u[2]        a definition, for later queries
  ? NAME                 what a name of the model, a function, a distribution or a command is
statements
  b ~ Normal(0, 2)       added to the model, or put in the place of the one with the same left side
commands`

func (s *session) helpCommand(_ context.Context, args []string) error { return s.help(args) }

func (s *session) help([]string) error {
	fmt.Fprintln(s.host.Out(), replHelp)
	for _, c := range s.commands() {
		fmt.Fprintf(s.host.Out(), "  %-22s %s\n", strings.TrimSpace(c.name+" "+c.args), c.short)
	}
	return nil
}

func (s *session) names(context.Context, []string) error {
	if s.run == nil {
		return noDraws()
	}
	for _, v := range s.run.Inquiry.Saved() {
		text := v.Name
		if len(v.Shape) > 0 {
			text = fmt.Sprintf("%s … %s", v.Element(0), v.Element(v.Size()-1))
		}
		fmt.Fprintln(s.host.Out(), text)
	}
	for _, line := range s.run.Inquiry.Definitions() {
		fmt.Fprintln(s.host.Out(), line)
	}
	return nil
}

func (s *session) printModel(context.Context, []string) error {
	fmt.Fprintln(s.host.Out(), strings.TrimRight(s.draft.Text, "\n"))
	return nil
}

func (s *session) drop(_ context.Context, args []string) error {
	if len(args) != 1 {
		return fault.Usagef(".drop NAME")
	}
	if err := s.diagnose(errorsOf(s.draft.Remove(args[0]))); err != nil {
		return err
	}
	s.noteChange()
	return nil
}

func (s *session) openCommand(_ context.Context, args []string) error {
	switch {
	case len(args) == 1:
		args = append(args, "as", "")
	case len(args) != 3 || args[1] != "as":
		return fault.Usagef(".open RUN [as NAME]")
	}
	if err := s.open(args[0], args[2]); err != nil {
		return err
	}
	fmt.Fprintf(s.host.Out(), "%s: %s\n", s.order[slices.Index(s.order, s.nameOf(s.run))], heading(s.run))
	return nil
}

func (s *session) nameOf(run *analysis.Run) string {
	for name, r := range s.runs {
		if r == run {
			return name
		}
	}
	return ""
}

func (s *session) use(_ context.Context, args []string) error {
	if len(args) == 0 {
		for _, name := range s.order {
			mark := " "
			if s.runs[name] == s.run {
				mark = "*"
			}
			fmt.Fprintf(s.host.Out(), "%s %s: %s (%s)\n", mark, name, heading(s.runs[name]), s.runs[name].Dir)
		}
		return nil
	}
	run := s.runs[args[0]]
	if run == nil {
		return fault.Usagef("no run is open as %q; there are %s", args[0], strings.Join(s.order, ", "))
	}
	s.run = run
	return s.takeModel(run)
}

func (s *session) save(_ context.Context, args []string) error {
	if len(args) != 1 {
		return fault.Usagef(".save FILE")
	}
	return fault.Of(s.host.WriteFile(args[0], strings.Join(append(s.entered, ""), "\n")))
}

func (s *session) quit(context.Context, []string) error {
	s.done = true
	return nil
}
