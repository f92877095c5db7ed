package terminal

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ppl/app/devices"
	"ppl/app/fault"
)

// DataUsage is the help text of --data.
const DataUsage = "data from file `F`, a folder or a pattern as 'data/*.csv', or one array from NAME=F or " +
	"its column NAME=F#COLUMN, or a number as " +
	"NAME=20; may be repeated"

// AddDataFlag adds --data to a command.
func AddDataFlag(cmd *cobra.Command) *[]string {
	return cmd.Flags().StringArray("data", nil, DataUsage)
}

// AddDeviceFlag adds --device to a command that runs on one.
func AddDeviceFlag(f *pflag.FlagSet, name *string) {
	f.StringVar(name, "device", devices.Auto, "run on `D`: "+devices.Docs())
}

// NoArgs returns an error if there are arguments.
func NoArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fault.Usagef("%q is too many", args[0])
	}
	return nil
}

// AtLeastOneArg checks that there is at least one argument and at most most; 0 means no maximum. what names the
// argument in messages.
func AtLeastOneArg(what string, most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return fault.Usagef("%s is missing", what)
		case most > 0 && len(args) > most:
			return fault.Usagef("%q is too many", args[most])
		}
		return nil
	}
}

// OneArg checks that there is exactly one argument. what names it in messages.
func OneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return fault.Usagef("%s is missing", what)
		case 1:
			return nil
		}
		if _, err := os.Stat(args[1]); err == nil && cmd.Flags().Changed("data") {
			return fault.Usagef("one %s at a time; %q is too many: quotes keep the shell from replacing a pattern, "+
				"as in --data 'data/*.csv'", what, args[1])
		}
		return fault.Usagef("one %s at a time; %q is too many", what, args[1])
	}
}
