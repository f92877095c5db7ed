"""The log density of a model as a Python function, which calls a compiled library or else the binary."""

from __future__ import annotations

import ctypes
import json
import struct
import subprocess
import threading
import warnings
from collections import deque
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
    """The name and shape of a parameter.

    Attributes
    ----------
    name : str
        Its name.
    shape : tuple of int
        Its shape.
    dims : tuple of str
        The names of its axes.
    coords : dict of str to list
        The labels of the axes that have labels.
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

    A point is a vector of `dimension` unconstrained numbers, and a batch of points is an array with a row for each
    point. Calls release Python's global lock; several threads may call at the same time.

    Attributes
    ----------
    dimension : int
        The number of unconstrained coordinates.
    parameters : list of Parameter
        The parameters, in the order in which `constrain_flat` concatenates them.
    compiled : bool
        Whether compiled code computes the values; otherwise the binary does.

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
        """Whether compiled code computes the values; otherwise the binary does."""
        return isinstance(self._engine, _Library)

    def __reduce__(self) -> tuple[Any, ...]:
        """Raise an error: the open library cannot be pickled."""
        raise TypeError(
            "a log density cannot be pickled: send the model and the data to the other process, and call "
            "model.log_density(data) there"
        )

    def __repr__(self) -> str:
        return f"<LogDensity of {self.dimension} coordinates, {'compiled' if self.compiled else 'by the ppl binary'}>"

    def _points(self, theta: Any) -> Any:
        """Convert a point or a batch of points to a contiguous array of doubles."""
        points = np.asarray(theta, dtype=np.float64, order="C")
        if points.shape[-1:] != (self.dimension,):
            raise ValueError(f"a point has {self.dimension} coordinates, not the shape {points.shape}")
        return points

    def __call__(self, theta: Any, *, jacobian: bool = True) -> Any:
        """Return the log density.

        Parameters
        ----------
        theta : array
            A point, or a batch of points.
        jacobian : bool
            True for the density of the unconstrained coordinates, which samplers need; False for the density of the
            parameters on their original scale, at the same point.

        Returns
        -------
        float or array
            A number for each point: -inf where the density is 0.
        """
        return self._evaluate(theta, jacobian, False)[0]

    def value_and_gradient(
        self, theta: Any, *, jacobian: bool = True, out: tuple[Any, Any] | None = None
    ) -> tuple[Any, Any]:
        r"""Return the log density and its gradient with respect to the unconstrained coordinates.

        Parameters
        ----------
        theta : array
            A point, or a batch of points.
        jacobian : bool
            See `__call__`.
        out : (array, array), optional
            Arrays for the values and the gradients, as in NumPy. Loops over large batches should reuse the arrays,
            because allocation takes longer than the gradients of a small model.

        Returns
        -------
        value, gradient
            A number and a vector for a point; arrays of these for a batch.

        Examples
        --------
        >>> import numpy as np, ppl_lang
        >>> f = ppl_lang.Model("x ~ Normal(0, 1)\n").log_density()
        >>> points, out = np.ones((1000, 1)), (np.empty(1000), np.empty((1000, 1)))
        >>> for _ in range(3):
        ...     values, gradients = f.value_and_gradient(points, out=out)
        ...     points += 0.5 * gradients
        >>> points[0]
        array([0.125])
        """
        return self._evaluate(theta, jacobian, True, out)

    def gradient(self, theta: Any, *, jacobian: bool = True) -> Any:
        """Return only the gradient of the log density."""
        return self.value_and_gradient(theta, jacobian=jacobian)[1]

    def _evaluate(
        self, theta: Any, jacobian: bool, gradients: bool, out: tuple[Any, Any] | None = None
    ) -> tuple[Any, Any]:
        points = self._points(theta)
        if points.ndim == 1 and out is None:
            return self._engine.point(points, jacobian, gradients)
        if out is None:
            values: Any = np.empty(points.shape[:-1])
            slopes: Any = np.empty(points.shape) if gradients else None
        else:
            values, slopes = out
            _writable("values", values, points.shape[:-1])
            _writable("gradients", slopes, points.shape)
        if points.ndim == 2:
            self._share(points, jacobian, values, slopes)
        else:
            flat = (-1, self.dimension)
            self._share(points.reshape(flat), jacobian, values.reshape(-1), slopes.reshape(flat) if gradients else None)
        return values, slopes

    def _share(self, points: Any, jacobian: bool, values: Any, gradients: Any) -> None:
        """Write values and gradients at points to arrays; threads share the points."""
        if self._threads == 1 or len(points) < 2 * self._threads or not self.compiled:
            self._engine.density(points, jacobian, values, gradients)
            return

        def part(of: slice) -> None:
            self._engine.density(points[of], jacobian, values[of], None if gradients is None else gradients[of])

        ends = [len(points) * k // self._threads for k in range(self._threads + 1)]
        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(part, map(slice, ends, ends[1:])))

    def constrain_flat(self, theta: Any) -> Any:
        """Return all parameters at points, concatenated in the order of `parameters`."""
        points = self._points(theta)
        values = np.empty((*points.shape[:-1], self._values))
        self._engine.constrain(points.reshape(-1, self.dimension), values.reshape(-1, self._values))
        return values

    def constrain(self, theta: Any) -> dict[str, Any]:
        """Return the parameters on their original scale.

        Parameters
        ----------
        theta : array
            A point, or a batch of points.

        Returns
        -------
        dict of str to array
            The parameters by name. Scalars are numbers. The axes of a batch come first.
        """
        flat = self.constrain_flat(theta)
        out, at = {}, 0
        for p in self.parameters:
            out[p.name] = flat[..., at : at + p.size].reshape((*flat.shape[:-1], *p.shape))[()]
            at += p.size
        return out

    def unconstrain(self, values: Mapping[str, Any]) -> Any:
        """Convert values of the parameters to a point: the inverse of `constrain`.

        Parameters
        ----------
        values : dict
            The values of all parameters, on their original scale.

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
        """Return random starting points, uniform between -2 and 2 as in Stan.

        Parameters
        ----------
        seed : int, optional
            The seed.
        points : int, optional
            The number of points; by default the result is one point, not a batch.
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


def _writable(name: str, array: Any, shape: tuple[int, ...]) -> None:
    """Check that results can be written to an array."""
    if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.shape != shape:
        raise ValueError(f"the array for {name} must be one of doubles (float64) of the shape {shape}")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError(f"the array for {name} must be contiguous and writable")


def _address(array: Any) -> int:
    """Return the address of an array's elements, faster than with NumPy's methods."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (TypeError, ValueError):  # the array is read-only, or empty
        found: int = array.__array_interface__["data"][0]
        return found


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
        self._log_density = library.ppl_log_density
        self._idle: deque[_Opened] = deque()  # threads take and return elements concurrently

    def _take(self) -> _Opened:
        """Return a density for one call; the caller returns it to `_idle`."""
        try:
            return self._idle.pop()
        except IndexError:
            return _Opened(self._library, self.about["dimension"])

    def point(self, theta: Any, jacobian: bool, gradients: bool) -> tuple[float, Any]:
        opened = self._take()
        try:
            opened.theta[:] = theta
            self._log_density(*opened.arguments[gradients], jacobian)
            return opened.value.item(), opened.gradient.copy() if gradients else None
        finally:
            self._idle.append(opened)

    def density(self, points: Any, jacobian: bool, values: Any, gradients: Any) -> None:
        at = None if gradients is None else _address(gradients)
        opened = self._take()
        try:
            self._log_density(opened.handle, len(points), _address(points), _address(values), at, jacobian)
        finally:
            self._idle.append(opened)

    def constrain(self, points: Any, values: Any) -> None:
        opened = self._take()
        try:
            self._library.ppl_constrain(opened.handle, len(points), _address(points), _address(values))
        finally:
            self._idle.append(opened)


