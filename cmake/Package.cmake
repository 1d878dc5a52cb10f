# What is installed in a store, and the Debian package of it: deploy/package.sh makes it. The provider to try things on
# and its configuration come along, for who has nothing but the package.
install(TARGETS sales-gateway sandbox-provider DESTINATION bin)
file(GLOB units ${PROJECT_SOURCE_DIR}/systemd/*.service ${PROJECT_SOURCE_DIR}/systemd/*.socket)
install(FILES ${units} DESTINATION lib/systemd/system)
set(packaging ${PROJECT_SOURCE_DIR}/deploy/package)
install(FILES ${packaging}/sysusers.conf DESTINATION lib/sysusers.d RENAME sales-gateway.conf)
install(FILES ${packaging}/tmpfiles.conf DESTINATION lib/tmpfiles.d RENAME sales-gateway.conf)
install(FILES ${packaging}/logcheck DESTINATION /etc/logcheck/ignore.d.server RENAME sales-gateway)
install(FILES ${packaging}/bash-completion DESTINATION share/bash-completion/completions RENAME sales-gateway)
install(FILES ${PROJECT_SOURCE_DIR}/config/gateway.example.toml DESTINATION /etc/sales-gateway)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/deploy/BACKUP.md
    ${PROJECT_SOURCE_DIR}/deploy/LOG.md ${PROJECT_SOURCE_DIR}/deploy/RECIPES.md ${packaging}/copyright
    DESTINATION share/doc/sales-gateway)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/deploy/monitoring DESTINATION share/doc/sales-gateway)
# Examples are nothing that systemd finds: whoever wants one copies it.
file(GLOB example_units ${PROJECT_SOURCE_DIR}/systemd/examples/*)
install(FILES ${PROJECT_SOURCE_DIR}/config/sandbox.toml ${example_units} DESTINATION share/doc/sales-gateway/examples)

# The manual pages: the configuration's is made of the example, which a test holds to the program's own table of keys.
set(manual ${PROJECT_BINARY_DIR}/manual)
file(MAKE_DIRECTORY ${manual})
add_custom_command(OUTPUT ${manual}/sales-gateway.toml.5 ${manual}/sales-gateway.8 ${manual}/sandbox-provider.1
    COMMAND awk -v version=${PROJECT_VERSION} -f ${packaging}/manual.awk
        ${PROJECT_SOURCE_DIR}/config/gateway.example.toml > ${manual}/sales-gateway.toml.5
    COMMAND ${CMAKE_COMMAND} -E copy ${packaging}/sales-gateway.8 ${manual}/sales-gateway.8
    COMMAND ${CMAKE_COMMAND} -E copy ${packaging}/sandbox-provider.1 ${manual}/sandbox-provider.1
    COMMAND gzip -9nf -k ${manual}/sales-gateway.toml.5 ${manual}/sales-gateway.8 ${manual}/sandbox-provider.1
    DEPENDS ${packaging}/manual.awk ${packaging}/sales-gateway.8 ${packaging}/sandbox-provider.1
        ${PROJECT_SOURCE_DIR}/config/gateway.example.toml
    COMMENT "Writing the manual pages"
    VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/sales-gateway.toml.5 ${manual}/sales-gateway.8
    ${manual}/sandbox-provider.1)
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

install(FILES ${manual}/sandbox-provider.1.gz DESTINATION share/man/man1)
install(FILES ${manual}/sales-gateway.8.gz DESTINATION share/man/man8)
install(FILES ${manual}/sales-gateway.toml.5.gz DESTINATION share/man/man5)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sales-gateway)
set(CPACK_PACKAGE_CONTACT "the maintainers of sales-gateway <maintainers@sales-gateway.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "local sales gateway for prepaid products")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"A daemon for a small box in a store: the store's terminals ask it to sell
TV recharge, e-gift codes, transit-card credit, health vouchers and eSIM
plans with one call, and it carries every sale through the provider's
interface, never losing one to a lost answer, a crash, a full disk or a
power cut.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
# The libraries that the program is linked with, in the versions that it needs.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What makes the user and the folders, what ExecReload= runs, the authorities to trust, and the time zones.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles, procps, ca-certificates, tzdata")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "logcheck")
file(WRITE ${PROJECT_BINARY_DIR}/package/conffiles
    "/etc/sales-gateway/gateway.example.toml\n/etc/logcheck/ignore.d.server/sales-gateway\n")
# The journal's schema that this version knows, for preinst to refuse a newer one.
file(GLOB migrations CONFIGURE_DEPENDS ${GATEWAY_SQL}/[0-9]*.sql)
list(SORT migrations)
list(GET migrations -1 newest)
get_filename_component(newest ${newest} NAME)
string(REGEX REPLACE "^0*([0-9]+).*" "\\1" schema ${newest})
configure_file(${packaging}/preinst.in ${PROJECT_BINARY_DIR}/package/preinst @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${PROJECT_BINARY_DIR}/package/preinst
    ${packaging}/postinst ${packaging}/prerm ${packaging}/postrm ${PROJECT_BINARY_DIR}/package/conffiles)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
