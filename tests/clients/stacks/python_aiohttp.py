import asyncio

import aiohttp

from folders import REQUESTS


async def main():
    async with aiohttp.ClientSession() as session:
        for request in REQUESTS:
            asked = session.request(request.method, request.url, headers=request.headers, data=request.body)
            async with asked as answer:
                request.answered(answer.status, answer.headers.items(), await answer.read())


asyncio.run(main())
