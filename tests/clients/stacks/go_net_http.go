package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(folder, name string) string {
	text, err := os.ReadFile(filepath.Join(folder, name))
	must(err)
	return string(text)
}

func write(folder, name string, text []byte) {
	must(os.WriteFile(filepath.Join(folder, name), text, 0o644))
}

func request(base, folder string) *http.Request {
	var body io.Reader
	if text, err := os.ReadFile(filepath.Join(folder, "body")); err == nil {
		body = bytes.NewReader(text)
	}
	asked, err := http.NewRequest(read(folder, "method"), base+read(folder, "path"), body)
	must(err)
	for _, line := range strings.Split(strings.TrimSpace(read(folder, "fields")), "\n") {
		name, value, _ := strings.Cut(line, ": ")
		asked.Header.Set(name, value)
	}
	return asked
}

func main() {
	for _, folder := range os.Args[2:] {
		answer, err := http.DefaultClient.Do(request(os.Args[1], folder))
		must(err)
		body, err := io.ReadAll(answer.Body)
		must(err)
		answer.Body.Close()
		var fields strings.Builder
		for name, values := range answer.Header {
			for _, value := range values {
				fmt.Fprintf(&fields, "%s: %s\n", name, value)
			}
		}
		write(folder, "answer-body", body)
		write(folder, "answer-fields", []byte(fields.String()))
		write(folder, "answer-status", []byte(fmt.Sprint(answer.StatusCode)))
	}
}
