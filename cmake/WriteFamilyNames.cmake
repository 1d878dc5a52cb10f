# Writes the names that people give to the families, which stand in WORDS/<language>.json under "family.<name>", into
# OUTPUT as C++ initialisers: {"tv", "pt-BR", "TV"},.
set(rows "")
foreach(language en pt-BR)
    file(STRINGS ${WORDS}/${language}.json lines REGEX "^ *\"family\\." ENCODING UTF-8)
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^ *\"family\\.([^\"]+)\": (\".*\"),?$" "{\"\\1\", \"${language}\", \\2},\n" row "${line}")
        string(APPEND rows "${row}")
    endforeach()
endforeach()
file(WRITE ${OUTPUT} "${rows}")
