/* Keeps a picture of what may be on a folder's disk when the power goes: each file as it was at its last flush that did
 * not fail, or at its first one, under its name until a flush of the folder that did not fail took that away. */
#pragma once

/* Says whether a path is the folder or leads into it. */
int is_in_folder(const char* folder, const char* path);

/* Must be called before each flush of something in `folder`. A flush that fails may leave anything on the disk. */
void picture(const char* folder, const char* image, const char* path, int fails);
