import http.client
import urllib.parse

from folders import BASE, REQUESTS

address = urllib.parse.urlsplit(BASE)
connection = http.client.HTTPConnection(address.hostname, address.port)
for request in REQUESTS:
    connection.request(request.method, request.path, request.body, request.headers)
    answer = connection.getresponse()
    request.answered(answer.status, answer.getheaders(), answer.read())
