# embed_files(FOLDER OUTPUT): writes every file below FOLDER into OUTPUT, as C++ initialisers of a path and a text:
# {"/lib/dom.js", "..."},. A font (*.woff2) is written as bytes. A file that is added or removed is seen at the next
# build.
function(embed_files folder output)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/cmake/WriteFiles.cmake
        DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/WriteFiles.cmake
        COMMENT "Embedding ${folder}"
        VERBATIM)
endfunction()
