// Package securedir creates directories that only their user can change. Files that are loaded from such a directory
// and executed, or trusted without checking their source, cannot have been put there by another user:
//
//	err := securedir.Dir("/home/me/.cache/ppl/native")   // nil
//	err = securedir.Dir("/shared/ppl/native")            // /shared can be changed by other users
//
// Protecting the directory alone is not enough: a user who may write to one of its parents can replace it. So all
// parents are checked, as OpenSSH does for key files. A directory with the sticky bit, such as /tmp, is safe if the
// entry in it belongs to the user, since others can neither rename nor remove the entry.
package securedir

import (
	"fmt"
	"os"
)

// An Unsafe error names a directory, the requested one or one of its parents, that another user can change.
type Unsafe struct{ Path, Reason string }

func (u Unsafe) Error() string { return fmt.Sprintf("%s %s", u.Path, u.Reason) }

// Closed checks a directory whose parents may belong to others: it must belong to the user or to root, and neither
// others nor a group other than the user's own may write to it.
func Closed(path string) error { return closed(path) }

// Dir creates a directory and its parents if they do not exist, and checks that nobody else can change it or any of its
// parents. The error is an Unsafe or an error of the operating system.
func Dir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return check(path)
}
