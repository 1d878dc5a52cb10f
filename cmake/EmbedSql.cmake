# embed_sql(FOLDER OUTPUT): writes every numbered .sql file of FOLDER into OUTPUT as the elements of a C++ array of
# {number, name, text}, in the order of the numbers. A new migration is picked up by the next build.
function(embed_sql folder output)
    file(GLOB files CONFIGURE_DEPENDS ${folder}/*.sql)
    list(SORT files)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/cmake/WriteSql.cmake
        DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/WriteSql.cmake
        COMMENT "Embedding the migrations"
        VERBATIM)
endfunction()
