package main

import (
	"context"
	"os"
	"runtime"
	"syscall/js"

	"ppl/cmd/ppl/terminal"
)

// carryOut carries out the command of the process, or those of a page. A page that has a function pplServes is given
// one that starts a command: it takes the arguments and what is called with the exit code. So the program is started
// once, which takes longer than most commands. One command is carried out at a time.
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
		go func() { commands <- next }() // a function of the page must not wait
		return nil
	}))
	for next := range commands {
		next.done.Invoke(run(ctx, next.args, terminal.New(os.Stdout, os.Stderr)))
		runtime.GC() // while nobody waits
	}
	return 0
}

// A served command is one of a page.
type served struct {
	args []string
	done js.Value // is called with the exit code
}
