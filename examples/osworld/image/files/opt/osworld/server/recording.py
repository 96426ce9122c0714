"""Records the screen. What records it outlives this server, so its number is kept in a file."""
import os
import signal
import subprocess
import threading
import time

from flask import Blueprint, jsonify, send_file

from asked import Refused
from programs import start

routes = Blueprint('recording', __name__)

FOLDER = '/tmp/osworld-recording'
VIDEO, NUMBER, LOG = (os.path.join(FOLDER, name) for name in ('video.mp4', 'pid', 'log'))
START_SECONDS = 30
END_SECONDS = 60
_changing = threading.Lock()


@routes.post('/start_recording')
def start_recording():
    with _changing:
        if _recorder() is not None:
            raise Refused('The screen is being recorded already.')
        os.makedirs(FOLDER, exist_ok=True)
        for path in (VIDEO, NUMBER):
            if os.path.exists(path):
                os.unlink(path)
        input_options = ['-f', 'x11grab', '-draw_mouse', '1', '-framerate', '30', '-i', os.environ.get('DISPLAY', ':0')]
        # A player of any kind can show it, and a part of it is left if the recording is broken off.
        output_options = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-movflags', 'frag_keyframe']
        with open(LOG, 'wb') as log:
            program = start(['ffmpeg', '-y', *input_options, *output_options, VIDEO], out=log, err=subprocess.STDOUT)
        with open(NUMBER, 'w') as file:
            file.write(str(program.pid))
        _until(lambda: os.path.exists(VIDEO) or program.poll() is not None, START_SECONDS)
        if program.poll() is not None:
            raise Refused(f'The recording did not start: {_said()}', 500)
        threading.Thread(target=program.wait, daemon=True).start()
    return jsonify(status='success', message='The screen is being recorded.')


@routes.post('/end_recording')
def end_recording():
    with _changing:
        pid = _recorder()
        if pid is None:
            raise Refused('Nothing is being recorded.')
        os.kill(pid, signal.SIGINT)
        if not _until(lambda: _recorder() is None, END_SECONDS):
            os.kill(pid, signal.SIGKILL)
            _until(lambda: _recorder() is None, END_SECONDS)
        if not os.path.exists(VIDEO) or os.path.getsize(VIDEO) == 0:
            raise Refused(f'Nothing was recorded: {_said()}', 500)
        return send_file(VIDEO, as_attachment=True)


def _recorder():
    """The number of the process that records, or None."""
    try:
        with open(NUMBER) as file:
            pid = int(file.read())
        with open(f'/proc/{pid}/stat') as file:
            name, state = file.read().split(' (', 1)[1].rsplit(') ', 1)
    except (OSError, ValueError):
        return None
    return pid if name == 'ffmpeg' and not state.startswith('Z') else None


def _until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _said():
    with open(LOG, errors='replace') as file:
        return file.read()[-500:].strip()
