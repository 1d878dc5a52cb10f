import urllib3

from folders import REQUESTS

pool = urllib3.PoolManager()
for request in REQUESTS:
    answer = pool.request(request.method, request.url, headers=request.headers, body=request.body)
    request.answered(answer.status, answer.headers.items(), answer.data)
