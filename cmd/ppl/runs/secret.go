package runs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"runtime"

	"github.com/spf13/pflag"

	"ppl/app/fault"
	"ppl/runtime/parallel/tcp"
)

// secretVariable is the environment variable with the secret of a job. Secrets are never on the command line, which all
// users of a machine can read.
const secretVariable = "PPL_SECRET"

// makeSecret describes how to create a secret.
const makeSecret = "make one with (umask 077; openssl rand -hex 32 > ppl.secret)"

// addSecretFlag adds --secret-file to a command.
func addSecretFlag(f *pflag.FlagSet) *string {
	return f.String("secret-file", "", "the secret that the processes of a run share is in `FILE`, which only you may "+
		"read (default: the environment variable PPL_SECRET)")
}

// readSecret returns the secret in a file, or that of the environment if path is empty.
func readSecret(path string) ([]byte, error) {
	from, secret := secretVariable, []byte(os.Getenv(secretVariable))
	if path != "" {
		from = path
		var err error
		if secret, err = readPrivate(path); err != nil {
			return nil, err
		}
	}
	secret = bytes.TrimSpace(secret)
	switch {
	case len(secret) == 0 && path == "":
		return nil, fault.Usagef("the processes of a run prove to each other that they share a secret: give it with "+
			"--secret-file FILE or in %s; %s", secretVariable, makeSecret)
	case !tcp.LongEnough(secret):
		return nil, fault.Usagef("the secret in %s is too short to be safe; %s", from, makeSecret)
	}
	return secret, nil
}

// readPrivate reads a file that only its owner can read.
func readPrivate(path string) ([]byte, error) {
	info, err := os.Stat(path)
	var cause *fs.PathError
	switch {
	case errors.As(err, &cause):
		return nil, fault.Usagef("--secret-file %s: %w; %s", path, cause.Err, makeSecret)
	case !info.Mode().IsRegular() || info.Size() > 1<<16:
		return nil, fault.Usagef("--secret-file %s is not a file with a secret; %s", path, makeSecret)
	case runtime.GOOS != "windows" && info.Mode()&0o077 != 0:
		return nil, fault.Usagef("--secret-file %s can be read by other users (mode %04o); chmod 600 %[1]s", path,
			info.Mode().Perm())
	}
	secret, err := os.ReadFile(path)
	return secret, fault.Of(err)
}
