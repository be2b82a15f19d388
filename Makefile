all:
	@cmake --preset release > /dev/null && cmake --build --preset release && ln -sf release/keiko build/keiko
