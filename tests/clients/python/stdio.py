"""The official Python client over pipes, in either major version; the binary is the only argument."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from flow import expect

SERVER = StdioServerParameters(
    command=sys.argv[1],
    args=["serve", "--stdio", "--log", "warn", "hello", "credential-demo"],
    env={"X_DEMO_TOKEN": "token-of-the-test"},
)


def structured(result):
    """The majors spell the field differently."""
    return result.structured_content if hasattr(result, "structured_content") else result.structuredContent


async def main():
    async with stdio_client(SERVER) as streams:
        async with ClientSession(*streams[:2]) as session:
            await session.initialize()
            tools = sorted(tool.name for tool in (await session.list_tools()).tools)
            expect(tools == ["hello", "whoami"], "the tools of both toolsets are listed")
            greeted = await session.call_tool("hello", {"name": "Ada"})
            expect(structured(greeted) == {"message": "Hello, Ada!"}, "hello answers over pipes")
            account = await session.call_tool("whoami", {})
            expect(structured(account)["account"].startswith("user-"), "the credential comes from the environment")


asyncio.run(main())
