# Called by embed_files at build time with FOLDER and OUTPUT.
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
file(WRITE ${OUTPUT} "")
foreach(file ${files})
    if(file MATCHES "\\.woff2$")
        # A font is no text: each of its bytes is written by its number, and its length beside them, because a byte may
        # be zero.
        file(READ ${FOLDER}/${file} bytes HEX)
        file(SIZE ${FOLDER}/${file} length)
        string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
        file(APPEND ${OUTPUT} "{\"/${file}\", {\"${bytes}\", ${length}}},\n")
    else()
        file(READ ${FOLDER}/${file} text)
        file(APPEND ${OUTPUT} "{\"/${file}\", R\"~~text~~(${text})~~text~~\"},\n")
    endif()
endforeach()
