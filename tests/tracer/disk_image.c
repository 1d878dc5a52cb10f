#define _GNU_SOURCE
#include "disk_image.h"

#include "tracer.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void copy_file(const char* from, const char* to) {
    char bytes[65536];
    ssize_t got;
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    while ((got = read(in, bytes, sizeof bytes)) > 0)
        if (write(out, bytes, (size_t)got) != got) die(to);
    if (got < 0 || close(in) != 0 || close(out) != 0) die(from);
}

static void forget_names(const char* folder, const char* image) {
    char here[PATH_MAX], there[PATH_MAX];
    DIR* names = opendir(image);
    if (names == NULL) die(image);
    for (struct dirent* name; (name = readdir(names)) != NULL;) {
        snprintf(here, sizeof here, "%s/%s", folder, name->d_name);
        snprintf(there, sizeof there, "%s/%s", image, name->d_name);
        if (name->d_name[0] != '.' && access(here, F_OK) != 0 && unlink(there) != 0) die(there);
    }
    closedir(names);
}

int is_in_folder(const char* folder, const char* path) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == 0 || path[length] == '/');
}

void picture(const char* folder, const char* image, const char* path, int fails) {
    char there[PATH_MAX];
    if (strcmp(path, folder) == 0) {
        if (!fails) forget_names(folder, image);
        return;
    }
    snprintf(there, sizeof there, "%s%s", image, path + strlen(folder));
    if (!fails || access(there, F_OK) != 0) copy_file(path, there);
}
