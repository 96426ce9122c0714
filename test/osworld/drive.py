"""Lets a test call the provider: each line of the input is a call, and each line of the output what it returned."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../examples/osworld'))
from provider import SandglassProvider, SandglassVMManager  # noqa: E402
from provider.api import ApiError  # noqa: E402
from tasks.calls import Calls  # noqa: E402
from tasks.play import play  # noqa: E402

provider = SandglassProvider('anywhere')
calls = {
    'path': SandglassVMManager().get_vm_path,
    'start': provider.start_emulator,
    'address': provider.get_ip_address,
    'save': provider.save_state,
    'revert': provider.revert_to_snapshot,
    'stop': provider.stop_emulator,
    'play': lambda path, name: play(name, Calls(provider.get_ip_address(path))),
}
for line in sys.stdin:
    name, *arguments = json.loads(line)
    try:
        answer = {'returned': calls[name](*arguments)}
    except (ApiError, RuntimeError, TimeoutError) as error:
        answer = {'raised': f'{type(error).__name__}: {error}'}
    print(json.dumps(answer), flush=True)