class _Opened:
    """A density for one thread at a time, with arrays for a single point.

    The addresses of the arrays are stored, because finding them takes longer than a small density.
    """

    def __init__(self, library: ctypes.CDLL, dimension: int) -> None:
        self._library = library
        self.handle: int = library.ppl_open()
        if not self.handle:
            raise MemoryError("there is no memory for the log density")
        self.theta, self.value, self.gradient = np.empty(dimension), np.empty(()), np.empty(dimension)
        one = (self.handle, 1, _address(self.theta), _address(self.value))
        self.arguments = ((*one, None), (*one, _address(self.gradient)))

    def __del__(self) -> None:
        if self.handle:
            self._library.ppl_close(self.handle)


class _Server:
    """A process of the binary that answers requests on its standard input."""

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
        """Send a request and return the `count` numbers of the answer."""
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

    def point(self, theta: Any, jacobian: bool, gradients: bool) -> tuple[float, Any]:
        value: Any = np.empty(1)
        gradient: Any = np.empty((1, len(theta))) if gradients else None
        self.density(theta[np.newaxis], jacobian, value, gradient)
        return value.item(), gradient[0] if gradients else None

    def density(self, points: Any, jacobian: bool, values: Any, gradients: Any) -> None:
        n = len(points)
        answer = self._ask(0, points, jacobian, n + points.size)
        values[:] = answer[:n]
        if gradients is not None:
            gradients[:] = answer[n:].reshape(points.shape)

    def constrain(self, points: Any, values: Any) -> None:
        values[:] = self._ask(1, points, True, values.size).reshape(values.shape)

    def __del__(self) -> None:
        process = getattr(self, "_process", None)
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.kill()
            process.wait()
