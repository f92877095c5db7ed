// exp x = 2ⁿ·exp r, n = round(x / log 2), |r| ≤ ½ log 2, exp r by the polynomial of degree 11 that begins 1 + r + r²/2
// and has the least relative error, 6e-18 (fitted with mpmath by Lawson's weights), in Estrin's order, whose operations
// depend little on each other. Error below 1.1 ulp. exp_part stores n and returns exp r.
INLINE wide exp_part(wide x, wide *n) {
  const real magic = 0x1.8p52; // its last bit has the value 1, so that adding it rounds to an integer
  *n = (x * 0x1.71547652b82fep0 + magic) - magic;
  wide r = x - *n * 0x1.62e42feep-1; // log 2 in two parts, the first short enough for n times it to be exact
  r = r - *n * 0x1.a39ef35793c76p-33;
  wide r2 = r * r, r4 = r2 * r2;
  wide a = 0.5 + r * 0.16666666666666433 + r2 * (0.04166666666660399 + r * 0.008333333333499955);
  wide b = 0.0013888888926778947 + r * 0.0001984126946633665 + r2 * (2.4801508706552734e-05 + r * 2.755764082375038e-06);
  wide c = 2.7625176477402527e-07 + r * 2.4978371934862845e-08;
  return 1 + (r + r2 * (a + r4 * (b + r4 * c)));
}
