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

np: Any = require("numpy", "a log density", "arviz")


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

    def _points(self, theta: Any) -> Any:
        """Return a point or a batch of points as doubles, one after the other in memory."""
        points = np.ascontiguousarray(theta, dtype=np.float64)
        if np.ndim(theta) == 0 or points.shape[-1] != self.dimension:
            raise ValueError(f"a point has {self.dimension} coordinates, not the shape {np.shape(theta)}")
        return points

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
        return self._evaluate(theta, jacobian, False)[0]

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
        return self._evaluate(theta, jacobian, True)

    def gradient(self, theta: Any, *, jacobian: bool = True) -> Any:
        """Return the gradient of the log density alone."""
        return self.value_and_gradient(theta, jacobian=jacobian)[1]

    def _evaluate(self, theta: Any, jacobian: bool, gradients: bool) -> tuple[Any, Any]:
        points = self._points(theta)
        if points.ndim == 1:
            values, gradient = self._engine.density(points[np.newaxis], jacobian, gradients)
            return float(values[0]), gradient[0] if gradients else None
        rows = points.reshape(-1, self.dimension)
        values, gradient = self._shared(rows, jacobian, gradients)
        return values.reshape(points.shape[:-1]), gradient.reshape(points.shape) if gradients else None

    def _shared(self, rows: Any, jacobian: bool, gradients: bool) -> tuple[Any, Any]:
        """Evaluate rows, which threads share."""
        if self._threads == 1 or len(rows) < 2 * self._threads or not self.compiled:
            return self._engine.density(rows, jacobian, gradients)
        parts = np.array_split(rows, self._threads)
        with ThreadPoolExecutor(self._threads) as pool:
            done = list(pool.map(lambda part: self._engine.density(part, jacobian, gradients), parts))
        joined = np.concatenate([d[1] for d in done]) if gradients else None
        return np.concatenate([d[0] for d in done]), joined

    def constrain_flat(self, theta: Any) -> Any:
        """Return all parameters at points, laid end to end in the order of `parameters`."""
        points = self._points(theta)
        rows = points.reshape(-1, self.dimension)
        return self._engine.constrain(rows, self._values).reshape((*points.shape[:-1], self._values))

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

    def _opened(self) -> _Opened:
        """Return what this thread calls the library with."""
        opened: _Opened | None = getattr(self._own, "opened", None)
        if opened is None:
            opened = self._own.opened = _Opened(self._library, self.about["dimension"])
        return opened

    def density(self, points: Any, jacobian: bool, gradients: bool) -> tuple[Any, Any]:
        own, n = self._opened(), len(points)
        if n <= own.most:
            own.points[:n] = points
            self._library.ppl_log_density(
                own.handle, n, own.points_at, own.values_at, own.gradients_at if gradients else None, jacobian
            )
            return own.values[:n].copy(), own.gradients[:n].copy() if gradients else None
        values = np.empty(n)
        gradient: Any = np.empty(points.shape) if gradients else None
        self._library.ppl_log_density(
            own.handle,
            n,
            points.ctypes.data,
            values.ctypes.data,
            gradient.ctypes.data if gradients else None,
            jacobian,
        )
        return values, gradient

    def constrain(self, points: Any, size: int) -> Any:
        values = np.empty((len(points), size))
        self._library.ppl_constrain(self._opened().handle, len(points), points.ctypes.data, values.ctypes.data)
        return values


class _Opened:
    """A density that one thread uses, with room for few points.

    NumPy takes longer to find the address of an array than a small density takes.
    """

    def __init__(self, library: ctypes.CDLL, dimension: int) -> None:
        self._library = library
        self.handle: int = library.ppl_open()
        if not self.handle:
            raise MemoryError("there is no memory for the log density")
        self.most = max(1, min(64, 65_536 // dimension))
        self.points, self.gradients = np.empty((self.most, dimension)), np.empty((self.most, dimension))
        self.values = np.empty(self.most)
        self.points_at, self.gradients_at = self.points.ctypes.data, self.gradients.ctypes.data
        self.values_at = self.values.ctypes.data

    def __del__(self) -> None:
        if self.handle:
            self._library.ppl_close(self.handle)


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
