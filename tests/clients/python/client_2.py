"""The official Python client, major version 2: modern without headers, legacy with them, which is all its API offers."""

import asyncio
from contextlib import asynccontextmanager

import httpx2
from mcp import Client, ClientSession
from mcp.client.streamable_http import streamable_http_client

import flow


class Adapter:
    def __init__(self, session):
        self.session = session

    async def tools(self):
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(self, name, arguments):
        result = await self.session.call_tool(name, arguments)
        text = "\n".join(block.text for block in result.content)
        return flow.Result(bool(result.is_error), result.structured_content, text)


@asynccontextmanager
async def connect(url, headers):
    if not headers:
        async with Client(url) as client:
            yield Adapter(client)
        return
    async with httpx2.AsyncClient(headers=headers) as http, streamable_http_client(url, http_client=http) as streams:
        async with ClientSession(*streams[:2]) as session:
            await session.initialize()
            yield Adapter(session)


asyncio.run(flow.run(connect))
