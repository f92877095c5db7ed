package ranks

import "golang.org/x/sys/unix"

// Cores lists the numbers of the cores that this process may run on; nil if they are not known.
func Cores() (all []int) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	for cpu := 0; len(all) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			all = append(all, cpu)
		}
	}
	return all
}
