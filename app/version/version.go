// Package version contains the version of ppl.
package version

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// number is the version in CHANGELOG.md. `make release` and `make install` set it to the tag by a linker flag, and
// commit to the hash, which not all builds record.
var number, commit = "0.1.0", ""

// Number returns the version, for example 0.1.0.
func Number() string { return number }

// Full returns the version and, if the build knows it, the commit in parentheses.
func Full() string {
	if hash := Commit(); hash != "" {
		return number + " (" + hash[:min(12, len(hash))] + ")"
	}
	return number
}

// Commit returns the commit from which the program was built, or "" if the build does not know it.
func Commit() string { return cmp.Or(commit, buildSetting("vcs.revision")) }

// Tags returns the build tags.
func Tags() []string {
	return strings.FieldsFunc(buildSetting("-tags"), func(r rune) bool { return r == ',' || r == ' ' })
}

func buildSetting(key string) string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
