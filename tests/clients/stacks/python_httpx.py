import httpx

from folders import REQUESTS

with httpx.Client() as client:
    for request in REQUESTS:
        answer = client.request(request.method, request.url, headers=request.headers, content=request.body)
        request.answered(answer.status_code, answer.headers.items(), answer.content)
