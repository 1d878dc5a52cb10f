# embed_text(FILE OUTPUT): writes FILE into OUTPUT as one C++ string literal.
function(embed_text file output)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DFILE=${file} -DOUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/cmake/WriteText.cmake
        DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/WriteText.cmake
        COMMENT "Embedding ${file}"
        VERBATIM)
endfunction()
