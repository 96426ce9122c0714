"""What programs tell about their windows, through AT-SPI.

A process of its own reads it for each request: it sees the present state and not a cache, and a program that hangs or a
library that crashes does not take this server along. They run one at a time, because programs answer one after another."""
import os
import subprocess
import sys
import threading

from flask import Blueprint, jsonify

from asked import Refused

routes = Blueprint('accessibility', __name__)

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'atspi_reader.py')
READ_SECONDS = 300
_reading = threading.Lock()


@routes.get('/accessibility')
def accessibility():
    return jsonify(AT=_read('tree'))


@routes.get('/terminal')
def terminal():
    return jsonify(output=_read('terminal') or None, status='success')


def _read(what):
    with _reading:
        try:
            done = subprocess.run([sys.executable, READER, what], capture_output=True, timeout=READ_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise Refused('The programs did not answer in time.', 504) from None
    if done.returncode != 0:
        raise Refused(f'Accessibility cannot be read: {done.stderr.decode(errors="replace")[-500:]}', 500)
    return done.stdout.decode(errors='replace')
