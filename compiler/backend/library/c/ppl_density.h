/* The log density of a model as a shared library, made by `ppl build --emit=library MODEL --data FILE --out model.so`.
 *
 * A point has ppl_dimension() unconstrained coordinates. Arrays of points, gradients and values are contiguous:
 * theta[point * ppl_dimension() + coordinate]. A ppl_density must not be used by two threads at the same time; let each
 * thread open its own. The library requires the processor type that it was built on.
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

/* Returns the version of the interface that the library was built with: compare it with PPL_ABI. */
int ppl_abi(void);

/* Returns a JSON object: the model, the dimension, and the name, shape and axes of each parameter, in the order of
 * ppl_constrain. */
const char *ppl_describe(void);

/* Returns the number of unconstrained coordinates. */
size_t ppl_dimension(void);

/* Returns the total number of elements of the parameters. */
size_t ppl_values(void);

/* Returns NULL if memory cannot be allocated. */
ppl_density *ppl_open(void);

/* Frees a density; NULL is allowed. */
void ppl_close(ppl_density *);

/* Writes the log density at each point to value and, unless gradient is NULL, its gradient with respect to the
 * unconstrained coordinates. If jacobian is not 0, it is the density of the unconstrained coordinates, which samplers
 * need; otherwise that of the parameters on their own scale. The value is -inf if the density is 0, and NaN if it is
 * undefined. */
void ppl_log_density(ppl_density *, size_t points, const double *theta, double *value, double *gradient, int jacobian);

/* Writes the parameters on their own scale at each point: values[point * ppl_values() + element]. */
void ppl_constrain(ppl_density *, size_t points, const double *theta, double *values);

#ifdef __cplusplus
}
#endif

#endif
