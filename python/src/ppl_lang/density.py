"""The log density of a model as a function in this process: a compiled library, or the binary where that cannot be."""

from __future__ import annotations

import ctypes
import json
import struct
import subprocess
import threading
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppl_lang import _call, _data
from ppl_lang._data import Data
from ppl_lang._files import Scratch
from ppl_lang._tables import require
from ppl_lang.errors import PplWarning, RunError

if TYPE_CHECKING:
    from ppl_lang.model import Model

__all__ = ["LogDensity", "Parameter"]


class Parameter:
    """A parameter of a model, as part of the vector of all parameters.

    Attributes
    ----------
    name : str
        Its name.
    shape : tuple of int
        Its shape.
    dims : tuple of str
        The names of its axes.
    coords : dict of str to list
        The labels of the axes that have some.
    """

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.name: str = entry["name"]
        self.shape: tuple[int, ...] = tuple(entry.get("shape") or ())
        self.dims: tuple[str, ...] = tuple(entry.get("dims") or ())
        labels: Sequence[Any] = entry.get("label") or []
        self.coords = {d: list(names) for d, names in zip(self.dims, labels, strict=False) if names}

    @property
    def size(self) -> int:
        """The number of elements."""
        n = 1
        for length in self.shape:
            n *= length
        return n

    def __repr__(self) -> str:
        return f"Parameter({self.name!r}, shape={self.shape})"


