// Special functions, each for all lanes at once. The formula for a rare range is evaluated only if the argument of some
// lane is in it.

// sinpi and tanpi reduce the argument exactly, so that the poles of the gamma functions are exact.
INLINE wide sinpi(wide x) { return sin_w(3.14159265358979323846 * (x - 2 * floor_w(0.5 * x + 0.5))); }
INLINE wide tanpi(wide x) { return tan_w(3.14159265358979323846 * (x - floor_w(x + 0.5))); }

