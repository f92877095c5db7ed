//go:build !unix

package process

// SaveAddresses does nothing: this system has no limit of addresses.
func SaveAddresses() {}

// TooLimited returns "": this system has no such limits.
func TooLimited() string { return "" }
