/* Answers requests of Serve's protocol by the library that density.h describes. */
#include "density.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  uint64_t head[3]; /* what is asked for, whether the log-Jacobian counts, and the number of points */
  ppl_density *d = ppl_open();
  if (!d || ppl_abi() != PPL_ABI) return 1;
  puts(ppl_describe());
  while (fread(head, sizeof *head, 3, stdin) == 3) {
    const size_t points = head[2], asked = points * ppl_dimension(), values = points * ppl_values();
    double *theta = (double *)malloc(sizeof(double) * (asked + 1));
    double *value = (double *)malloc(sizeof(double) * (values + points + 1));
    double *gradient = (double *)malloc(sizeof(double) * (asked + 1));
    if (!theta || !value || !gradient || fread(theta, sizeof *theta, asked, stdin) != asked) return 1;
    if (head[0]) {
      ppl_constrain(d, points, theta, value);
      fwrite(value, sizeof *value, values, stdout);
    } else {
      double *alone = value + points;
      size_t k;
      ppl_log_density(d, points, theta, value, gradient, (int)head[1]);
      if (points <= ppl_values()) { /* without a gradient the values are the same */
        ppl_log_density(d, points, theta, alone, NULL, (int)head[1]);
        for (k = 0; k < points; k++)
          if (alone[k] != value[k] && (alone[k] == alone[k] || value[k] == value[k])) return 1;
      }
      fwrite(value, sizeof *value, points, stdout);
      fwrite(gradient, sizeof *gradient, asked, stdout);
    }
    free(theta);
    free(value);
    free(gradient);
  }
  ppl_close(d);
  ppl_close(NULL);
  return 0;
}
