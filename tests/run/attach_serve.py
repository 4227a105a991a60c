# SPDX-License-Identifier: BSD-3-Clause
"""attach_serve.py redis-server|nginx DIRECTORY NUMBER: becomes that server, under the load of so many requests from
three clients at once. In the end a line says what the answers came to, and the server ends."""
import hashlib
import os
import signal
import socket
import sys
import threading
import time

CLIENTS = 3
LIMIT = 60
CONFIGURATION = """daemon off;
master_process off;
error_log %(directory)s/nginx.log;
pid %(directory)s/nginx.pid;
events { }
http {
    access_log off;
    gzip on;
    gzip_types *;
    gzip_min_length 1;
    client_body_temp_path %(directory)s/nginx_body;
    proxy_temp_path %(directory)s/nginx_proxy;
    fastcgi_temp_path %(directory)s/nginx_fastcgi;
    uwsgi_temp_path %(directory)s/nginx_uwsgi;
    scgi_temp_path %(directory)s/nginx_scgi;
    keepalive_requests 100000000;
    server {
        listen unix:%(path)s;
        location /files/ { alias %(directory)s/files/; }
        location / { return 200 "of $request_uri there is nothing\\n"; }
    }
}
"""


def connect(path):
    end = time.monotonic() + LIMIT
    while True:
        client = socket.socket(socket.AF_UNIX)
        try:
            client.connect(path)
            return client
        except OSError:
            client.close()
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


def redis_command(*words):
    encoded = [str(word).encode() for word in words]
    return b"*%d\r\n" % len(encoded) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in encoded)


def redis_requests(client, i):
    key = f"{client}:{i % 97}"
    return [redis_command("INCRBY", key + "n", i), redis_command("SET", key + "s", "x" * (i % 700)),
            redis_command("GET", key + "s"), redis_command("LPUSH", key + "l", i, i + 1, i + 2),
            redis_command("LTRIM", key + "l", 0, 20), redis_command("SORT", key + "l"),
            redis_command("ZADD", key + "z", i % 13, i % 31), redis_command("ZRANGE", key + "z", 0, -1),
            redis_command("DEL", key + "s")][i % 9:i % 9 + 1]


def read_redis(file):
    line = file.readline()
    kind, rest = line[:1], line[1:]
    if kind == b"$" and int(rest) >= 0:
        return line + file.read(int(rest) + 2)
    if kind == b"*":
        return line + b"".join(read_redis(file) for _ in range(int(rest)))
    return line


def nginx_requests(client, i):
    path = f"/files/{i % 5}" if i % 2 else f"/{client}/{i}"
    coding = "Accept-Encoding: gzip\r\n" if i % 3 == 0 else ""
    return [f"GET {path} HTTP/1.1\r\nHost: here\r\n{coding}\r\n".encode()]


def read_chunks(file):
    body = b""
    while size := int(file.readline(), 16):
        body += file.read(size + 2)[:-2]
    file.readline()
    return body


def read_nginx(file):
    """Without what tells the time."""
    answer, length = file.readline(), None
    while (line := file.readline()) not in (b"\r\n", b""):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return answer + (read_chunks(file) if length is None else file.read(length))


def load(kind, path, client, number, results):
    requests, read = (redis_requests, read_redis) if kind == "redis-server" else (nginx_requests, read_nginx)
    digest = hashlib.md5()
    connection = connect(path)
    file = connection.makefile("rb")
    for begin in range(0, number // CLIENTS, 50):
        many = [request for i in range(begin, begin + 50) for request in requests(client, i)]
        connection.sendall(b"".join(many))
        for _ in many:
            digest.update(read(file))
    results[client] = digest.hexdigest()


def clients(kind, path, number, server):
    results = ["nothing"] * CLIENTS
    threads = [threading.Thread(target=load, args=(kind, path, k, number, results)) for k in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(kind, *results, flush=True)
    os.kill(server, signal.SIGTERM if kind == "redis-server" else signal.SIGQUIT)


def main():
    kind, directory, number = sys.argv[1], os.path.abspath(sys.argv[2]), int(sys.argv[3])
    path = os.path.join(directory, kind + ".socket")
    if os.path.exists(path):
        os.unlink(path)
    os.makedirs(os.path.join(directory, "files"), exist_ok=True)
    for i in range(5):
        with open(os.path.join(directory, "files", str(i)), "w", encoding="ascii") as file:
            file.writelines(f"line {k * i}\n" for k in range(200 * i))
    with open(os.path.join(directory, "nginx.conf"), "w", encoding="ascii") as file:
        file.write(CONFIGURATION % {"directory": directory, "path": path})
    server = os.getpid()
    if os.fork() == 0:
        clients(kind, path, number, server)
        sys.exit()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    if kind == "redis-server":
        # The same file, which goes by the name that it is called by.
        os.execvp("redis-check-rdb", [kind, "--port", "0", "--unixsocket", path, "--save", "", "--dir", directory])
    os.execvp(kind, [kind, "-p", directory, "-e", os.path.join(directory, "nginx.log"), "-c",
                     os.path.join(directory, "nginx.conf")])


main()
