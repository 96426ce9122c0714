"""The server in the machine that OSWorld's controllers call, on port 5000. It runs as the user of the desktop, and does what
it is told: whoever reaches it may do everything that this user may. So it listens on the loopback address only, to which mappings
lead, and those ask for a token."""
import sys

from flask import Flask, jsonify
from waitress import serve
from werkzeug.exceptions import HTTPException

import accessibility
import commands
import files
import recording
import screen
import wallpaper
import windows
from asked import Refused

PARTS = (accessibility, commands, files, recording, screen, wallpaper, windows)


def make_app():
    app = Flask(__name__)
    for part in PARTS:
        app.register_blueprint(part.routes)

    @app.errorhandler(Refused)
    def refused(error):
        return jsonify(status='error', message=str(error), error=str(error)), error.status

    @app.errorhandler(HTTPException)
    def not_served(error):
        return jsonify(status='error', message=error.description, error=error.name), error.code

    @app.errorhandler(Exception)
    def failed(error):
        app.logger.exception('a request failed')
        message = f'{type(error).__name__}: {error}'
        return jsonify(status='error', message=message, error=message), 500

    return app


if __name__ == '__main__':
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    # Opening a file may take half an hour, and must not keep screenshots from being taken meanwhile.
    serve(make_app(), host='127.0.0.1', port=port, threads=32, channel_timeout=3600, max_request_body_size=8 << 30)
