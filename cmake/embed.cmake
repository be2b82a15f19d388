# Files compiled into the program and the library, so that both are whole wherever they are copied. src/base/embedded.h finds
# them by the path written here. -DKEIKO_EMBED=OFF leaves them out; then they are looked for in folders only.
set(KEIKO_EMBED_FILES # small models: what is larger than about 2 MB stays a file
    models/othello-patterns.bin
    models/othello-small.safetensors
    models/contrast.safetensors
    models/puyo-dqn.safetensors)
file(GLOB rules RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/rules/*.md
     ${PROJECT_SOURCE_DIR}/docs/ja/rules/*.md)
list(APPEND KEIKO_EMBED_FILES ${rules})

if(KEIKO_EMBED)
  # One C file: the assembler copies each file's bytes (.incbin), and a table names them. A NUL behind each makes a text file
  # a C string.
  set(data "")
  set(names "")
  set(table "")
  set(i 0)
  foreach(f IN LISTS KEIKO_EMBED_FILES)
    string(APPEND data
      "    \".balign 64\\nembedded_${i}:\\n.incbin \\\"${PROJECT_SOURCE_DIR}/${f}\\\"\\n"
      "embedded_end_${i}:\\n.byte 0\\n\"\n")
    string(APPEND names "extern const char embedded_${i}[] HIDDEN, embedded_end_${i}[] HIDDEN;\n")
    string(APPEND table "    {\"${f}\", embedded_${i}, embedded_end_${i}},\n")
    math(EXPR i "${i} + 1")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded_data.c)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT
"// Written by cmake/embed.cmake.
#include \"base/embedded.h\"

__asm__(\".pushsection .rodata\\n\"
@data@    \".popsection\\n\");

#define HIDDEN __attribute__((visibility(\"hidden\")))
@names@
const embedded_file embedded_files[] = {
@table@};
const int embedded_count = @i@;
")
  list(TRANSFORM KEIKO_EMBED_FILES PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
  set_source_files_properties(${generated} PROPERTIES OBJECT_DEPENDS "${paths}")
  list(APPEND KEIKO_SOURCES ${generated})
  target_compile_definitions(keiko_flags INTERFACE KEIKO_EMBED=1)
endif()
