"""Hundreds of small sites on addresses of this machine, each with a fault of its own; one process, no thread.

    survey_site.py SITES.json LOG

SITES.json: {"delay": MS, "sites": {"127.1.0.1": "ok", …}}. Prints the port once every address listens. LOG gets a line for
each request: the address, how many requests this address has open, the method and the path.
"""

import asyncio
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    PLAN = json.load(file)
SITES = PLAN["sites"]
LOG = open(sys.argv[2], "a", encoding="utf-8", buffering=1)
OPEN = dict.fromkeys(SITES, 0)
SEARCHES = ("nosearch",)

LIST = "".join(
    f'<a class=work data-cover="/i/{n}.png" href=/m/{n}>Curious Work {n}</a>' for n in range(1, 4))
BARE = LIST.replace("data-cover", "data-none")
DETAILS = "<h1>Curious Work</h1><a class=chapter href=/c/1>1</a><a class=chapter href=/c/2>2</a>"
PAGES = "<img class=page src=/i/1.png><img class=page src=/i/2.png>"


def page(path, kind):
    if path.startswith("/list"):
        return {"empty": "", "bare": BARE}.get(kind, LIST)
    if path.startswith("/search"):
        return "" if kind == "nosearch" else LIST
    if path.startswith("/m/"):
        return DETAILS.replace("h1", "h2") if kind == "throws" else DETAILS
    if path.startswith("/c/"):
        return "" if kind == "nopages" else PAGES
    return ""


def answer(kind, method, path, address, port):
    """Status, fields and body; a length that is too large for a body that breaks off."""
    fields = {"Content-Type": "text/html; charset=utf-8"}
    if kind == "moved":
        target = "127.2." + address.split(".", 2)[2]
        return 301, {"Location": f"http://{target}:{port}{path}"}, ""
    if kind == "circle":
        return 302, {"Location": path}, ""
    if kind == "login" and not path.startswith("/login"):
        return 302, {"Location": "/login?next=/"}, ""
    if kind == "challenge":
        return 503, {"Server": "cloudflare"}, "<title>Just a moment...</title>"
    codes = {"blocked": 403, "slowdown": 429, "down": 500, "hidden": 500, "gone": 404}
    if kind in codes:
        return codes[kind], fields, "an error"
    if kind == "nopicture" and path.startswith("/i/"):
        return 404, fields, ""
    if kind == "nohead" and path.startswith("/i/") and method == "HEAD":
        return 405, fields, ""
    return 200, fields, page(path, kind)


async def serve(reader, writer):
    address, port = writer.get_extra_info("sockname")[:2]
    kind = SITES[address]
    try:
        while True:
            first = await reader.readexactly(1)
            if first == b"\x16":  # A client that expects TLS.
                writer.write(b"HTTP/1.1 400 X\r\n\r\n")
                break
            head = first + await reader.readuntil(b"\r\n\r\n")
            OPEN[address] += 1
            try:
                method, path = head.split(b" ", 2)[:2]
                LOG.write(f"{address} {OPEN[address]} {method.decode()} {path.decode()}\n")
                if kind == "silent":
                    await reader.read(1)  # Until the client leaves.
                    break
                await asyncio.sleep(PLAN["delay"] / 1000)
                status, fields, body = answer(kind, method.decode(), path.decode(), address, port)
                body = body.encode()
                length = len(body) + (100 if kind == "cut" else 0)
                lines = [f"HTTP/1.1 {status} X", f"Content-Length: {length}"] + [f"{k}: {v}" for k, v in fields.items()]
                writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if method == b"HEAD" else body))
                await writer.drain()
            finally:
                OPEN[address] -= 1
            if kind == "cut":
                break
    except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError, ValueError):
        pass
    finally:
        writer.close()


async def main():
    addresses = sorted(SITES)
    first = await asyncio.start_server(serve, addresses[0], 0)
    port = first.sockets[0].getsockname()[1]
    servers = [first] + [await asyncio.start_server(serve, address, port) for address in addresses[1:]]
    print(port, flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))


asyncio.run(main())
