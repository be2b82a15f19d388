#include <stdio.h>
int main(void) { puts("keiko"); return 0; }
