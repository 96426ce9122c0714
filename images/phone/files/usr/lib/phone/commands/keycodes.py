"""Android's key codes, and the keysyms that X knows for those that mean something here."""
NAMES = {
    'HOME': 3, 'BACK': 4, 'CALL': 5, 'ENDCALL': 6, 'STAR': 17, 'POUND': 18, 'DPAD_UP': 19, 'DPAD_DOWN': 20, 'DPAD_LEFT': 21,
    'DPAD_RIGHT': 22, 'DPAD_CENTER': 23, 'VOLUME_UP': 24, 'VOLUME_DOWN': 25, 'POWER': 26, 'CAMERA': 27, 'COMMA': 55,
    'PERIOD': 56, 'ALT_LEFT': 57, 'ALT_RIGHT': 58, 'SHIFT_LEFT': 59, 'SHIFT_RIGHT': 60, 'TAB': 61, 'SPACE': 62, 'ENTER': 66,
    'DEL': 67, 'GRAVE': 68, 'MINUS': 69, 'EQUALS': 70, 'LEFT_BRACKET': 71, 'RIGHT_BRACKET': 72, 'BACKSLASH': 73, 'SEMICOLON': 74,
    'APOSTROPHE': 75, 'SLASH': 76, 'AT': 77, 'PLUS': 81, 'MENU': 82, 'SEARCH': 84, 'PAGE_UP': 92, 'PAGE_DOWN': 93, 'ESCAPE': 111,
    'FORWARD_DEL': 112, 'CTRL_LEFT': 113, 'CTRL_RIGHT': 114, 'CAPS_LOCK': 115, 'META_LEFT': 117, 'META_RIGHT': 118,
    'MOVE_HOME': 122, 'MOVE_END': 123, 'INSERT': 124, 'NUMPAD_ENTER': 160, 'VOLUME_MUTE': 164, 'APP_SWITCH': 187,
    'SLEEP': 223, 'WAKEUP': 224, 'CUT': 277, 'COPY': 278, 'PASTE': 279,
    **{str(digit): 7 + digit for digit in range(10)},
    **{chr(65 + index): 29 + index for index in range(26)},
    **{f'F{number}': 130 + number for number in range(1, 13)},
}

KEYSYMS = {
    19: 0xff52, 20: 0xff54, 21: 0xff51, 22: 0xff53, 23: 0xff0d, 55: 0x2c, 56: 0x2e, 57: 0xffe9, 58: 0xffea, 59: 0xffe1, 60: 0xffe2,
    61: 0xff09, 62: 0x20, 66: 0xff0d, 67: 0xff08, 68: 0x60, 69: 0x2d, 70: 0x3d, 71: 0x5b, 72: 0x5d, 73: 0x5c, 74: 0x3b, 75: 0x27,
    76: 0x2f, 92: 0xff55, 93: 0xff56, 111: 0xff1b, 112: 0xffff, 113: 0xffe3, 114: 0xffe4, 115: 0xffe5, 117: 0xffeb, 118: 0xffec,
    122: 0xff50, 123: 0xff57, 124: 0xff63, 160: 0xff8d,
    **{7 + digit: 0x30 + digit for digit in range(10)},
    **{29 + index: 0x61 + index for index in range(26)},
    **{130 + number: 0xffbd + number for number in range(1, 13)},
}

# Keys that a keyboard of X has only with others.
TYPED = {17: '*', 18: '#', 77: '@', 81: '+'}
COMBINED = {277: (0xffe3, 0x78), 278: (0xffe3, 0x63), 279: (0xffe3, 0x76)}


def code_of(word):
    """By number, or by name with or without KEYCODE_."""
    return int(word) if word.isdigit() else NAMES[word.upper().removeprefix('KEYCODE_')]


def keysym_of(code):
    return KEYSYMS.get(code)
