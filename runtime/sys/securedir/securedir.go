// Package securedir makes directories that nobody but their user can change. What is loaded from such a directory and
// run, or believed without a look at its source, cannot have been put there by another user of the machine:
//
//	err := securedir.Dir("/home/me/.cache/ppl/native")   // nil
//	err = securedir.Dir("/shared/ppl/native")            // /shared can be changed by other users
//
// It is not enough that the directory itself is closed: who may write to one of its parents can replace it. So every
// directory on the way is looked at, as OpenSSH does with the files of keys. A directory with the sticky bit, as /tmp,
// is safe as long as what is in it belongs to the user, for others can neither rename nor remove that.
package securedir

import (
	"fmt"
	"os"
)

// An Unsafe directory is on the way to one that was asked for.
type Unsafe struct{ Path, Reason string }

func (u Unsafe) Error() string { return fmt.Sprintf("%s %s", u.Path, u.Reason) }

// Closed checks that a directory that may belong to others on the way to it is not itself one that others can change:
// it belongs to the user or to root, and neither others nor a group that is not the user's own may write to it.
func Closed(path string) error { return closed(path) }

// Dir makes a directory with its parents where it is not there, and checks that nobody else can change it or any of its
// parents. The error is an Unsafe, or of the operating system.
func Dir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return check(path)
}
