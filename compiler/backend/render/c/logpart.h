// Normal noise of single precision, the same as that of runtime/noise: the 64 points of a group by Box and Muller's
// transform.
INLINE single log_of_part(single x) { // log x for x in (0, 1]
  union { single x; int i; } u = {x};
  int e = (u.i - 0x3f3504f3) >> 23;
  u.i -= (int)((unsigned)e << 23);
  single f = u.x - 1, s = f / (2 + f), z = s * s;
  single p = z * (z * (z * 0.2222f + 0.28571430f) + 0.4f) + 0.66666667f;
  return (single)e * 0.69314718f + s * (z * p + 2);
}
