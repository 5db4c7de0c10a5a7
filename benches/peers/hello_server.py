"""The Python SDK's server with the one tool of our hello toolset: stateless, JSON answers.

usage: hello_server.py PORT
"""

import sys

from mcp.server.fastmcp import FastMCP

server = FastMCP("hello", host="127.0.0.1", port=int(sys.argv[1]), stateless_http=True, json_response=True, log_level="WARNING")


@server.tool()
def hello(name: str = "world") -> dict[str, str]:
    """Say hello to someone by name."""
    return {"message": f"Hello, {name}!"}


server.run(transport="streamable-http")
