package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ppl/app/devices"
)

const dataUsage = "data from file `F`, or one array from NAME=F or its column NAME=F#COLUMN, or a number as " +
	"NAME=20; may be repeated"

// dataFlag adds --data to a command.
func dataFlag(cmd *cobra.Command) *[]string {
	return cmd.Flags().StringArray("data", nil, dataUsage)
}

// addDeviceFlag adds --device to a command that runs on one.
func addDeviceFlag(f *pflag.FlagSet, name *string) {
	f.StringVar(name, "device", devices.Auto, "run on `D`: "+devices.Docs())
}
