# find_package(recurrences) defines the target recurrences::cpu and, if the library for a GPU is installed and CMake
# finds CUDA, recurrences::gpu. `make install` replaces @INCLUDE@, the way from this directory to the headers, and
# @VERSION@.
get_filename_component(_recurrences_here "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(_recurrences_include "${_recurrences_here}/@INCLUDE@" ABSOLUTE)
get_filename_component(_recurrences_libraries "${_recurrences_here}/../.." ABSOLUTE)
if(EXISTS "${_recurrences_libraries}/librecurrences.so")
    find_package(CUDAToolkit QUIET)
endif()
foreach(_recurrences_device cpu gpu)
    set(_recurrences_name librecurrences_cpu.so)
    if(_recurrences_device STREQUAL gpu)
        set(_recurrences_name librecurrences.so)
    endif()
    if(NOT TARGET recurrences::${_recurrences_device} AND EXISTS "${_recurrences_libraries}/${_recurrences_name}"
       AND (_recurrences_device STREQUAL cpu OR CUDAToolkit_FOUND))
        add_library(recurrences::${_recurrences_device} SHARED IMPORTED)
        set_target_properties(recurrences::${_recurrences_device} PROPERTIES
            IMPORTED_LOCATION "${_recurrences_libraries}/${_recurrences_name}.@VERSION@"
            IMPORTED_SONAME ${_recurrences_name}.${recurrences_VERSION_MAJOR}
            INTERFACE_INCLUDE_DIRECTORIES "${_recurrences_include}")
    endif()
    if(TARGET recurrences::${_recurrences_device})
        set(recurrences_${_recurrences_device}_FOUND TRUE)
    elseif(recurrences_FIND_REQUIRED_${_recurrences_device})
        set(recurrences_FOUND FALSE)
        set(recurrences_NOT_FOUND_MESSAGE "no library for the component ${_recurrences_device}")
    endif()
endforeach()
if(TARGET recurrences::gpu)
    set_target_properties(recurrences::gpu PROPERTIES
        INTERFACE_COMPILE_DEFINITIONS DEVICE_CUDA INTERFACE_LINK_LIBRARIES CUDA::cudart)
endif()