class LogDensity:
    r"""The log density of a model with its data.

    A point is a vector of `dimension` unconstrained numbers; a batch of points is an array of such rows. Calls release
    the lock of Python; several threads may call at the same time.

    Attributes
    ----------
    dimension : int
        The number of unconstrained coordinates.
    parameters : list of Parameter
        The parameters, in the order in which `constrain_flat` lays them end to end.
    compiled : bool
        Whether this is machine code; else the binary computes the values.

    Examples
    --------
    >>> import numpy as np, ppl_lang
    >>> f = ppl_lang.Model("x ~ Normal(0, 1)\ns ~ Exponential(1)\n").log_density()
    >>> f.dimension
    2
    >>> bool(np.isclose(f([0.0, 0.0]), -0.5 * np.log(2 * np.pi) - 1))
    True
    >>> value, gradient = f.value_and_gradient([[0.0, 0.0], [1.0, 0.0]])
    >>> gradient.shape
    (2, 2)
    >>> f.constrain([0.0, 0.0])["s"]
    np.float64(1.0)
    """

    def __init__(self, model: Model, data_arguments: list[str], scratch: Scratch, threads: int) -> None:
        require("numpy", "a log density", "arviz")
        self._model, self._given, self._scratch = model, data_arguments, scratch
        self._engine: _Library | _Server
        library = scratch.path / "density.so"
        try:
            _call.call("build", "--emit=library", model.path, "--out", library, *data_arguments)
            self._engine = _Library(library)
        except RunError as error:
            warnings.warn(
                f"the log density is computed by the ppl binary, which is slower than compiled code: {error}",
                PplWarning,
                stacklevel=4,
            )
            self._engine = _Server(model, data_arguments)
        about = self._engine.about
        self.dimension: int = about["dimension"]
        self.parameters = [Parameter(p) for p in about["parameters"]]
        self._values: int = about["values"]
        self._threads = max(1, threads)

    @classmethod
    def _of(cls, model: Model, data: Data, threads: int) -> LogDensity:
        scratch = Scratch()
        return cls(model, _data.arguments(data, scratch.path, model._reads), scratch, threads)

    @property
    def compiled(self) -> bool:
        """Whether this is machine code; else the binary computes the values."""
        return isinstance(self._engine, _Library)

    def __repr__(self) -> str:
        return f"<LogDensity of {self.dimension} coordinates, {'compiled' if self.compiled else 'by the ppl binary'}>"

    def _points(self, theta: Any) -> tuple[Any, tuple[int, ...]]:
        """Return points as rows of doubles, and the shape of the batch."""
        import numpy as np

        points = np.ascontiguousarray(theta, dtype=np.float64)
        if points.ndim == 0 or points.shape[-1] != self.dimension:
            raise ValueError(f"a point has {self.dimension} coordinates, not the shape {points.shape}")
        return points.reshape(-1, self.dimension), points.shape[:-1]

    def __call__(self, theta: Any, *, jacobian: bool = True) -> Any:
        """Return the log density.

        Parameters
        ----------
        theta : array
            A point, or a batch of points.
        jacobian : bool
            Whether it is the density of the unconstrained coordinates, which samplers need, or that of the parameters
            on their own scale at the same point.

        Returns
        -------
        float or array
            A number for each point: -inf where the density is 0.
        """
        points, batch = self._points(theta)
        values, _ = self._evaluate(points, jacobian, False)
        return values.reshape(batch) if batch else float(values[0])

    def value_and_gradient(self, theta: Any, *, jacobian: bool = True) -> tuple[Any, Any]:
        """Return the log density and its gradient in the unconstrained coordinates.

        Parameters
        ----------
        theta : array
            A point, or a batch of points.
        jacobian : bool
            As in a call.

        Returns
        -------
        value, gradient
            A number and a vector, or an array of them.
        """
        points, batch = self._points(theta)
        values, gradients = self._evaluate(points, jacobian, True)
        value = values.reshape(batch) if batch else float(values[0])
        return value, gradients.reshape((*batch, self.dimension))

    def gradient(self, theta: Any, *, jacobian: bool = True) -> Any:
        """Return the gradient of the log density alone."""
        return self.value_and_gradient(theta, jacobian=jacobian)[1]

    def _evaluate(self, points: Any, jacobian: bool, gradients: bool) -> tuple[Any, Any]:
        import numpy as np

        n = len(points)
        if self._threads == 1 or n < 2 * self._threads or not self.compiled:
            return self._engine.density(points, jacobian, gradients)
        parts = np.array_split(points, self._threads)
        with ThreadPoolExecutor(self._threads) as pool:
            done = list(pool.map(lambda part: self._engine.density(part, jacobian, gradients), parts))
        joined = np.concatenate([d[1] for d in done]) if gradients else None
        return np.concatenate([d[0] for d in done]), joined

    def constrain_flat(self, theta: Any) -> Any:
        """Return all parameters at points, laid end to end in the order of `parameters`."""
        points, batch = self._points(theta)
        return self._engine.constrain(points, self._values).reshape((*batch, self._values))

    def constrain(self, theta: Any) -> dict[str, Any]:
        """Return the parameters on their own scale.

        Parameters
        ----------
        theta : array
            A point, or a batch of points.

        Returns
        -------
        dict of str to array
            The parameters by name, numbers as they are; the axes of a batch come first.
        """
        flat = self.constrain_flat(theta)
        out, at = {}, 0
        for p in self.parameters:
            out[p.name] = flat[..., at : at + p.size].reshape((*flat.shape[:-1], *p.shape))[()]
            at += p.size
        return out

    def unconstrain(self, values: Mapping[str, Any]) -> Any:
        """Return the point at values of the parameters; the inverse of `constrain`.

        Parameters
        ----------
        values : dict
            The values of all parameters, on their own scale.

        Returns
        -------
        array
            The point.

        Raises
        ------
        PplError
            If a value is missing, or outside of its support.
        """
        import numpy as np

        from ppl_lang.model import _values

        with Scratch() as folder:
            at = _values(values, folder)
            answer = _call.call("logprob", self._model.path, "--at", at, "--json", *self._given, warn=False).json()
        return np.array(answer["unconstrained"], dtype=np.float64)

    def initial(self, seed: int | None = None, points: int | None = None) -> Any:
        """Return points to begin at, spread around 0 as Stan does: uniform between -2 and 2.

        Parameters
        ----------
        seed : int, optional
            The seed.
        points : int, optional
            How many; a single point by default.
        """
        import numpy as np

        rng = np.random.default_rng(seed)
        count = 1 if points is None else points
        found: list[Any] = []
        for _ in range(100):
            more = rng.uniform(-2, 2, (count, self.dimension))
            found += [x for x, v in zip(more, self(more), strict=True) if np.isfinite(v)]
            if len(found) >= count:
                return found[0] if points is None else np.array(found[:count])
        raise RunError("the log density is not finite at any of the points that were tried")


