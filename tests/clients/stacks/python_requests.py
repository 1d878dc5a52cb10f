import requests

from folders import REQUESTS

with requests.Session() as session:
    for request in REQUESTS:
        answer = session.request(request.method, request.url, headers=request.headers, data=request.body)
        request.answered(answer.status_code, answer.headers.items(), answer.content)
