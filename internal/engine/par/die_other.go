//go:build !unix

package par

// Die returns the exit code for the signal: there is no dying by one here.
func (i *Interrupted) Die() int { return i.ExitCode() }
