"""ime list -s | enable ID | set ID: there is one, which takes any text"""
METHOD = 'com.android.adbkeyboard/.AdbIME'


def run(phone, arguments, answer):
    if arguments[:1] == ['list']:
        answer(f'{METHOD}\n')
    elif arguments[:1] in (['enable'], ['set']) and arguments[1:] == [METHOD]:
        answer(f'Input method {METHOD} {"selected" if arguments[0] == "set" else "enabled"} for user #0\n')
    else:
        answer(err=f'Error: Unknown input method {" ".join(arguments[1:])} cannot be selected for user #0\n', code=255)
