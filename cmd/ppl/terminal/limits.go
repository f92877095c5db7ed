package terminal

import (
	"strings"

	"github.com/spf13/cobra"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/compiler"
	"ppl/runtime/sys/memory"
)

// AddLimits adds the flags that restrict what a model may do, or lift a restriction: --sandbox, --max-memory and
// --allow-network.
func (c *Console) AddLimits(cmd *cobra.Command) *cobra.Command {
	sandbox := cmd.Flags().Bool("sandbox", false, "let 'from' and 'import' read files only in the folder of the model "+
		"and below it")
	network := cmd.Flags().Bool("allow-network", false, "read data of s3://, gs:// and https:// that the model or the "+
		"run names (--data may always name them)")
	c.AddMemoryLimit(cmd, "limit memory to `SIZE`, such as 500MB or 8GB, and refuse what needs more (default: the "+
		"memory of the machine)")
	carryOut := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		named, _ := cmd.Flags().GetStringArray("data") // the error means that the command has no such flag
		c.Network = app.Network{Named: named, All: *network}
		if *sandbox {
			if err := c.sandboxed(args[0]); err != nil {
				return err
			}
		}
		return carryOut(cmd, args)
	}
	return cmd
}

// AddMemoryLimit adds --max-memory to a command.
func (c *Console) AddMemoryLimit(cmd *cobra.Command, usage string) {
	most := cmd.Flags().String("max-memory", "", usage)
	carryOut := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if *most != "" {
			if c.memory, err = sizeOf(*most); err != nil {
				return err
			}
			memory.Set(c.memory)
		}
		return carryOut(cmd, args)
	}
}

// DrawsMemory returns the memory limit for draws in a report: half of --max-memory, or 0 for the default.
func (c *Console) DrawsMemory() int64 { return c.memory / 2 }

// sandboxed returns an error if a model names files outside its folder. A run or standard input cannot be checked,
// since they have no folder.
func (c *Console) sandboxed(path string) error {
	if rundir.IsRun(path) || strings.HasPrefix(path, "/dev/") {
		return fault.Usagef("--sandbox: name the file of a model; %s has no folder to which its files "+
			"could be limited", path)
	}
	return c.Diagnose(compiler.Outside(path))
}

// leastMemory is the memory that ppl itself needs, in bytes.
const leastMemory = 100e6

// sizeOf parses a number of bytes such as 8GB, 500MB or 1.5GiB.
func sizeOf(text string) (int64, error) {
	switch bytes, ok := memory.ParseSize(text); {
	case !ok:
		return 0, fault.Usagef("--max-memory %q is not a size; write 500MB or 8GB", text)
	case bytes < leastMemory:
		return 0, fault.Usagef("--max-memory %s: ppl itself takes up to 100 MB; give more", text)
	default:
		return bytes, nil
	}
}
