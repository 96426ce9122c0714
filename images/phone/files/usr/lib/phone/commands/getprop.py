"""getprop [NAME]"""
import os

PROPERTIES = {
    'persist.sys.locale': 'en-US',
    'ro.build.version.release': '14',
    'ro.build.version.sdk': '34',
    'ro.product.cpu.abi': {'x86_64': 'x86_64', 'aarch64': 'arm64-v8a'}.get(os.uname().machine, os.uname().machine),
    'ro.product.manufacturer': 'Sandglass',
    'ro.product.model': 'Sandglass Simulator',
    'ro.sandglass.simulator': '1',
    'ro.serialno': 'simulator',
    'ro.sf.lcd_density': '320',
    'sys.boot_completed': '1',
}


def run(phone, arguments, answer):
    if arguments:
        answer(PROPERTIES.get(arguments[0], '') + '\n')
    else:
        answer(''.join(f'[{name}]: [{value}]\n' for name, value in sorted(PROPERTIES.items())))
