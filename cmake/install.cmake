# `make install`: program, libraries, header, pkg-config file, man page, shell completions.
install(TARGETS keiko RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS keiko_static keiko_shared
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/keiko.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
