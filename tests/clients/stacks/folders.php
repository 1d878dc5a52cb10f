<?php
// This tells the PHP stacks what to ask, and takes what they saw. See tests/clients/checks.py.

function requests(): iterable {
    global $argv;
    foreach (array_slice($argv, 2) as $folder)
        yield (object) [
            'folder' => $folder,
            'method' => file_get_contents("$folder/method"),
            'url' => $argv[1] . file_get_contents("$folder/path"),
            'fields' => file("$folder/fields", FILE_IGNORE_NEW_LINES),
            'body' => is_file("$folder/body") ? file_get_contents("$folder/body") : null,
        ];
}

// `$lines` is the answer's header as it came; if there are several headers, the last one counts.
function answered(object $request, array $lines, string $body): void {
    $status = '';
    $fields = [];
    foreach ($lines as $line) {
        if (preg_match('#^HTTP/\S+ (\d+)#', $line, $match)) {
            $status = $match[1];
            $fields = [];
        } elseif (trim($line) !== '') {
            $fields[] = trim($line) . "\n";
        }
    }
    file_put_contents("{$request->folder}/answer-body", $body);
    file_put_contents("{$request->folder}/answer-fields", $fields);
    file_put_contents("{$request->folder}/answer-status", $status);
}
