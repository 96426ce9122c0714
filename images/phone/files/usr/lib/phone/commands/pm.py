"""pm list packages | path PACKAGE | clear PACKAGE"""
import shutil

from store import folder


def run(phone, arguments, answer):
    if arguments[:2] == ['list', 'packages']:
        # Every app came with the phone, so none is a third party's.
        packages = [] if '-3' in arguments else sorted([*phone.apps, 'com.sandglass.launcher'])
        words = [word for word in arguments[2:] if not word.startswith('-')]
        answer(''.join(f'package:{package}\n' for package in packages if all(word in package for word in words)))
    elif len(arguments) == 2 and arguments[0] == 'path':
        known = arguments[1] in phone.apps
        answer(f'package:/system/app/{arguments[1]}.apk\n' if known else '', code=0 if known else 1)
    elif len(arguments) == 2 and arguments[0] == 'clear':
        if arguments[1] not in phone.apps:
            answer('Failed\n', code=1)
            return
        phone.close(arguments[1])
        shutil.rmtree(folder(arguments[1]))
        answer('Success\n')
    else:
        answer(err='Error: this simulator knows pm list packages, path and clear only\n', code=255)
