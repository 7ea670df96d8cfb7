/* Medians, slopes and least squares. */
#include "report.h"

#include <math.h>
#include <string.h>

/* The largest x times sign. A NaN in the list stays visible. */
static double extreme(struct list list, double sign)
{
    double result = list.count == 0 ? NAN : list.x[0];
    for (size_t i = 1; i < list.count; i++)
        if (!isnan(result) && !(sign * list.x[i] <= sign * result))
            result = list.x[i];
    return result;
}
double least(struct list list)
{
    return extreme(list, -1);
}
double most(struct list list)
{
    return extreme(list, 1);
}

double median(struct list list)
{
    if (list.count == 0)
        return NAN;
    struct list sorted = {0};
    for (size_t i = 0; i < list.count; i++)
        list_add(&sorted, list.x[i]);
    list_sort(&sorted);
    size_t middle = sorted.count / 2;
    return sorted.count % 2 == 1 ? sorted.x[middle] : (sorted.x[middle - 1] + sorted.x[middle]) / 2;
}

double quantile(struct list sorted, double share)
{
    if (sorted.count == 0)
        return NAN;
    const double at = share * (double)(sorted.count - 1);
    const size_t below = (size_t)at, above = below + 1 < sorted.count ? below + 1 : below;
    return sorted.x[below] + (at - (double)below) * (sorted.x[above] - sorted.x[below]);
}

double nearest(struct list list, double x)
{
    double result = NAN;
    for (size_t i = 0; i < list.count; i++)
        if (isnan(result) || fabs(log(list.x[i] / x)) < fabs(log(result / x)))
            result = list.x[i];
    return result;
}

double geometric_mean(struct list list)
{
    double sum = 0;
    for (size_t i = 0; i < list.count; i++)
        sum += log(list.x[i]);
    return list.count == 0 ? NAN : exp(sum / (double)list.count);
}

double log_slope(struct list x, struct list y)
{
    double m = (double)x.count, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (size_t i = 0; i < x.count; i++) {
        double u = log(x.x[i]), v = log(y.x[i]);
        sx += u;
        sy += v;
        sxx += u * u;
        sxy += u * v;
    }
    double det = m * sxx - sx * sx;
    return x.count >= 2 && det > 0 ? (m * sxy - sx * sy) / det : NAN;
}

const char *range_text(struct list list, int decimals)
{
    return text("%.*f (%.*f to %.*f)", decimals, median(list), decimals, least(list), decimals,
                most(list));
}

const char *pairs_text(const char *format, struct list x, struct list at)
{
    const char *result = NO_NUMBERS;
    for (size_t i = 0; i < x.count; i++)
        if (!isnan(x.x[i]))
            result = joined(same(result, NO_NUMBERS) ? "" : result, ", ", format, x.x[i], at.x[i]);
    return result;
}

static double det3(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Solves the normal equations by Cramer's rule. Unused coefficients get rows of the identity
 * matrix. The equations count as singular if their determinant, over the product of their
 * diagonal, is below 1e-9: then rounding would decide the result. */
bool fit_relative(size_t count, const struct list u[], struct list y, double c[], double *misfit)
{
    double normal[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, right[3] = {0};
    for (size_t j = 0; j < count; j++)
        for (size_t k = 0; k < count; k++) {
            normal[j][k] = 0;
            for (size_t i = 0; i < y.count; i++)
                normal[j][k] += u[j].x[i] / y.x[i] * (u[k].x[i] / y.x[i]);
        }
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < y.count; i++)
            right[j] += u[j].x[i] / y.x[i];
    double det = det3(normal);
    if (y.count <= count || !(det > 1e-9 * normal[0][0] * normal[1][1] * normal[2][2]))
        return false;
    for (size_t j = 0; j < count; j++) {
        double replaced[3][3];
        memcpy(replaced, normal, sizeof replaced);
        for (size_t k = 0; k < 3; k++)
            replaced[k][j] = right[k];
        c[j] = det3(replaced) / det;
    }
    double sum = 0;
    for (size_t i = 0; i < y.count; i++) {
        double model = 0;
        for (size_t j = 0; j < count; j++)
            model += c[j] * u[j].x[i];
        sum += (model / y.x[i] - 1) * (model / y.x[i] - 1);
    }
    *misfit = sqrt(sum / (double)y.count);
    return true;
}
