# `make install`: program, libraries, header, pkg-config file, and the man page and completions that the program prints.
set(KEIKO_PC_PRIVATE "-lpthread -lm -ldl")
if(JANSSON_FOUND)
  string(APPEND KEIKO_PC_PRIVATE " -ljansson")
endif()
if(SQLITE_FOUND)
  string(APPEND KEIKO_PC_PRIVATE " -lsqlite3")
endif()
if(ZSTD_FOUND)
  string(APPEND KEIKO_PC_PRIVATE " -lzstd")
endif()
if(LIBNATS_FOUND)
  string(APPEND KEIKO_PC_PRIVATE " -lnats")
endif()
# Paths start from where keiko.pc lies, so that an installed tree can be moved. Absolute folders are taken as they are.
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(KEIKO_PC_${dir} "${CMAKE_INSTALL_${dir}}")
  else()
    set(KEIKO_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(KEIKO_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(KEIKO_PC_PREFIX "\${pcfiledir}/${up}")
endif()
configure_file(cmake/keiko.pc.in keiko.pc @ONLY)

# The same for CMake: find_package(keiko).
include(CMakePackageConfigHelpers)
string(REGEX REPLACE "-l| +$" "" KEIKO_PC_LIBRARIES "${KEIKO_PC_PRIVATE}")
string(REPLACE "pthread" "Threads::Threads" KEIKO_PC_LIBRARIES "${KEIKO_PC_LIBRARIES}")
string(REGEX REPLACE " +" ";" KEIKO_PC_LIBRARIES "${KEIKO_PC_LIBRARIES}")
configure_package_config_file(cmake/keikoConfig.cmake.in keikoConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/keiko PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(keikoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/keikoConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/keikoConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/keiko)

set(texts ${CMAKE_CURRENT_BINARY_DIR}/texts)
add_custom_command(
  OUTPUT ${texts}/keiko.1 ${texts}/keiko.bash ${texts}/_keiko ${texts}/keiko.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${texts}
  COMMAND keiko man > ${texts}/keiko.1
  COMMAND keiko completion bash > ${texts}/keiko.bash
  COMMAND keiko completion zsh > ${texts}/_keiko
  COMMAND keiko completion fish > ${texts}/keiko.fish
  DEPENDS keiko VERBATIM)
add_custom_target(keiko_texts ALL DEPENDS ${texts}/keiko.1)

install(TARGETS keiko RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS keiko_static keiko_shared
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/keiko.h include/keiko_rules.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/keiko.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${texts}/keiko.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${texts}/keiko.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME keiko)
install(FILES ${texts}/_keiko DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${texts}/keiko.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/keiko/models OPTIONAL)
install(FILES build/report.html DESTINATION ${CMAKE_INSTALL_DATADIR}/keiko OPTIONAL) # of keiko report, if make site was run
install(DIRECTORY build/site/ DESTINATION ${CMAKE_INSTALL_DATADIR}/keiko/site OPTIONAL) # the page, if make site was run
# Weights that the page and the program share are stored once: the page's are links.
install(CODE "set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/keiko\")")
install(CODE [[
  file(GLOB weights RELATIVE "${share}/site/models" "${share}/site/models/*")
  foreach(name IN LISTS weights)
    if(EXISTS "${share}/models/${name}" AND NOT IS_SYMLINK "${share}/site/models/${name}")
      file(SHA256 "${share}/models/${name}" of_program)
      file(SHA256 "${share}/site/models/${name}" of_page)
      if(of_program STREQUAL of_page)
        file(CREATE_LINK "../../models/${name}" "${share}/site/models/${name}" SYMBOLIC)
      endif()
    endif()
  endforeach()
]])
