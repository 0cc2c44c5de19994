"""A study as a page that answers back: the same page as the report's, served live."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from untaken.errors import CannotServe, InvalidQuestion, MissingExtra, UntakenError
from untaken.present.page.assembled import MODULES, NOTHING_ELSE, piece, served_page
from untaken.present.page.contents import Contents

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

LOOPBACK = "127.0.0.1"
ADDRESS_LENGTH = 8_000
"""No question about an episode is longer than this many letters."""
HEADERS = {
    "Content-Security-Policy": f"{NOTHING_ELSE}; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def explorer(contents: Contents, host: str = LOOPBACK) -> Starlette:
    """The explorer of a study, as an ASGI application that answers requests made to `host`.

    A request names an episode by its position and a module of the page by its name, both looked up
    in what is known: none reaches the file system. Questions are answered one at a time.
    """
    try:
        from starlette.applications import Starlette
        from starlette.middleware import Middleware
        from starlette.middleware.gzip import GZipMiddleware
        from starlette.middleware.trustedhost import TrustedHostMiddleware
        from starlette.routing import Route
    except ImportError:
        raise _missing() from None
    ask = _Asking(contents)
    return Starlette(
        routes=[
            Route("/", ask.page),
            Route("/static/{name}", ask.static),
            Route("/api/cohort", ask.cohort),
            Route("/api/episodes/{position}", ask.episode),
            Route("/api/episodes/{position}/what-if", ask.what_if),
        ],
        middleware=[
            # A page elsewhere that has its name point here must not read patients' data.
            Middleware(TrustedHostMiddleware, allowed_hosts=_names(host), www_redirect=False),
            Middleware(_Hardened),
            Middleware(GZipMiddleware, minimum_size=2_000),
        ],
    )


def serve(
    contents: Contents, host: str = LOOPBACK, port: int = 8765, ready: Callable[[str], None] = print
) -> None:
    """Serve the explorer until it is interrupted; `ready` is told its address."""
    try:
        import uvicorn
    except ImportError:
        raise _missing() from None
    app = explorer(contents, host)
    contents.warm()
    with _listening(host, port) as listener:
        name = f"[{host}]" if ":" in host else host
        ready(f"http://{name}:{listener.getsockname()[1]}/")
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", server_header=False))
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise CannotServe(
            f"cannot listen at {host}, port {port}: {error.strerror or error}. "
            "Give another --port (0 takes any that is free) or --host"
        ) from None


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost")
    (True, True, True)
    >>> is_loopback("0.0.0.0"), is_loopback("example.org")
    (False, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _names(host: str) -> list[str]:
    """Under which names the explorer is asked for; any, where it was put on the network."""
    return [LOOPBACK, "localhost", "[::1]"] if is_loopback(host) else ["*"]


def _missing() -> MissingExtra:
    return MissingExtra(
        "the explorer needs starlette and uvicorn, which are not installed: "
        "pip install 'untaken[app]'"
    )


class _Asking:
    """The routes. The study is asked from one thread at a time: its database is not shared, and no
    reader can keep all cores busy."""

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        self._turn = asyncio.Lock()

    async def page(self, _request: Request) -> Response:
        from starlette.responses import HTMLResponse

        return HTMLResponse(served_page(self.contents.title))

    async def static(self, request: Request) -> Response:
        from starlette.responses import Response

        name = request.path_params["name"]
        if name == "page.css":
            return Response(piece(name), media_type="text/css")
        if name.removesuffix(".js") in MODULES and name.endswith(".js"):
            return Response(piece(name), media_type="text/javascript")
        return _complaint("there is no such file", 404)

    async def cohort(self, _request: Request) -> Response:
        return await self._answer(lambda: self.contents.cohort)

    async def episode(self, request: Request) -> Response:
        return await self._answer(lambda: self.contents.episode(_position(request)))

    async def what_if(self, request: Request) -> Response:
        try:
            changes = [_change(text) for text in request.query_params.getlist("change")]
        except InvalidQuestion as error:
            return _complaint(str(error), 400)
        return await self._answer(lambda: self.contents.what_if(_position(request), changes))

    async def _answer(self, ask: Callable[[], Any]) -> Response:
        from starlette.responses import JSONResponse

        try:
            async with self._turn:
                return JSONResponse(await asyncio.to_thread(ask))
        except UntakenError as error:
            return _complaint(str(error), 404 if isinstance(error, InvalidQuestion) else 400)


def _position(request: Request) -> int:
    text: str = request.path_params["position"]
    if not (text.isascii() and text.isdecimal()):
        raise InvalidQuestion(f"an episode has a number; {text[:40]!r} came")
    return int(text[:18])  # no position has more digits; Python refuses to read thousands of them


def _change(text: str) -> tuple[int, int]:
    step, _, action = text.partition(":")
    if not (step.isascii() and step.isdecimal() and action.isascii() and action.isdecimal()):
        raise InvalidQuestion(f"a change is a step and an action, as 3:5; {text[:40]!r} came")
    return int(step[:9]), int(action[:9])


def _complaint(text: str, status: int) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse({"error": text}, status)


class _Hardened:
    """Headers that let the page load nothing from elsewhere, and a bound on what is asked."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def answer(message: Any) -> None:
            if message["type"] == "http.response.start":
                told = [(key.lower().encode(), value.encode()) for key, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *told]}
            await send(message)

        if len(scope["query_string"]) + len(scope["path"]) > ADDRESS_LENGTH:
            await _complaint("the address is too long", 414)(scope, receive, answer)
            return
        await self.app(scope, receive, answer)
