"""Mouse and keyboard, by the names that agents for OSWorld use. Debian does not have PyAutoGUI; this module has the part of its
interface that acts on the screen, and lets xdotool do the work, so that all characters can be typed."""
import functools
import math
import re
import subprocess
import time

FAILSAFE = True
PAUSE = 0.1
MINIMUM_DURATION = 0.1
DARWIN_CATCH_UP_TIME = 0
LEFT, MIDDLE, RIGHT, PRIMARY, SECONDARY = 'left', 'middle', 'right', 'left', 'right'

_STEP_SECONDS = 0.01
_BUTTONS = {'left': 1, 'primary': 1, 'middle': 2, 'right': 3, 'secondary': 3, 1: 1, 2: 2, 3: 3}
_WHEEL = {'up': 4, 'down': 5, 'left': 6, 'right': 7}
_KEYS = {
    'enter': 'Return', 'return': 'Return', '\n': 'Return', '\r': 'Return', 'tab': 'Tab', '\t': 'Tab', 'esc': 'Escape',
    'escape': 'Escape', 'backspace': 'BackSpace', '\b': 'BackSpace', 'del': 'Delete', 'delete': 'Delete', 'insert': 'Insert',
    'home': 'Home', 'end': 'End', 'pageup': 'Prior', 'pgup': 'Prior', 'pagedown': 'Next', 'pgdn': 'Next', 'up': 'Up',
    'down': 'Down', 'left': 'Left', 'right': 'Right', 'space': 'space', ' ': 'space', 'ctrl': 'Control_L',
    'ctrlleft': 'Control_L', 'ctrlright': 'Control_R', 'alt': 'Alt_L', 'altleft': 'Alt_L', 'altright': 'Alt_R',
    'option': 'Alt_L', 'optionleft': 'Alt_L', 'optionright': 'Alt_R', 'shift': 'Shift_L', 'shiftleft': 'Shift_L',
    'shiftright': 'Shift_R', 'win': 'Super_L', 'winleft': 'Super_L', 'winright': 'Super_R', 'command': 'Super_L',
    'super': 'Super_L', 'apps': 'Menu', 'menu': 'Menu', 'capslock': 'Caps_Lock', 'numlock': 'Num_Lock',
    'scrolllock': 'Scroll_Lock', 'printscreen': 'Print', 'prtsc': 'Print', 'prtscr': 'Print', 'prntscrn': 'Print',
    'print': 'Print', 'pause': 'Pause', 'add': 'KP_Add', 'subtract': 'KP_Subtract', 'multiply': 'KP_Multiply',
    'divide': 'KP_Divide', 'decimal': 'KP_Decimal', 'volumeup': 'XF86AudioRaiseVolume',
    'volumedown': 'XF86AudioLowerVolume', 'volumemute': 'XF86AudioMute', 'browserback': 'XF86Back',
    'browserforward': 'XF86Forward',
    **{f'f{number}': f'F{number}' for number in range(1, 25)}, **{f'num{digit}': f'KP_{digit}' for digit in range(10)},
}
KEYBOARD_KEYS = KEY_NAMES = [*_KEYS, *map(chr, range(33, 127))]


class PyAutoGUIException(Exception):
    pass


class FailSafeException(PyAutoGUIException):
    pass


