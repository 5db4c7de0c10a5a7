"""An MCP server that knows nothing of values by reference: the standard library, one tool, one long answer.

It takes a free port, prints it as a line of its own, and ends with its standard input.
"""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOL = {
    "name": "describe_area",
    "description": "Describe an area in many words.",
    "inputSchema": {
        "type": "object",
        "properties": {"area": {"type": "object", "description": "A GeoJSON feature."}},
        "required": ["area"],
    },
}


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "plain", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        name = params["arguments"]["area"]["properties"]["name"]
        lines = [f"{name}, line {number}: nothing that a model has to read." for number in range(1, 501)]
        return {"content": [{"type": "text", "text": "\n".join(lines)}]}
    return None


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "id" not in request:
            self.send_response(202)
            self.end_headers()
            return
        result = answer(request["method"], request.get("params", {}))
        reply = {"jsonrpc": "2.0", "id": request["id"]}
        if result is None:
            reply["error"] = {"code": -32601, "message": f"there is no method {request['method']}"}
        else:
            reply["result"] = result
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send_error(405)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
while os.read(0, 1024):
    pass
