<?php
require __DIR__ . '/folders.php';

foreach (requests() as $request) {
    $http = [
        'method' => $request->method,
        'header' => $request->fields,
        'protocol_version' => '1.1',
        'ignore_errors' => true,
    ];
    if ($request->body !== null)
        $http['content'] = $request->body;
    $body = file_get_contents($request->url, false, stream_context_create(['http' => $http]));
    if ($body === false)
        exit(1);
    answered($request, $http_response_header, $body);
}
