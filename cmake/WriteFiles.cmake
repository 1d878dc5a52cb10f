# Called by embed_files at build time with FOLDER and OUTPUT.
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
file(WRITE ${OUTPUT} "")
foreach(file ${files})
    file(READ ${FOLDER}/${file} text)
    file(APPEND ${OUTPUT} "{\"/${file}\", R\"~~text~~(${text})~~text~~\"},\n")
endforeach()
