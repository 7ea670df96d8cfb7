/* Text and numbers of the report, which live until release_all(). */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct kept {
    struct kept *next;
    max_align_t data[];
} * all;

void *keep(size_t bytes)
{
    struct kept *kept = calloc(1, sizeof *kept + bytes);
    if (kept == NULL) {
        fputs("report: not enough memory\n", stderr);
        exit(3);
    }
    kept->next = all;
    all = kept;
    return kept->data;
}

void *with_room(void *array, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0) /* the room is 1, 2, 4, … */
        return array;
    void *larger = keep((2 * count + (count == 0)) * size);
    if (count > 0)
        memcpy(larger, array, count * size);
    return larger;
}

void release_all(void)
{
    while (all != NULL) {
        struct kept *next = all->next;
        free(all);
        all = next;
    }
}

static const char *formatted(const char *before, const char *separator, const char *format,
                             va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    size_t length = (size_t)vsnprintf(NULL, 0, format, arguments);
    size_t start = strlen(before) + strlen(separator);
    char *result = keep(start + length + 1);
    strcpy(result, before);
    strcat(result, separator);
    vsnprintf(result + start, length + 1, format, again);
    va_end(again);
    return result;
}

const char *text_of(const char *format, va_list arguments)
{
    return formatted("", "", format, arguments);
}

const char *text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *result = text_of(format, arguments);
    va_end(arguments);
    return result;
}

const char *joined(const char *before, const char *separator, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *result = formatted(before, before[0] == '\0' ? "" : separator, format, arguments);
    va_end(arguments);
    return result;
}

bool same(const char *x, const char *y)
{
    return strcmp(x, y) == 0;
}

const char *csv_field(const char *plain)
{
    if (strpbrk(plain, ",\"\r\n") == NULL)
        return plain;
    char *result = keep(2 * strlen(plain) + 3), *to = result;
    *to++ = '"';
    for (; *plain != '\0'; plain++) {
        if (*plain == '"')
            *to++ = '"';
        *to++ = *plain;
    }
    *to = '"';
    return result;
}

char *read_file(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    size_t size = (size_t)info.st_size;
    char *result = keep(size + 1);
    bool is_text = fread(result, 1, size, file) == size && strlen(result) == size;
    fclose(file);
    return is_text ? result : NULL;
}

FILE *file_begin(const char *path)
{
    FILE *file = fopen(text("%s.new", path), "w");
    if (file == NULL)
        fprintf(stderr, "report: '%s' cannot be written\n", path);
    return file;
}

bool file_end(FILE *file, const char *path)
{
    const char *unfinished = text("%s.new", path);
    bool written = !ferror(file);
    written = fclose(file) == 0 && written && rename(unfinished, path) == 0;
    if (!written) {
        remove(unfinished);
        fprintf(stderr, "report: '%s' cannot be written\n", path);
    }
    return written;
}

void list_add(struct list *list, double x)
{
    list->x = with_room(list->x, list->count, sizeof *list->x);
    list->x[list->count++] = x;
}

void list_known(struct list *list, double x)
{
    if (!isnan(x))
        list_add(list, x);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
void list_sort(struct list *list)
{
    if (list->count > 0)
        qsort(list->x, list->count, sizeof *list->x, by_value);
}
