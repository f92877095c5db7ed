// Package version says which version of ppl this is.
package version

import "runtime/debug"

// number counts versions as CHANGELOG.md does. The linker sets it from the tag in `make release` and `make install`.
var number = "0.1.0"

// Number returns the version, such as 0.1.0.
func Number() string { return number }

// Full returns the version and, if the build knows it, the commit in parentheses.
func Full() string {
	if hash := Commit(); hash != "" {
		return number + " (" + hash[:min(12, len(hash))] + ")"
	}
	return number
}

// Commit returns the commit from which the program was built, or "" if the build does not know it.
func Commit() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