def _xdotool(*words):
    done = subprocess.run(['xdotool', *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise PyAutoGUIException(done.stderr.strip() or 'xdotool failed')
    return done.stdout


def _action(function):
    """What acts on the screen: it waits afterwards, and with FAILSAFE a pointer in a corner stops it."""

    @functools.wraps(function)
    def act(*args, _pause=True, logScreenshot=None, **options):
        width, height = size()
        if FAILSAFE and position() in ((0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1)):
            raise FailSafeException('The pointer is in a corner of the screen. Set FAILSAFE to False to go on.')
        function(*args, **options)
        if _pause and PAUSE:
            time.sleep(PAUSE)

    return act


class Point(tuple):
    x = property(lambda self: self[0])
    y = property(lambda self: self[1])


class Size(tuple):
    width = property(lambda self: self[0])
    height = property(lambda self: self[1])


def position(x=None, y=None):
    said = dict(line.split('=') for line in _xdotool('getmouselocation', '--shell').split())
    return Point((int(said['X']) if x is None else int(x), int(said['Y']) if y is None else int(y)))


def size():
    return Size(map(int, _xdotool('getdisplaygeometry').split()))


resolution = size


def onScreen(x, y=None):
    x, y = x if y is None else (x, y)
    return 0 <= x < size().width and 0 <= y < size().height


def screenshot(imageFilename=None, region=None):
    from PIL import ImageGrab

    picture = ImageGrab.grab()
    if region:
        left, top, width, height = region
        picture = picture.crop((left, top, left + width, top + height))
    if imageFilename:
        picture.save(imageFilename)
    return picture


def sleep(seconds):
    time.sleep(seconds)


def linear(n):
    return n


def easeInQuad(n):
    return n * n


def easeOutQuad(n):
    return n * (2 - n)


def easeInOutQuad(n):
    return 2 * n * n if n < 0.5 else 1 - 2 * (1 - n) ** 2


def easeOutBounce(n):
    for end, middle, height in ((4 / 11, 0, 0), (8 / 11, 6 / 11, 3 / 4), (10 / 11, 9 / 11, 15 / 16), (1, 21 / 22, 63 / 64)):
        if n <= end:
            return 7.5625 * (n - middle) ** 2 + height
    return 1


def easeInBounce(n):
    return 1 - easeOutBounce(1 - n)


def easeInElastic(n):
    return 0 if n == 0 else 1 if n == 1 else -(2 ** (10 * n - 10)) * math.sin((n * 10 - 10.75) * 2 * math.pi / 3)


def _place(x, y):
    """Where something happens: both coordinates, a pair of them, or where the pointer is."""
    if isinstance(x, (tuple, list)):
        x, y = x
    return position(None if x is None else x, None if y is None else y)


def _move(x, y, duration, tween):
    (fromX, fromY), (toX, toY) = position(), _place(x, y)
    steps = math.ceil(duration / _STEP_SECONDS) if duration > MINIMUM_DURATION else 1
    words = []
    for step in range(1, steps + 1):
        share = tween(step / steps) if step < steps else 1
        # A curve may lead beyond the place, and xdotool takes no negative coordinates.
        at = (max(0, round(a + (b - a) * share)) for a, b in ((fromX, toX), (fromY, toY)))
        words += ['mousemove', *at, *(['sleep', duration / steps] if steps > 1 else [])]
    _xdotool(*words)


def _button(button):
    name = button.lower() if isinstance(button, str) else button
    if name not in _BUTTONS:
        raise PyAutoGUIException(f'{button!r} is not a button.')
    return _BUTTONS[name]


@_action
def moveTo(x=None, y=None, duration=0.0, tween=linear):
    _move(x, y, duration, tween)


@_action
def moveRel(xOffset=0, yOffset=0, duration=0.0, tween=linear):
    x, y = position()
    _move(x + (xOffset or 0), y + (yOffset or 0), duration, tween)


move = moveRel


@_action
def mouseDown(x=None, y=None, button=PRIMARY, duration=0.0, tween=linear):
    _move(x, y, duration, tween)
    _xdotool('mousedown', _button(button))


@_action
def mouseUp(x=None, y=None, button=PRIMARY, duration=0.0, tween=linear):
    _move(x, y, duration, tween)
    _xdotool('mouseup', _button(button))


@_action
def click(x=None, y=None, clicks=1, interval=0.0, button=PRIMARY, duration=0.0, tween=linear):
    _click(x, y, clicks, interval, button, duration, tween)


def _click(x, y, clicks, interval, button, duration, tween):
    _move(x, y, duration, tween)
    _xdotool('click', '--repeat', clicks, '--delay', max(20, round(interval * 1000)), _button(button))


def _clicking(clicks, usual):
    @_action
    def clickThatWay(x=None, y=None, interval=0.0, button=usual, duration=0.0, tween=linear):
        _click(x, y, clicks, interval, button, duration, tween)

    return clickThatWay


leftClick, rightClick, middleClick = _clicking(1, 'left'), _clicking(1, 'right'), _clicking(1, 'middle')
doubleClick, tripleClick = _clicking(2, 'left'), _clicking(3, 'left')


@_action
def dragTo(x=None, y=None, duration=0.0, tween=linear, button=PRIMARY, mouseDownUp=True):
    _drag(x, y, duration, tween, button, mouseDownUp)


@_action
def dragRel(xOffset=0, yOffset=0, duration=0.0, tween=linear, button=PRIMARY, mouseDownUp=True):
    x, y = position()
    _drag(x + (xOffset or 0), y + (yOffset or 0), duration, tween, button, mouseDownUp)


drag = dragRel


def _drag(x, y, duration, tween, button, mouseDownUp):
    if mouseDownUp:
        _xdotool('mousedown', _button(button))
    _move(x, y, duration, tween)
    if mouseDownUp:
        _xdotool('mouseup', _button(button))


def _turn(clicks, x, y, forward, back):
    _move(x, y, 0, linear)
    if round(clicks):
        _xdotool('click', '--repeat', abs(round(clicks)), '--delay', 20, _WHEEL[forward if clicks > 0 else back])


@_action
def scroll(clicks, x=None, y=None):
    _turn(clicks, x, y, 'up', 'down')


vscroll = scroll


@_action
def hscroll(clicks, x=None, y=None):
    _turn(clicks, x, y, 'right', 'left')


def isValidKey(key):
    return key.lower() in _KEYS or len(key) == 1


def _key(key):
    """The name that X has for a key or a character."""
    if key.lower() in _KEYS:
        return _KEYS[key.lower()]
    if len(key) != 1:
        raise PyAutoGUIException(f'{key!r} is not a key.')
    return key if key.isascii() and key.isalnum() else f'U{ord(key):04X}'


@_action
def keyDown(key):
    _xdotool('keydown', _key(key))


@_action
def keyUp(key):
    _xdotool('keyup', _key(key))


@_action
def press(keys, presses=1, interval=0.0):
    keys = [_key(key) for key in ([keys] if isinstance(keys, str) else keys)]
    for _ in range(int(presses)):
        for key in keys:
            _xdotool('key', key)
            time.sleep(interval)


@_action
def hotkey(*keys, interval=0.0):
    keys = [_key(key) for key in (keys[0] if len(keys) == 1 and isinstance(keys[0], (tuple, list)) else keys)]
    try:
        for key in keys:
            _xdotool('keydown', key)
            time.sleep(interval)
    finally:
        for key in reversed(keys):
            _xdotool('keyup', key)


@_action
def typewrite(message, interval=0.0):
    if not isinstance(message, str):
        for key in message:
            _xdotool('key', _key(key))
            time.sleep(interval)
        return
    # What xdotool types for a line feed is not the Enter key, for which programs wait.
    for part in filter(None, re.split('([\n\r\t\b])', message)):
        words = ['key', _KEYS[part]] if part in '\n\r\t\b' else ['type', '--delay', max(5, round(interval * 1000)), '--', part]
        _xdotool(*words)
        time.sleep(interval)


write = typewrite
