package main

import (
	"context"
	"os"
	"runtime"
	"syscall/js"

	"ppl/cmd/ppl/terminal"
)

// carryOut carries out the command line of the process, or the commands of a web page. If the page defines a function
// pplServes, that is called with a function that starts a command, given its arguments and a callback for the exit
// code. The program then needs to be started only once, which takes longer than most commands. Commands run one at a
// time.
func carryOut(ctx context.Context, c *terminal.Console) (code int) {
	serves := js.Global().Get("pplServes")
	if serves.Type() != js.TypeFunction {
		return run(ctx, os.Args[1:], c)
	}
	commands := make(chan served)
	serves.Invoke(js.FuncOf(func(_ js.Value, args []js.Value) any {
		next := served{done: args[1]}
		for i := range args[0].Length() {
			next.args = append(next.args, args[0].Index(i).String())
		}
		go func() { commands <- next }() // functions called by the page must not block
		return nil
	}))
	for next := range commands {
		next.done.Invoke(run(ctx, next.args, terminal.New(os.Stdout, os.Stderr)))
		runtime.GC() // while no command runs
	}
	return 0
}

// A served is a command from a web page.
type served struct {
	args []string
	done js.Value // called with the exit code
}
