# embed_statements(FOLDER OUTPUT): writes the statements of the .sql files of FOLDER into OUTPUT, each as a C++ constant
# of the name that it has there. A new statement is picked up by the next build.
function(embed_statements folder output)
    file(GLOB files CONFIGURE_DEPENDS ${folder}/*.sql)
    list(SORT files)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUTPUT=${output}
            -P ${PROJECT_SOURCE_DIR}/cmake/WriteStatements.cmake
        DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/WriteStatements.cmake
        COMMENT "Embedding the journal's statements"
        VERBATIM)
endfunction()
