"""input [SOURCE] tap | swipe | draganddrop | motionevent | text | keyevent | keycombination | press"""
from commands.keycodes import COMBINED, TYPED, code_of, keysym_of

SOURCES = ('touchscreen', 'keyboard', 'mouse', 'touchpad', 'stylus', 'dpad', 'gamepad')
DRAG_HOLD_MS = 500
LONG_PRESS_MS = 600
SWIPE_MS = 300

HOME, BACK = 3, 4


def run(phone, arguments, answer):
    rest = arguments[1:] if arguments and arguments[0] in SOURCES else arguments
    if rest[:1] == ['-d']:
        rest = rest[2:]
    verb, *rest = rest or ['']
    try:
        VERBS[verb](phone, rest, answer)
    except KeyError:
        answer(err=f'Error: Unknown command: {verb}\n', code=255)
    except (ValueError, IndexError, TypeError):
        answer(err=f'Error: Invalid arguments for command: {verb}\n', code=255)


def tap(phone, rest, answer):
    x, y = (round(float(value)) for value in rest)
    phone.fingers.stroke((x, y), (x, y), 0, answer)


def swipe(phone, rest, answer, hold_ms=0):
    x1, y1, x2, y2 = (round(float(value)) for value in rest[:4])
    duration = int(rest[4]) if len(rest) > 4 else SWIPE_MS
    phone.fingers.stroke((x1, y1), (x2, y2), duration, answer, hold_ms)


def motion(phone, rest, answer):
    kind, x, y = rest[0].upper(), round(float(rest[1])), round(float(rest[2]))
    fingers = phone.fingers
    {'DOWN': fingers.down, 'MOVE': fingers.move, 'UP': fingers.up, 'CANCEL': fingers.up}[kind](x, y)
    answer()


def text(phone, rest, answer):
    """%s is a space; what is not ASCII fails, as it does on a phone."""
    words = ' '.join(rest).replace('%s', ' ')
    if not words.isascii():
        answer(err='java.lang.NullPointerException: Attempt to get length of null array\n', code=255)
        return
    phone.type(words)
    answer()


def keyevent(phone, rest, answer):
    is_long = '--longpress' in rest
    codes = [code_of(word) for word in rest if not word.startswith('-')]
    press_each(phone, codes, answer, LONG_PRESS_MS if is_long else 0)


def press_each(phone, codes, answer, hold_ms):
    if not codes:
        answer()
        return
    code, *others = codes
    press(phone, code, lambda: press_each(phone, others, answer, hold_ms), hold_ms)


def press(phone, code, done, hold_ms):
    if code in (HOME, BACK):
        (phone.home if code == HOME else phone.back)()
        done()
        return
    if code in TYPED:
        phone.type(TYPED[code])
    keysyms = COMBINED.get(code) or [keysym_of(code)]
    if all(keysyms):
        phone.fingers.keys(keysyms, done, hold_ms)
    else:
        done()  # A key that changes nothing here, such as the volume's.


def combination(phone, rest, answer):
    hold_ms = int(rest.pop(rest.index('-t') + 1)) if '-t' in rest else 0
    keysyms = [keysym_of(code_of(word)) for word in rest if word != '-t']
    phone.fingers.keys([keysym for keysym in keysyms if keysym], answer, hold_ms)


VERBS = {
    'tap': tap,
    'swipe': swipe,
    'draganddrop': lambda phone, rest, answer: swipe(phone, rest, answer, DRAG_HOLD_MS),
    'motionevent': motion,
    'text': text,
    'keyevent': keyevent,
    'keycombination': combination,
    'press': lambda phone, rest, answer: answer(),
}
