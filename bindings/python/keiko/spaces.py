"""Spaces as Gymnasium has them: its own classes where it is installed, else small ones with the same members."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete  # type: ignore[import-not-found]
except ImportError:

    class _Space:
        shape: tuple[int, ...]
        dtype: np.dtype[Any]

        def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
            self.shape, self.dtype = shape, np.dtype(dtype)
            self._rng = np.random.default_rng()

        def seed(self, seed: int | None = None) -> None:
            self._rng = np.random.default_rng(seed)

        def __contains__(self, x: Any) -> bool:
            return self.contains(x)

        def contains(self, x: Any) -> bool:
            raise NotImplementedError

    class Box(_Space):  # type: ignore[no-redef]
        def __init__(self, low: float, high: float, shape: tuple[int, ...], dtype: Any) -> None:
            super().__init__(shape, dtype)
            self.low = np.full(shape, low, dtype)
            self.high = np.full(shape, high, dtype)

        def contains(self, x: Any) -> bool:
            fits = isinstance(x, np.ndarray) and x.shape == self.shape and x.dtype == self.dtype
            return fits and bool(np.all(x >= self.low) and np.all(x <= self.high))

        def sample(self) -> NDArray[Any]:
            low, high = np.maximum(self.low, -1e6), np.minimum(self.high, 1e6)
            if self.dtype.kind == "f":
                return self._rng.uniform(low, high).astype(self.dtype)
            return self._rng.integers(low, high, dtype=self.dtype, endpoint=True)

    class Discrete(_Space):  # type: ignore[no-redef]
        def __init__(self, n: int) -> None:
            super().__init__((), np.int64)
            self.n = n

        def contains(self, x: Any) -> bool:
            return isinstance(x, (int, np.integer)) and 0 <= int(x) < self.n

        def sample(self, mask: NDArray[np.int8] | None = None) -> int:
            if mask is not None:
                return int(self._rng.choice(np.flatnonzero(mask)))
            return int(self._rng.integers(self.n))

    class MultiDiscrete(_Space):  # type: ignore[no-redef]
        def __init__(self, nvec: NDArray[np.int64]) -> None:
            super().__init__((len(nvec),), np.int64)
            self.nvec = np.asarray(nvec)

        def contains(self, x: Any) -> bool:
            fits = isinstance(x, np.ndarray) and x.shape == self.shape and x.dtype.kind in "iu"
            return fits and bool(np.all(x >= 0) and np.all(x < self.nvec))

        def sample(self) -> NDArray[np.int64]:
            return self._rng.integers(self.nvec)

    class Dict(_Space):  # type: ignore[no-redef]
        def __init__(self, spaces: Mapping[str, Any]) -> None:
            self.spaces = dict(spaces)

        def __getitem__(self, key: str) -> Any:
            return self.spaces[key]

        def keys(self) -> Any:
            return self.spaces.keys()

        def contains(self, x: Any) -> bool:
            return isinstance(x, Mapping) and x.keys() == self.spaces.keys() and all(x[k] in s for k, s in self.spaces.items())

        def sample(self) -> dict[str, Any]:
            return {k: s.sample() for k, s in self.spaces.items()}

        def seed(self, seed: int | None = None) -> None:
            for s in self.spaces.values():
                s.seed(seed)
