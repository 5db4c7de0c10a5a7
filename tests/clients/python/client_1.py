"""The official Python client, major version 1: the legacy era."""

import asyncio
from contextlib import asynccontextmanager

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

import flow


class Adapter:
    def __init__(self, session):
        self.session = session

    async def tools(self):
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(self, name, arguments):
        result = await self.session.call_tool(name, arguments)
        text = "\n".join(block.text for block in result.content)
        return flow.Result(bool(result.isError), result.structuredContent, text)


@asynccontextmanager
async def connect(url, headers):
    async with streamablehttp_client(url, headers=headers) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            yield Adapter(session)


asyncio.run(flow.run(connect))