class _Library:
    """A shared library with the interface of ``ppl_density.h``."""

    def __init__(self, path: Path) -> None:
        try:
            self._library = library = ctypes.CDLL(str(path))
        except OSError as error:
            raise RunError(f"the library of the log density cannot be loaded: {error}") from error
        numbers = ctypes.c_void_p
        library.ppl_describe.restype = ctypes.c_char_p
        library.ppl_open.restype = ctypes.c_void_p
        library.ppl_close.argtypes = [ctypes.c_void_p]
        library.ppl_close.restype = None
        library.ppl_log_density.argtypes = [ctypes.c_void_p, ctypes.c_size_t, numbers, numbers, numbers, ctypes.c_int]
        library.ppl_log_density.restype = None
        library.ppl_constrain.argtypes = [ctypes.c_void_p, ctypes.c_size_t, numbers, numbers]
        library.ppl_constrain.restype = None
        if library.ppl_abi() != 1:
            raise RunError(f"the library of the log density has the interface {library.ppl_abi()}, not 1")
        self.about: dict[str, Any] = json.loads(library.ppl_describe())
        self._own = threading.local()

    def _opened(self) -> int:
        """Return what this thread calls the library with."""
        handle = getattr(self._own, "handle", None)
        if handle is None:
            handle = self._own.handle = _Handle(self._library)
        return handle.value

    def density(self, points: Any, jacobian: bool, gradients: bool) -> tuple[Any, Any]:
        import numpy as np

        value = np.empty(len(points))
        gradient = np.empty(points.shape) if gradients else None
        self._library.ppl_log_density(
            self._opened(),
            len(points),
            points.ctypes.data,
            value.ctypes.data,
            gradient.ctypes.data if gradient is not None else None,
            jacobian,
        )
        return value, gradient

    def constrain(self, points: Any, size: int) -> Any:
        import numpy as np

        values = np.empty((len(points), size))
        self._library.ppl_constrain(self._opened(), len(points), points.ctypes.data, values.ctypes.data)
        return values


class _Handle:
    """A density that one thread uses."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self.value: int = library.ppl_open()
        if not self.value:
            raise MemoryError("there is no memory for the log density")

    def __del__(self) -> None:
        self._library.ppl_close(self.value)


class _Server:
    """The binary, which answers requests on its standard input."""

    def __init__(self, model: Model, given: list[str]) -> None:
        self._lock = threading.Lock()
        self._process = _call._start(
            ["logprob", str(model.path), "--serve", *given], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        line = self._out.readline()
        if not line:
            raise RunError(f"the ppl binary cannot compute the log density: exit code {self._process.wait()}")
        self.about: dict[str, Any] = json.loads(line)

    def _ask(self, kind: int, points: Any, jacobian: bool, count: int) -> Any:
        """Send a request and return that many numbers of its answer."""
        import numpy as np

        with self._lock:
            try:
                self._in.write(struct.pack("<QQQ", kind, jacobian, len(points)))
                self._in.write(np.ascontiguousarray(points, dtype="<f8").tobytes())
                self._in.flush()
                answer = self._out.read(8 * count)
            except (OSError, ValueError) as error:
                raise RunError(f"the ppl binary, which computes the log density, has ended: {error}") from error
        if len(answer) != 8 * count:
            raise RunError("the ppl binary, which computes the log density, has ended")
        return np.frombuffer(answer, dtype="<f8")

    def density(self, points: Any, jacobian: bool, gradients: bool) -> tuple[Any, Any]:
        n = len(points)
        answer = self._ask(0, points, jacobian, n + points.size)
        return answer[:n].copy(), answer[n:].reshape(points.shape).copy() if gradients else None

    def constrain(self, points: Any, size: int) -> Any:
        return self._ask(1, points, True, len(points) * size).reshape(len(points), size).copy()

    def __del__(self) -> None:
        process = getattr(self, "_process", None)
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.kill()
            process.wait()
