<?php
require __DIR__ . '/folders.php';

$curl = curl_init();
foreach (requests() as $request) {
    $lines = [];
    curl_reset($curl);
    curl_setopt_array($curl, [
        CURLOPT_URL => $request->url,
        CURLOPT_CUSTOMREQUEST => $request->method,
        CURLOPT_NOBODY => $request->method === 'HEAD',
        CURLOPT_HTTPHEADER => $request->fields,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HEADERFUNCTION => function ($curl, $line) use (&$lines) {
            $lines[] = $line;
            return strlen($line);
        },
    ]);
    if ($request->body !== null)
        curl_setopt($curl, CURLOPT_POSTFIELDS, $request->body);
    $body = curl_exec($curl);
    if ($body === false) {
        fwrite(STDERR, curl_error($curl) . "\n");
        exit(1);
    }
    answered($request, $lines, $body);
}
