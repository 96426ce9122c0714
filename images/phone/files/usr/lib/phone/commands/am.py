"""am start | force-stop | broadcast"""
import base64
import binascii

from gi.repository import GLib


def run(phone, arguments, answer):
    verb, rest = (arguments[0], arguments[1:]) if arguments else ('', [])
    if verb in ('start', 'start-activity'):
        start(phone, rest, answer)
    elif verb in ('force-stop', 'kill') and rest:
        phone.close(rest[-1])
        GLib.idle_add(lambda: answer() and False)
    elif verb == 'broadcast':
        broadcast(phone, options(rest), answer)
    else:
        answer(err='Error: this simulator knows am start, force-stop and broadcast only\n', code=255)


def options(arguments):
    """-a ACTION -d DATA -n COMPONENT -c CATEGORY -p PACKAGE --es KEY VALUE, and a last word that is a package or an address."""
    found, rest = {'extras': {}}, list(arguments)
    while rest:
        word = rest.pop(0)
        if word in ('--es', '-e') and len(rest) > 1:
            key, value = rest.pop(0), rest.pop(0)
            found['extras'][key] = value
        elif word in ('-a', '-d', '-n', '-c', '-p', '-t', '-f', '--user') and rest:
            found[word] = rest.pop(0)
        elif not word.startswith('-'):
            found['last'] = word
    return found


def start(phone, arguments, answer):
    intent = options(arguments)
    address = intent.get('-d') or (intent.get('last') if ':' in intent.get('last', '') else None)
    component = intent.get('-n') or (None if address else intent.get('last')) or intent.get('-p')
    package = component.split('/')[0] if component else ('com.sandglass.browser' if address else None)
    told = f'Starting: Intent {{ {" ".join(arguments)} }}\n'
    if intent.get('-c', '').endswith('HOME'):
        phone.home()
    elif package in phone.apps:
        phone.start(package, address)
    elif package:
        answer(told, f'Error type 3\nError: Activity class {{{component}}} does not exist.\n', 1)
        return
    else:
        answer(told, f'Error: Activity not started, unable to resolve Intent {{ {" ".join(arguments)} }}\n', 1)
        return
    # After it is drawn.
    GLib.idle_add(lambda: answer(told) and False)


def broadcast(phone, intent, answer):
    """The actions of AdbIME, an input method for any text that came as text or as base64."""
    action, message = intent.get('-a', ''), intent['extras'].get('msg', '')
    try:
        if action == 'ADB_CLEAR_TEXT':
            clear(phone.window.get_focus())
            is_taken = True
        elif action in ('ADB_INPUT_TEXT', 'ADB_INPUT_B64'):
            is_taken = phone.type(message if action == 'ADB_INPUT_TEXT' else base64.b64decode(message, validate=True).decode())
        else:
            is_taken = True
        # Only this phone tells that nothing has the focus.
        result = 0 if is_taken else 1
    except (binascii.Error, UnicodeDecodeError):
        result = -1
    GLib.idle_add(lambda: answer(f'Broadcasting: Intent {{ act={action} flg=0x400000 (has extras) }}\nBroadcast completed: result={result}\n') and False)


def clear(target):
    if hasattr(target, 'set_text'):
        target.set_text('')
    elif hasattr(target, 'get_buffer'):
        target.get_buffer().set_text('')
