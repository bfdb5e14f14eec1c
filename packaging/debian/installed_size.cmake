# Corrects the Installed-Size of the .deb that CPack made. The size that CPack writes counts the
# targets of links, here one program nine times. CPack runs this script after it has made the
# package.
foreach(deb IN LISTS CPACK_PACKAGE_FILES)
    set(folder ${CPACK_TOPLEVEL_DIRECTORY}/repack)
    file(REMOVE_RECURSE ${folder})
    execute_process(COMMAND dpkg-deb --raw-extract ${deb} ${folder} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND du --apparent-size -sk --exclude=DEBIAN ${folder} OUTPUT_VARIABLE size COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "^[0-9]+" size "${size}")
    file(READ ${folder}/DEBIAN/control control)
    string(REGEX REPLACE "\nInstalled-Size: [0-9]+\n" "\nInstalled-Size: ${size}\n" control "${control}")
    file(WRITE ${folder}/DEBIAN/control "${control}")
    execute_process(COMMAND dpkg-deb --root-owner-group -Zxz --build ${folder} ${deb} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE_RECURSE ${folder})
endforeach()
