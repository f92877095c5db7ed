/* The log density of a model as a shared library, made by `ppl build --emit=library MODEL --data FILE --out model.so`.
 *
 * A point has ppl_dimension() unconstrained coordinates. Points, gradients and values lie one after the other:
 * theta[point * ppl_dimension() + coordinate]. A ppl_density is used by one thread at a time; several threads open one
 * each. The library is for the processor that it was made on.
 *
 *     ppl_density *d = ppl_open();
 *     if (!d) return 1;
 *     ppl_log_density(d, 1, theta, &value, gradient, 1);
 *     ppl_close(d);
 */
#ifndef PPL_DENSITY_H
#define PPL_DENSITY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PPL_ABI 1

typedef struct ppl_density ppl_density;

/* The version of this interface, PPL_ABI when the library was made. */
int ppl_abi(void);

/* A JSON object: the model, the dimension, and name, shape and axes of each parameter, in the order of ppl_constrain. */
const char *ppl_describe(void);

/* The number of unconstrained coordinates, and of the elements of all parameters. */
size_t ppl_dimension(void);
size_t ppl_values(void);

/* Open returns NULL if there is no memory. */
ppl_density *ppl_open(void);
void ppl_close(ppl_density *);

/* The log density of points, and its gradient unless that is NULL. With jacobian it is the density of the unconstrained
 * coordinates, which samplers move in; without, that of the parameters on their own scale, at the same point. Where the
 * density is 0 the value is -inf, where it has no value NaN. */
void ppl_log_density(ppl_density *, size_t points, const double *theta, double *value, double *gradient, int jacobian);

/* The parameters on their own scale at points: values[point * ppl_values() + element]. */
void ppl_constrain(ppl_density *, size_t points, const double *theta, double *values);

#ifdef __cplusplus
}
#endif

#endif
