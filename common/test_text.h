/* What tests of printed text share: output goes to a file, and tables are lists in one string. */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Redirects stdout (1) or stderr (2) to the file `name`. NULL undoes the redirection. */
static inline void redirect(int stream, const char *name)
{
    static int saved[3];
    fflush(NULL);
    int file = name ? open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600) : saved[stream];
    if (name)
        saved[stream] = dup(stream);
    if (file < 0 || dup2(file, stream) < 0)
        abort();
    close(file);
}

/* Reads the file into text[size]. A file that does not exist gives "". */
static inline void read_text(const char *name, char *text, size_t size)
{
    FILE *file = fopen(name, "r");
    text[file ? fread(text, 1, size - 1, file) : 0] = 0;
    if (file)
        fclose(file);
}

/* Copies the item of a list in which `list` begins, up to a semicolon or the end, to item[size].
 * Returns the rest of the list, or NULL after the last item. */
static inline const char *next_item(const char *list, char *item, size_t size)
{
    size_t length = strcspn(list, ";");
    snprintf(item, size, "%.*s", (int)length, list);
    return list[length] ? list + length + 1 : NULL;
}

/* The text with one blank for each sequence of blanks and line breaks, until the next call. */
static inline const char *flat(const char *text)
{
    static char copy[65536];
    char *to = copy;
    for (; *text && to < copy + sizeof copy - 1; text++)
        if (*text != ' ' && *text != '\n')
            *to++ = *text;
        else if (to > copy && to[-1] != ' ')
            *to++ = ' ';
    *to = 0;
    return copy;
}

/* The length of the longest line, in bytes. */
static inline size_t longest_line(const char *text)
{
    size_t most = 0;
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        most = strcspn(text, "\n") > most ? strcspn(text, "\n") : most;
    return most;
}
