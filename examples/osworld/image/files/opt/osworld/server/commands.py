"""Programs: run to their end, run until something is true, or started and left alone."""
import os
import shlex
import sys
import tempfile
import time

from flask import Blueprint, jsonify

from asked import Refused, body, flag, number, path_of, text, without_null
from programs import run, start
from windows import titles

routes = Blueprint('commands', __name__)

COMMAND_SECONDS = 120
PYTHON_SECONDS = 30
CHECK_SECONDS = 5


@routes.post('/execute', endpoint='execute')
@routes.post('/setup/execute', endpoint='setup_execute')
def execute():
    return jsonify(_outcome(*_command(body())))


@routes.post('/execute_with_verification', endpoint='execute_with_verification')
@routes.post('/setup/execute_with_verification', endpoint='setup_execute_with_verification')
def execute_with_verification():
    asked = body()
    command, shell = _command(asked)
    checks = asked.get('verification') or {}
    if not isinstance(checks, dict):
        raise Refused('verification must be an object.')
    title = text(checks, 'window_exists') if 'window_exists' in checks else None
    probe = text(checks, 'command_success') if 'command_success' in checks else None
    most = number(asked, 'max_wait_time', 10, 1800)
    pause = number(asked, 'check_interval', 1, 1800)
    outcome = _outcome(command, shell)
    if not checks:
        return jsonify(outcome)
    began = time.monotonic()
    while True:
        passed = (title is None or title.lower() in '\n'.join(titles()).lower()) and (
            probe is None or run(probe, shell=True, seconds=CHECK_SECONDS).code == 0
        )
        waited = time.monotonic() - began
        if passed:
            return jsonify({**outcome, 'verification': 'passed', 'wait_time': waited})
        if waited + pause > most:
            failed = {'status': 'verification_failed', 'verification': 'failed', 'wait_time': waited}
            return jsonify({**outcome, **failed}), 500
        time.sleep(max(pause, 0.05))


@routes.post('/setup/launch')
def launch():
    command, shell = _command(body())
    start(command, shell)
    return jsonify(status='success', message=f'Started {command if shell else shlex.join(command)}')


@routes.post('/run_python')
def run_python():
    ended = _run_script(text(body(), 'code'), '.py', [sys.executable], PYTHON_SECONDS)
    if ended.code is None:
        message = f'The code ran for more than {PYTHON_SECONDS} seconds.'
        return jsonify(status='error', message=message, need_more=False, output=ended.out, error=message), 504
    error = ended.err
    if ended.code and not error:
        error = f'It ended with the code {ended.code}.'
    return jsonify(
        status='error' if ended.code else 'success',
        message='\n'.join(part for part in (ended.out, error) if part),
        need_more=False,
        output=ended.out,
        error=error,
        return_code=ended.code,
    )


@routes.post('/run_bash_script')
def run_bash_script():
    asked = body()
    script, seconds = text(asked, 'script'), number(asked, 'timeout', 100, 1800)
    folder = asked.get('working_dir')
    if folder is not None:
        folder = path_of(text(asked, 'working_dir'))
        if not os.path.isdir(folder):
            raise Refused(f'working_dir is not a folder: {folder}')
    ended = _run_script(script, '.sh', ['/bin/bash'], seconds, folder=folder, joined=True)
    if ended.code is None:
        said = f'{ended.out}\nThe script ran for more than {seconds} seconds.'.strip()
        return jsonify(status='error', output=said, error='', returncode=-1), 504
    return jsonify(
        status='error' if ended.code else 'success', output=ended.out, error='', returncode=ended.code
    )


def _command(asked):
    """The command of a request, and whether a shell reads it."""
    shell, command = flag(asked, 'shell'), asked.get('command')
    if isinstance(command, str) and not shell:
        try:
            command = shlex.split(command)
        except ValueError as error:
            raise Refused(f'command cannot be split into words: {error}') from None
    words = [command] if isinstance(command, str) else command
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words) or not words[0]:
        raise Refused('command is required: a text, or a list of texts.')
    for word in words:
        without_null('command', word)
    if isinstance(command, str):
        return command, shell
    return [os.path.expanduser(word) if word.startswith('~/') else word for word in words], shell


def _outcome(command, shell):
    ended = run(command, shell=shell, seconds=COMMAND_SECONDS)
    if ended.code is None:
        raise Refused(f'The command ran for more than {COMMAND_SECONDS} seconds, and was ended.', 504)
    return {'status': 'success', 'output': ended.out, 'error': ended.err, 'returncode': ended.code}


def _run_script(script, suffix, interpreter, seconds, **options):
    with tempfile.NamedTemporaryFile('w', suffix=suffix, encoding='utf-8') as file:
        file.write(script)
        file.flush()
        return run([*interpreter, file.name], seconds=seconds, **options)
