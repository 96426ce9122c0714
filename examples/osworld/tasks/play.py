"""Plays tasks in OSWorld's format with scripted actions: sets each up, acts as an agent would, and compares the state.

It stands for OSWorld's own environment, which calls the server in the machine in the same way, and has far more setups and
evaluators. `python3 -m tasks.play edit-a-file` plays one task on a sandbox of its own."""
import json
import os
import sys
import time

from provider import SandglassProvider, SandglassVMManager
from tasks.calls import Calls

FOLDER = os.path.dirname(os.path.abspath(__file__))
#: What an agent does is on the disk a moment later, as programs write.
EVALUATE_SECONDS = 60
ATTEMPTS = 3
PREFIX = 'import pyautogui; import time; pyautogui.FAILSAFE = False; '


def read_task(name):
    with open(os.path.join(FOLDER, f'{name}.json')) as file:
        return json.load(file)


def read_actions(name):
    with open(os.path.join(FOLDER, f'{name}.actions')) as file:
        return file.read().splitlines()


def set_up(calls, config):
    for step in config:
        SETUPS[step['type']](calls, **step['parameters'])


def _upload(calls, files):
    for file in files:
        calls.upload(os.path.join(FOLDER, file['local_path']), file['path'])


def _asked(path):
    return lambda calls, **parameters: calls.post(path, parameters)


SETUPS = {
    'activate_window': _asked('/setup/activate_window'),
    'close_window': _asked('/setup/close_window'),
    'execute': _asked('/setup/execute'),
    'execute_with_verification': _asked('/setup/execute_with_verification'),
    'launch': _asked('/setup/launch'),
    'open': _asked('/setup/open_file'),
    'upload_file': _upload,
}


def act(calls, command):
    done = calls.post('/execute', {'command': ['python', '-c', PREFIX + command], 'shell': False})
    if done['returncode'] != 0:
        raise RuntimeError(f'{command}: {done["error"]}')


def evaluate(calls, evaluator):
    """Whether the state is the expected one, within a time in which programs have written it."""
    set_up(calls, evaluator.get('postconfig', []))
    expected = evaluator['expected']['rules']['expected']
    end = time.monotonic() + EVALUATE_SECONDS
    while True:
        found = calls.post('/execute', {'command': evaluator['result']['command'], 'shell': False})['output']
        if found == expected or time.monotonic() > end:
            return found == expected, found
        time.sleep(0.5)


def play(name, calls):
    task = read_task(name)
    set_up(calls, task['config'])
    first, *others = read_actions(name)
    # A program that has just shown its window may not take all input yet, so an agent looks, and tries again where it may.
    repeatable = first.startswith('#')
    for _ in range(ATTEMPTS if repeatable else 1):
        for command in others if repeatable else [first, *others]:
            act(calls, command)
        passed, found = evaluate(calls, task['evaluator'])
        if passed:
            break
    return passed, found


def main(names):
    provider, path = SandglassProvider(), SandglassVMManager().get_vm_path()
    for name in names:
        provider.start_emulator(path, True, 'Ubuntu')
        try:
            passed, found = play(name, Calls(provider.get_ip_address(path)))
            print(f'{name}: {"passed" if passed else f"failed, found {found!r}"}')
        finally:
            provider.revert_to_snapshot(path, 'init_state')


if __name__ == '__main__':
    main(sys.argv[1:])
