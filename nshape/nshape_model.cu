/* L22 eq. 7-8: the fit of the model, and the plan with the smallest predicted time. */
#include "nshape_model.h"

#include <math.h>

/* Returns the determinant of the matrix with the columns a, b and c. */
static double determinant(const double *a, const double *b, const double *c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Linear least squares: each equation is divided by its measured time, so that residuals are
 * relative errors. Cramer's rule solves the normal equations. */
cudaError_t nshape_fit(int64_t n, int count, const int64_t *nbl, const double *ms,
                       struct nshape_model *model)
{
    double normal[3][3] = {{0}}, right[3] = {0, 0, 0};
    for (int k = 0; k < count; k++) {
        double blocks = (double)nbl[k];
        const double column[] = {(double)n / blocks / ms[k], blocks / ms[k], 1 / ms[k]};
        for (int i = 0; i < 3; i++) {
            right[i] += column[i];
            for (int j = 0; j < 3; j++)
                normal[i][j] += column[i] * column[j];
        }
    }
    double all = determinant(normal[0], normal[1], normal[2]);
    model->alpha = determinant(right, normal[1], normal[2]) / all;
    model->beta = determinant(normal[0], right, normal[2]) / all;
    model->fixed = determinant(normal[0], normal[1], right) / all;
    bool determined = all > 1e-9 * normal[0][0] * normal[1][1] * normal[2][2];
    if (model->fixed < 0) { /* the best fit with fixed >= 0 is then that with fixed = 0 */
        double two = normal[0][0] * normal[1][1] - normal[0][1] * normal[0][1];
        model->alpha = (right[0] * normal[1][1] - right[1] * normal[0][1]) / two;
        model->beta = (normal[0][0] * right[1] - normal[0][1] * right[0]) / two;
        model->fixed = 0;
    }
    return determined && model->alpha > 0 && model->beta > 0 ? cudaSuccess : cudaErrorInvalidValue;
}

double nshape_predict(const struct nshape_model *model, const struct nshape *s)
{
    double rows = (double)s->n, ms = model->fixed * s->nest;
    for (int l = 0; l < s->nest; l++) {
        double blocks = (double)s->parts[l];
        ms += model->alpha * rows / blocks;
        rows = blocks;
    }
    return ms + model->beta * rows;
}

struct nshape nshape_plan_by(const struct nshape_model *model, char type, int64_t n)
{
    struct nshape best = nshape_plan(type, n, 0, NULL);
    for (int nest = 1; nest <= NSHAPE_NEST_MOST && n > 2; nest++) {
        int64_t parts[NSHAPE_NEST_MOST];
        double lines = (double)n,
               ratio = fmax(pow(lines * model->beta / model->alpha, 1.0 / (nest + 1)), 2);
        for (int l = 0; l < nest; l++) {
            lines /= ratio;
            parts[l] = (int64_t)fmax(lines, 1);
        }
        struct nshape s = nshape_plan(type, n, nest, parts);
        if (nshape_predict(model, &s) < nshape_predict(model, &best))
            best = s;
    }
    return best;
}
