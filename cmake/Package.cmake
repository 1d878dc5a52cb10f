# What is installed, and the Debian packages of it: deploy/package.sh makes them. sales-gateway is what a store needs;
# the provider to try things on and its configuration come along, for those who have nothing but the package. The
# module for a journal on PostgreSQL is a package of its own, sales-gateway-postgres, because of all that libpq
# brings along.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME gateway)
install(TARGETS sales-gateway sandbox-provider DESTINATION bin)
install(TARGETS sales-gateway-probe DESTINATION lib/sales-gateway)  # sales-gateway starts it there
file(GLOB units ${PROJECT_SOURCE_DIR}/systemd/*.service ${PROJECT_SOURCE_DIR}/systemd/*.socket)
install(FILES ${units} DESTINATION lib/systemd/system)
set(packaging ${PROJECT_SOURCE_DIR}/deploy/package)
install(FILES ${packaging}/sysusers.conf DESTINATION lib/sysusers.d RENAME sales-gateway.conf)
install(FILES ${packaging}/tmpfiles.conf DESTINATION lib/tmpfiles.d RENAME sales-gateway.conf)
install(FILES ${packaging}/logcheck DESTINATION /etc/logcheck/ignore.d.server RENAME sales-gateway)
install(FILES ${packaging}/bash-completion DESTINATION share/bash-completion/completions RENAME sales-gateway)
install(FILES ${PROJECT_SOURCE_DIR}/config/gateway.example.toml ${PROJECT_SOURCE_DIR}/config/gateway.example.pt-BR.toml
    DESTINATION /etc/sales-gateway)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LEIAME.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    ${PROJECT_SOURCE_DIR}/SECURITY.md ${packaging}/copyright
    DESTINATION share/doc/sales-gateway)
# The pages lie beside the README as they do in the source, so that links lead from one to the other. One is for
# those who change the program.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION share/doc/sales-gateway
    FILES_MATCHING REGEX "\\.(md|png)$" PATTERN design.md EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/deploy/monitoring DESTINATION share/doc/sales-gateway)
# Examples are nothing that systemd finds: those who want one copy it.
file(GLOB example_units ${PROJECT_SOURCE_DIR}/systemd/examples/*)
install(FILES ${PROJECT_SOURCE_DIR}/config/sandbox.toml ${example_units} DESTINATION share/doc/sales-gateway/examples)
# The sources of the tills, and nothing that a till has left beside them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/ DESTINATION share/doc/sales-gateway/examples USE_SOURCE_PERMISSIONS
    FILES_MATCHING REGEX "\\.(md|py|c|h|sh|cs|pas|ts)$" PATTERN __pycache__ EXCLUDE PATTERN open-sales EXCLUDE)

# The manual pages lie in ${manual} as they lie below share/man: those in Portuguese in a folder of their language. The
# configuration's page is made of the example in its language. A test holds the English one to the program's own table
# of keys, and a gate holds the other one to it.
set(manual ${PROJECT_BINARY_DIR}/manual)
set(pages)
foreach(language "" pt_BR/)
    string(REGEX REPLACE "(.*)_(.*)/" ".\\1-\\2" suffix "${language}")
    string(REPLACE "/" "" name "${language}")
    set(example ${PROJECT_SOURCE_DIR}/config/gateway.example${suffix}.toml)
    set(page ${language}man5/sales-gateway.toml.5)
    file(MAKE_DIRECTORY ${manual}/${language}man5)
    list(APPEND pages ${page})
    add_custom_command(OUTPUT ${manual}/${page}.gz
        COMMAND awk -v version=${PROJECT_VERSION} -v language=${name} -f ${packaging}/manual.awk ${example}
            > ${manual}/${page}
        COMMAND gzip -9nf ${manual}/${page}
        DEPENDS ${packaging}/manual.awk ${example}
        VERBATIM)
    foreach(page sandbox-provider.1 sales-gateway.8)
        string(REGEX REPLACE ".*\\.(.)$" "${language}man\\1" folder ${page})
        file(MAKE_DIRECTORY ${manual}/${folder})
        list(APPEND pages ${folder}/${page})
        add_custom_command(OUTPUT ${manual}/${folder}/${page}.gz
            COMMAND gzip -9nc ${packaging}/${language}${page} > ${manual}/${folder}/${page}.gz
            DEPENDS ${packaging}/${language}${page}
            VERBATIM)
    endforeach()
endforeach()
list(TRANSFORM pages REPLACE ".+" "${manual}/\\0.gz" OUTPUT_VARIABLE zipped)
add_custom_target(manual ALL DEPENDS ${zipped} COMMENT "Writing the manual pages")
foreach(page IN LISTS pages)
    get_filename_component(folder ${page} DIRECTORY)
    install(FILES ${manual}/${page}.gz DESTINATION share/man/${folder})
endforeach()
# A package has a changelog in Debian's own form; the changes themselves stand in CHANGELOG.md.
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${manual}/changelog
"sales-gateway (${PROJECT_VERSION}) stable; urgency=medium

  * Version ${PROJECT_VERSION}: CHANGELOG.md, beside this file, says what has
    changed.

 -- The maintainers of sales-gateway <maintainers@sales-gateway.invalid>  ${today}
")
execute_process(COMMAND gzip -9nf ${manual}/changelog COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${manual}/changelog.gz DESTINATION share/doc/sales-gateway)

install(TARGETS postgres-client LIBRARY DESTINATION lib/sales-gateway COMPONENT postgres)
install(FILES ${packaging}/copyright ${manual}/changelog.gz
    DESTINATION share/doc/sales-gateway-postgres COMPONENT postgres)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sales-gateway)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL gateway postgres)
set(CPACK_DEBIAN_GATEWAY_PACKAGE_NAME sales-gateway)
set(CPACK_DEBIAN_POSTGRES_PACKAGE_NAME sales-gateway-postgres)
set(CPACK_PACKAGE_CONTACT "the maintainers of sales-gateway <maintainers@sales-gateway.invalid>")
# The first line of each is its summary; one for both would stand before it.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_DEBIAN_GATEWAY_DESCRIPTION
"local sales gateway for prepaid products
A daemon for a small box in a store: the store's terminals ask it to sell
TV recharge, e-gift codes, transit-card credit, health vouchers and eSIM
plans with one call, and it carries every sale through the provider's
interface, never losing one to a lost answer, a crash, a full disk or a
power cut.")
set(CPACK_DEBIAN_POSTGRES_DESCRIPTION
"sales gateway for prepaid products, with its journal on PostgreSQL
What sales-gateway needs for a journal that is not a file of its own but a
database on PostgreSQL, which several gateways share: one of them carries on
what another one has begun. docs/chain.md in the documentation of sales-gateway
says how this is set up; a gateway with a journal in a file does without.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
# The module is loaded by a program of its own version, and by no other.
set(CPACK_DEBIAN_POSTGRES_PACKAGE_DEPENDS "sales-gateway (= ${PROJECT_VERSION})")
# The libraries that each is linked with, in the versions that it takes.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What makes the user and the folders, what ExecReload= runs, the authorities to trust, and the time zones.
set(CPACK_DEBIAN_GATEWAY_PACKAGE_DEPENDS
    "systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles, procps, ca-certificates, tzdata")
set(CPACK_DEBIAN_GATEWAY_PACKAGE_SUGGESTS "logcheck, sales-gateway-postgres")
file(WRITE ${PROJECT_BINARY_DIR}/package/conffiles
    "/etc/sales-gateway/gateway.example.toml\n/etc/sales-gateway/gateway.example.pt-BR.toml\n"
    "/etc/logcheck/ignore.d.server/sales-gateway\n")
# The journal's schema that this version knows, for preinst to refuse a newer one.
file(GLOB migrations CONFIGURE_DEPENDS ${GATEWAY_SQL}/[0-9]*.sql)
list(SORT migrations)
list(GET migrations -1 newest)
get_filename_component(newest ${newest} NAME)
string(REGEX REPLACE "^0*([0-9]+).*" "\\1" schema ${newest})
configure_file(${packaging}/preinst.in ${PROJECT_BINARY_DIR}/package/preinst @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_GATEWAY_PACKAGE_CONTROL_EXTRA
    ${PROJECT_BINARY_DIR}/package/preinst ${packaging}/postinst ${packaging}/prerm ${packaging}/postrm
    ${packaging}/triggers ${PROJECT_BINARY_DIR}/package/conffiles)
set(CPACK_DEBIAN_GATEWAY_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
