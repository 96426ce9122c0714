"""uiautomator dump [FILE]"""
from tree import dump


def run(phone, arguments, answer):
    if arguments[:1] != ['dump']:
        answer(err='Error: this simulator knows uiautomator dump only\n', code=1)
        return
    names = [word for word in arguments[1:] if not word.startswith('-')]
    path = names[0] if names else '/sdcard/window_dump.xml'
    tree = dump(phone)
    if path == '/dev/tty':
        answer(f'{tree}UI hierchary dumped to: {path}\n')
        return
    with open(path, 'w') as file:
        file.write(tree)
    answer(f'UI hierchary dumped to: {path}\n')
